"""A time after which what goes on is stopped in good order, the way a person stops it."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import current_thread, main_thread
from types import FrameType

from bot.app.signals import drop
from bot.git.signals import SIGNALS

LONGEST = 1e6
SHORTEST = 1e-3
"""Seconds; less would be taken for none at all."""


@dataclass(slots=True)
class Clock:
    """Tells an end of the time from a person's wish."""

    over: bool = False


@contextmanager
def limited(seconds: float, clock: Clock) -> Iterator[None]:
    """Interrupt the body when its time is over, unless it is being interrupted already; see app.signals."""
    if current_thread() is not main_thread():  # where no signal arrives, and no handler may be set
        yield
        return

    def ring(_: int, __: FrameType | None) -> None:
        # Through the handler that stands just now: it may put the end off until what is half done is done
        handlers = {each: signal.getsignal(each) for each in SIGNALS}
        number = next((each for each, handler in handlers.items() if callable(handler) and handler is not drop), None)
        if number is not None:
            clock.over = True
            signal.raise_signal(number)

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, min(max(seconds, SHORTEST), LONGEST))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if before is None else before)
