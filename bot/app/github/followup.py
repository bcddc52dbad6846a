"""What can be ordered of a run that was: to go on, to go back, to be made anew, to be told of."""

from collections.abc import Mapping, Sequence
from typing import Literal

from bot.app.consent import Said
from bot.app.desk import Desk
from bot.app.finished import between, open_finished, short
from bot.app.github.bases import second_branch
from bot.app.github.earlier import EarlierRun, Page, bring_branch, bring_records, find_strangers
from bot.app.resume import resume
from bot.app.undoing import undo_alone
from bot.core.approval import Question
from bot.core.event import Committed
from bot.core.lineage import follow
from bot.core.report import OutcomeWord, Report
from bot.core.task import Record
from bot.errors import OrderError, UsageError
from bot.git.remote import Remote
from bot.git.repository import Repository


class RunStatus(Record):
    """How a run stands, for somebody who asks."""

    run: str
    goal: str
    outcome: OutcomeWord
    stop: str
    detail: str = ""
    branch: str = ""
    tip: str = ""
    steps: int = 0
    """Those that count."""
    waits: tuple[Question, ...] = ()
    seal: str = ""
    """Of what waits; see core.allowance."""
    question: str = ""
    """What it asked and wants words for."""
    began: float = 0.0
    ended: float = 0.0
    """Seconds since 1970, of the last thing on record."""
    model: str = ""
    cost: float = 0.0
    seconds: float = 0.0
    doubt: str = ""
    """Why nothing may be done by its record."""


class TakenBack(Record):
    """What an undo made of the branch of a page."""

    run: str
    branch: str
    """Short; here it stands at `after`: the run's own, or a second one where others have put commits on that."""
    before: str
    """Where the page's branch stands on the remote: the lease of a push."""
    after: str
    how: Literal["moved", "reverted"]
    why: str = ""
    """Why a revert was made; empty where the branch only moves back."""
    steps: tuple[Committed, ...]
    """Those that were taken back."""
    left: int
    """Steps of the run that still count."""
    close: bool
    """Whether nothing is left that a pull request could ask for."""


class Continued(Record):
    """A run that went on."""

    report: Report
    before: str
    """Where the page's branch stands on the remote; empty when it is not there."""
    strangers: int = 0
    """Commits there that are not ours: the run does not stand on them, and must not take their place."""
    judged: str = ""
    """Why all that was verified before was judged again; empty when it was not."""


def tell_status(runs: Sequence[EarlierRun]) -> tuple[RunStatus, ...]:
    """Say how the runs of a page stand."""
    return tuple(map(_status, runs))


def _status(earlier: EarlierRun) -> RunStatus:
    report = earlier.report
    asked = report.stop == "needs_human" and not report.waits and bool(report.usage.turns)
    return RunStatus(
        run=report.run,
        goal=report.task.goal,
        outcome=report.outcome,
        stop=report.stop,
        detail=report.detail,
        branch=report.branch,
        tip=report.tip,
        steps=len(follow(earlier.events).live),
        waits=report.waits,
        seal=report.seal,
        question=report.detail if asked else "",
        began=earlier.began,
        ended=earlier.ended,
        model=report.model,
        cost=report.usage.cost,
        seconds=report.usage.seconds,
        doubt=earlier.doubt,
    )


def find_waiting(runs: Sequence[EarlierRun]) -> EarlierRun:
    """Find the newest run that waits for somebody. Raises UsageError."""
    found = next((run for run in runs if run.report.stop == "needs_human" and run.report.usage.turns), None)
    if found is None:
        raise OrderError("no run waits for approval here", f"the newest one is {runs[0].run}" if runs else "")
    return _sound(found)


def _sound(run: EarlierRun) -> EarlierRun:
    if run.doubt:
        raise OrderError(run.doubt, "it can be looked at, not acted upon")
    return run


def go_on(
    repository: Repository, remote: Remote, runs: Sequence[EarlierRun], said: Said, flags: Mapping[str, object]
) -> Continued:
    """Go on with the run that waits, by the yes of a person or by their words. Raises UsageError, GitFailed.

    A record that was fetched is a stranger's: what it allows does not count, what it calls verified is judged again.
    """
    run = find_waiting(runs)
    if not run.report.waits:
        if not said.words:
            raise OrderError(f"{run.run} asked something that wants words: {run.report.detail}")
        said = Said(words=said.words, who=said.who)
    if said.seal and said.seal != run.report.seal:
        asked = "; ".join(question.why for question in run.report.waits)
        raise OrderError(f"{run.run} waits for something else by now: it {asked}", "look at that, then approve it")
    bring_records(repository, remote, [run.run])
    before = bring_branch(repository, remote, run.report.branch)
    strangers = find_strangers(repository, runs, before) if before else ()
    report = resume(repository.root, run.run, flags, said, quiet=True)
    judged = next((note for note in reversed(report.notes) if note.startswith("all that was verified before")), "")
    return Continued(report=report, before=before, strangers=len(strangers), judged=judged)


def undo_remote(
    desk: Desk, remote: Remote, page: Page, runs: Sequence[EarlierRun], step: int | None = None
) -> TakenBack:
    """Take back the last step on the branch of a page, or a step and all after it, as a record and a branch here.

    Nothing is pushed, and no checkout is moved. Raises UsageError where there is nothing to take back, GitFailed.
    """
    repository = desk.repository
    run = next((run for run in runs if follow(run.events).live and (run.here or not page.branch)), None)
    if run is None:
        raise UsageError("no step is left to undo here")
    run = _sound(run)
    bring_records(repository, remote, [run.run])
    tip = bring_branch(repository, remote, page.branch or run.report.branch)
    finished = open_finished(repository, run.run)
    if not tip:
        raise UsageError(f"{page.branch or run.report.branch} is gone from the remote: there is nothing to undo there")
    live = finished.lineage.live
    event, way = undo_alone(desk, finished, step, tip, second_branch(finished))
    after = way.place.after
    return TakenBack(
        run=run.run,
        branch=short(way.place.ref),
        before=tip,
        after=after,
        how=event.how,
        why=way.why,
        steps=tuple(each for each in live if each.step > event.step),
        left=sum(each.step <= event.step for each in live),
        close=not between(repository, page.base or finished.lineage.base, after),
    )


def ask_again(run: EarlierRun, words: str) -> str:
    """Put what a run was asked, and what is said to it now, into the words of a new one."""
    return "\n\n".join(filter(None, (run.report.task.goal.strip(), words.strip())))
