"""Carries out what a person wants moved: branches, files and the record, all of it or nothing, also after a kill."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple, TypeAlias

from bot.app.finished import Finished, full_ref, is_ancestor, short, tip_of
from bot.app.perform import render
from bot.core.branches import INDEX, Place
from bot.core.event import Published, Redone, Undone
from bot.errors import AgentError, GitFailed, UsageError, WorkspaceError
from bot.git import owner
from bot.git.intent import PREFIX as INTENTS
from bot.git.intent import Intent, announce, list_intents, read_intent, retract
from bot.git.leftovers import remove_leftovers
from bot.git.locks import release
from bot.git.names import is_ours
from bot.git.record import RunRef, append_events
from bot.git.repository import Repository
from bot.git.runs import find_run, read_events
from bot.git.shift import files_stand_at, point, shift, wait
from bot.git.signals import uninterrupted
from bot.git.staging import stage, survey
from bot.git.store import open_store
from bot.git.trail import PREFIX

Moving: TypeAlias = Undone | Redone | Published


class Way(NamedTuple):
    """How a branch goes from where it stands to where it is wanted."""

    place: Place
    why: str = ""
    """Why commits are made on top of those that are there; empty where the branch only moves."""


def carry_out(finished: Finished, event: Moving) -> None:
    """Move every place of an event and record it, or leave all as it was. Raises UsageError, WorkspaceError."""
    repository, run = finished.repository, finished.run
    here = full_ref(repository)
    places = sorted(event.places, key=lambda place: place.ref not in (here, INDEX))
    event = event.model_copy(update={"places": tuple(places)})
    _refuse_others(repository, event.places, here)
    # Nothing that a signal does may stand between the branches and the record; nobody else works on the run meanwhile
    with uninterrupted(), RunRef(repository, run, render, resume=True) as record:
        if tuple(record.events) != finished.events:
            raise UsageError(f"{run} was changed by another command meanwhile", "try again")
        release(repository, (INTENTS + run, PREFIX + run, *(place.ref for place in places if place.ref != here)))
        announce(repository, run, event)
        done: list[Place] = []
        try:
            for place in places:
                move(repository, place, here, f"{event.event} {run}")
                done.append(place)
        except AgentError:
            _return(repository, done, here, run)
            raise
        with _explained(run):
            record.record(event)
        retract(repository, run)


@contextmanager
def _explained(run: str) -> Iterator[None]:
    """Say what stands where all was moved and only the record of it could not be written, on a full disk for one."""
    try:
        yield
    except AgentError as error:
        hint = f"the branches were moved all the same; the next command on {run} writes that down"
        raise WorkspaceError(error.message, hint) from error


def _return(repository: Repository, done: Sequence[Place], here: str, run: str) -> None:
    """Put back what was moved already; what cannot be is finished by the next command."""
    with suppress(AgentError):
        for place in reversed(done):
            back = place.model_copy(update={"before": place.after, "after": place.before})
            move(repository, back, here, f"nothing came of it, {run}")
        retract(repository, run)


def move(repository: Repository, place: Place, here: str, why: str) -> None:
    """Move one branch, with the person's files where they are on it. Raises UsageError, GitFailed."""
    if place.ref == INDEX:
        stage(repository, place.before, place.after)
        return
    if place.ref == here:
        shift(repository, place.before, place.after, why, place.ref)
        return
    branch = short(place.ref)
    if not is_ours(branch):
        raise UsageError(f"{branch} is not a branch that git agent made")
    store = open_store(repository)
    if not place.before:
        store.create_ref(place.ref, place.after)
    elif not place.after:
        store.delete_ref(place.ref, place.before)
    else:
        store.move_ref(place.ref, place.after, place.before)


def _refuse_others(repository: Repository, places: Sequence[Place], here: str) -> None:
    """Stop where a branch is in use in another folder. Raises UsageError."""
    for place in places:
        if place.ref == here:
            _refuse_second(repository, place.ref)
        elif place.ref != INDEX and (folder := repository.place_of(short(place.ref))):
            raise UsageError(f"{short(place.ref)} is checked out in {folder}", "switch to another branch there first")


def _refuse_second(repository: Repository, ref: str) -> None:
    """Stop where another worktree is on the same branch: its files would stay behind. Raises UsageError."""
    told = repository.shared.output("worktree", "list", "--porcelain").decode("utf-8", "replace")
    if told.splitlines().count(f"branch {ref}") > 1:
        raise UsageError(f"{short(ref)} is checked out in another worktree as well", "switch one of them first")


def settle(repository: Repository, prefix: str) -> None:
    """Bring to an end what a kill left half done, of the run that is meant. Raises UsageError, WorkspaceError."""
    settle_run(repository, find_run(repository, prefix))
    # The worktree of a run that died is on its branch, which nobody could move then
    with suppress(GitFailed):
        remove_leftovers(repository, later=True)


def settle_run(repository: Repository, run: str, *, dry_run: bool = False) -> str:
    """Finish or forget a move that a kill stopped, and say which; empty when there was none."""
    intent = read_intent(repository, run)
    if intent is None:
        return ""
    if intent.owner.alive:
        raise UsageError(f"another command is moving {run} right now", "wait for it, then try again")
    here = full_ref(repository) if owner.place(repository.root) == intent.root else ""
    if here and not wait(repository):
        # It may be the git that was moving these very files, which outlives a kill of ours
        hint = f"when no git works here any more: rm {shlex.quote(str(repository.git_dir / 'index.lock'))}"
        raise UsageError(f"a move of {run} was interrupted, and the index is still locked", hint)
    begun = [place for place in intent.places if _begun(repository, place, here, intent)]
    if not dry_run:
        if begun:
            _finish(repository, run, intent, here)
        retract(repository, run)
    return f"{intent.event.event} of {run}, {'finished' if begun else 'not begun'}"


def _begun(repository: Repository, place: Place, here: str, intent: Intent) -> bool:
    """Say whether a branch was moved, whatever was put on top of it since. Raises UsageError where that is not seen."""
    if place.ref == INDEX:
        _refuse_absent(here, intent)
        seen = survey(repository, place.before, place.after)
        # Where a person went on with their files meanwhile, they see for themselves what they have
        return not seen.untouched and not seen.obstacles
    tip = _tip(repository, place, here)
    if tip != place.before:
        return _came_by(repository, place, tip)
    if place.ref == here:
        return files_stand_at(repository, place.before, place.after)
    if not is_ours(short(place.ref)):
        _refuse_absent(here, intent)
    return False


def _refuse_absent(here: str, intent: Intent) -> None:
    """Stop where it happened in another working copy than this. Raises UsageError."""
    if not here:
        raise UsageError(f"a move was interrupted in {intent.root}", "run the same command there")


def _came_by(repository: Repository, place: Place, tip: str) -> bool:
    if not tip or not place.after:
        return tip == place.after
    back = bool(place.before) and is_ancestor(repository, place.after, place.before)
    stayed = back and is_ancestor(repository, place.before, tip)
    return is_ancestor(repository, place.after, tip) and not stayed


def _finish(repository: Repository, run: str, intent: Intent, here: str) -> None:
    for place in intent.places:
        if place.ref != INDEX and _tip(repository, place, here) != place.before:
            continue
        if place.ref == here and files_stand_at(repository, place.before, place.after):
            point(repository, place.before, place.after, f"{intent.event.event} {run}", place.ref)
        else:
            move(repository, place, here, f"{intent.event.event} {run}")
    if intent.event not in read_events(repository, run):
        append_events(repository, run, [intent.event], render)


def _tip(repository: Repository, place: Place, here: str) -> str:
    if place.ref == "HEAD":
        return repository.default_base() if here == "HEAD" else ""
    return tip_of(repository, place.ref)


def settle_all(repository: Repository, *, dry_run: bool) -> Iterator[str]:
    """Finish or forget what kills left half moved, of every run; yields what became of each."""
    for run in tuple(list_intents(repository)):
        with suppress(UsageError, GitFailed):
            told = settle_run(repository, run, dry_run=dry_run)
            if told:
                yield told
