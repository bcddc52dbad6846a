import pytest

from bot.core.change import ChangeSet, FileChange
from bot.core.check import CaseResult, CheckResult, Comparison, Outcome, Rung, Status, Verdict
from bot.core.event import (
    EVENT,
    Acted,
    Baselined,
    Committed,
    Ended,
    Event,
    Published,
    Redone,
    Resumed,
    RolledBack,
    Started,
    Undone,
    Verified,
)
from bot.core.message import Reply, ToolCall, ToolResult, Usage
from bot.core.report import Report
from bot.core.summary import summarize
from bot.core.talk import Planned, Replied
from bot.core.task import Task

ADD, ZERO = "test_calc.py::test_add", "test_calc.py::test_zero"
CALC = FileChange(path="calc.py", kind="modified", added=1, removed=1)
TESTS = FileChange(path="test_calc.py", kind="modified", added=1)


def result(status: Status, outcomes: dict[str, Outcome], check: str = "pytest", rung: Rung = Rung.UNIT) -> CheckResult:
    return CheckResult(
        check=check, rung=rung, status=status, cases=tuple(CaseResult(id=i, outcome=o) for i, o in outcomes.items())
    )


RED = Verdict(tree="0" * 40, results=(result("failed", {ADD: "failed", ZERO: "passed"}),))
GREEN = Verdict(
    tree="1" * 40, results=(result("passed", {ADD: "passed", ZERO: "passed"}),), comparison=Comparison(fixed=(ADD,))
)


def started(**task: object) -> Started:
    return Started(
        at=100.0, run="r1", task=Task.model_validate({"base": "b" * 40, **task}), branch="agent/x-r1", model="offline"
    )


def judged(verdict: Verdict, *files: FileChange) -> Verified:
    return Verified(
        at=110.0, verdict=verdict, change=ChangeSet(base="0" * 40, tree=verdict.tree, files=files or (CALC,), patch="p")
    )


def committed(step: int = 1, commit: str = "c" * 40) -> Committed:
    return Committed(at=111.0, step=step, commit=commit, tree=GREEN.tree, subject="agent: mend add")


DONE = Ended(at=112.0, stop="done", detail="all good")


def report(*events: Event, **task: object) -> Report:
    return summarize((started(**task), Baselined(at=101.0, verdict=RED), *events))


def test_verified_commit_that_turns_everything_green_is_verified() -> None:
    made = report(judged(GREEN), committed(), DONE)
    assert (made.outcome, made.stop, made.detail, made.exit_code) == ("verified", "done", "all good", 0)
    assert made.proof.red == made.proof.green == (ADD,)
    assert made.tip == "c" * 40
    assert [(step.commit, step.tree, step.fixed, step.patch) for step in made.steps] == [
        ("c" * 40, GREEN.tree, (ADD,), "p")
    ]
    assert (made.baseline[0].passed, made.baseline[0].failed) == (1, 1)
    assert made.findings == ()


def test_change_of_an_existing_test_needs_a_person() -> None:
    made = report(judged(GREEN, CALC, TESTS), committed(), DONE)
    assert made.outcome == "partial"
    assert made.exit_code == 1
    assert made.findings == ("needs a person: test_calc.py is part of the evidence and was changed",)


def test_new_test_is_no_change_of_evidence() -> None:
    made = report(judged(GREEN, FileChange(path="test_more.py", kind="added", added=3)), committed(), DONE)
    assert made.outcome == "verified"


@pytest.mark.parametrize("stop", ["limit:turns", "needs_human", "denied"])
def test_run_that_stopped_early_is_never_verified(stop: str) -> None:
    assert report(judged(GREEN), committed(), Ended(stop=stop)).outcome == "partial"
    assert report(Ended(stop=stop)).outcome == "gave_up"


@pytest.mark.parametrize("stop", ["model", "workspace"])
def test_run_that_broke_down_failed_unless_work_was_done(stop: str) -> None:
    assert report(Ended(stop=stop)).outcome == "failed"
    assert report(judged(GREEN), committed(), Ended(stop=stop)).outcome == "partial"


def test_commit_that_leaves_old_failures_is_partial_and_names_them() -> None:
    made = report(judged(RED), committed(), DONE)
    assert made.outcome == "partial"
    assert made.findings == (f"still failing, as on the base: {ADD}",)
    assert made.proof.green == ()
    assert made.proof.reason == "nothing that failed on the base passes now"


def test_acceptance_narrows_what_must_pass() -> None:
    mixed = Verdict(
        tree="2" * 40,
        results=(result("passed", {ADD: "passed"}), result("failed", {"x.py::E1::bad": "failed"}, "ruff", Rung.STATIC)),
    )
    events = (judged(mixed), committed(), DONE)
    assert report(*events).outcome == "partial"
    assert report(*events, acceptance=("pytest",)).outcome == "verified"
    assert report(*events, acceptance=("pytest", "mypy")).outcome == "partial"
    worse = mixed.model_copy(update={"comparison": Comparison(broken=("x.py::E1::bad",))})
    assert report(judged(worse), committed(), DONE, acceptance=("pytest",)).outcome == "partial"


def test_check_without_evidence_is_named_and_never_verified() -> None:
    broken = Verdict(
        tree="2" * 40, results=(CheckResult(check="pytest", rung=Rung.UNIT, status="errored", summary="no end record"),)
    )
    made = report(judged(broken), committed(), DONE)
    assert made.outcome == "partial"
    assert made.findings == ("no evidence from pytest: no end record",)


def test_green_base_without_a_goal_is_nothing_to_do() -> None:
    events: tuple[Event, ...] = (started(), Baselined(verdict=GREEN), DONE)
    assert summarize(events).outcome == "nothing"
    assert summarize(events).exit_code == 0
    assert summarize((started(goal="add a feature"), *events[1:])).outcome == "gave_up"
    assert summarize(events).proof.reason == "no reproduction: every check passed on the base"


def test_base_that_was_not_judged_proves_nothing() -> None:
    made = summarize((started(), Ended(stop="workspace")))
    assert (made.outcome, made.proof.reason, made.tip) == ("failed", "the base was not judged", "b" * 40)


def test_rollback_is_told_with_what_it_threw_away() -> None:
    made = report(
        judged(RED),
        RolledBack(to="b" * 40, kept="k" * 40, reason="3 attempts did not pass"),
        Ended(stop="limit:rollbacks"),
    )
    assert made.outcome == "gave_up"
    assert [(step.subject, step.commit, step.kept, step.tree) for step in made.steps] == [
        ("rolled back: 3 attempts did not pass", "", "k" * 40, RED.tree)
    ]
    assert made.tip == "b" * 40


def test_rollback_without_a_verdict_takes_none_from_an_earlier_step() -> None:
    made = report(judged(GREEN), committed(), RolledBack(to="c" * 40, kept="k", reason="asked to"), DONE)
    assert made.steps[1].tree == ""
    assert made.steps[1].checks == ()
    assert made.outcome == "verified"


def test_undo_takes_the_verdict_back_and_redo_restores_it() -> None:
    events = (judged(GREEN), committed(), DONE)
    undone = report(*events, Undone(step=0, commit="b" * 40))
    assert (undone.outcome, undone.tip, undone.steps[0].undone) == ("gave_up", "b" * 40, True)
    assert undone.proof.green == ()
    redone = report(*events, Undone(step=0, commit="b" * 40), Redone(step=1, commit="c" * 40))
    assert (redone.outcome, redone.tip, redone.steps[0].undone) == ("verified", "c" * 40, False)


def test_undo_of_the_second_step_leaves_the_first() -> None:
    events = (judged(RED), committed(), judged(GREEN), committed(2, "d" * 40), DONE)
    assert report(*events).outcome == "verified"
    undone = report(*events, Undone(step=1, commit="c" * 40))
    assert [step.undone for step in undone.steps] == [False, True]
    assert undone.outcome == "partial"
    assert undone.findings == (f"still failing, as on the base: {ADD}",)


def test_flaky_test_is_never_proof() -> None:
    flaky = GREEN.model_copy(update={"comparison": Comparison(flaky=(ADD,))})
    assert report(judged(flaky), committed(), DONE).proof.green == ()


def test_finding_of_a_static_check_is_proved_by_its_absence() -> None:
    def static(status: Status, *ids: str) -> CheckResult:
        return result(status, dict.fromkeys(ids, "failed"), "ruff", Rung.STATIC)

    base = Baselined(verdict=Verdict(tree="0", results=(static("failed", "a.py::F401::x"),)))
    clean = Verdict(tree="1", results=(static("passed"),))
    assert summarize((started(), base, judged(clean), committed(), DONE)).proof.green == ("a.py::F401::x",)
    missing = Verdict(tree="1", results=(CheckResult(check="ruff", rung=Rung.STATIC, status="errored"),))
    assert summarize((started(), base, judged(missing), committed(), DONE)).proof.green == ()


def test_test_that_disappears_is_no_proof() -> None:
    without = Verdict(tree="1" * 40, results=(result("passed", {ZERO: "passed"}),))
    assert report(judged(without), committed(), DONE).proof.green == ()


def test_costs_are_added_up() -> None:
    call = ToolCall(id="c1", name="read_file")
    events = (
        Replied(at=102.0, reply=Reply(usage=Usage(input=10, output=5, cached=2, cost=0.1))),
        Acted(at=103.0, call=call, result=ToolResult(call_id="c1", ok=True, output="")),
        Replied(at=104.0, reply=Reply(usage=Usage(input=1, output=1, cost=0.2))),
        Planned(at=105.0, steps=("look", "mend")),
        Ended(at=107.5, stop="done"),
    )
    made = report(*events)
    spent = made.usage
    assert (spent.turns, spent.calls, spent.input, spent.output, spent.cached) == (2, 1, 11, 6, 2)
    assert spent.cost == pytest.approx(0.3)
    assert spent.seconds == 7.5
    assert made.plan == ("look", "mend")


def test_what_a_model_without_a_price_costs_is_not_known_from_then_on() -> None:
    unpriced = started().model_copy(update={"priced": False})
    assert [summarize((first, DONE)).usage.priced for first in (started(), unpriced)] == [True, False]
    resumed = Resumed(commit="b" * 40, priced=False)
    assert not summarize((started(), resumed, DONE)).usage.priced
    assert not summarize((unpriced, resumed.model_copy(update={"priced": True}), DONE)).usage.priced


def test_what_a_person_does_later_costs_the_run_no_time() -> None:
    later = (Published(at=90_000.0, where="https://example.invalid/pr/1"), Undone(at=99_999.0, step=0, commit="b" * 40))
    made = report(judged(GREEN), committed(), DONE, *later)
    assert made.usage.seconds == 12.0
    assert made.pr == "https://example.invalid/pr/1"


def test_run_that_was_killed_is_interrupted_also_when_it_had_been_resumed() -> None:
    assert (report().stop, report().exit_code) == ("interrupted", 130)
    resumed = report(Ended(stop="limit:turns", detail="the limit on turns is reached"), Replied(reply=Reply()))
    assert (resumed.stop, resumed.detail, resumed.exit_code) == ("interrupted", "", 130)


def test_report_from_disk_equals_the_report_from_memory() -> None:
    events = (started(), Baselined(verdict=RED), judged(GREEN), committed(), DONE)
    read = tuple(EVENT.validate_json(event.model_dump_json()) for event in events)
    assert summarize(read) == summarize(events)
    assert Report.model_validate_json(summarize(events).model_dump_json()) == summarize(events)
