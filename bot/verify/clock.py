"""Stops a test that would never end, as a failure of that test alone, so that the others still have their say.

Imported only by the probe, inside the project's interpreter (Python 3.8 or newer).
"""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from typing import Any

FIRST = float(os.environ.pop("GIT_AGENT_PATIENCE", "20"))
"""Seconds of processor time that a phase of a test may take; one that sleeps or waits is not counted."""
LATER = FIRST / 10
FACTOR = 3.0
"""Once a test had to be stopped, others get little more than the slowest that ended: a loop seldom comes alone."""
AGAIN = 5.0
"""Seconds after which a test that swallowed the first signal gets another."""


class Patience:
    """How long a phase of a test may take."""

    def __init__(self) -> None:
        self.limit = FIRST
        self.slowest = 0.0
        signal.signal(signal.SIGPROF, self._stop)

    @contextmanager
    def phase(self) -> Iterator[None]:
        """Watch over one phase of one test."""
        signal.setitimer(signal.ITIMER_PROF, self.limit, AGAIN)
        try:
            yield
        finally:
            left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
            self.slowest = max(self.slowest, min(self.limit - left, FIRST) if left <= self.limit else 0.0)

    def _stop(self, _signal: int, _frame: object) -> None:
        limit, self.limit = self.limit, min(FIRST, LATER + FACTOR * self.slowest)
        raise pytest.fail.Exception(f"still running after {limit:.3g} s of processor time, so it was stopped")


class Clock:
    """Watches over the time that each phase of a test takes, from outside all other plugins."""

    def __init__(self) -> None:
        self.patience = Patience()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Generator[None, Any, None]:
        """Watch over the setup."""
        with self.patience.phase():
            yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self) -> Generator[None, Any, None]:
        """Watch over the test itself."""
        with self.patience.phase():
            yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> Generator[None, Any, None]:
        """Watch over the teardown."""
        with self.patience.phase():
            yield
