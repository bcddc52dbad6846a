"""Finds runs, and reads what happened in them: from their refs, and from the journals of those that go on or died."""

import difflib
import os
import secrets
import time
from collections.abc import Iterator, Mapping

from bot.core.event import Event
from bot.errors import UsageError, WorkspaceError
from bot.git import journal
from bot.git.journal import is_live
from bot.git.repository import Repository
from bot.git.trail import PREFIX, Tip, is_run, read_saved, tips
from bot.git.vetting import vet_known
from bot.git.written import is_own

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_EPOCH = 1_704_067_200
"""2024-01-01, in seconds."""
_TICKS = 32
"""Parts of a second that ids tell apart; seven digits then last until 2101."""


def read_events(repository: Repository, run: str) -> tuple[Event, ...]:
    """Read the events of a run, also one that died or still goes. Raises UsageError, WorkspaceError."""
    return read_from(repository, run, tips(repository, run).get(run) if is_run(run) else None)


def read_from(repository: Repository, run: str, tip: Tip | None) -> tuple[Event, ...]:
    """Read the events of a run whose ref was looked up already. Raises UsageError, WorkspaceError."""
    saved = read_saved(repository, tip) if tip else b""
    written = journal.read(repository, run) if is_run(run) else b""
    data = written if len(written) > len(saved) and written.startswith(saved) else saved
    if not data:
        raise UsageError(f"there is no run {run[:80]!r}")
    return vet_known(repository, run, data, saved)


def is_from_here(repository: Repository, run: str) -> bool:
    """Say whether a run's record was written in this repository, or judged again here when it was taken up."""
    tip, left = tips(repository, run).get(run), journal.read(repository, run)
    kept = bool(left) and (tip is None or left.startswith(read_saved(repository, tip)))
    return is_own(repository, PREFIX + run, tip.object if tip else "", kept=kept)


def read_all(repository: Repository) -> Iterator[tuple[str, tuple[Event, ...]]]:
    """Read the events of all runs, newest first; of a run that cannot be read there are none."""
    found = tips(repository)
    for run in _sort(repository, found):
        try:
            yield run, read_from(repository, run, found.get(run))
        except (UsageError, WorkspaceError):
            yield run, ()


def list_runs(repository: Repository) -> tuple[str, ...]:
    """List all runs, newest first."""
    return _sort(repository, tips(repository))


def _sort(repository: Repository, found: Mapping[str, Tip]) -> tuple[str, ...]:
    return tuple(sorted({*found, *journals(repository)}, reverse=True))


def journals(repository: Repository) -> tuple[str, ...]:
    """List the runs that have a journal with something in it: one that died at its very start has not."""
    return tuple(name for name in journal.names(repository) if is_run(name) and journal.read(repository, name))


def dead_journals(repository: Repository) -> tuple[str, ...]:
    """List the runs whose process ended without closing their journal."""
    return tuple(name for name in journal.names(repository) if is_run(name) and not is_live(repository, name))


def find_run(repository: Repository, prefix: str) -> str:
    """Find the run that a person means: by the beginning of its id, its branch or its ref. Raises UsageError."""
    runs = list_runs(repository)
    if not runs:
        raise UsageError("there are no runs here", hint="start one: git agent fix")
    wanted = prefix.removeprefix(PREFIX)
    if wanted in runs:
        return wanted
    found = [run for run in runs if (wanted and run.startswith(wanted)) or prefix.endswith(f"-{run}")]
    if len(found) == 1:
        return found[0]
    near = found or difflib.get_close_matches(wanted, runs, n=3) or list(runs[:3])
    what = "more than one run begins" if found else "no run begins"
    raise UsageError(f"{what} with {prefix!r}", hint=f"did you mean {' or '.join(near[:5])}?")


def new_run_id(now: float | None = None) -> str:
    """Make a short id; later ones sort after earlier ones, and those of processes that start at once differ."""
    ticks = int(((time.time() if now is None else now) - _EPOCH) * _TICKS)
    return f"{_spell(ticks, 7)}{_spell(os.getpid(), 2)}{''.join(secrets.choice(_DIGITS) for _ in range(2))}"


def _spell(number: int, places: int) -> str:
    """Write the last places of a number."""
    digits = ""
    for _ in range(places):
        number, digit = divmod(number, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return digits
