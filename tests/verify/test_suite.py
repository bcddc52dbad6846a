"""The project's own pytest, watched from inside."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.check import Check
from bot.protocols import Completed
from bot.sandbox.process import ProcessExecutor
from bot.verify.interpreter import own
from bot.verify.ladder import Ladder
from bot.verify.reported import Report, read
from bot.verify.suite import judge
from tests.verify.conftest import CALC, FIXED, PYTEST, TESTS, Files, bare, ladder_for, outcomes, run_tests, write


def test_each_outcome_is_told_apart(tmp_path: Path) -> None:
    source = """
import unittest
import pytest

@pytest.fixture
def broken():
    raise RuntimeError("no database")

@pytest.fixture
def leaves_a_mess():
    yield
    raise RuntimeError("cannot clean")

def test_good(): pass
def test_bad(): assert 1 == 2
def test_setup(broken): pass
def test_teardown(leaves_a_mess): pass
@pytest.mark.skip(reason="later")
def test_skip(): pass
@pytest.mark.xfail(reason="known")
def test_known(): assert 0
@pytest.mark.xfail
def test_mended(): pass
@pytest.mark.xfail(strict=True)
def test_strict(): pass
@pytest.mark.parametrize("n", [1, 2])
def test_many(n): assert n == 1

class TestOld(unittest.TestCase):
    def test_good(self): self.assertEqual(1, 1)
    def test_bad(self): self.assertEqual(1, 2)
    @unittest.expectedFailure
    def test_expected(self): self.assertEqual(1, 2)
    def test_skip(self): self.skipTest("later")
"""
    result = run_tests(write(tmp_path, {"test_all.py": source}))
    assert {name.partition("::")[2]: outcome for name, outcome in outcomes(result).items()} == {
        "test_good": "passed",
        "test_bad": "failed",
        "test_setup": "error",
        "test_teardown": "error",
        "test_skip": "skipped",
        "test_known": "xfailed",
        "test_mended": "xpassed",
        "test_strict": "failed",
        "test_many[1]": "passed",
        "test_many[2]": "failed",
        "TestOld::test_good": "passed",
        "TestOld::test_bad": "failed",
        "TestOld::test_expected": "xfailed",
        "TestOld::test_skip": "skipped",
    }
    assert result.status == "failed"
    messages = {case.id.rpartition("::")[2]: case.message for case in result.cases}
    assert messages["test_setup"].startswith("RuntimeError: no database")
    assert messages["test_skip"] == "later" or "later" in messages["test_skip"]


def test_failure_names_the_projects_own_line_and_the_operands(project: Path) -> None:
    case = next(case for case in run_tests(project).cases if case.bad)
    assert (case.path, case.line) == ("test_calc.py", 5)
    assert case.message.splitlines() == [
        "AssertionError: assert -1 == 3",
        " +  where -1 = add(1, 2)",
        "> assert add(1, 2) == 3",
    ]


def test_exception_is_placed_where_the_project_raised_it(project: Path) -> None:
    write(project, {"calc.py": "import json\n\ndef add(a, b):\n    return json.loads('{')\n"})
    case = next(case for case in run_tests(project).cases if case.bad)
    assert (case.path, case.line) == ("calc.py", 4)
    assert case.message.startswith("JSONDecodeError: ")


def test_exception_that_cannot_be_shown_is_still_named(project: Path) -> None:
    hostile = (
        "class Odd(Exception):\n    def __str__(self):\n        raise KeyError('x')\n\ndef add(a, b):\n    raise Odd\n"
    )
    write(project, {"calc.py": hostile})
    assert {case.message.splitlines()[0] for case in run_tests(project).cases} == {"Odd: <exception str() failed>"}


def test_file_that_cannot_be_collected_is_one_error_and_the_others_run(project: Path) -> None:
    write(
        project,
        {"calc.py": FIXED, "test_lost.py": "import nowhere\n\ndef test_x(): pass\n", "test_typo.py": "def f(:\n"},
    )
    result = run_tests(project)
    cases = {case.id: case for case in result.cases}
    assert cases["test_lost.py"].outcome == "error"
    assert cases["test_lost.py"].message.startswith("ModuleNotFoundError: No module named 'nowhere'")
    assert (cases["test_typo.py"].path, cases["test_typo.py"].line) == ("test_typo.py", 1)
    assert cases["test_calc.py::test_add"].outcome == "passed"
    assert result.status == "failed"


def test_conftest_that_cannot_be_imported_is_named(project: Path) -> None:
    write(project, {"conftest.py": "\nimport nowhere\n"})
    result = run_tests(project)
    assert outcomes(result) == {"conftest.py": "error"}
    assert (result.cases[0].path, result.cases[0].line) == ("conftest.py", 2)


def test_no_tests_are_no_evidence(tmp_path: Path) -> None:
    result = run_tests(write(tmp_path, {"test_nothing.py": "x = 1\n"}))
    assert (result.status, result.summary) == ("errored", "no tests were collected")


@pytest.mark.parametrize(
    ("files", "empty"),
    [
        ({"calc.py": CALC}, True),
        ({"test_a.py": "import pytest\npytest.importorskip('nowhere')\n"}, False),
        ({"test_a.py": "raise RuntimeError\n"}, False),
        ({"test_a.py": "def test(): pass\n"}, False),
        ({"conftest.py": "import os\nos._exit(5)\n"}, False),
    ],
)
def test_only_a_suite_without_tests_that_nobody_declared_is_empty(tmp_path: Path, files: Files, *, empty: bool) -> None:
    root = write(tmp_path, files)
    found = PYTEST.model_copy(update={"reason": "pytest.ini"})
    assert ladder_for(root, found).run(found, root).empty is empty
    assert not ladder_for(root, PYTEST).run(PYTEST, root).empty


def test_test_that_never_ends_is_named(project: Path) -> None:
    write(project, {"calc.py": "import time\n\ndef add(a, b):\n    time.sleep(60)\n"})
    result = run_tests(project, check=PYTEST.model_copy(update={"timeout": 2.0}))
    assert (result.status, result.summary) == ("errored", "timed out after 2 s")
    assert outcomes(result) == {"test_calc.py::test_add": "error"}


def test_package_below_src_is_imported_from_the_tree(tmp_path: Path) -> None:
    files = {
        "src/deep/__init__.py": "V = 1\n",
        "tests/test_deep.py": "import deep\n\ndef test_v(): assert deep.V == 1\n",
    }
    result = run_tests(write(tmp_path, files))
    assert (result.status, result.summary) == ("passed", "1 passed")


def test_scripts_below_lib_do_not_hide_the_modules_of_the_root(project: Path) -> None:
    write(project, {"calc.py": FIXED, "lib/calc.py": "def add(a, b): return 0\n"})
    assert run_tests(project).status == "passed"


def test_copy_of_the_project_from_elsewhere_is_no_evidence(tmp_path: Path) -> None:
    write(tmp_path / "old", {"inner/deep/__init__.py": "V = 1\n"})
    path = f"import sys\nsys.path.insert(0, {str(tmp_path / 'old/inner')!r})\n"
    test = path + "import deep\n\ndef test_v(): assert deep.V == 1\n"
    result = run_tests(write(tmp_path / "new", {"inner/deep/__init__.py": "V = 2\n", "test_deep.py": test}))
    assert result.status == "errored"
    assert "deep from " in result.summary


def test_planted_bytecode_does_not_stand_for_the_source(project: Path) -> None:
    plant = (
        "import py_compile, pathlib\npathlib.Path('calc.py').write_text('def add(a, b):\\n    return a + b\\n')\n"
        "py_compile.compile('calc.py', invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)\n"
        "pathlib.Path('calc.py').write_text('def add(a, b):\\n    return a - b\\n')\n"
    )
    write(project, {"plant.py": plant})
    planted = Check(name="plant", rung=PYTEST.rung, argv=(str(own().path), "plant.py"))
    assert run_tests(project, check=planted).status == "passed"
    assert list(project.glob("__pycache__/calc.*.pyc"))
    assert run_tests(project).status == "failed"


def test_tree_stays_free_of_caches(project: Path) -> None:
    run_tests(project)
    assert sorted(path.name for path in project.iterdir()) == ["calc.py", "test_calc.py"]


def test_projects_own_options_are_kept(project: Path) -> None:
    ini = "[pytest]\nfilterwarnings = error\naddopts = -x --strict-markers --maxfail=1\ntestpaths = checks\n"
    warns = "import warnings\n\ndef test_warns(): warnings.warn('old')\n\ndef test_later(): pass\n"
    write(project, {"pytest.ini": ini, "checks/test_w.py": warns})
    assert outcomes(run_tests(project)) == {
        "checks/test_w.py::test_warns": "failed",
        "checks/test_w.py::test_later": "passed",
    }


def test_workers_of_xdist_are_not_needed(project: Path) -> None:
    write(
        project,
        {"calc.py": FIXED, "pytest.ini": "[pytest]\naddopts = -n 2 --dist loadfile\n"},
    )
    theirs = replace(own(), origin=".venv")
    ladder = Ladder((PYTEST,), ProcessExecutor(), theirs)
    assert outcomes(ladder.run(PYTEST, project)) == {
        "test_calc.py::test_add": "passed",
        "test_calc.py::test_zero": "passed",
    }


def test_plugins_beside_our_own_pytest_are_not_the_projects(project: Path) -> None:
    write(project, {"test_plugins.py": "import sys\n\n\ndef test_none():\n    assert 'xdist' not in sys.modules\n"})
    ladder = Ladder((PYTEST,), ProcessExecutor(), own())
    assert outcomes(ladder.run(PYTEST, project))["test_plugins.py::test_none"] == "passed"


def test_a_test_that_never_ends_fails_alone(project: Path) -> None:
    loop = "    while True:\n        try:\n            pass\n        except Exception:\n            pass\n"
    tests = f"def test_loop():\n{loop}\n\ndef test_end():\n    assert True\n"
    write(project, {"calc.py": FIXED, "test_loop.py": tests})
    short = PYTEST.model_copy(update={"timeout": 15.0})
    result = Ladder((short,), ProcessExecutor(), bare()).run(short, project, ("test_loop.py",))
    assert outcomes(result) == {"test_loop.py::test_loop": "failed", "test_loop.py::test_end": "passed"}
    assert "processor time" in result.cases[0].message


def test_configuration_above_the_tree_is_not_the_projects(tmp_path: Path) -> None:
    write(tmp_path, {"pytest.ini": "[pytest]\npython_functions = check_*\n", "conftest.py": "raise RuntimeError\n"})
    root = write(tmp_path / "project", {"calc.py": FIXED, "test_calc.py": TESTS})
    assert run_tests(root).status == "passed"


def test_targets_narrow_the_run(project: Path) -> None:
    assert outcomes(run_tests(project, "test_calc.py::test_zero")) == {"test_calc.py::test_zero": "passed"}


@pytest.mark.parametrize("target", ["--co", "-p evil", "", "a\0b"])
def test_target_that_is_an_option_is_refused(project: Path, target: str) -> None:
    result = run_tests(project, target)
    assert result.status == "errored"
    assert "a target is a path or a test id" in result.summary


def test_exit_code_that_no_test_explains_is_a_failure(project: Path) -> None:
    write(
        project, {"calc.py": FIXED, "conftest.py": "def pytest_sessionfinish(session):\n    session.exitstatus = 1\n"}
    )
    result = run_tests(project)
    assert result.status == "failed"
    assert outcomes(result)["pytest::exit"] == "failed"


def test_children_that_tests_fork_do_not_write_to_the_report(project: Path) -> None:
    forks = "import os\n\ndef test_fork():\n    pid = os.fork()\n    assert pid == 0 or os.waitpid(pid, 0)[1] == 0\n"
    result = run_tests(write(project, {"test_calc.py": forks}))
    assert outcomes(result) == {"test_calc.py::test_fork": "passed"}


TOKEN = "secret"


def lines(*records: dict[str, object]) -> bytes:
    told = ({"token": TOKEN, "number": number, **record} for number, record in enumerate(records, 1))
    return b"".join(json.dumps(record).encode() + b"\n" for record in told)


CASE: dict[str, object] = {
    "kind": "case", "id": "t.py::t", "outcome": "passed", "message": "", "path": "t.py", "line": 1, "seconds": 0.1,
}  # fmt: skip
END: dict[str, object] = {
    "kind": "end",
    "exit": 0,
    "collected": 1,
    "missing": [],
    "tampered": [],
    "foreign": [],
    "hidden": [],
    "share": 1,
    "same": "x",
}


def judged(report: Report, returncode: int = 0) -> str:
    return judge(PYTEST, Completed(returncode=returncode, ended="exited", output="", seconds=0.1), report).status


def test_complete_report_that_agrees_with_the_exit_code_is_believed() -> None:
    assert judged(read(lines(CASE, END), TOKEN)) == "passed"


@pytest.mark.parametrize(
    "change",
    [{"exit": 1}, {"collected": 0, "exit": 5}, {"missing": ["t.py::u"]}, {"tampered": ["X.y"]}, {"foreign": ["x"]}],
)
def test_report_that_disagrees_is_never_passed(change: dict[str, object]) -> None:
    assert judged(read(lines(CASE, {**END, **change}), TOKEN)) != "passed"


@given(st.data())
def test_no_damaged_report_is_passed(data: st.DataObject) -> None:
    whole = lines(CASE, END)
    position = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        damaged = whole[:position]
    else:
        damaged = whole[:position] + data.draw(st.binary(min_size=1, max_size=5)) + whole[position:]
    report, honest = read(damaged, TOKEN), read(whole, TOKEN)
    assert judged(report) != "passed" or said(report) == said(honest)


def said(report: Report) -> tuple[list[str], object]:
    """Return what a report says for the tree; what is hidden, or unlike a sibling, can only speak against it."""
    end = report.end.model_copy(update={"hidden": (), "same": ""}) if report.end is not None else None
    return [case.outcome for case in report.cases], end


@given(st.binary(max_size=200))
def test_report_of_anybody_else_is_errored(report: bytes) -> None:
    assert judged(read(report, TOKEN)) == "errored"


def test_report_with_another_token_is_errored() -> None:
    assert judged(read(lines(CASE, END).replace(TOKEN.encode(), b"guess"), TOKEN)) == "errored"
