"""What CI names is held against what fails here on the same commit, and nothing is called the same that is not."""

from collections.abc import Sequence

import pytest

from bot.core.check import CaseResult, Check, CheckResult, Comparison, Rung, Status, Verdict
from bot.core.redness.claim import Claim
from bot.core.redness.jobs import FailedJob, FailedStep
from bot.core.redness.log import Facts
from bot.core.redness.reproduction import Reproduction, hold, names_of
from bot.core.redness.telling import Here, relate, tell_reproduction
from bot.core.trigger.diagnosis import Diagnosis

PYTEST = Check(name="pytest", rung=Rung.UNIT, argv=("python", "-m", "pytest"), reader="pytest", reason="x")
RUFF = Check(name="ruff", rung=Rung.STATIC, argv=("ruff", "check"), reader="ruff")
MYPY = Check(name="mypy", rung=Rung.TYPES, argv=("mypy",), reader="mypy")
MAKE = Check(name="pkg/make-test", rung=Rung.UNIT, argv=("make", "test"), reader="exit")
UNIT = Check(name="unit", rung=Rung.INTEGRATION, argv=("python", "-m", "pytest", "-q"), reader="exit")
CHECKS = (PYTEST, RUFF, MYPY, MAKE, UNIT)


def red(check: Check, *ids: str, cause: str = "") -> CheckResult:
    """Make the result of a check of which these cases fail."""
    cases = tuple(
        CaseResult.model_validate({"id": each, "outcome": "failed", "path": each.partition("::")[0], "cause": cause})
        for each in ids
    )
    return CheckResult(check=check.name, rung=check.rung, status="failed" if ids else "passed", cases=cases)


def verdict(*results: CheckResult, flaky: tuple[str, ...] = ()) -> Verdict:
    """Make a verdict; checks that are not named passed."""
    told = {result.check for result in results}
    rest = (red(check) for check in CHECKS if check.name not in told)
    return Verdict(tree="t", results=(*results, *rest), comparison=Comparison(flaky=flaky))


def diagnosis(*claims: Claim, tools: tuple[str, ...] = (), facts: Facts | None = None) -> Diagnosis:
    """Make a diagnosis of one job with one step."""
    step = FailedStep("Run it", 1, claims, len(claims), tools)
    job = FailedJob("test", ("3.9",), ("3.11",), (step,), "log", facts or Facts())
    return Diagnosis("tests", "x", (job,))


def claim_of(name: str, tool: str = "pytest") -> Claim:
    """Make a claim of a test that failed."""
    return Claim(tool, "tests", name, name.partition("::")[0])


@pytest.mark.parametrize(
    ("claim", "result"),
    [
        (claim_of("t/test_a.py::test_x"), red(PYTEST, "t/test_a.py::test_x")),
        (claim_of("test_a.py::test_x"), red(PYTEST, "pkg/test_a.py::test_x")),
        (claim_of("pkg/test_a.py::test_x"), red(PYTEST, "test_a.py::test_x")),
        (claim_of("test_a.py"), red(PYTEST, "test_a.py::test_x")),
        (claim_of("test_a.py::test_x"), red(PYTEST, "test_a.py")),
        (claim_of("::T::test_x"), red(PYTEST, "a/test_a.py::T::test_x[1]")),
        (claim_of("t/a.py::T::test_x", "unittest"), red(PYTEST, "t/a.py::T::test_x")),
        (Claim("pytest", "tests"), red(PYTEST, "test_a.py::test_x")),
        (Claim("pytest", "tests", said="coverage"), red(PYTEST, "pytest::exit")),
        (claim_of("test_a.py::test_x"), red(UNIT, "unit")),
        (Claim("make-test", "tests"), red(MAKE, "pkg/make-test")),
        (Claim("ruff", "lint", "F401", "a.py", 3), red(RUFF, "a.py::F401::`os` imported but unused")),
        (Claim("flake8", "lint", "F401", "a.py", 3), red(RUFF, "src/a.py::F401::unused")),
        (Claim("ruff", "lint", said="the hook ruff failed"), red(RUFF, "a.py::F401::unused")),
        (Claim("mypy", "types", "return-value", "a.py", 3), red(MYPY, "a.py::return-value::no")),
        (Claim("", "tests", "", "a/test_a.py", 3), red(PYTEST, "a/test_a.py::test_x")),
    ],
)
def test_the_same_failure_is_known_again(claim: Claim, result: CheckResult) -> None:
    found = hold(diagnosis(claim), CHECKS, verdict(result))
    assert (found.word, found.cases) == ("reproduced", result.bad)
    assert found.goes_on


@pytest.mark.parametrize(
    ("claim", "result"),
    [
        (claim_of("test_a.py::test_x"), red(PYTEST, "test_a.py::test_y")),
        (claim_of("test_a.py::test_x"), red(PYTEST, "my_test_a.py::test_x")),
        (claim_of("test_a.py::test_x[1]"), red(PYTEST, "test_a.py::test_x[2]")),
        (claim_of("test_a.py::test_x"), red(RUFF, "test_a.py::F401::unused")),
        (claim_of("test_a.py"), red(RUFF, "test_a.py::F401::unused")),
        (Claim("ruff", "lint", "F401", "a.py", 3), red(RUFF, "a.py::E501::too long")),
        (Claim("ruff", "lint", "F401", "a.py", 3), red(RUFF, "b.py::F401::unused")),
        (Claim("mypy", "types", "arg-type", "a.py", 3), red(RUFF, "a.py::F401::unused")),
        (Claim("eslint", "lint", "no-undef", "a.js", 3), red(PYTEST, "test_a.py::test_x")),
        (Claim("go-test", "tests", "TestX"), red(PYTEST, "test_a.py::test_x")),
    ],
)
def test_another_failure_is_not_taken_for_what_ci_names(claim: Claim, result: CheckResult) -> None:
    found = hold(diagnosis(claim), CHECKS, verdict(result))
    assert (found.word, found.missing, found.red) == ("other", (claim,), result.bad)
    assert not found.goes_on


def test_where_ci_names_no_case_its_check_or_whatever_is_red_is_what_there_is() -> None:
    failing = verdict(red(PYTEST, "test_a.py::test_x"))
    assert hold(diagnosis(tools=("pytest",)), CHECKS, failing).word == "reproduced"
    assert hold(diagnosis(tools=("mypy",)), CHECKS, failing).word == "other"
    assert hold(diagnosis(tools=("tox",)), CHECKS, failing).word == "unattributed"
    assert hold(diagnosis(), CHECKS, failing).word == "unattributed"


def test_what_says_nothing_of_the_code_here_is_told_for_what_it_is() -> None:
    claim, case = claim_of("test_a.py::test_x"), "test_a.py::test_x"
    assert hold(diagnosis(claim), CHECKS, verdict(red(PYTEST, case), flaky=(case,))).word == "flaky"
    assert hold(diagnosis(), CHECKS, verdict(red(PYTEST, case), flaky=(case,))).word == "flaky"
    prevented = hold(diagnosis(claim), CHECKS, verdict(red(PYTEST, case, cause="network")))
    assert (prevented.word, prevented.detail) == ("prevented", "for want of a network")
    assert hold(diagnosis(claim), CHECKS, verdict()).word == "not-reproduced"


@pytest.mark.parametrize("status", ["errored"])
def test_a_check_without_evidence_is_not_taken_for_green(status: Status) -> None:
    silent = CheckResult(check="pytest", rung=Rung.UNIT, status=status, summary="no pytest is installed")
    found = hold(diagnosis(claim_of("test_a.py::test_x")), CHECKS, verdict(silent))
    assert (found.word, found.detail) == ("unjudged", "pytest: no pytest is installed")
    assert hold(diagnosis(Claim("mypy", "types", "x", "a.py")), CHECKS, verdict(silent)).word == "not-reproduced"
    assert hold(diagnosis(), (), Verdict(tree="t")).detail == "no check was found"


def test_only_a_part_may_be_the_same() -> None:
    both = (claim_of("test_a.py::test_x"), claim_of("test_a.py::test_windows"))
    found = hold(diagnosis(*both), CHECKS, verdict(red(PYTEST, "test_a.py::test_x")))
    assert (found.word, found.missing) == ("reproduced", both[1:])
    assert tell_reproduction(diagnosis(*both), found, Here()).endswith("test_x; not here: test_a.py::test_windows")


def test_a_check_is_called_by_its_name_its_tool_or_its_command() -> None:
    assert names_of(UNIT) == {"unit", "pytest"}
    assert names_of(MAKE) == {"make-test"}
    go = Check(name="x", rung=Rung.UNIT, argv=("/usr/bin/go", "test", "./..."))
    assert names_of(go) == {"x", "go-test"}


def test_what_is_not_alike_is_told_where_nothing_is_red_here() -> None:
    told = diagnosis(claim_of("t.py::test_x"), facts=Facts("3.9.19", "windows-2022", ("postgres",)))
    words = tell_reproduction(
        told, Reproduction("not-reproduced", missing=told.claims), Here("3.11", "linux"), merged=True
    )
    for part in (
        "could not reproduce: nothing that CI names (t.py::test_x) fails here",
        "ran Python 3.9.19, here it is 3.11",
        "ran on windows-2022, here it is linux",
        "had the services postgres",
        "passed for 3.11, and failed for 3.9",
        "merged into its base",
    ):
        assert part in words


@pytest.mark.parametrize(
    ("green", "end"),
    [
        (("a.py::x", "a.py::y"), "both failed here on the head as well; both pass on the tip"),
        (("a.py::x",), "both failed here on the head as well; 1 of 2 pass on the tip; not yet: a.py::y"),
    ],
)
def test_the_proof_is_related_to_what_ci_said(green: Sequence[str], end: str) -> None:
    told = diagnosis(claim_of("a.py::x"), claim_of("a.py::y"))
    found = hold(told, CHECKS, verdict(red(PYTEST, "a.py::x", "a.py::y")))
    first, second = relate(told, found, green)
    assert first == 'CI: job test (3.9), step "Run it" failed with exit code 1, 2 cases: a.py::x, a.py::y'
    assert second == end
    assert relate(told, Reproduction("other"), ()) == (first,)
