"""Hides git agent's own memory and environment from the commands that it runs."""

import ctypes
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from bot.sandbox.supervisor import DUMPABLE, control_process

BLOCK = 48
"""Where in /proc/self/stat, counted from behind the program's name, the address of the first variables stands."""
LARGEST = 16 << 20
"""Bytes that the kernel may have given a process as arguments and variables, and more."""


def conceal() -> bool:
    """Close our /proc entries to the same user's processes, though not to root's; say whether the kernel did."""
    return control_process(DUMPABLE, 0)


def withdraw(names: Collection[str]) -> Mapping[str, str]:
    """Take variables out of this process's environment and return them.

    No child inherits them any more, and /proc/self/environ, which shows what a process was started with, has zeros.
    """
    taken = {name: os.environ[name] for name in names if name in os.environ}
    wanted = frozenset(map(os.fsencode, taken))
    for address, entry in (*_listed(), *_given()):
        key, equals, value = entry.partition(b"=")
        if equals and key in wanted:
            ctypes.memset(address + len(key) + 1, 0, len(value))
    for name in taken:
        del os.environ[name]
    return taken


def _listed() -> Iterator[tuple[int, bytes]]:
    """Find the variables where the C library has them, with their addresses."""
    try:
        table = ctypes.POINTER(ctypes.c_void_p).in_dll(ctypes.CDLL(None), "environ")
    except ValueError:
        return
    index = 0
    while address := table[index]:
        yield address, ctypes.string_at(address)
        index += 1


def _given() -> Iterator[tuple[int, bytes]]:
    """Find the variables that the process was started with where the kernel put them: whoever sets one anew copies."""
    start = end = 0
    with suppress(OSError, ValueError, IndexError):
        fields = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
        start, end = int(fields[BLOCK - 1]), int(fields[BLOCK])
    if 0 < start < end < start + LARGEST:
        at = start
        for entry in ctypes.string_at(start, end - start).split(b"\0"):
            yield at, entry
            at += len(entry) + 1
