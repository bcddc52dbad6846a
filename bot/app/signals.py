"""Ends what runs in good order when a person or a system says so."""

import atexit
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from bot.git.signals import SIGNALS


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt at the first signal; more of them do not disturb the tidying up."""
    # What is ignored already stays so: that is how `nohup` and background jobs are told apart
    numbers = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]

    def stop(_: int, __: FrameType | None) -> None:
        # Python complains of one that comes while we begin to ignore it, as git's own does at ^C in a hook
        for number in numbers:
            signal.signal(number, drop)
        atexit.register(_ignore)
        raise KeyboardInterrupt

    before = [(number, signal.signal(number, stop)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def drop(_: int, __: FrameType | None) -> None:
    """Do nothing about a signal: what it asks for is being done."""


def _ignore() -> None:
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
