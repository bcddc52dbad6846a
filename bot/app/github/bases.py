"""Where a run at the GitHub door starts from, which branch it is for, and what became of that meanwhile."""

import re
import time
from collections.abc import Mapping
from typing import NamedTuple

from bot.app.desk import settle
from bot.app.finished import Finished, open_finished, tip_of
from bot.app.github.door import Door
from bot.app.github.earlier import HEADS
from bot.app.moving import carry_out
from bot.app.perform import render
from bot.app.proving.prove import Wish, prove
from bot.app.replanting import Pick, replant
from bot.core.branches import Place
from bot.core.escape import line
from bot.core.event import Proved, Published
from bot.core.handover import Base
from bot.core.hub import PullRequest
from bot.core.report import Report
from bot.errors import AgentError, OrderError, UsageError
from bot.git.mergeability import conflicts, name_clashes
from bot.git.record import append_events
from bot.git.remote import fetch
from bot.git.repository import Repository
from bot.git.store import open_store

_FULL = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class Ground(NamedTuple):
    """Where a run starts."""

    commit: str
    """A full id."""
    ref: str
    """The branch that the change is for, short."""
    pull: PullRequest | None = None
    """The pull request that was talked about."""


def locate(door: Door) -> Ground:
    """Find the commit that an event is about. Raises UsageError, ForgeError."""
    trigger, call = door.trigger, door.call
    if trigger.run is not None:
        pull = door.github.pull(trigger.page) if trigger.page else None
        return Ground(trigger.head.sha, trigger.head.ref, pull)
    if trigger.pull:
        pull = door.github.pull(trigger.number)
        return Ground(trigger.head.sha or pull.head_sha, pull.head_ref, pull)
    ref = trigger.base or trigger.default_branch or door.github.repository().default_branch
    known = call.sha if ref == trigger.default_branch else ""
    commit = known or door.github.branch_tip(ref)
    if not _FULL.fullmatch(commit):
        raise OrderError(f"there is no branch {line(ref)!r} to start from", "name one that exists")
    return Ground(commit, ref)


def bring(repository: Repository, door: Door, commit: str) -> None:
    """Have a commit here, as objects only. Raises UsageError, GitFailed."""
    if not _FULL.fullmatch(commit):
        raise UsageError("the event names no commit to start from")
    if repository.shared.ask("cat-file", "-e", f"{commit}^{{commit}}").code:
        fetch(repository.shared, door.remote, [f"+{commit}:{HEADS}{commit}"])


def bring_up(repository: Repository, door: Door, ground: Ground, report: Report, flags: Mapping[str, object]) -> Base:
    """Look where the branch stands now, and make the steps again there if it moved; what goes wrong is in the value."""
    then = Base(ref=ground.ref, then=ground.commit, now=ground.commit)
    if report.tip == report.base:
        return then
    try:
        now = door.github.branch_tip(ground.ref)
        if not now or now == ground.commit:
            return then.model_copy(update={"now": now, "state": "same" if now else "unknown"})
        bring(repository, door, now)
    except AgentError as error:
        return then.model_copy(update={"now": "", "state": "unknown", "detail": error.message[:500]})
    return _move(repository, report, flags, then.model_copy(update={"now": now}))


def _move(repository: Repository, report: Report, flags: Mapping[str, object], base: Base) -> Base:
    clashes = conflicts(repository.shared, report.tip, base.now)
    if clashes:
        return base.model_copy(update={"state": "conflicts", "detail": name_clashes(clashes)})
    try:
        tip = _make_again(repository, report, flags, base.now)
        judged = prove(repository.root, flags, Wish(f"{base.now}..{tip}", tip=True))
        whole = judged.proved.commits[-1]
        proved = Proved(at=time.time(), commit=tip, proof=whole.proof, audit=whole.audit)
        append_events(repository, report.run, [proved], render)
    except AgentError as error:
        why = error.message.removesuffix(": nothing was changed")
        return base.model_copy(update={"state": "unverified", "detail": why[:500]})
    held = judged.proved.sound
    detail = "every check passes there" if held else "no check got worse there, but not every one passes"
    return base.model_copy(update={"state": "rebased", "passes": held, "detail": detail})


def _make_again(repository: Repository, report: Report, flags: Mapping[str, object], onto: str) -> str:
    """Make the steps again on top of a commit, on a second branch of the run; return its tip. Raises UsageError."""
    finished = open_finished(repository, report.run)
    desk = settle(repository, flags, onto)
    picks = [Pick(step.step, step.commit) for step in finished.lineage.live]
    planted = replant(desk, finished, onto, picks)
    if planted.tip == onto:
        raise UsageError("the branch holds what the run changed already, by other commits")
    branch = second_branch(finished)
    place = Place(ref=f"refs/heads/{branch}", before="", after=planted.tip, made=planted.made)
    where = f"{branch} (made again on {onto[:10]})"
    carry_out(finished, Published(at=time.time(), where=where, commit=planted.tip, places=(place,)))
    return planted.tip


def second_branch(finished: Finished) -> str:
    """Name a branch of the run that is free."""
    store = open_store(finished.repository)
    number = 2
    while store.read_ref(f"refs/heads/{finished.branch}-{number}"):
        number += 1
    return f"{finished.branch}-{number}"


def final_branch(repository: Repository, report: Report) -> str:
    """Name the branch to publish, short: the last one that steps were made again on, else the run's own."""
    finished = open_finished(repository, report.run)
    for event in reversed(finished.events):
        if isinstance(event, Published):
            for place in event.places:
                name = place.ref.removeprefix("refs/heads/")
                if name.startswith(report.branch) and tip_of(repository, place.ref) == place.after:
                    return name
    return report.branch
