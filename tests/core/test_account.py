"""What is said of a proof: what was shown, what was not, and what weakens it."""

import pytest

from bot.core.account import Point, account, findings, prove, reds, review
from bot.core.approval import Authority, Decision, Question, Risk
from bot.core.change import FileChange
from bot.core.check import Flake, Rung
from bot.core.doubts import object_to
from bot.core.proof import Audit, Proof, ProofMode, Red, TestChange
from bot.core.report import CheckSummary, Report, Step
from bot.core.task import Task

TEST = "tests/test_a.py::test_it"
SOURCE = (FileChange(path="a.py", kind="modified"),)


def report(*checks: CheckSummary, files: tuple[FileChange, ...] = SOURCE, **more: object) -> Report:
    given = {"run": "r", "branch": "b", "base": "a", "tip": "c", "outcome": "verified", "stop": "done", **more}
    steps = (Step(subject="s", commit="c", checks=checks, files=files),)
    return Report.model_validate({"task": Task(base="a"), "steps": steps, **given})


@pytest.mark.parametrize(
    ("mode", "count", "text"),
    [
        ("reproduction", 1, "red → green: 1 case failed on the base, and passes with the change"),
        ("written", 2, "red → green: 2 cases that are new fail on the base, and pass with the change"),
        (
            "reverted",
            1,
            "red → green: 1 case that was adapted fails without the rest of the change, and passes with it",
        ),
    ],
)
def test_where_the_red_comes_from_is_said(mode: ProofMode, count: int, text: str) -> None:
    cases = tuple(f"t.py::t{n}" for n in range(count))
    assert prove(Proof(red=cases, green=cases, mode=mode)).text == text


def test_no_red_is_said_with_its_reason_and_is_not_good() -> None:
    point = prove(Proof(reason="every check passed on the base"))
    assert point.sign == "doubt"
    assert point.text == "nothing was shown to fail without the change: every check passed on the base"


def test_how_a_case_failed_stands_beside_it() -> None:
    shown = (Red(id=TEST, error="AssertionError", message="AssertionError: assert 1 == 2\nmore"),)
    (red,) = reds(Proof(red=(TEST,), green=(TEST,), mode="written", shown=shown))
    assert red == (TEST, "AssertionError: assert 1 == 2")


def test_a_finding_is_not_said_twice() -> None:
    name = "a.py::F401::`os` imported but unused"
    shown = (Red(id=name, message="F401 `os` imported but unused"),)
    assert reds(Proof(red=(name,), green=(name,), shown=shown)) == ((name, ""),)


def test_each_kind_of_change_to_tests_is_a_point_of_its_own_and_the_grave_ones_come_first() -> None:
    tests = (
        TestChange(path="t.py", name="test_new", kind="added"),
        TestChange(path="t.py", name="test_a", kind="weakened", detail="an assertion is gone"),
        TestChange(path="t.py", name="TestX.test_b", kind="weakened"),
        TestChange(path="conftest.py", name="client", kind="altered"),
        TestChange(path="pyproject.toml", name="addopts", kind="configuration", detail="was -x"),
    )
    points = list(review(Audit(tests=tests, kept=("t.py", "u.py"), unkept=("t.py::test_a",), unread=("d.bin",)), ()))
    assert points == [
        ("bad", "2 tests ask less than before", ("t.py::test_a: an assertion is gone", "t.py::TestX::test_b")),
        ("bad", "1 thing that tests use asks something else than before", ("conftest.py::client",)),
        ("bad", "1 setting of the checks was changed", ("pyproject.toml: addopts: was -x",)),
        ("good", "1 test was added", ("t.py::test_new",)),
        ("doubt", "changed, and could not be compared piece by piece:", ("d.bin",)),
        ("bad", "base versions of 2 files were run against the result: these do not pass", ("t.py::test_a",)),
    ]


def test_untouched_evidence_is_said_only_where_none_was_touched() -> None:
    untouched = "no earlier test and no configuration of the checks was touched"
    assert [point.text for point in review(Audit(), SOURCE)] == [untouched]
    assert list(review(Audit(), (FileChange(path="tests/test_a.py", kind="modified"),))) == []
    assert list(review(Audit(), (FileChange(path="conftest.py", kind="added"),))) == []


def test_a_new_test_that_was_red_is_not_named_twice() -> None:
    added = tuple(TestChange(path="t.py", name=name, kind="added") for name in ("T.test_a", "test_b"))
    (point,) = review(Audit(tests=added, read=("t.py",)), (), ["t.py::T::test_a[1]"])
    assert point == ("good", "2 tests were added", ("t.py::test_b",))


def test_what_weakens_the_word_of_a_check_is_said() -> None:
    make = CheckSummary(
        name="make",
        rung=Rung.BUILD,
        status="passed",
        summary="exit code 0; weaker evidence: an exit code and nothing else",
    )
    flaky = CheckSummary(
        name="pytest", rung=Rung.UNIT, status="passed", reused=True, flakes=(Flake(id=TEST, passed=3, failed=2),)
    )
    told = report(make, flaky, findings=(f"{TEST} did not always end the same way", "a.py is imported by no test"))
    points = [point for point in account(told) if point.sign == "note" or "imports" in point.text]
    assert points == [
        ("doubt", "no test imports 1 file that was changed", ("a.py",)),
        ("note", "make: weaker evidence: an exit code and nothing else", ()),
        ("note", "pytest: 1 case did not always end the same way", (f"{TEST}: passed 3 of 5 runs",)),
        ("note", "pytest: not run again; known of the same tree in the same environment", ()),
    ]
    assert findings(told) == ()


def test_what_could_not_be_judged_is_told_by_its_cause_and_is_no_failure() -> None:
    told = report(
        proof=Proof(red=("t.py::net", TEST), green=(TEST,)),
        findings=(
            "could not be judged, for want of a network: t.py::net",
            "could not be judged, for want of memory: m",
        ),
    )
    assert [point for point in account(told) if point.sign == "doubt"] == [
        ("doubt", "1 case could not be judged, for want of a network", ("t.py::net",)),
        ("doubt", "1 case could not be judged, for want of memory", ("m",)),
    ]


def test_what_speaks_against_the_evidence_is_told_once() -> None:
    audit = Audit(
        tests=(TestChange(path="t.py", name="test_a", kind="removed"),), unkept=("t.py::b",), reason="it does not start"
    )
    doubts = tuple(f"needs a person: {line[2:]}" for line in object_to(audit).split("\n"))
    told = report(audit=audit, findings=(*doubts, "needs a person: x.py looks at what runs it: gc"))
    assert findings(told) == ("needs a person: x.py looks at what runs it: gc",)


def test_many_findings_of_a_kind_are_told_together() -> None:
    told = report(findings=tuple(f"still failing, as on the base: t{n}" for n in range(9)))
    assert findings(told) == ("still failing, as on the base: 9 cases, such as t0, t1, t2",)


def test_a_run_without_a_step_proves_nothing() -> None:
    assert account(report(steps=(), proof=Proof(red=(TEST,)))) == ()


def test_what_somebody_had_to_allow_is_told_kind_by_kind() -> None:
    def decide(risk: Risk, why: str, by: Authority) -> Decision:
        return Decision(question=Question(risk=risk, subject="exa -l", why=why), answer="once", by=by)

    allowed = (
        decide("protected", "changes action.yml", "person"),
        decide("protected", "changes action.yml", "earlier"),
        decide("delete", "deletes a.py", "policy"),
        decide("command", "runs exa", "policy"),
    )
    kept = Step(subject="s", commit="c", files=SOURCE, allowed=allowed[:2])
    undone = Step(subject="s", commit="c", files=SOURCE, allowed=allowed, undone=True)
    later = Step(subject="s", commit="c", files=SOURCE, allowed=allowed[2:])
    points = account(report(steps=(kept, undone, later)))
    assert [point for point in points if "allowed" in point.text] == [
        Point("doubt", "protected paths were changed, allowed by a person", ("changes action.yml",)),
        Point("note", "files were deleted, allowed as it was set beforehand", ("deletes a.py",)),
        Point("note", "programs off the list were run, allowed as it was set beforehand", ("exa -l",)),
    ]


def test_what_linters_found_before_comes_last_and_alone_needs_nobody() -> None:
    lint, test = "a.py::F401::`os` imported but unused", "test_a.py::test_x[a b]"
    partly = report(outcome="partial", proof=Proof(red=(lint, test)))
    (both,) = [point for point in account(partly) if lint in point.details]
    assert both == Point("doubt", "2 cases that failed on the base do not pass", (test, lint))
    only = report(outcome="verified", proof=Proof(red=(lint,)))
    assert Point("note", "left as on the base: 1 finding of checks that only read", (lint,)) in account(only)
