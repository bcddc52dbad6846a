"""Linters that print a line for each finding."""

import os
from pathlib import Path

import pytest

from bot.core.check import Check, CheckResult, Rung
from tests.verify.conftest import ladder_for, outcomes, write


def run(root: Path, printed: str, code: int, *targets: str, tool: str = "linter", folder: str = "") -> CheckResult:
    """Run a linter that prints this, standing where it is started."""
    program = root / "bin" / tool
    write(root, {f"bin/{tool}": f"#!/bin/sh\ncat '{root}/printed'\nexit {code}\n", "printed": printed})
    program.chmod(0o755)
    (root / folder).mkdir(exist_ok=True)
    check = Check(name=tool, rung=Rung.STATIC, argv=(str(program),), reader="lines", timeout=60, folder=folder)
    return ladder_for(root, check).run(check, root, targets)


@pytest.mark.parametrize(
    ("line", "wanted", "place"),
    [
        ("./pkg/a.py:3:1: F401 'os' imported but unused", "pkg/a.py::F401::'os' imported but unused", ("pkg/a.py", 3)),
        ("a.py:7:80: E501 line too long (88 > 79 characters)", "a.py::E501::line too long (? > 79 characters)",
         ("a.py", 7)),
        ("a.py:1:1: 'os' imported but unused", "a.py::linter::'os' imported but unused", ("a.py", 1)),
        ("a.py:1:0: C0114: Missing docstring (missing-docstring)", "a.py::C0114::Missing docstring (missing-docstring)",
         ("a.py", 1)),
        ("a.py:9: teh ==> the", "a.py::linter::teh ==> the", ("a.py", 9)),
        ("  ROOT/a.py:4:5 - error: Cannot find x (reportUndefined)", "a.py::reportUndefined::Cannot find x",
         ("a.py", 4)),
        ("run.sh:2:3: warning: Quote this [SC2086]", "run.sh::SC2086::Quote this", ("run.sh", 2)),
        ("c.yml:1:1: [error] too long (line-length)", "c.yml::line-length::too long", ("c.yml", 1)),
        ('a.py:1:10: error[invalid-assignment] Object of type `Literal["a"]` is not assignable to `int`',
         'a.py::invalid-assignment::Object of type `Literal["a"]` is not assignable to `int`', ("a.py", 1)),
        ("would reformat ROOT/a.py", "a.py::format::would be reformatted", ("a.py", 0)),
        ("error: cannot format a.py: Cannot parse: 1:2", "a.py::format::cannot be formatted: Cannot parse: 1:2",
         ("a.py", 0)),
        ("ERROR: ROOT/a.py Imports are incorrectly sorted and/or formatted.", "a.py::imports::imports are not sorted",
         ("a.py", 0)),
    ],
)  # fmt: skip
def test_findings_are_read_from_the_lines_of_many_tools(
    tmp_path: Path, line: str, wanted: str, place: tuple[str, int]
) -> None:
    noise = "Checking...\n1 file checked.\nOh no!\nYour code: 3/10\n"
    result = run(tmp_path, noise + line.replace("ROOT", str(tmp_path)) + "\n", 1)
    assert (result.status, list(outcomes(result))) == ("failed", [wanted])
    assert (result.cases[0].path, result.cases[0].line) == place


def test_finding_keeps_its_name_when_lines_move(tmp_path: Path) -> None:
    first = run(tmp_path, "a.py:3:1: F811 redefinition of unused 'x' from line 1\n", 1)
    second = run(tmp_path, "a.py:30:1: F811 redefinition of unused 'x' from line 28\n", 1)
    assert outcomes(first) == outcomes(second)


def test_equal_findings_are_counted(tmp_path: Path) -> None:
    result = run(tmp_path, "a.py:3: E1 x\na.py:4: E1 x\n", 2)
    assert len(outcomes(result)) == 2
    assert result.summary == "2 findings"


@pytest.mark.parametrize(
    ("printed", "code"),
    [("", 1), ("a.py:1:1: F401 x\n", 0), ("Traceback (most recent call last):\n", 1), ("usage: linter\n", 2),
     ("error: No such option\n", 2), ("", 127)],
)  # fmt: skip
def test_exit_code_and_lines_have_to_agree(tmp_path: Path, printed: str, code: int) -> None:
    assert run(tmp_path, printed, code).status == "errored"


def test_nothing_found_passes(tmp_path: Path) -> None:
    result = run(tmp_path, "All done!\n2 files would be left unchanged.\n", 0)
    assert (result.status, result.summary) == ("passed", "no findings")


def test_warnings_that_a_type_checker_lets_pass_are_no_findings(tmp_path: Path) -> None:
    printed = "a.py:1:1 - warning: x (reportX)\n0 errors, 1 warning\n"
    assert run(tmp_path, printed, 0, tool="pyright").status == "passed"


def test_wrong_call_is_no_finding(tmp_path: Path) -> None:
    assert run(tmp_path, "a.py:1:1: E0001: x\n", 34, tool="pylint").status == "errored"


def test_findings_of_a_package_are_told_from_the_root(tmp_path: Path) -> None:
    printed = f"a.py:1:1: F401 x\n{tmp_path}/inner/b.py:1:1: F401 x\n../c.py:1:1: F401 x\n"
    result = run(tmp_path, printed, 1, folder="inner")
    assert {case.path for case in result.cases} == {"inner/a.py", "inner/b.py", "c.py"}


def test_targets_pick_from_what_is_found(tmp_path: Path) -> None:
    printed = "a.py:1:1: F401 x\nb/c.py:1:1: F401 x\n"
    assert [case.path for case in run(tmp_path, printed, 1, "b").cases] == ["b/c.py"]
    assert run(tmp_path, printed, 1, "d.py").status == "passed"


def test_tool_that_is_not_there_is_errored(tmp_path: Path) -> None:
    check = Check(name="x", rung=Rung.STATIC, argv=(str(tmp_path / "none"),), reader="lines", timeout=60)
    assert ladder_for(tmp_path, check).run(check, tmp_path).status == "errored"
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - names are enough


@pytest.mark.parametrize(
    ("tool", "printed", "code", "status"),
    [
        ("pyrefly", "ERROR a.py:4:8-15: Cannot find module `nowhere` [missing-import]\n INFO 1 error\n", 1, "failed"),
        ("pyrefly", " WARN a.py:4:8-15: Deprecated [deprecated]\n INFO 0 errors\n", 0, "passed"),
        ("ty", "a.py:1:1: warning[unused-ignore] Unused\nFound 1 diagnostic\n", 0, "passed"),
        ("ty", "All checks passed!\n", 0, "passed"),
        ("ty", "a.py:1:1: error[x] y\n", 0, "errored"),
        ("pyrefly", "error: unexpected argument\n", 2, "errored"),
    ],
)
def test_what_type_checkers_only_mention_does_not_count(
    tmp_path: Path, tool: str, printed: str, code: int, status: str
) -> None:
    assert run(tmp_path, printed, code, tool=tool).status == status


def test_finding_of_pyrefly_has_a_place(tmp_path: Path) -> None:
    case = run(tmp_path, "ERROR a.py:4:8-15: Cannot find module `nowhere` [missing-import]\n", 1, tool="pyrefly").cases[
        0
    ]
    assert (case.path, case.line, case.id) == ("a.py", 4, "a.py::missing-import::Cannot find module `nowhere`")
