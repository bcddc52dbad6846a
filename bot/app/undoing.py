"""Goes back over the steps of a run, wherever they stand."""

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.app.desk import Desk, open_desk
from bot.app.finished import Finished, between, full_ref, is_ancestor, open_finished, parent, remote_refs, short, tip_of
from bot.app.hooks.taking import go_back
from bot.app.moving import Way, carry_out, settle
from bot.app.replanting import Pick, replant_reverse
from bot.app.signals import interruptible
from bot.app.views import split_step
from bot.core.branches import Place
from bot.core.change import readable
from bot.core.event import Committed, Published, Undone
from bot.errors import UsageError
from bot.git.names import is_ours
from bot.git.shift import refuse_operation
from bot.git.store import open_store

SHOWN = 3


def undo(directory: Path, spec: str) -> str:
    """Take back the last step that counts, or a step and all after it; say how. Raises UsageError."""
    desk = open_desk(directory, {}, unborn=True)
    prefix, number = split_step(spec)
    settle(desk.repository, prefix)
    finished = open_finished(desk.repository, prefix)
    taken = _choose(finished, number)
    with interruptible():
        ways = tuple(_find_ways(desk, finished, taken))
        event = _event(finished, taken, ways)
        carry_out(finished, event)
    return "\n".join(_tell(finished, event, ways, taken))


def undo_alone(desk: Desk, finished: Finished, number: int | None, tip: str, spare: str) -> tuple[Undone, Way]:
    """Take steps back where the run's own branch stands on its remote, whoever has it, and move nothing of a person's.

    What others have put on top stays, below a commit that reverts: that one stands on a branch of ours named `spare`.
    Raises UsageError.
    """
    taken = _choose(finished, number)
    picks = _picks(finished, taken, tip)
    if not picks:
        raise UsageError(f"step {taken[0].step} of {finished.run} is not where {finished.branch} stands on its remote")
    with interruptible():
        way = _go_back(desk, finished, Place(ref=finished.ref, before=tip, after=tip), picks, "")
        if tip == finished.lineage.head:
            _point(finished, tip)
        else:
            apart = way.place.model_copy(update={"ref": f"refs/heads/{spare}", "before": ""})
            way = Way(apart, way.why or "others have moved the branch")
        event = _event(finished, taken, (way,))
        carry_out(finished, event)
    return event, way


def _point(finished: Finished, commit: str) -> None:
    """Have the run's own branch here, where it stands on its remote. Raises UsageError where it is elsewhere here."""
    if not is_ours(finished.branch, finished.run):
        raise UsageError(f"{finished.branch} is not a branch that git agent made")
    tip = tip_of(finished.repository, finished.ref)
    if not tip:
        open_store(finished.repository).create_ref(finished.ref, commit)
    elif tip != commit:
        raise UsageError(f"{finished.branch} stands at {tip[:10]} here, and at {commit[:10]} on its remote")


def _choose(finished: Finished, number: int | None) -> tuple[Committed, ...]:
    """Find the steps to take back, oldest first. Raises UsageError."""
    lineage, run = finished.lineage, finished.run
    if not lineage.live:
        hint = (
            f"git agent redo {run} brings back what was taken" if lineage.taken else f"git agent show {run} tells why"
        )
        raise UsageError(f"{run} has no step to undo", hint)
    number = lineage.step if number is None else number
    if number not in (step.step for step in lineage.live):
        standing = ", ".join(str(step.step) for step in lineage.live)
        raise UsageError(f"{run} has no step {number} to undo", f"steps that count: {standing}")
    return tuple(step for step in lineage.live if step.step >= number)


def _find_ways(desk: Desk, finished: Finished, taken: Sequence[Committed]) -> Iterator[Way]:
    """Find out how the person's branch and the run's own go back, where the steps stand there. Raises UsageError."""
    if finished.hooked:
        yield from go_back(finished, taken)
        return
    repository = finished.repository
    ref, head = full_ref(repository), repository.default_base()
    here: Way | None = None
    picks = _picks(finished, taken, head) if ref != finished.ref else ()
    if picks:
        refuse_operation(repository)
        here = _go_back(desk, finished, Place(ref=ref, before=head, after=head), picks, _why(finished, picks))
        if here.place.after != head:
            yield here
    tip = _own_tip(finished, needed=not picks)
    if tip:
        yield _own_way(desk, finished, taken, tip, here)


def _own_way(desk: Desk, finished: Finished, taken: Sequence[Committed], tip: str, here: Way | None) -> Way:
    """Find out how the run's own branch goes back; one that was pushed as the person's at the same commit does."""
    picks = _picks(finished, taken, tip)
    place = Place(ref=finished.ref, before=tip, after=tip)
    why = _why(finished, picks, own=True, elsewhere=here is not None)
    if why and here is not None and here.why and here.place.before == tip:
        return Way(place.model_copy(update={"after": here.place.after, "made": here.place.made}), why)
    return _go_back(desk, finished, place, picks, why)


def _picks(finished: Finished, taken: Sequence[Committed], tip: str) -> tuple[Pick, ...]:
    """Find the commits by which these steps count at a tip, the last one first."""
    held = finished.held(tip)
    found = (Pick(step.step, finished.copies.find(step.step, held)) for step in reversed(taken))
    return tuple(pick for pick in found if pick.commit)


def _why(finished: Finished, picks: Sequence[Pick], *, own: bool = False, elsewhere: bool = False) -> str:
    """Say who has these commits already, beside the person; empty for nobody that we know of."""
    refs = dict.fromkeys(ref for pick in picks for ref in remote_refs(finished.repository, pick.commit))
    # What was pushed from the person's branch is nobody's copy of the run's own
    named = [ref for ref in refs if not own or not elsewhere or ref.endswith(f"/{finished.branch}")]
    return f"{', '.join(ref.removeprefix('refs/remotes/') for ref in named[:SHOWN])} has it already" if named else ""


def _go_back(desk: Desk, finished: Finished, place: Place, picks: Sequence[Pick], why: str) -> Way:
    """Take the commits away where they are the end of the branch and nobody has them, else make a reverse of them."""
    repository, tip = finished.repository, place.before
    if not why:
        back = parent(repository, picks[-1].commit)
        others = [commit for commit in between(repository, back, tip) if commit not in finished.copies.commits]
        if not others and is_ancestor(repository, back, tip):
            return Way(place.model_copy(update={"after": back}))
        why = f"{len(others)} other commit{'s' if len(others) > 1 else ''} came on top of it"
    planted = replant_reverse(desk, finished, tip, picks)
    return Way(place.model_copy(update={"after": planted.tip, "made": planted.made}), why)


def _own_tip(finished: Finished, *, needed: bool) -> str:
    """Return where the run's own branch stands; empty when it is gone and not needed. Raises UsageError."""
    repository, branch, head = finished.repository, finished.branch, finished.lineage.head
    if not is_ours(branch, finished.run):
        raise UsageError(f"{branch} is not a branch that git agent made")
    tip = tip_of(repository, finished.ref)
    if not tip and not needed:
        return ""
    if tip != head:
        now = f"stands at {tip[:10]}, not where {finished.run} left it" if tip else "is gone"
        hint = f"to have it there again: git branch -f {branch} {head[:10]}"
        raise UsageError(f"{branch} {now}: nothing was undone", hint)
    return tip


def _event(finished: Finished, taken: Sequence[Committed], ways: Sequence[Way]) -> Undone:
    kept = finished.lineage.live[: -len(taken)]
    own = next((way.place.after for way in ways if way.place.ref == finished.ref), "")
    return Undone(
        at=time.time(),
        step=kept[-1].step if kept else 0,
        commit=own or (kept[-1].commit if kept else finished.lineage.base),
        where=tuple(short(way.place.ref) for way in ways),
        how="reverted" if any(way.why for way in ways) else "moved",
        places=tuple(way.place for way in ways),
    )


def _tell(finished: Finished, event: Undone, ways: Sequence[Way], taken: Sequence[Committed]) -> Iterator[str]:
    where = f"step {event.step}" if event.step else "its base"
    for way in ways:
        branch, after = short(way.place.ref), way.place.after
        if way.why:
            yield f"{branch} is at {after[:10]}, with a revert, since {way.why}"
        else:
            yield f"{branch} is back at {where} ({after[:10]})"
    run = finished.run
    yield f"what was undone stays readable: git agent show {run}; to have it again: git agent redo {run}"
    if finished.pull:
        left = f"git agent publish {run}" if event.step else "close it there"
        yield f"{finished.pull} still asks for what was undone; to change that: {left}"
    if _was_accepted(finished) and not any(way.place.ref == full_ref(finished.repository) for way in ways):
        yield f"{short(full_ref(finished.repository))} holds none of these commits any more: it is not touched"
    others = [name for name in _others(finished, taken) if name not in event.where]
    if others:
        yield f"not touched, and still with the undone: {', '.join(others[:SHOWN])}"


def _was_accepted(finished: Finished) -> bool:
    """Say whether the steps were brought onto the branch that the person is on."""
    here = full_ref(finished.repository)
    taken = (event for event in finished.events if isinstance(event, Published))
    return any(place.ref == here for event in taken for place in event.places)


def _others(finished: Finished, taken: Sequence[Committed]) -> Iterator[str]:
    """Name other local branches where the steps count."""
    shown = ("for-each-ref", "--format=%(refname)", f"--contains={taken[0].commit}", "refs/heads/")
    for name in finished.repository.shared.output(*shown).splitlines():
        if finished.copies.find(taken[0].step, finished.held(os.fsdecode(name))):
            yield short(readable(name))
