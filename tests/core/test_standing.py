"""What stands after it had to be judged again."""

from collections.abc import Sequence

import pytest

from bot.core import standing
from bot.core.change import ChangeSet, FileChange
from bot.core.check import CaseResult, CheckResult, Comparison, Rung, Verdict
from bot.core.event import Baselined, Committed, Ended, Event, Proved, Resumed, Reviewed, Started, Undone, Verified
from bot.core.message import Reply
from bot.core.proof import Audit, Proof
from bot.core.summary import summarize
from bot.core.talk import Replied
from bot.core.task import Task
from bot.core.terms import Terms

BASE, ONE, TWO = ("b" * 40, "1" * 40, "2" * 40)


def verdict(tree: str, *, good: bool, broken: tuple[str, ...] = ()) -> Verdict:
    case = CaseResult(id="t::a", outcome="passed" if good else "failed")
    told = CheckResult(check="unit", rung=Rung.UNIT, status="passed" if good else "failed", cases=(case,))
    fixed = ("t::a",) if good else ()
    return Verdict(tree=tree, results=(told,), comparison=Comparison(fixed=fixed, broken=broken))


def change(path: str) -> ChangeSet:
    return ChangeSet(base=BASE, tree=ONE, files=(FileChange(path=path, kind="modified"),), patch=f"of {path}")


def step(number: int, tree: str) -> tuple[Event, ...]:
    said = Verified(verdict=verdict(tree, good=True), change=change(f"{number}.py"))
    return (said, Committed(step=number, commit=tree, tree=tree, subject="s"))


START: tuple[Event, ...] = (
    Started(run="r1", task=Task(goal="g", base=BASE), branch="agent/r1", version="1", isolation="process"),
    Baselined(verdict=verdict(BASE, good=False)),
    Replied(reply=Reply(text="x")),
    *step(1, ONE),
    *step(2, TWO),
    Proved(commit=TWO, proof=Proof(reason="forged"), audit=Audit()),
    Ended(stop="done"),
)
AGAIN = Resumed(commit=TWO, terms=Terms(version="2", isolation="bubblewrap"), anew="other checks")
BASED = Baselined(verdict=verdict(BASE, good=False))


def reviewed(number: int = 2, *, good: bool = True) -> Reviewed:
    said = verdict(TWO, good=good, broken=() if good else ("t::a",))
    return Reviewed(step=number, commit=TWO, verdict=said, change=change("both.py"))


@pytest.mark.parametrize("rest", [(), (BASED,), (BASED, Ended(stop="interrupted"), Resumed(commit=TWO))])
def test_what_has_to_be_judged_again_has_to_be_until_it_was(rest: Sequence[Event]) -> None:
    events = (*START, AGAIN, *rest)
    assert standing.unreviewed(START) == ""
    assert standing.unreviewed(events) == "other checks"
    assert standing.unreviewed((*events, BASED, reviewed())) == ""


def test_what_was_judged_again_stands_for_all_of_it_and_later_steps_by_themselves() -> None:
    events = (*START, AGAIN, BASED, reviewed(), *step(3, "3" * 40))
    assert [each.files[0].path for each in standing.changes(events)] == ["both.py", "3.py"]
    assert [each.files[0].path for each in standing.changes(START)] == ["1.py", "2.py"]
    assert standing.before(events[:-2]) == reviewed().verdict


def test_a_step_back_leaves_nothing_that_was_judged_by_the_new_terms() -> None:
    events = (*START, AGAIN, BASED, reviewed(), Undone(step=1, commit=ONE))
    assert standing.unreviewed(events) == "other checks"
    assert summarize((*events, Ended(stop="done"))).outcome == "partial"


def test_terms_are_the_last_ones_that_were_told() -> None:
    assert standing.terms(START).isolation == "process"
    assert standing.terms((*START, AGAIN)) == AGAIN.terms
    assert standing.terms((*START, Resumed(commit=TWO, isolation="none", version="9"))).isolation == "none"


def test_nothing_that_was_said_before_counts_afterwards() -> None:
    events = (*START, AGAIN, BASED, reviewed())
    assert not any(isinstance(event, Proved) for event in standing.since(events))
    assert standing.since(START) == START
    assert summarize(events).proof.reason != "forged"


@pytest.mark.parametrize(("good", "outcome"), [(True, "verified"), (False, "partial")])
def test_what_does_not_hold_is_never_called_verified_again(good: bool, outcome: str) -> None:  # noqa: FBT001
    events = (*START, AGAIN, BASED, reviewed(good=good))
    assert standing.refuted(events) is not good
    assert summarize((*events, Ended(stop="done"))).outcome == outcome
    assert summarize((*events, *step(3, "3" * 40), Ended(stop="done"))).outcome == outcome
    report = summarize(events)
    assert [step.checks[0].status for step in report.steps] == ["passed", "passed" if good else "failed"]
