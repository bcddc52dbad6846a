"""How the rungs are climbed."""

from dataclasses import dataclass, field
from pathlib import Path

from bot.core.check import CaseResult, Check, CheckResult, Rung, Verdict
from bot.errors import SandboxUnavailable
from bot.protocols import Command, Completed
from bot.sandbox.process import ProcessExecutor
from bot.verify.detection.detect import detect
from bot.verify.interpreter import find
from bot.verify.ladder import Ladder, leave_out
from tests.conftest import Repo
from tests.verify.conftest import CALC, FIXED, PYTEST, TESTS, bare, climb, ladder_for, outcomes, write

SYNTAX = Check(name="syntax", rung=Rung.SYNTAX, reader="syntax")
SHELL = Check(name="shell", rung=Rung.BUILD, argv=("/bin/sh", "-c", "exit 0"))


@dataclass
class Broken:
    """An executor that cannot start anything."""

    isolation: str = "none"
    asked: list[Command] = field(default_factory=list)

    def execute(self, command: Command) -> Completed:
        self.asked.append(command)
        raise SandboxUnavailable("no namespaces on this machine")


def test_project_of_the_fixture_goes_from_red_to_green(repo: Repo) -> None:
    interpreter = find(repo.path, "", {})
    ladder = Ladder(detect(repo.path, interpreter), ProcessExecutor(), interpreter)
    names, before = climb(ladder, repo.path)
    assert names == ["syntax", "pytest"]
    assert not before.green
    assert before.ok
    repo.write({"calc.py": FIXED})
    names, after = climb(ladder, repo.path, before)
    assert names == ["syntax", "pytest"]
    assert after.green
    assert after.ok
    assert after.comparison.fixed == ("test_calc.py::test_add",)


def test_every_rung_is_run_on_the_base_lowest_first(project: Path) -> None:
    write(project, {"bad.py": "def f(:\n"})
    names, verdict = climb(ladder_for(project, SHELL, PYTEST, SYNTAX), project)
    assert names == ["syntax", "pytest", "shell"]
    assert [result.status for result in verdict.results] == ["failed", "failed", "passed"]


def test_climb_stops_above_the_rung_on_which_something_got_worse(project: Path) -> None:
    ladder = ladder_for(project, SYNTAX, PYTEST, SHELL)
    _, before = climb(ladder, project)
    write(project, {"calc.py": "def add(a, b:\n"})
    names, verdict = climb(ladder, project, before)
    assert names == ["syntax"]
    assert [result.status for result in verdict.results] == ["failed", "skipped", "skipped"]
    assert "something got worse on the rung syntax" in verdict.results[1].summary
    assert not verdict.ok


def test_climb_goes_on_over_what_failed_before_as_well(project: Path) -> None:
    ladder = ladder_for(project, SYNTAX, PYTEST, SHELL)
    write(project, {"old.py": "def f(:\n"})
    _, before = climb(ladder, project)
    names, verdict = climb(ladder, project, before)
    assert names == ["syntax", "pytest", "shell"]
    assert verdict.ok
    assert not verdict.green
    assert len(verdict.comparison.failing) == 2


def test_executor_that_cannot_start_is_no_evidence(project: Path) -> None:
    executor = Broken()
    _, verdict = climb(Ladder((SYNTAX, PYTEST, SHELL), executor, bare()), project)
    assert {(result.status, result.summary) for result in verdict.results} == {
        ("errored", "no namespaces on this machine")
    }
    assert not verdict.ok
    assert len(executor.asked) == 3


def test_declared_command_is_read_by_its_exit_code_alone(project: Path) -> None:
    ladder = ladder_for(project)
    lying = SHELL.model_copy(update={"argv": ("/bin/sh", "-c", "echo 2 passed; exit 3")})
    result = ladder.run(lying, project)
    assert (result.status, outcomes(result)) == ("failed", {"shell": "failed"})
    assert result.cases[0].message == "exit code 3: 2 passed"
    assert ladder.run(SHELL, project).status == "passed"
    for argv in ((), (str(project / "none"),), ("/bin/sh", "-c", "kill -9 $$")):
        assert ladder.run(SHELL.model_copy(update={"argv": argv}), project).status == "errored"


def test_declared_command_that_takes_too_long_is_errored(project: Path) -> None:
    slow = SHELL.model_copy(update={"argv": ("/bin/sh", "-c", "sleep 30"), "timeout": 0.5})
    result = ladder_for(project).run(slow, project)
    assert (result.status, result.summary) == ("errored", "timed out after 0.5 s")


ODD = """
import os, pathlib
from calc import add

marker = pathlib.Path(os.environ.get("MARKER", "/nowhere"))


def test_odd():
    seen = pathlib.Path("seen")
    if not seen.exists():
        seen.write_text("")
        raise ConnectionError("try again")


def test_zero():
    assert add(0, 0) == 0
"""


def test_test_that_passes_when_run_again_is_flaky_and_not_broken(tmp_path: Path) -> None:
    steady = write(tmp_path / "a", {"calc.py": FIXED, "test_calc.py": ODD.replace("raise", "return")})
    _, before = climb(ladder_for(steady, PYTEST), steady)
    root = write(tmp_path / "b", {"calc.py": FIXED, "test_calc.py": ODD})
    _, verdict = climb(ladder_for(root, PYTEST), root, before)
    assert verdict.comparison.flaky == ("test_calc.py::test_odd",)
    assert not verdict.comparison.broken
    assert verdict.ok
    assert not verdict.green


def test_test_that_is_flaky_on_the_base_is_never_called_fixed(tmp_path: Path) -> None:
    root = write(tmp_path, {"calc.py": FIXED, "test_calc.py": ODD})
    _, before = climb(ladder_for(root, PYTEST), root)
    assert before.comparison.flaky == ("test_calc.py::test_odd",)
    _, after = climb(ladder_for(root, PYTEST), root, before)
    assert after.green
    assert after.comparison.fixed == ()


def test_parameters_that_change_from_run_to_run_are_flaky_and_not_removed(tmp_path: Path) -> None:
    source = "import random\nimport pytest\n\n@pytest.mark.parametrize('x', [random.random()])\ndef test_any(x): pass\n"
    root = write(tmp_path, {"test_any.py": source})
    _, before = climb(ladder_for(root, PYTEST), root)
    _, after = climb(ladder_for(root, PYTEST), root, before)
    assert after.ok
    assert not after.comparison.removed
    assert not after.comparison.fixed


def test_parameters_that_were_taken_away_are_removed(tmp_path: Path) -> None:
    source = "import pytest\n\n@pytest.mark.parametrize('x', [1, 2])\ndef test_any(x): pass\n"
    root = write(tmp_path, {"test_any.py": source})
    _, before = climb(ladder_for(root, PYTEST), root)
    write(root, {"test_any.py": source.replace("1, 2", "1")})
    _, after = climb(ladder_for(root, PYTEST), root, before)
    assert after.comparison.removed == ("test_any.py::test_any[2]",)
    assert not after.ok


def test_verdict_names_its_tree_and_survives_the_trace(project: Path) -> None:
    _, verdict = climb(ladder_for(project, SYNTAX, PYTEST), write(project, {"calc.py": CALC, "test_calc.py": TESTS}))
    assert verdict.tree == "tree"
    assert Verdict.model_validate_json(verdict.model_dump_json()) == verdict


def test_what_is_set_aside_is_left_out_of_a_result_and_what_is_new_stays() -> None:
    bad = [CaseResult(id=name, outcome="failed") for name in ("a", "b")]
    good = CaseResult(id="c", outcome="passed")
    result = CheckResult(check="t", rung=Rung.UNIT, status="failed", cases=(*bad, good))
    assert leave_out(result, {"a"}) == result.model_copy(update={"cases": (bad[1], good)})
    whole = leave_out(result, {"a", "b", "c"})
    assert (whole.status, whole.cases, whole.summary) == ("passed", (good,), "2 set aside, no others")
    assert leave_out(result, {"z"}) is result
