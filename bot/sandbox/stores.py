"""What a command takes of disks, and of memory that no process is charged with.

Loaded by the supervisor, so the standard library is all that it may import.
"""

import contextlib
import os
import time
from collections.abc import Iterable
from pathlib import Path

SHARED = "dev/shm"
"""Where the C library has memory that processes share by name, from the root folder."""
BLOCK = 512
SPARE = 0.75
"""Share of what is free that one command may take."""


class Disks:
    """Some file systems, and how much was free when the command began."""

    __slots__ = ("_free", "_most")

    def __init__(self, places: Iterable[int | str], most: int) -> None:
        self._most = most
        self._free: list[tuple[int | str, int, int]] = []
        for place in places:
            with contextlib.suppress(OSError):
                self._free.append((place, *_left(place)))

    def filled(self) -> bool:
        """Say whether one has lost more than it may; it is not known by whom."""
        with contextlib.suppress(OSError):
            for place, free, entries in self._free:
                left, lone = _left(place)
                if free - left > min(self._most, free * SPARE) or (entries and entries - lone > entries * SPARE):
                    return True
        return False


def _left(place: int | str) -> tuple[int, int]:
    """Return how many bytes and how many further files a file system takes; 0 files where it does not tell."""
    told = os.statvfs(place)
    return told.f_bavail * told.f_frsize, told.f_favail


class Loose:
    """Memory in files that only memory holds: those without a name, and those below /dev/shm."""

    __slots__ = ("_begun", "_most", "_shared")

    def __init__(self, most: int) -> None:
        self._most = most
        self._begun, self._shared = time.time(), shared_memory()

    def passed(self, pids: Iterable[int]) -> bool:
        """Say whether the command to which these processes belong holds too much of it."""
        if shared_memory() - self._shared <= self._most:
            return False
        return sum(self._held(pids).values()) > self._most

    def _held(self, pids: Iterable[int]) -> dict[tuple[int, int], int]:
        """Map each such file to its bytes."""
        here = _device(f"/{SHARED}")
        found: dict[tuple[int, int], int] = {}
        for pid in pids:
            with contextlib.suppress(OSError):
                known = {here, _device(f"/proc/{pid}/root/{SHARED}")}
                for entry in (*_entries(f"/proc/{pid}/fd"), *_entries(f"/proc/{pid}/root/{SHARED}")):
                    with contextlib.suppress(OSError):
                        told = entry.stat()
                        nameless = entry.is_symlink() and str(entry.readlink()).startswith("/memfd:")
                        if nameless or (told.st_dev in known and told.st_ctime >= self._begun - 1):
                            found[told.st_dev, told.st_ino] = told.st_blocks * BLOCK
        return found


def _entries(folder: str) -> list[Path]:
    try:
        return list(Path(folder).iterdir())
    except OSError:
        return []


def _device(path: str) -> int:
    try:
        return Path(path).stat().st_dev
    except OSError:
        return -1


def shared_memory() -> int:
    """Return the bytes of memory on this machine that are files; 0 where the system does not tell."""
    return memory(b"Shmem")


def memory(kind: bytes) -> int:
    """Return how many bytes of memory the kernel tells of one kind, as it names it; 0 where it does not."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        return int(read("/proc/meminfo").partition(kind + b":")[2].split(maxsplit=1)[0]) << 10
    return 0


def read(path: str) -> bytes:
    """Read a small file of the kernel's. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 4096)
    finally:
        os.close(descriptor)
