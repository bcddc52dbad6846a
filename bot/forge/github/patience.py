"""How long GitHub may take, and what is left of that."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.errors import ForgeError, ForgeLimited, ForgeUnavailable


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds, but for the number of attempts."""

    waiting: float = 60.0
    """Lost to failures in all, over every request: waits, and attempts that failed."""
    attempts: int = 4
    """Of one request."""
    first: float = 1.0
    """Wait before the second attempt; each further one is twice as long."""
    limit: float = 60.0
    """Wait after a limit that does not say how long it lasts."""
    connect: float = 10.0
    read: float = 30.0
    """Silence in the middle of an answer."""
    whole: float = 60.0
    """One answer from the first to the last byte."""
    log: float = 180.0
    """The download of the log of a job."""
    sleep: Callable[[float], None] = time.sleep


MARGIN = 2.0
"""Seconds by which two clocks of GitHub may differ."""
SKEW = 300.0
"""Seconds by which our clock may differ from GitHub's, as long as that has not told the time."""


@dataclass(slots=True)
class Clock:
    """GitHub's time, by its last answer."""

    ahead: float | None = None
    """Seconds, of ours."""

    def set(self, date: float) -> None:
        """Take note of the date of an answer that just came."""
        self.ahead = date - time.time()

    def now(self) -> float:
        """Return a moment that is past by GitHub's clock, if only just."""
        return time.time() + (-SKEW if self.ahead is None else self.ahead - MARGIN)


@dataclass(slots=True)
class Waiting:
    """What one client has waited so far."""

    patience: Patience
    log: Callable[[str], None]
    lost: float = field(default=0.0, init=False)

    def pause(self, fault: ForgeError, attempt: int, started: float) -> bool:
        """Wait before another attempt; False, without waiting, where there should be none."""
        self.lost += time.monotonic() - started
        wait = self._wait(fault, attempt)
        if attempt >= self.patience.attempts or wait > self.patience.waiting - self.lost:
            return False
        self.log(f"{fault.message}; again in {wait:.1f} s")
        self.lost += wait
        self.patience.sleep(wait)
        return True

    def _wait(self, fault: ForgeError, attempt: int) -> float:
        room = self.patience.waiting - self.lost
        told = fault.wait if isinstance(fault, ForgeUnavailable) else None
        if told is not None:
            return told
        if isinstance(fault, ForgeLimited) and room > self.patience.limit / 2:
            return min(self.patience.limit, room)
        return float(self.patience.first * 2 ** (attempt - 1))
