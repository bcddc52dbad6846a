"""Records runs: each event at once in a journal, each step as an entry of the run's ref."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Self, TypeAlias

from bot.core.event import Ended, Event, Reviewed, Started
from bot.core.lineage import Lineage
from bot.errors import GitFailed, UsageError, WorkspaceError
from bot.git import journal, written
from bot.git.journal import Journal, open_journal
from bot.git.locks import release
from bot.git.objects import AGENT, Entry, Identity
from bot.git.oplog import describe, draft, is_over, keep
from bot.git.repository import Repository
from bot.git.store import open_store
from bot.git.trail import PREFIX, is_run, read_saved, tips
from bot.git.vetting import vet_known

Render: TypeAlias = Callable[[Sequence[Event]], str]
"""Writes the report that a person reads from a run's events."""

_GROWTH = 1.25
"""A report is written anew when the run is this many times as long, so that all writing together stays linear."""


class RunRef:
    """Records one run, see protocols.Trace, and holds it so that no other process does.

    The journal is opened with the first event, or where a run that exists is entered, and taken away when the ref holds
    all of it. What goes wrong leaves it where it is.
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
        if not is_run(run):
            raise UsageError(f"not the name of a run: {run[:80]!r}")
        self.repository = repository
        self.run = run
        self.events: list[Event] = []
        self._render = render
        self._resume = resume
        self._store = open_store(repository, identity)
        self._journal: Journal | None = None
        self._entered = False
        self._forget()

    def _forget(self) -> None:
        self.events.clear()
        self._trace = bytearray()
        self._lineage = Lineage()
        self._over = False
        self.own = False
        """Whether all of it was written here, or what counts was judged again here."""
        self._tip: str | None = None
        self._saved = 0
        """Bytes of the trace that the ref holds."""
        self._held: set[str] = set()
        """Commits that the ref keeps reachable."""
        self._loose: list[str] = []
        """Commits that it does not hold yet."""
        self._subjects: list[str] = []
        """What entries that are still to be written say."""
        self._task = ""
        self._report = ("", 0)
        """The last report, and the number of events that it tells of."""

    def __enter__(self) -> Self:
        self._entered = True
        if self._resume and self._journal is None:
            self._open()
        return self

    def __exit__(self, *_: object) -> None:
        self._entered = False
        self.close()

    def record(self, event: Event) -> None:
        """Keep an event. Raises UsageError when the run is another process's, WorkspaceError when it cannot be kept."""
        if self._journal is None:
            self._open()
        assert self._journal is not None, "it was opened just now"
        line = journal.encode(event)
        if len(self._trace) + len(line) > journal.LONGEST and not isinstance(event, Ended):
            raise WorkspaceError(f"the run's trace is full: {journal.LONGEST >> 20} MiB")
        subject = describe(event, self._lineage.add(event))
        self._journal.append(line, sync=bool(subject) and not draft(event))
        self._take(event, line)
        if isinstance(event, Reviewed):
            self._claim()
        if tree := draft(event):
            self._loose.append(self._wrap(tree, subject))
        if subject:
            self.save()
        if isinstance(event, Ended) or (self._over and not self._entered):
            self.close()

    def settle(self, end: Ended) -> None:
        """Take a run up only to end it, as far as it has not ended. Raises UsageError, WorkspaceError."""
        with self:
            if not self._over:
                self.record(end)

    def save(self) -> None:
        """Bring the run's ref up to date. Raises GitFailed."""
        if not self.events or (self._saved == len(self._trace) and not self._loose):
            return
        # The first parent is the entry before, the second one is where the branch stands
        parents = filter(None, dict.fromkeys((self._tip, self._lineage.head, *self._loose)))
        self._tip = self._store.commit(self._write_tree(), [*parents], self._message(), ref=PREFIX + self.run)
        self._held.update(self._loose)
        self._loose.clear()
        self._subjects.clear()
        self._saved = len(self._trace)
        self._note(going=True)

    def close(self) -> None:
        """Put everything into the ref and take the journal away."""
        if self._journal is None:
            return
        held, self._journal, self._resume = self._journal, None, True
        try:
            self.save()
        except BaseException:
            held.leave()
            raise
        self._note(going=False)
        held.remove()

    def _claim(self) -> None:
        """Say that all of it is from here."""
        self.own = True
        self._note(going=True)

    def _note(self, *, going: bool) -> None:
        """Note what the ref stands at, if all of it is from here, and whether the journal may hold more."""
        if self.own:
            written.note(self.repository, PREFIX + self.run, self._tip or "", going=going)

    def _message(self) -> str:
        subjects = self._subjects or [f"recorded up to {self.events[-1].event}"]
        # More than one where an entry could not be written at its time
        also = "".join(f"{subject}\n" for subject in subjects[:-1])
        return f"{subjects[-1]}\n\n{also and also + chr(10)}Agent-Run: {self.run}\n"

    def _write_tree(self) -> str:
        started = self.events[0]
        assert isinstance(started, Started), "a run's first event is Started"
        whole = self._over or self._tip is None
        self._task = self._task or self._store.write_blob(journal.plain_json(started.task) + b"\n")
        trace = self._store.write_blob(bytes(self._trace if whole else self._trace[self._saved :]))
        return self._store.write_tree(
            [Entry("report.md", self._tell(anew=whole)), Entry("task.json", self._task), Entry(journal.FILE, trace)]
        )

    def _tell(self, *, anew: bool) -> str:
        """Write the report where it is due, and return its id."""
        told = self._report[1]
        if anew or not told or len(self.events) >= _GROWTH * told:
            text = self._render(self.events).encode("utf-8", "replace")
            self._report = (self._store.write_blob(text), len(self.events))
        return self._report[0]

    def _open(self) -> None:
        if self._resume:
            # Before anything is made, and again below, where nobody else can change it any more
            self._refuse(known=self._known())
        opened = open_journal(self.repository, self.run)
        left = journal.read(self.repository, self.run)
        try:
            self._forget()
            self._refuse(known=self._known())
            if self._resume:
                release(self.repository, (PREFIX + self.run,))
            saved = self._read_saved()
            data = _longer(self.run, saved, left)
            events = vet_known(self.repository, self.run, data, saved) if data else ()
            opened.begin(data)
            self._journal = opened
            kept = bool(left) and left.startswith(saved)
            if not data or written.is_own(self.repository, PREFIX + self.run, self._tip or "", kept=kept):
                self._claim()
            self._restore(events, data, len(saved))
        except BaseException:
            self._journal = None
            opened.leave() if left else opened.remove()
            raise

    def _refuse(self, *, known: bool) -> None:
        if known and not self._resume:
            raise UsageError(f"there is a run {self.run} already")
        if self._resume and not known:
            raise UsageError(f"there is no run {self.run}")

    def _known(self) -> bool:
        return self.run in tips(self.repository, self.run) or bool(journal.read(self.repository, self.run))

    def _read_saved(self) -> bytes:
        tip = tips(self.repository, self.run).get(self.run)
        self._tip = tip.object if tip else None
        return read_saved(self.repository, tip) if tip else b""

    def _restore(self, events: Sequence[Event], data: bytes, saved: int) -> None:
        """Continue where an earlier process stopped; what it did not come to write becomes entries now."""
        self._saved = saved
        for event, line in zip(events, journal.split(data), strict=True):
            self._take(event, line + b"\n")
            if len(self._trace) <= saved:
                self._held.update(self._loose)
                self._loose.clear()
                self._subjects.clear()
            elif self._subjects:
                self._catch_up(event)

    def _catch_up(self, event: Event) -> None:
        """Write an entry after the fact; a loss of power, or garbage collection, may have taken what it would keep."""
        head = self._lineage.head
        if not self._exists(head):
            hint = "another clone may have it; git fsck tells what else is missing"
            raise WorkspaceError(f"{self.run} stood at {head[:10]}, which is not in this repository any more", hint)
        self._loose = [commit for commit in self._loose if self._exists(commit)]
        with suppress(GitFailed):
            self._loose += [self._wrap(tree, self._subjects[-1])] if (tree := draft(event)) else []
        self.save()

    def _exists(self, commit: str) -> bool:
        with suppress(GitFailed):
            return bool(self._store.tree(commit))
        return False

    def _wrap(self, tree: str, subject: str) -> str:
        """Make a commit of files that are no step yet."""
        return self._store.commit(tree, [self._lineage.head], f"{subject}\n\nAgent-Run: {self.run}\n")

    def _take(self, event: Event, line: bytes) -> None:
        self._lineage = self._lineage.add(event)
        self._over = is_over(event, before=self._over)
        self._trace += line
        self.events.append(event)
        if subject := describe(event, self._lineage):
            self._subjects.append(subject)
        for commit in keep(event):
            self._hold(commit)

    def _hold(self, commit: str) -> None:
        if commit and commit not in self._held and commit not in self._loose:
            self._loose.append(commit)


def _longer(run: str, saved: bytes, written: bytes) -> bytes:
    """Return all that is known of a run: the ref's trace, or the journal where it got further."""
    if written.startswith(saved):
        return written
    if saved.startswith(written):
        return saved
    raise WorkspaceError(
        f"{PREFIX}{run} was moved: it tells of something else than the journal that this run left here",
        "git reflog or another clone may have the old one",
    )


def append_events(repository: Repository, run: str, events: Sequence[Event], render: Render | None = None) -> None:
    """Add what happened to a run after its end; without `render` the report stays as it was. Raises UsageError."""
    store = open_store(repository)
    tip = store.read_ref(PREFIX + run)
    kept = (store.blob(tip, "report.md") if tip else None) or b""
    with RunRef(repository, run, render or (lambda _: kept.decode("utf-8", "replace")), resume=True) as record:
        for event in events:
            record.record(event)


def close_journal(repository: Repository, run: str, end: Ended, render: Render) -> None:
    """Put what a dead run wrote down into its ref, with `end` if it has none. Raises WorkspaceError."""
    if journal.read(repository, run):
        RunRef(repository, run, render, resume=True).settle(end)
    else:
        journal.remove(journal.runs_folder(repository) / run)
