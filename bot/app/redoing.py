"""Brings back what the last undo took, the same way round."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.app.desk import Desk, open_desk
from bot.app.finished import Finished, between, full_ref, is_ancestor, open_finished, remote_refs, short, tip_of
from bot.app.hooks.taking import go_forth
from bot.app.moving import Way, carry_out, settle
from bot.app.replanting import Pick, replant, review
from bot.app.signals import interruptible
from bot.core.branches import Place
from bot.core.event import Redone, Undone
from bot.errors import UsageError
from bot.git.names import is_ours
from bot.git.repository import Repository
from bot.git.shift import refuse_operation


def redo(directory: Path, prefix: str) -> str:
    """Take the last undo back; say how. Raises UsageError."""
    desk = open_desk(directory, {}, unborn=True)
    settle(desk.repository, prefix)
    finished = open_finished(desk.repository, prefix)
    if not finished.copies.undone:
        raise UsageError(f"{finished.run} has nothing to redo", "a redo brings back what the last undo took")
    with interruptible():
        ways, left = _find_ways(desk, finished)
        event = _event(finished, ways)
        carry_out(finished, event)
    return "\n".join((*_tell(ways, event), *left))


def _find_ways(desk: Desk, finished: Finished) -> tuple[tuple[Way, ...], tuple[str, ...]]:
    """Find out how each branch that the undo moved goes forth again, and which stay as they are. Raises UsageError."""
    if finished.hooked:
        return tuple(go_forth(finished)), ()
    undone, here = finished.copies.undone[-1], full_ref(finished.repository)
    ways: list[Way] = []
    left: list[str] = []
    for place in _places(finished, undone):
        if place.ref == finished.ref and place.ref != here:
            ways.append(_own_way(desk, finished, place))
        elif place.ref == here and _stands_on(finished.repository, place):
            refuse_operation(finished.repository)
            ways.append(_go_forth(desk, finished, place, finished.repository.default_base()))
        else:
            left.append(f"{short(place.ref)} stays as it is; to have it there, too: git agent accept {finished.run}")
    return tuple(way for way in ways if way.place.after != way.place.before), tuple(left)


def _places(finished: Finished, undone: Undone) -> Sequence[Place]:
    """Return the branches that an undo moved; the run's own where nothing else is known."""
    last = finished.lineage.taken[-1]
    alone = Place(ref=finished.ref, before=last[-1].commit, after=undone.commit)
    return undone.places or (alone,)


def _own_way(desk: Desk, finished: Finished, place: Place) -> Way:
    if not is_ours(finished.branch, finished.run):
        raise UsageError(f"{finished.branch} is not a branch that git agent made")
    tip = tip_of(finished.repository, finished.ref)
    if not tip:
        # It was cleaned away; the record kept what it held
        return Way(Place(ref=place.ref, before="", after=place.before))
    if tip != finished.lineage.head:
        text = f"{finished.branch} stands at {tip[:10]}, not where {finished.run} left it: nothing was redone"
        head = finished.lineage.head
        raise UsageError(text, f"to have it there again: git branch -f {finished.branch} {head[:10]}")
    return _go_forth(desk, finished, place, tip)


def _stands_on(repository: Repository, place: Place) -> bool:
    """Say whether the person still is where the undo left them, or further on."""
    head = repository.default_base()
    return head == place.after or is_ancestor(repository, place.after, head)


def _go_forth(desk: Desk, finished: Finished, place: Place, tip: str) -> Way:
    """Move the branch to where it was, or make the steps again where something else stands now."""
    repository = finished.repository
    if tip == place.after and _reachable(finished, place.before):
        forward = is_ancestor(repository, tip, place.before)
        apart = between(repository, tip, place.before) if forward else between(repository, place.before, tip)
        # Whatever a record calls the place where the branch was: nothing but the run's own commits lies between
        ours = finished.copies.commits.issuperset(apart)
        if ours and not finished.own and place.ref != finished.ref:
            review(desk, finished, [Pick(step.step, step.commit) for step in finished.lineage.taken[-1]])
        if ours and (forward or (is_ancestor(repository, place.before, tip) and not remote_refs(repository, tip))):
            return Way(Place(ref=place.ref, before=tip, after=place.before))
    held = finished.held(tip)
    wanted = (step for step in finished.lineage.taken[-1] if not finished.copies.find(step.step, held))
    picks = tuple(Pick(step.step, step.commit) for step in wanted)
    planted = replant(desk, finished, tip, picks)
    return Way(Place(ref=place.ref, before=tip, after=planted.tip, made=planted.made), "others stand on top")


def _reachable(finished: Finished, commit: str) -> bool:
    return finished.repository.shared.ask("cat-file", "-e", f"{commit}^{{commit}}").code == 0


def _event(finished: Finished, ways: Sequence[Way]) -> Redone:
    back = finished.lineage.taken[-1]
    own = next((way.place.after for way in ways if way.place.ref == finished.ref), "")
    return Redone(
        at=time.time(),
        step=back[-1].step,
        commit=own or back[-1].commit,
        where=tuple(short(way.place.ref) for way in ways),
        how="reverted" if any(way.why for way in ways) else "moved",
        places=tuple(way.place for way in ways),
    )


def _tell(ways: Sequence[Way], event: Redone) -> Iterator[str]:
    for way in ways:
        how = ", made again on top of what is there" if way.why else ""
        yield f"{short(way.place.ref)} is at step {event.step} again ({way.place.after[:10]}){how}"
    if not ways:
        yield f"step {event.step} counts again; no branch had to be moved"
