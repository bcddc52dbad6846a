"""Puts signals off while something is half done that must not stay so."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What a person or a system sends to stop us."""


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let the body come to its end first; a signal that came meanwhile takes effect afterwards."""
    if current_thread() is not main_thread():  # where no signal arrives, and no handler may be set
        yield
        return
    came: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        came.append(number)

    before = [(number, signal.signal(number, note)) for number in SIGNALS]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        for late in dict.fromkeys(came):
            signal.raise_signal(late)
