"""Runs checks before their turn and side by side; what they say is taken in order, and only where it is beyond doubt.

Checks that only look at a tree do not disturb each other. Tests write: while they run in the tree, the others look at
a copy of it. A copy is no checkout of the repository, so that a complaint about it is looked into again in the tree.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from threading import BoundedSemaphore
from types import TracebackType
from typing import Self

from bot.core.check import Check, CheckResult, Reader, Verdict
from bot.verify.again import SUITES
from bot.verify.beside import second
from bot.verify.compare import compare
from bot.verify.crew import Crew
from bot.verify.repeat import STOPPED

LOOKING: frozenset[Reader] = frozenset({"syntax", "ruff", "ruff-format", "mypy"})
"""Readers of checks that only look at a tree."""
MOST = 8
"""Checks that run at the same time; the quick ones wait more than they compute."""
BRIEF = 60.0
"""Seconds that a suite gets which is begun before its turn; it is run anew when they are not enough."""


@dataclass(slots=True)
class Ahead:
    """Checks that were begun before their turn."""

    run: Callable[[Check, Path], CheckResult]
    root: Path
    renew: Callable[[], None]
    before: Verdict | None
    begun: dict[str, Future[CheckResult]] = field(default_factory=dict)
    suite: str = ""
    """Name of the check that runs the tests in the tree meanwhile."""
    crew: Crew = field(default_factory=lambda: Crew(BoundedSemaphore(MOST)))
    copies: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Whoever interrupts does not want to wait for what was begun
        self.crew.leave(waiting=kind is None)
        self.copies.close()

    def start(self, looking: Sequence[Check], suite: Check | None) -> None:
        """Begin with checks that only look, and with the tests where these may run beside them."""
        copy = self.copies.enter_context(second(self.root)) if suite is not None and looking else None
        if suite is not None and copy is not None:
            brief = suite.model_copy(update={"timeout": min(suite.timeout, BRIEF)})
            self.suite = suite.name
            self.begun[suite.name] = self.crew.submit(self.run, brief, self.root)
        if len(looking) > 1 or copy is not None:
            where = copy or self.root
            self.begun |= {check.name: self.crew.submit(self.run, check, where) for check in looking}

    def take(self, check: Check) -> CheckResult:
        """Return what a check says of the tree."""
        if check.name not in self.begun:
            return self.run(check, self.root)
        result = self.begun[check.name].result()
        if not self.suite or not self._is_doubtful(check, result):
            return result
        self.begun[self.suite].result()
        self.renew()
        return self.run(check, self.root)

    def _is_doubtful(self, check: Check, result: CheckResult) -> bool:
        if result.status == "errored":
            return True
        if check.reader in SUITES:
            return any(STOPPED in case.message for case in result.cases)
        return bool(compare(self.before, [result]).broken)
