"""What a project has ruff look at."""

from pathlib import Path

import pytest

from bot.verify.detection.detect import look
from tests.verify.conftest import Files, bare, ladder_for, write

TREE: Files = {"src/a.py": "", "tests/b.py": "", "sub/c.py": ""}
HOOK = "repos:\n- repo: x\n  hooks:\n  - id: ruff\n  - id: ruff-format\n"


def words(root: Path, name: str, files: Files) -> str | None:
    found = {check.name: check.argv[1:] for check in look(write(root, {**TREE, **files}), bare()).checks}
    return " ".join(found[name][1 if name == "ruff" else 2 :]) if name in found else None


@pytest.mark.parametrize(
    ("name", "commands", "wanted"),
    [
        ("ruff", ["ruff check src"], "-- src"),
        ("ruff", ["ruff check --fix --output-format github src tests"], "-- src tests"),
        ("ruff", ["ruff check --select E9,F src", "ruff check --select E9,F tests"], "--select E9,F -- src tests"),
        ("ruff", ["ruff check --select E9 src", "ruff check tests"], ""),
        ("ruff", ["ruff check --preview ."], "--preview"),
        ("ruff", ["ruff check src", "ruff check"], ""),
        ("ruff", ["cd sub && ruff check"], "-- sub"),
        ("ruff", ["ruff check $FILES"], ""),
        ("ruff", ["ruff check ../other"], ""),
        ("ruff", ["ruff format src"], None),
        ("ruff-format", ["ruff format --exit-non-zero-on-format ."], ""),
        ("ruff-format", ["ruff format --check src"], "-- src"),
        ("ruff-format", ["ruff format src"], None),
    ],
)
def test_paths_of_their_own_command_are_taken(
    tmp_path: Path, name: str, commands: list[str], wanted: str | None
) -> None:
    text = "lint:\n" + "".join(f"\t{command.replace('$FILES', '$$(FILES)')}\n" for command in commands)
    assert words(tmp_path, name, {"Makefile": text}) == wanted


def test_hook_is_run_on_everything(tmp_path: Path) -> None:
    files: Files = {"Makefile": "lint:\n\truff check src\n", ".pre-commit-config.yaml": HOOK}
    assert words(tmp_path, "ruff", files) == ""


def test_targets_stand_in_the_place_of_those_paths(tmp_path: Path) -> None:
    bad = "import os\n"
    files: Files = {"Makefile": "lint:\n\truff check src\n", "src/a.py": bad, "tests/b.py": bad}
    write(tmp_path, files)
    ruff = next(check for check in look(tmp_path, bare()).checks if check.name == "ruff")
    ladder = ladder_for(tmp_path, ruff)
    assert {case.path for case in ladder.run(ruff, tmp_path).cases} == {"src/a.py"}
    assert {case.path for case in ladder.run(ruff, tmp_path, ["tests"]).cases} == {"tests/b.py"}
