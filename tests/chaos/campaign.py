"""One run that is killed again and again, taken up each time, and held against a run that was left alone."""

import os
import random
import re
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from bot.core.event import Ended, Event
from bot.core.report import Report
from bot.core.summary import summarize
from bot.git.repository import open_repository
from bot.git.runs import list_runs, read_events
from tests.chaos.scenario import CHECK, make_project, twelve_steps
from tests.conftest import Repo
from tests.product import Ran, Running, run, start
from tests.untouched import difference, print_of

EARLY = 0.3
"""Share of the kills that come soon after the start; twice as many where the run has not begun yet."""
STRIDE = 8
"""Most events between two of the others."""
PATIENCE = 20.0
"""Seconds within which what a killed run had started has to be gone."""


A_MOMENT = 30.0
GLANCE = 0.006
"""Seconds between looks at a journal."""


class Aim(NamedTuple):
    """When to kill."""

    events: int
    """How many more have to be on record first."""
    pause: float
    """Seconds to wait then."""


def choose_aim(chance: random.Random, *, begun: bool) -> Aim:
    """Pick a moment: soon after the start, whatever has happened until then, or some events later and a little more."""
    if chance.random() < (EARLY if begun else 2 * EARLY):
        return Aim(0, chance.uniform(0, 0.25))
    return Aim(chance.randint(1, STRIDE), chance.uniform(0, 0.04))


class Ending(NamedTuple):
    """What has to be the same however often a run was killed."""

    outcome: str
    stop: str
    steps: tuple[tuple[int, str, str], ...]
    """Number, subject and tree of each, rejected ones too."""
    tree: str
    """Of the branch at the end."""
    turns: int
    calls: int


@dataclass
class Campaign:
    """A repository of its own, and what happened in it."""

    folder: Path
    isolation: str = "process"
    write_script: Callable[[Path], str] = twelve_steps
    killed: Counter[str] = field(default_factory=Counter)
    """How often it was killed, by the last event that was on record then."""

    def __post_init__(self) -> None:
        place = self.folder / "repo"
        self.repo = Repo(place) if place.exists() else make_project(place)
        self.script = self.write_script(self.folder / "script")
        self.repository = open_repository(self.repo.path)
        self.place = self.folder / "tmp"
        self.place.mkdir(exist_ok=True)
        self.mine: Mapping[str, str] = print_of(self.repo.path)

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables that make everything temporary ours to count."""
        return {"TMPDIR": str(self.place)}

    def ask(self, *args: str) -> Ran:
        """Run a command to its end."""
        return run("-C", str(self.repo.path), *args, env=self.environment, cwd=self.folder)

    def events(self) -> tuple[Event, ...]:
        """Read what is on record of the run; nothing when none has started."""
        return next((read_events(self.repository, name) for name in list_runs(self.repository)), ())

    def next_command(self, events: Sequence[Event]) -> tuple[str, ...]:
        """Return what a person would type now; nothing when the run is over."""
        if not events:
            return ("fix", "x", "--yes", "--json", "--model", self.script, "--check", CHECK, *self._level)
        last = events[-1]
        if isinstance(last, Ended) and last.stop != "interrupted":
            return ()
        return ("resume", summarize(events).run, "--yes", "--json", *self._level)

    @property
    def _level(self) -> tuple[str, str]:
        return ("--isolation", self.isolation)

    def play(self, kills: int, chance: random.Random) -> None:
        """Go on until the end, killed at most so many times; look at the person's side each time."""
        events = self.events()
        while command := self.next_command(events):
            aim = choose_aim(chance, begun=bool(events)) if self.killed.total() < kills else None
            ended = self._try(command, aim)
            events = self.events()
            if not ended:
                self.killed[f"{command[0]}: {events[-1].event if events else 'nothing yet'}"] += 1
                self.look_untouched()
                self._disturb(chance)

    def _try(self, command: tuple[str, ...], aim: "Aim | None") -> bool:
        """Start a command; kill it at some moment, or expect it to end well. Say whether it ended."""
        with (self.folder / "out").open("wb") as out, (self.folder / "err").open("wb") as err:
            argv = ("-C", str(self.repo.path), *command)
            process = start(*argv, cwd=self.folder, env=self.environment, out=out.fileno(), err=err.fileno())
            try:
                code = process.wait(6 * PATIENCE) if aim is None else self._watch(process, aim)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                code = process.wait(PATIENCE)
                assert aim is not None, f"{command[0]} does not end"
        if code == -signal.SIGKILL:
            return False
        assert code == 0, (command[0], code, (self.folder / "err").read_text())
        return True

    def _watch(self, process: Running, aim: "Aim") -> int:
        """Wait until so many events more are on record, and a little longer. Raises TimeoutExpired."""
        target = self._lines() + aim.events
        while process.poll() is None and self._lines() < target:
            time.sleep(GLANCE)
        return process.wait(aim.pause)

    def _lines(self) -> int:
        """Count the events in the journal; it is not there between runs."""
        journals = (self.repo.path / ".git" / "agent" / "runs").glob("*/trace.jsonl")
        with suppress(OSError):
            return sum(path.read_bytes().count(b"\n") for path in journals)
        return 0

    def _disturb(self, chance: random.Random) -> None:
        """Do what a person may do while a run lies dead."""
        match chance.randrange(16):
            case 0:
                # A run killed while it moved its branch has left a lock, which git minds and `resume` takes
                self.repo.git("gc", "-q", check=False)
                self.mine = print_of(self.repo.path)
            case 1:
                assert self.ask("clean").code == 0
            case 2:
                assert self.ask("status").code == 0
            case _:
                pass

    def ending(self) -> Ending:
        """Tell how it ended."""
        told = summarize(self.events())
        steps = tuple((step.number, step.subject, step.tree) for step in told.steps)
        tree = self.repo.git("rev-parse", f"refs/heads/{told.branch}^{{tree}}")
        return Ending(told.outcome, told.stop, steps, tree, told.usage.turns, told.usage.calls)

    def look_untouched(self) -> None:
        """Check that all that is the person's is as it was."""
        changed = difference(self.mine, print_of(self.repo.path))
        assert not changed, changed

    def look_complete(self) -> None:
        """Check that the record is whole: in its ref alone, and with everything that it speaks of."""
        [name] = list_runs(self.repository)
        told = summarize(self.events())
        printed = (self.folder / "out").read_text()
        if printed.strip():
            assert Report.model_validate_json(printed) == told
        held = set(self.repo.git("rev-list", f"refs/agent/runs/{name}").split())
        assert held.issuperset(filter(None, (commit for step in told.steps for commit in (step.commit, step.kept))))
        assert self.repo.git("rev-parse", f"refs/heads/{told.branch}") == told.tip
        self.repo.git("fsck", "--no-dangling")

    def look_tidy(self) -> None:
        """Check that nothing is left but the branch and the record, once dead runs were tidied up after."""
        left = await_end(self.folder)
        assert not left, left
        if self.killed:
            for folder in self.place.iterdir():
                # What a kill left nameless is taken away after a moment
                os.utime(folder, (time.time() - A_MOMENT,) * 2)
            cleaned = self.ask("clean")
            assert cleaned.code == 0, cleaned.err
        git = self.repo.path / ".git"
        [name] = list_runs(self.repository)
        expected = [f"refs/agent/runs/{name}", f"refs/heads/{summarize(self.events()).branch}"]
        refs = self.repo.git("for-each-ref", "--format=%(refname)", "refs/agent", "refs/heads/agent").split()
        kept = [path for path in self.place.rglob("*") if not is_trial(path)]
        stray = [*git.rglob("*.lock"), *git.glob("worktrees"), *git.glob("agent/runs"), *kept]
        assert (sorted(refs), stray) == (expected, []), (refs, stray)


def is_trial(path: Path) -> bool:
    """Say whether a file is one by which Python tries out a folder for temporary files, killed before it goes again."""
    return bool(re.fullmatch(r"[a-z0-9_]{8}", path.name)) and path.is_file() and path.read_bytes() in (b"", b"blat")


def await_end(folder: Path) -> Mapping[int, str]:
    """Wait until no process lives in a folder; return those that will not go."""
    until = time.monotonic() + PATIENCE
    while (found := living(folder)) and time.monotonic() < until:
        time.sleep(0.02)
    return found


def living(folder: Path) -> Mapping[int, str]:
    """Find the processes that stand in a folder, or were told of it."""
    needle = os.fsencode(folder)
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (place / "cmdline").read_bytes()
            stands = os.fsencode((place / "cwd").readlink()) if int(place.name) != os.getpid() else b""
            if needle in words or stands.startswith(needle) or needle in (place / "environ").read_bytes():
                found[int(place.name)] = words.replace(b"\0", b" ").decode("utf-8", "replace")
    return found
