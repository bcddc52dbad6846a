"""Takes the verified commits of a run onto the person's own branch."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bot.app.desk import Desk, open_desk
from bot.app.finished import Finished, full_ref, is_ancestor, open_finished, short
from bot.app.hooks.taking import take
from bot.app.moving import carry_out, settle
from bot.app.replanting import Pick, replant, review
from bot.app.signals import interruptible
from bot.core.branches import Made, Place
from bot.core.event import Published
from bot.core.trailers import SNAPSHOT
from bot.errors import UsageError
from bot.git.repository import Repository
from bot.git.shift import refuse_operation


class _Taken(NamedTuple):
    tip: str
    made: tuple[Made, ...]
    how: str


def accept(directory: Path, prefix: str) -> str:
    """Bring the steps that count onto the current branch; say what was done. Raises UsageError."""
    desk = open_desk(directory, {}, unborn=True)
    repository = desk.repository
    settle(repository, prefix)
    finished = open_finished(repository, prefix)
    if not finished.lineage.live:
        raise UsageError(f"{finished.run} has no verified commit to take", f"git agent show {finished.run} tells why")
    if finished.hooked:
        return take(finished)
    ref, head = full_ref(repository), repository.default_base()
    here = short(ref)
    if finished.holds(head):
        return f"{finished.run} is part of {here} already"
    refuse_operation(repository)
    with interruptible():
        taken = _take(desk, finished, head)
        if taken.tip == head:
            return f"{here} holds what {finished.run} changed already, by other commits"
        place = Place(ref=ref, before=head, after=taken.tip, made=taken.made)
        where = f"{here} ({taken.how})"
        with _explained(finished):
            carry_out(finished, Published(at=time.time(), where=where, commit=taken.tip, places=(place,)))
    return f"{here} is at {taken.tip[:10]} now ({taken.how}); to go back: git agent undo {finished.run}"


def _take(desk: Desk, finished: Finished, head: str) -> _Taken:
    """Find the commit to move to: the run's own, else one that is made on top of where the person stands."""
    repository, lineage = finished.repository, finished.lineage
    held = finished.held(head)
    steps = [step for step in lineage.live if not finished.copies.find(step.step, held)]
    whole = not is_snapshot(repository, lineage.base) or is_ancestor(repository, lineage.base, head)
    if whole and is_ancestor(repository, head, lineage.head):
        there = finished.held(lineage.head)
        made = tuple(Made(step=step.step, commit=finished.copies.find(step.step, there)) for step in steps)
        if finished.own:
            return _Taken(lineage.head, made, "fast-forward")
        review(desk, finished, [Pick(step.step, step.commit) for step in made])
        return _Taken(lineage.head, made, "fast-forward, verified again")
    with _explained(finished):
        planted = replant(desk, finished, head, [Pick(step.step, step.commit) for step in steps])
    how = "cherry-pick, verified again" if planted.judged else "cherry-pick, of the same files as verified"
    return _Taken(planted.tip, planted.made, how)


@contextmanager
def _explained(finished: Finished) -> Iterator[None]:
    """Say what to do where a run started from uncommitted work, and its steps cannot be had without."""
    try:
        yield
    except UsageError as error:
        if not is_snapshot(finished.repository, finished.lineage.base):
            raise
        hint = f"{finished.run} started from your uncommitted work: commit that, then accept again"
        raise UsageError(error.message, hint) from error


def is_snapshot(repository: Repository, commit: str) -> bool:
    """Say whether a commit holds uncommitted work of the person's, which is not ours to bring anywhere."""
    shown = f"--format=%(trailers:key={SNAPSHOT},valueonly)"
    return bool(repository.shared.output("log", "-1", "--no-show-signature", shown, commit, "--").strip())
