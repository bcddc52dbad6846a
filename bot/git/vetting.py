"""Holds a trace against what a run of ours can have written: whoever made it, all that reads it may rely on that."""

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from math import isfinite

from bot import __version__
from bot.core.check import Verdict
from bot.core.event import (
    Acted,
    Baselined,
    Committed,
    Decided,
    Event,
    Proved,
    Published,
    Redone,
    Resumed,
    Reviewed,
    RolledBack,
    Started,
    Undone,
    Verified,
)
from bot.errors import WorkspaceError
from bot.git import journal
from bot.git.repository import Repository

_OBJECT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_VERSION = re.compile(r"[0-9A-Za-z.+-]{1,40}")
_LATEST = 253_402_300_799.0
"""The last second of the year 9999."""


def vet(run: str, data: bytes) -> tuple[Event, ...]:
    """Read the events of a run's trace. Raises WorkspaceError when they are none, or none that belong together."""
    try:
        events = journal.decode(data)
    except WorkspaceError as error:
        raise WorkspaceError(f"{run}: {error.message}", _newer(data)) from error
    if not events or not isinstance(events[0], Started):
        raise WorkspaceError(f"{run}: the run's trace does not begin with its start")
    if events[0].run != run:
        raise WorkspaceError(f"{run}: the trace is the one of another run")
    for number, fault in enumerate(_faults(events), 1):
        if fault:
            raise WorkspaceError(f"{run}: line {number} of the run's trace cannot be: {fault}")
    return events


def vet_known(repository: Repository, run: str, known: bytes, saved: bytes) -> tuple[Event, ...]:
    """Read all that is known of a run, of which its ref holds a part. Raises WorkspaceError."""
    try:
        return vet(run, known)
    except WorkspaceError as error:
        if error.hint or known == saved or not saved:
            raise
        place = shlex.quote(str(journal.runs_folder(repository) / run))
        hint = f"its ref holds what came before; to go by that, move {place} away"
        raise WorkspaceError(error.message, hint) from error


def _newer(data: bytes) -> str:
    """Say which version wrote a trace, where it was another one than this."""
    for line in reversed(journal.split(data)):
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            continue
        version = told.get("version") if isinstance(told, dict) else None
        if isinstance(version, str) and _VERSION.fullmatch(version):
            return "" if version == __version__ else f"git agent {version} wrote it, this is {__version__}"
    return ""


def _faults(events: Sequence[Event]) -> Iterator[str]:
    """Name for each event why it cannot stand where it does; empty when it can."""
    judged: Verdict | None = None
    based, made = False, 0
    for number, event in enumerate(events):
        yield _fault(event, first=not number) or _fault_of_step(event, judged if based else None, made)
        based = based or isinstance(event, Baselined)
        made += isinstance(event, Committed)
        match event:
            case Verified():
                judged = event.verdict
            case Committed() | RolledBack():
                judged = None
            case _:
                pass


def _fault_of_step(event: Event, judged: Verdict | None, made: int) -> str:
    match event:
        case Committed() if judged is None:
            return "a commit follows the verdict on its tree"
        case Committed() if judged is not None and judged.tree != event.tree:
            return "the verdict before a commit is one on another tree"
        case Committed() if event.step != made + 1:
            return f"after {made} steps there comes no step {event.step}"
        case Reviewed() | Undone() | Redone() if not 0 <= event.step <= made:
            return f"there is no step {event.step}"
        case _:
            return ""


def _fault(event: Event, *, first: bool) -> str:
    if not isfinite(event.at) or not 0 <= event.at <= _LATEST:
        return "its time is none"
    if any(name and not _OBJECT.fullmatch(name) for name in _objects(event)):
        return "it names something that is no object of git"
    match event:
        case Started() if not first:
            return "a run starts once"
        case _:
            return ""


def _objects(event: Event) -> Iterator[str]:
    """Name every object that an event speaks of: they are given to git as they are."""
    match event:
        case Started():
            yield event.task.base
        case Baselined():
            yield event.verdict.tree
        case Verified() | Reviewed():
            yield from (event.verdict.tree, event.change.base, event.change.tree)
            yield event.commit if isinstance(event, Reviewed) else ""
        case Acted():
            yield event.tree
        case Decided():
            yield event.decision.tree
        case Committed() | Resumed():
            yield from (event.commit, event.tree)
        case RolledBack():
            yield from (event.to, event.kept)
        case _:
            yield from _objects_moved(event)


def _objects_moved(event: Event) -> Iterator[str]:
    if isinstance(event, Proved | Undone | Redone | Published):
        yield event.commit
    if isinstance(event, Undone | Redone | Published):
        for place in event.places:
            yield from (place.before, place.after, *(made.commit for made in place.made))
