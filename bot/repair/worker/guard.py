"""Closes a process in with Landlock: code with a fault put in, or called as nobody meant it, must not reach the files.

Where there is a sandbox around us it sees to that already; without one the kernel may still do it for the asking.
"""

from __future__ import annotations

import os
import resource
import struct
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

CREATE, ADD, RESTRICT = 444, 445, 446
"""Numbers of the system calls, the same on all machines."""
ASK_VERSION = 1
BENEATH = 1
NO_NEW_PRIVILEGES = 38
WRITING = 1 << 1 | sum(1 << bit for bit in range(4, 13))
"""Writing to files, and making and removing anything."""
REFER, TRUNCATE = 1 << 13, 1 << 14
FILES = 1 << 1
"""What of it can be said of devices."""
TCP, SCOPES = 0b11, 0b11
REFER_SINCE, TRUNCATE_SINCE, TCP_SINCE, SCOPES_SINCE = 2, 3, 4, 6
DEVICES = "/dev"


def find_version() -> int:
    """Return the version of the kernel's Landlock; 0 where there is none."""
    try:
        return max(0, _call(CREATE, None, 0, ASK_VERSION))
    except OSError:
        return 0


def confine(folders: Iterable[str]) -> bool:
    """Let this process and all that it starts change nothing outside of some folders, from here on.

    Tells whether that could be had; in the oldest versions nothing can be moved between folders, so that tests fail.
    """
    version = find_version()
    return version >= REFER_SINCE and _restrict(_handled(version), (), {**dict.fromkeys(folders, -1), DEVICES: FILES})


def seal(keep: int) -> bool:
    """Let this process change nothing at all: no file, nothing that is open beside one descriptor, no other process.

    Tells whether the kernel sees to the files, too.
    """
    _close_others(keep)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    version = find_version()
    further = [TCP] * (version >= TCP_SINCE) + [SCOPES] * (version >= SCOPES_SINCE)
    return version > 0 and _restrict(_handled(version), further, {})


def _close_others(keep: int) -> None:
    """Close what the project holds open, such as the connection to a database."""
    with suppress(OSError):
        for number in [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]:
            if number > 2 and number != keep:
                with suppress(OSError):
                    os.close(number)


def _handled(version: int) -> int:
    return WRITING | REFER * (version >= REFER_SINCE) | TRUNCATE * (version >= TRUNCATE_SINCE)


def _restrict(handled: int, further: Sequence[int], opened: dict[str, int]) -> bool:
    fields = [handled, *further]
    try:
        rules = _call(CREATE, struct.pack(f"={len(fields)}Q", *fields), 8 * len(fields), 0)
        try:
            for place, rights in opened.items():
                _open(rules, place, rights & handled)
            _system().prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
            _call(RESTRICT, rules, 0)
        finally:
            os.close(rules)
    except OSError:
        return False
    return True


def _open(rules: int, place: str, rights: int) -> None:
    try:
        descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # what is not there needs not be opened
        return
    try:
        _call(ADD, rules, BENEATH, struct.pack("=Qi", rights, descriptor), 0)
    finally:
        os.close(descriptor)


def _system() -> Any:
    try:
        import ctypes  # noqa: PLC0415 - an interpreter may have been built without it
    except ImportError as error:
        raise OSError("no system calls can be made") from error
    return ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: int | bytes | None) -> int:
    system = _system()
    result: int = system.syscall(number, *arguments)
    if result < 0:
        raise OSError("the kernel refused")
    return result
