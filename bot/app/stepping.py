"""Carries out what tells of its steps."""

from collections.abc import Callable, Generator
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")


def finish(steps: Generator[S, None, T], tell: Callable[[S], object] = bool) -> T:
    """Carry something out to its end, and tell of each step before it is done."""
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            value: T = end.value
            return value
        tell(step)
