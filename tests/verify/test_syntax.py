"""The cheapest rung."""

import os
from pathlib import Path

import pytest

from bot.core.check import Check, CheckResult, Rung
from tests.verify.conftest import Files, ladder_for, outcomes, write

SYNTAX = Check(name="syntax", rung=Rung.SYNTAX, reader="syntax", timeout=60)


def run(root: Path, files: Files, *targets: str) -> CheckResult:
    return ladder_for(root).run(SYNTAX, write(root, files), targets)


def test_file_that_does_not_parse_is_a_case_with_its_line(tmp_path: Path) -> None:
    result = run(tmp_path, {"good.py": "x = 1\n", "pkg/bad.py": "x = 1\ndef f(:\n"})
    (case,) = result.cases
    assert (case.path, case.line, result.status) == ("pkg/bad.py", 2, "failed")
    assert case.id.startswith("pkg/bad.py::SyntaxError::")


@pytest.mark.parametrize(
    "source",
    [
        b"\xef\xbb\xbfx = 1\r\n",
        b"# -*- coding: latin-1 -*-\nx = '\xe9'\n",
        b"",
        b"x = 1",
        b"x = '\\d'\nassert (x, 'always')\n",
        b"from __future__ import annotations\n",
    ],
)
def test_unusual_files_that_python_accepts_are_accepted(tmp_path: Path, source: bytes) -> None:
    assert run(tmp_path, {"a.py": source}).status == "passed"


@pytest.mark.parametrize(
    "source",
    [
        b"x = '\xe9'\n",
        b"x = 1\0\n",
        b"return 1\n",
        b"def f(a, a): pass\n",
        b"\tx = 1\n",
        b"x = " + b"(" * 400,
        b"nonlocal x\n",
    ],
)
def test_files_that_python_refuses_are_refused(tmp_path: Path, source: bytes) -> None:
    result = run(tmp_path, {"a.py": source})
    assert result.status == "failed"
    assert "\n" not in next(iter(outcomes(result)))


def test_nothing_of_the_tree_runs(tmp_path: Path) -> None:
    names = ("json.py", "sitecustomize.py", "warnings.py", "a.py", "encodings/__init__.py")
    files = dict.fromkeys(names, "open('ran', 'w')\n")
    assert run(tmp_path, files).status == "passed"
    assert not (tmp_path / "ran").exists()


def test_what_is_no_source_of_the_project_is_left_out(tmp_path: Path) -> None:
    bad = "def f(:\n"
    left_out = (
        "tests/data/a.py",
        "tests/fixtures/deep/a.py",
        "{{cookiecutter.name}}/a.py",
        ".tox/a.py",
        "node_modules/x/a.py",
    )
    files = dict.fromkeys((*left_out, "env/lib/a.py"), bad) | {"env/pyvenv.cfg": "", "src/data/ok.py": "x = 1\n"}
    result = run(tmp_path, files)
    assert (result.status, result.summary) == ("passed", "1 file parsed")


def test_a_name_that_is_no_text_is_told_readably(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.py")).write_bytes(b"x = (\n")
    (case,) = run(tmp_path, {}).cases
    assert (case.path, case.line) == ("caf\\xe9.py", 1)


def test_targets_narrow_the_check(tmp_path: Path) -> None:
    files = {"a.py": "def f(:\n", "b/c.py": "x = 1\n"}
    assert run(tmp_path, files, "b").status == "passed"
    assert run(tmp_path, files, "a.py").status == "failed"


def test_target_that_is_not_there_is_no_evidence(tmp_path: Path) -> None:
    assert run(tmp_path, {"a.py": "x = 1\n"}, "nowhere").status == "errored"


def test_many_files_are_shared_among_workers_and_none_is_lost(tmp_path: Path) -> None:
    files = {f"m{n}.py": "x = 1\n" if n % 50 else "def f(:\n" for n in range(300)}
    result = run(tmp_path, files)
    assert len(result.cases) == 6
    assert result.summary == "6 of 300 files cannot be parsed"
