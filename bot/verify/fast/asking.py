"""Asks checks of one tree or the other for as long as there is time, and remembers what was said in full."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import BoundedSemaphore
from typing import NamedTuple

from bot.core.check import Check, CheckResult
from bot.verify.again import SUITES
from bot.verify.crew import Crew
from bot.verify.fast.bounded import Bounded
from bot.verify.ladder import Ladder
from bot.verify.reuse import Reuse

MOST = 8
"""Checks that run at the same time; the quick ones wait more than they compute."""


class Answer(NamedTuple):
    """What a check said, and whether it was kept from saying it to the end."""

    check: Check
    result: CheckResult
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Asking:
    """How checks are asked until a moment."""

    ladder: Ladder
    reuse: Reuse | None
    until: float
    """Of the monotonic clock."""

    def known(self, tree: str, check: Check) -> Answer | None:
        """Return what a check said of a tree before, where that still holds."""
        kept = self.reuse.find(tree, check) if self.reuse is not None else None
        return Answer(check, kept.result) if kept is not None else None

    def ask(self, tree: str, check: Check, root: Path) -> Answer:
        """Ask a check of a tree, which the folder at `root` holds."""
        answer = self.known(tree, check) or self.repeat(check, root)
        if not answer.cut:
            self.keep(tree, answer, steady=check.reader not in SUITES)
        return answer

    def repeat(self, check: Check, root: Path, targets: Sequence[str] = ()) -> Answer:
        """Ask a check whatever is known, or only these tests of it."""
        bounded = Bounded(self.ladder.executor, self.until)
        result = replace(self.ladder, executor=bounded).run(check, root, targets)
        return Answer(check, result, bounded.cut)

    def keep(self, tree: str, answer: Answer, *, steady: bool) -> None:
        """Remember an answer; `steady` when its failures were asked for twice."""
        if self.reuse is not None:
            self.reuse.keep(tree, answer.check, answer.result, steady=steady)


@contextmanager
def side_by_side(
    asking: Asking, tree: str, checks: Sequence[Check], root: Path
) -> Iterator[Callable[[], list[Answer]]]:
    """Begin to ask checks that only look at a tree; what is given waits for their answers, in order."""
    crew = Crew(BoundedSemaphore(MOST))
    # What takes longest first: the processor is shared
    begun = {
        check.name: crew.submit(asking.ask, tree, check, root)
        for check in sorted(checks, key=lambda check: -check.rung.height)
    }
    try:
        yield lambda: [begun[check.name].result() for check in checks]
    finally:
        # Whoever interrupts does not want to wait for what was begun
        crew.leave(waiting=False)
