"""Failing tests that run the project in other processes, and what those tell."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.repair.engine import locate, search
from bot.repair.worker.spectra import read
from bot.repair.worker.witness import VARIABLE
from tests.repair.test_engine import QUICK, make, snapshot, subject

TOOL = (
    "import sys\n\n\ndef add(a, b):\n    return a - b\n\n\n"
    "def main(argv):\n    print(add(int(argv[1]), int(argv[2])))\n\n\n"
    "if __name__ == '__main__':\n    main(sys.argv)\n"
)
TEST = (
    "import pathlib, subprocess, sys\n\nHERE = pathlib.Path(__file__).parent.parent\n\n"
    "def test_module():\n    told = subprocess.run([sys.executable, '-m', 'tool', '1', '2'], cwd=HERE,\n"
    "                          capture_output=True, text=True)\n    assert told.stdout == '3\\n'\n\n"
    "def test_script():\n    argv = [sys.executable, str(HERE / 'tool.py'), '4', '0']\n"
    "    assert subprocess.check_output(argv, env={'PATH': '/bin'}, text=True) == '4\\n'\n"
)


def test_a_fault_that_only_another_process_passes_is_found_in_copies(tmp_path: Path) -> None:
    root = make(tmp_path, {"tool.py": TOOL, "tests/test_tool.py": TEST})
    before = snapshot(root)
    found = search(subject(root), ["tests/test_tool.py::test_module"], QUICK, limit=1)
    assert snapshot(root) == before
    assert "+    return a + b" in found.candidates[0].patch


def test_lines_of_other_processes_are_blamed(tmp_path: Path) -> None:
    root = make(tmp_path, {"tool.py": TOOL, "tests/test_tool.py": TEST})
    suspects = locate(subject(root), [], QUICK)
    assert ("tool.py", 5) in {(suspect.path, suspect.line) for suspect in suspects}


def test_a_process_tells_what_it_passes_and_loads_the_customization_it_would_have_loaded(tmp_path: Path) -> None:
    root = make(tmp_path / "project", {"tool.py": TOOL, "own/sitecustomize.py": "OWN = True\n"})
    notes, place = tmp_path / "notes", tmp_path / "witness"
    notes.mkdir()
    source = Path(sys.modules["bot.repair.worker.witness"].__file__ or "").read_text()
    make(place, {"sitecustomize.py": source})
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(place), str(root / "own"))),
        VARIABLE: os.pathsep.join((str(place), str(notes), str(root))),
    }
    code = "import sitecustomize, tool; tool.main(['', '1', '2']); print(sitecustomize.OWN)"
    argv = [sys.executable, "-c", code]
    told = subprocess.run(argv, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert told.stdout.split() == ["-1", "True"], told.stderr
    found, anew = read(notes)
    assert anew
    assert {(str(root / "tool.py"), line) for line in (5, 9)} <= found
    assert read(notes) == (set(), False)


@pytest.mark.parametrize("told", ["nonsense\nfile\tno number\n", ""])
def test_notes_that_make_no_sense_are_passed_over(tmp_path: Path, told: str) -> None:
    (tmp_path / "x1").write_text(told)
    assert read(tmp_path) == (set(), False)
