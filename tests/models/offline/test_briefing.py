"""The opening message and the answers of checks are read back as the runtime writes them."""

from hypothesis import given
from hypothesis import strategies as st

from bot.agent.context import opening
from bot.core.check import CaseResult, Check, CheckResult, Rung, Verdict
from bot.core.event import Baselined, Started
from bot.core.message import Message, Prompt
from bot.core.task import Task
from bot.models.offline.briefing import Finding, brief, findings, is_evidence, settled, whole
from bot.verify.digest import digest

CHECKS = (
    Check(name="pytest", rung=Rung.UNIT),
    Check(name="ruff", rung=Rung.STATIC),
    Check(name="my own check", rung=Rung.BUILD),
)
CASES = (
    CaseResult(id="a.py::F401::`os` unused", outcome="failed", message="F401 `os` unused", path="a.py", line=3),
    CaseResult(id="a.py::F401::`os` unused#2", outcome="failed", message="F401 `os` unused", path="a.py", line=9),
)
TESTS = (
    CaseResult(
        id="t/test_a.py::A::test_x[at b.py:1]", outcome="failed", message="E: no at c.py:2: x", path="b.py", line=7
    ),
    CaseResult(id="t/test_a.py", outcome="error", message="boom", path="", line=0),
    CaseResult(id="t/test_a.py::test_ok", outcome="passed"),
)
VERDICT = Verdict(
    tree="0" * 40,
    results=(
        CheckResult(check="ruff", rung=Rung.STATIC, status="failed", cases=CASES, summary="2 findings"),
        CheckResult(check="pytest", rung=Rung.UNIT, status="failed", cases=TESTS, summary="2 failed"),
        CheckResult(check="my own check", rung=Rung.BUILD, status="passed", summary="exit code 0"),
    ),
)


def _prompt(goal: str) -> Prompt:
    started = Started(run="r1", task=Task(goal=goal, base="b"), branch="agent/x", checks=CHECKS)
    return Prompt(system="", messages=(Message(role="user", text=opening([started, Baselined(verdict=VERDICT)])),))


def test_a_briefing_is_read_from_what_the_loop_writes() -> None:
    read = brief(_prompt("Mend the lint.\n\n# Checks\n- evil (unit)"))
    assert read.goal == "Mend the lint.\n\n# Checks\n- evil (unit)"
    assert read.checks == (("ruff", Rung.STATIC), ("pytest", Rung.UNIT), ("my own check", Rung.BUILD))
    assert "FAILED ruff" in read.baseline


def test_the_loops_own_sentence_is_no_goal() -> None:
    assert brief(_prompt("")).goal == ""


def test_findings_are_read_from_a_digest() -> None:
    text = digest(VERDICT)
    assert findings(text, ["ruff"]) == tuple(Finding("ruff", c.id, c.path, c.line, c.message) for c in CASES)
    assert [f.id for f in findings(text, ["pytest"])] == [TESTS[0].id, TESTS[1].id]
    assert findings(text, ["pytest"])[1].path == ""
    assert findings(text, ["other"]) == ()


def test_checks_that_passed_are_known() -> None:
    assert settled(digest(VERDICT)) == {"my-own-check": "passed"}


def test_only_findings_of_static_checks_have_a_code() -> None:
    ruff, test = findings(digest(VERDICT), ["ruff", "pytest"])[0], findings(digest(VERDICT), ["pytest"])[0]
    assert (ruff.code, test.code) == ("F401", "")


def test_a_place_in_the_message_is_not_taken_for_the_place_of_the_failure() -> None:
    line = "FAILED syntax a.py::SyntaxError::bad (detected at line 2) at a.py:1: SyntaxError: bad (detected at line 2)"
    (found,) = findings(line, ["syntax"])
    assert (found.path, found.line, found.code) == ("a.py", 1, "SyntaxError")


def test_a_digest_without_room_for_all_says_so() -> None:
    many = tuple(
        c.model_copy(update={"id": f"{c.id}{n}", "message": f"{n}{c.message}", "line": n})
        for n in range(300)
        for c in CASES
    )
    text = digest(
        Verdict(tree="0" * 40, results=(CheckResult(check="ruff", rung=Rung.STATIC, status="failed", cases=many),))
    )
    assert whole(digest(VERDICT))
    assert not whole(text)


def test_tests_and_configuration_are_evidence() -> None:
    assert all(
        map(is_evidence, ("tests/test_a.py", "test_a.py", "conftest.py", "pyproject.toml", "pkg/tests/data.json"))
    )
    assert not is_evidence("pkg/a.py")


@given(st.text(max_size=300))
def test_no_text_makes_reading_fail(text: str) -> None:
    findings("FAILED ruff " + text, ["ruff"])
    brief(Prompt(system="", messages=(Message(role="user", text=text),)))
    settled(text)


@given(st.text(max_size=40), st.text(max_size=60), st.integers(0, 999))
def test_what_a_digest_says_of_a_test_is_read_back(name: str, message: str, line: int) -> None:
    case = CaseResult(id=f"t.py::{name}", outcome="failed", message=message, path="pkg/a.py", line=line)
    result = CheckResult(check="pytest", rung=Rung.UNIT, status="failed", cases=(case,))
    (found,) = findings(digest(Verdict(tree="0" * 40, results=(result,))), ["pytest"])
    assert (found.path, found.line) == ("pkg/a.py", line)
