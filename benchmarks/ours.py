"""What git agent says of a checkout, asked through its own parts and measured."""

import os
import subprocess
import sys
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from bot.app.bay import choose_bay
from bot.app.desk import Desk, open_desk
from bot.core.check import Check, CheckResult, Verdict
from bot.git.audit import changes
from bot.git.compose import compose
from bot.git.snapshot import Snapshots, open_snapshots
from bot.verify.ladder import Ladder

T = TypeVar("T")


class Timed(NamedTuple):
    """A verdict and the seconds until it was there."""

    verdict: Verdict
    seconds: float
    checks: Mapping[str, float]
    """Seconds of each check, from its start to the start of the next one."""


@dataclass(frozen=True)
class Ours:
    """The ladder of one checkout and the clean folder that it climbs in."""

    desk: Desk
    snapshots: Snapshots
    ladder: Ladder

    def tree(self, rev: str) -> str:
        """Name the tree of a commit."""
        return self.desk.repository.git.line("rev-parse", "--verify", f"{rev}^{{tree}}")

    def compose(self, tree: str, source: str, paths: tuple[str, ...]) -> str:
        """Make a tree with some paths as they are in another one."""
        return compose(self.desk.repository, tree, source, paths)

    def judge(self, tree: str, before: Verdict | None = None) -> Timed:
        """Climb the whole ladder."""
        since = time.perf_counter()
        paths = changes(self.desk.repository, before.tree, tree).paths if before is not None else ()
        climbing = self.ladder.judge(self.snapshots, tree, before, paths)
        starts: dict[str, float] = {}
        verdict = finish(climbing, starts)
        end = time.perf_counter()
        begins = [*starts.values(), end]
        checks = {
            name: after - begins[number] for number, (name, after) in enumerate(zip(starts, begins[1:], strict=True))
        }
        return Timed(verdict, end - since, checks)

    def run(self, check: Check, tree: str) -> tuple[CheckResult, float]:
        """Run one check in the clean folder; the seconds are those of everything that this takes."""
        since = time.perf_counter()
        with self.snapshots.clean(tree) as root:
            result = self.ladder.run(check, root)
        return result, time.perf_counter() - since


def finish(running: Generator[Check, None, T], starts: dict[str, float] | None = None) -> T:
    """Run something to its end that names each check before it runs."""
    while True:
        try:
            check = next(running)
        except StopIteration as end:
            value: T = end.value
            return value
        if starts is not None:
            starts[check.name] = time.perf_counter()


@contextmanager
def open_ours(root: Path, rev: str = "HEAD") -> Iterator[Ours]:
    """Open a checkout; its checks are those of a commit."""
    desk = open_desk(root, {})
    bay = choose_bay(desk)
    with open_snapshots(desk.repository) as snapshots:
        with snapshots.clean(desk.repository.resolve(rev)) as clean:
            ladder = bay.ladder(clean, desk.settings.checks)
        yield Ours(desk, snapshots, ladder)


def command(root: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run git agent as a person does."""
    argv = (sys.executable, "-I", "-m", "bot", "-C", str(root), *words)
    known = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    return subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, env=known, check=False)
