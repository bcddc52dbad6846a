"""The evidence of runs: one ref each, whose commits hold the trace and keep every tree of the run reachable."""

import difflib
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Self, TypeAlias

from bot.core.event import Baselined, Committed, Ended, Event, Published, RolledBack, Started, Undone
from bot.errors import UsageError, WorkspaceError
from bot.git import journal, owner
from bot.git.disk import refusals
from bot.git.objects import AGENT, Entry, Identity, Store
from bot.git.repository import Repository
from bot.git.store import open_store

Render: TypeAlias = Callable[[Sequence[Event]], str]
"""Writes the report that a person reads from a run's events."""

PREFIX = "refs/agent/runs/"
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_EPOCH = 1_704_067_200
"""2024-01-01, in seconds."""
_TICKS = 32
"""Parts of a second that ids tell apart; seven digits then last until 2101."""
_TRIES = 20
_GROWTH = 2
"""A trace is written anew when it is this many times as long, so that all writing together stays linear."""


class RunRef:
    """Records one run: each event at once in a journal, the important ones in the run's ref; see protocols.Trace.

    The journal is opened with the first event and taken away with the last, when the ref holds all of it.
    """

    def __init__(
        self,
        repository: Repository,
        run: str,
        render: Render,
        *,
        resume: bool = False,
        identity: Identity = AGENT,
    ) -> None:
        self.repository = repository
        self.run = run
        self.events: list[Event] = []
        self._render = render
        self._resume = resume
        self._store = open_store(repository, identity)
        self._trace = bytearray()
        self._stream: BinaryIO | None = None
        self._ended = False
        self._tip: str | None = None
        self._saved = 0
        """Bytes of the trace that the ref holds."""
        self._held: set[str] = set()
        """Commits that the ref keeps reachable."""
        self._loose: list[str] = []
        """Commits that it does not hold yet."""
        self._step = ""
        """The last step's commit."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def record(self, event: Event) -> None:
        """Keep an event. Raises UsageError when the run is another process's, WorkspaceError when it cannot be kept."""
        if self._stream is None and not self._ended:
            self._open()
        line = journal.encode(event)
        try:
            if self._stream is not None:
                self._stream.write(line)
                self._stream.flush()
        except OSError as error:
            raise WorkspaceError(f"the run's trace cannot be written: {error.strerror}") from error
        self._take(event, line)
        if self._ended or self._due(event):
            self.save()
        if isinstance(event, Ended):
            self.close()

    def settle(self, end: Ended) -> None:
        """Take a run up only to end it, as far as it has not ended. Raises UsageError, WorkspaceError."""
        self._open()
        if not any(isinstance(event, Ended) for event in self.events):
            self.record(end)
        self.close()

    def save(self) -> None:
        """Bring the run's ref up to date. Raises GitFailed."""
        if not self.events or (self._saved == len(self._trace) and not self._loose):
            return
        parents = [*([self._tip] if self._tip else []), *self._loose]
        message = f"run {self.run}: {self.events[-1].event}"
        self._tip = self._store.commit(self._write_tree(), parents, message, ref=PREFIX + self.run)
        self._held.update(self._loose)
        self._loose.clear()
        self._saved = len(self._trace)

    def close(self) -> None:
        """Put everything into the ref and take the journal away."""
        if self._stream is not None:
            self.save()
            self._stream.close()
            self._stream, self._ended = None, True
            _remove(journal.runs_folder(self.repository) / self.run)

    def _write_tree(self) -> str:
        started = self.events[0]
        assert isinstance(started, Started), "a run's first event is Started"
        files = (
            ("report.md", self._render(self.events).encode("utf-8", "replace")),
            ("task.json", journal.plain_json(started.task) + b"\n"),
            (journal.FILE, bytes(self._trace)),
        )
        return self._store.write_tree([Entry(name, self._store.write_blob(content)) for name, content in files])

    def _open(self) -> None:
        tip = self._store.read_ref(PREFIX + self.run)
        data = _trace(self.repository, self._store, self.run)
        _refuse(self.repository, self.run, known=bool(data or tip), resume=self._resume)
        with refusals("keep a record of the run"):
            folder = _make(journal.runs_folder(self.repository) / self.run)
            owner.write(folder, owner.current(common_dir=self.repository.common_dir))
            # Starts anew with what is known, so that a line that was cut off does not get into the middle
            fresh = folder / f"{journal.FILE}.new"
            fresh.write_bytes(data)
            self._stream = fresh.replace(folder / journal.FILE).open("ab")
        self._restore(data, tip)

    def _restore(self, data: bytes, tip: str | None) -> None:
        """Continue where an earlier process stopped."""
        self._tip, self._saved = tip, len(_saved(self._store, tip))
        for event, line in zip(journal.decode(data), data.split(b"\n"), strict=False):
            self._take(event, line + b"\n")
            if len(self._trace) <= self._saved:
                self._held.update(self._loose)
                self._loose.clear()

    def _take(self, event: Event, line: bytes) -> None:
        self._trace += line
        self.events.append(event)
        match event:
            case Started():
                self._hold(event.task.base)
            case Committed():
                # The branch tip stands for all steps before it, until a person goes back
                self._loose = [commit for commit in self._loose if commit != self._step]
                self._hold(event.commit)
                self._step = event.commit
            case Undone():
                self._hold(event.commit)
                self._step = ""
            case RolledBack():
                self._hold(event.kept)
            case _:
                pass

    def _hold(self, commit: str) -> None:
        if commit and commit not in self._held and commit not in self._loose:
            self._loose.append(commit)

    def _due(self, event: Event) -> bool:
        match event:
            case Started() | RolledBack() | Ended() | Published():
                return True
            case Baselined() | Committed() | Undone():
                return len(self._trace) >= _GROWTH * self._saved
            case _:
                return False


def _refuse(repository: Repository, run: str, *, known: bool, resume: bool) -> None:
    if is_live(repository, run):
        raise UsageError(f"run {run} is still going")
    if known and not resume:
        raise UsageError(f"there is a run {run} already")
    if resume and not known:
        raise UsageError(f"there is no run {run}")


def is_live(repository: Repository, run: str) -> bool:
    """Say whether a process is recording this run right now."""
    card = owner.read(journal.runs_folder(repository) / run)
    return card is not None and card.alive


def _saved(store: Store, tip: str | None) -> bytes:
    return (store.blob(tip, journal.FILE) if tip else None) or b""


def _trace(repository: Repository, store: Store, run: str) -> bytes:
    """Return all that is known of a run: the ref's trace, or the journal where it got further."""
    saved = _saved(store, store.read_ref(PREFIX + run))
    written = journal.read(repository, run)
    return written if len(written) > len(saved) and written.startswith(saved) else saved


def _make(folder: Path) -> Path:
    """Make a journal's folder, also while another run that ends takes the ones above it away."""
    for _ in range(_TRIES):
        with suppress(FileNotFoundError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return folder
    raise WorkspaceError(f"could not make {folder}")


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        folder.parent.rmdir()
        folder.parent.parent.rmdir()


def read_events(repository: Repository, run: str) -> tuple[Event, ...]:
    """Read the events of a run, also one that died or still goes. Raises UsageError, WorkspaceError."""
    data = _trace(repository, open_store(repository), run)
    if not data:
        raise UsageError(f"there is no run {run}")
    events = journal.decode(data)
    if not isinstance(events[0], Started):
        raise WorkspaceError("the run's trace does not begin with its start")
    return events


def read_all(repository: Repository) -> Iterator[tuple[str, tuple[Event, ...]]]:
    """Read the events of all runs, newest first; of a run that cannot be read there are none."""
    for run in list_runs(repository):
        try:
            yield run, read_events(repository, run)
        except (UsageError, WorkspaceError):
            yield run, ()


def dead_journals(repository: Repository) -> tuple[str, ...]:
    """List the runs whose process ended without closing their journal."""
    folders = sorted(journal.runs_folder(repository).glob("*"))
    return tuple(folder.name for folder in folders if folder.is_dir() and not is_live(repository, folder.name))


def close_journal(repository: Repository, run: str, end: Ended, render: Render) -> None:
    """Put what a dead run wrote down into its ref, with `end` if it has none. Raises WorkspaceError."""
    if journal.read(repository, run):
        read_events(repository, run)
        RunRef(repository, run, render, resume=True).settle(end)
    else:
        _remove(journal.runs_folder(repository) / run)


def append_events(repository: Repository, run: str, events: Sequence[Event], render: Render | None = None) -> None:
    """Add what happened to a run after its end; without `render` the report stays as it was. Raises UsageError."""
    store = open_store(repository)
    tip = store.read_ref(PREFIX + run)
    kept = (store.blob(tip, "report.md") if tip else None) or b""
    with RunRef(repository, run, render or (lambda _: kept.decode("utf-8", "replace")), resume=True) as record:
        for event in events:
            record.record(event)


def list_runs(repository: Repository) -> tuple[str, ...]:
    """List all runs, newest first."""
    kept = (ref.name.removeprefix(PREFIX) for ref in open_store(repository).refs(PREFIX))
    return tuple(sorted({*kept, *journal.names(repository)}, reverse=True))


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
    """Make a short id; later ones sort after earlier ones."""
    ticks = int(((time.time() if now is None else now) - _EPOCH) * _TICKS)
    digits = ""
    for _ in range(7):
        ticks, digit = divmod(ticks, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return digits + "".join(secrets.choice(_DIGITS) for _ in range(2))
