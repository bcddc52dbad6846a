"""Folders deeper than a program that goes down into them can bear."""

import inspect
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def dig(folder: Path, depth: int) -> None:
    """Make folders one in the other, further down than any path may be long."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("deep" * 5, dir_fd=here)
        below = os.open("deep" * 5, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


@contextmanager
def shallow(calls: int) -> Iterator[None]:
    """Let functions call each other only so deep, as if there were more folders."""
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + calls)
    try:
        yield
    finally:
        sys.setrecursionlimit(usual)
