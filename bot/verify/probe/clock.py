"""Stops a test that would never end, as a failure of that test alone, so that the others still have their say."""

from __future__ import annotations

import os
import signal
from signal import ITIMER_PROF, setitimer

FIRST = float(os.environ.pop("GIT_AGENT_PATIENCE", "20"))
"""Seconds of processor time that a phase of a test may take; one that sleeps or waits is not counted."""
LATER = FIRST / 10
FACTOR = 3.0
"""Once a test had to be stopped, others get little more than the slowest that ended: a loop seldom comes alone."""
AGAIN = 5.0
"""Seconds after which a test that swallowed the first signal gets another."""


class Patience:
    """How long a phase of a test may take; call `begin` and `end` around it."""

    __slots__ = ("limit", "slowest", "stopped")

    def __init__(self, stopped: type[BaseException]) -> None:
        self.stopped = stopped
        self.limit = FIRST
        self.slowest = 0.0
        signal.signal(signal.SIGPROF, self._stop)

    def begin(self) -> None:
        """Start the clock."""
        setitimer(ITIMER_PROF, self.limit, AGAIN)

    def end(self) -> None:
        """Stop the clock."""
        left = setitimer(ITIMER_PROF, 0)[0]
        if left <= self.limit:
            self.slowest = max(self.slowest, min(self.limit - left, FIRST))

    def _stop(self, _signal: int, _frame: object) -> None:
        limit, self.limit = self.limit, min(FIRST, LATER + FACTOR * self.slowest)
        raise self.stopped("still running after " + format(limit, ".3g") + " s of processor time, so it was stopped")
