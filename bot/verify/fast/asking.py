"""Asks checks of one tree or the other for as long as there is time, and remembers what was said in full."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import BoundedSemaphore, Event
from typing import NamedTuple

from bot.core.check import Check, CheckResult
from bot.verify.again import SUITES
from bot.verify.crew import Crew
from bot.verify.fast.bounded import Bounded
from bot.verify.ladder import Ladder
from bot.verify.reuse import Reuse

MOST = 8
"""Checks that run at the same time; the quick ones wait more than they compute."""


AHEAD = 0.3
"""Longest time by which the first of them may be ahead of the others."""


class Answer(NamedTuple):
    """What a check said, and whether it was kept from saying it to the end."""

    check: Check
    result: CheckResult
    cut: bool = False
    lost: str = ""
    """Why it was cut short, where it was not for want of time."""


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

    def ask(self, tree: str, check: Check, root: Path, begun: Event | None = None) -> Answer:
        """Ask a check of a tree, which the folder at `root` holds; `begun` is set when its command begins."""
        answer = self.known(tree, check) or self.repeat(check, root, begun=begun)
        if not answer.cut:
            self.keep(tree, answer, steady=check.reader not in SUITES)
        return answer

    def repeat(self, check: Check, root: Path, targets: Sequence[str] = (), *, begun: Event | None = None) -> Answer:
        """Ask a check whatever is known, or only these tests of it."""
        bounded = Bounded(self.ladder.executor, self.until, begun=begun or Event())
        result = replace(self.ladder, executor=bounded).run(check, root, targets)
        return Answer(check, result, bounded.cut or bool(bounded.lost), bounded.lost)

    def keep(self, tree: str, answer: Answer, *, steady: bool) -> None:
        """Remember an answer; `steady` when its failures were asked for twice."""
        if self.reuse is not None:
            self.reuse.keep(tree, answer.check, answer.result, steady=steady)


def _begin(
    crew: Crew, asking: Asking, tree: str, checks: Sequence[Check], root: Path
) -> Iterator[tuple[Check, Future[Answer]]]:
    """Begin with what takes longest; the others, which compute beforehand as well, would only hold it up."""
    for number, check in enumerate(sorted(checks, key=lambda check: -check.rung.height)):
        begun = Event()
        answer = crew.submit(asking.ask, tree, check, root, begun)
        answer.add_done_callback(partial(_ring, begun))
        if not number and len(checks) > 1:
            begun.wait(AHEAD)
        yield check, answer


def _ring(begun: Event, _: Future[Answer]) -> None:
    begun.set()


@contextmanager
def side_by_side(
    asking: Asking, tree: str, checks: Sequence[Check], root: Path
) -> Iterator[Callable[[], list[Answer]]]:
    """Begin to ask checks that only look at a tree; what is given waits for their answers, in order."""
    crew = Crew(BoundedSemaphore(MOST))
    begun = {check.name: answer for check, answer in _begin(crew, asking, tree, checks, root)}
    try:
        yield lambda: [begun[check.name].result() for check in checks]
    finally:
        # Whoever interrupts does not want to wait for what was begun
        crew.leave(waiting=False)
