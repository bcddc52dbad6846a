"""What the processes below one use of the machine, as the kernel tells it in /proc.

Loaded by the supervisor, so the standard library is all that it may import.
"""

import contextlib
import math
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from bot.sandbox.stores import Disks, Loose, memory, read

Ceiling: TypeAlias = Literal["", "memory", "processor", "processes", "output", "disk"]
"""What a command was ended for using too much of; empty for nothing."""

PAGE = os.sysconf("SC_PAGE_SIZE")
SECOND = os.sysconf("SC_CLK_TCK")
"""Units of processor time."""
TICK = 0.02
"""Seconds between looks at the size of the output, and at how many processes there are on the whole machine."""
LONG = 0.03
"""Seconds after which a look is begun anew, with the command stopped."""
CALM = 0.1
"""Seconds between looks at a tree that is far from its ceilings."""
NEAR = 0.25
"""Share of a ceiling from which on a tree is looked at as often as its output is."""
FEW = 64
"""Processes whose memory is looked at more closely."""
REST = 10
"""How many times as long as a look takes it is until the next one, so that looking never costs much of a processor."""


class Ceilings(NamedTuple):
    """What all processes of a command may use together."""

    output: int
    """Bytes printed."""
    memory: int
    """Bytes."""
    tasks: int
    """Processes and their threads at one time."""
    processor: float
    """Seconds of processor time."""
    disk: int = sys.maxsize
    """Bytes that a disk may lose."""

    def passed(self, used: "Usage", ended: float, free: int) -> Ceiling:
        """Name what more is used of than may be.

        `ended` is the processor time of what has ended, in seconds, and `free` what memory the machine had before.
        """
        if used.tasks > self.tasks:
            return "processes"
        if used.processor + ended > self.processor:
            return "processor"
        return "memory" if used.memory > self.memory and weigh(used, free) > self.memory else ""

    def near(self, used: "Usage") -> bool:
        """Say whether a tree may soon pass a ceiling."""
        return used.tasks > NEAR * self.tasks or used.memory > NEAR * self.memory


class Usage(NamedTuple):
    """What a tree of processes uses at one moment."""

    pids: frozenset[int] = frozenset()
    tasks: int = 0
    processor: float = 0.0
    """Seconds, with those of the ended children that were waited for."""
    memory: int = 0
    """Bytes; what processes share is counted for each of them."""


class Toll:
    """The children that have ended: how each did, and what they and those that they waited for have used."""

    __slots__ = ("memory", "processor", "statuses")

    def __init__(self) -> None:
        self.statuses: dict[int, int] = {}
        """By process, as wait gives it."""
        self.processor = 0.0
        """Seconds."""
        self.memory = 0
        """Bytes of the largest process at its largest."""

    def add(self, pid: int, status: int, used: resource.struct_rusage) -> None:
        """Count one in."""
        self.statuses[pid] = status
        self.processor += used.ru_utime + used.ru_stime
        self.memory = max(self.memory, used.ru_maxrss << 10)


class Guard:
    """Looks now and then at all that runs below this process: at one command."""

    __slots__ = ("_ceilings", "_disks", "_due", "_free", "_leader", "_loose", "_next", "_tasks")

    def __init__(self, ceilings: Ceilings, leader: int, places: Iterable[int | str] = ()) -> None:
        self._ceilings = ceilings
        self._disks, self._loose = Disks(places, ceilings.disk), Loose(ceilings.memory)
        self._leader = leader
        self._tasks, self._free = running_tasks(), free_memory()
        now = time.monotonic()
        self._next, self._due = now + TICK, now + CALM

    def passed(self, toll: Toll) -> Ceiling:
        """Name the ceiling that was passed, if it is time to look."""
        now = time.monotonic()
        if now < self._next:
            return ""
        self._next = now + TICK
        crowded = running_tasks() > self._tasks + self._ceilings.tasks
        if now < self._due and not crowded:
            return ""
        used = look(os.getpid(), self._ceilings.tasks, now + LONG)
        if used is None:
            with held(self._leader) if self._leader not in toll.statuses else contextlib.nullcontext():
                used = look(os.getpid(), self._ceilings.tasks) or Usage()
        found = self._ceilings.passed(used, toll.processor, self._free) or self._stored(used)
        rest = REST * (time.monotonic() - now)
        self._due = now + (rest if self._ceilings.near(used) else max(CALM, rest))
        return found

    def _stored(self, used: Usage) -> Ceiling:
        if self._disks.filled():
            return "disk"
        return "memory" if self._loose.passed(used.pids) else ""


@contextlib.contextmanager
def held(leader: int) -> Iterator[None]:
    """Stop a process and its group for a moment: what forks without pause can only be counted when it stands still."""
    with contextlib.suppress(OSError):
        os.killpg(leader, signal.SIGSTOP)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.killpg(leader, signal.SIGCONT)


def running_tasks() -> int:
    """Count the processes and threads of this machine."""
    try:
        return int(read("/proc/loadavg").split()[3].partition(b"/")[2])
    except (OSError, IndexError, ValueError):
        return 0


def free_memory() -> int:
    """Return the bytes of memory that this machine could still give; 0 where the system does not tell."""
    return memory(b"MemAvailable")


def look(root: int, most: int, until: float = math.inf) -> Usage | None:
    """Add up what all below a process use, or as many of them as are enough to be more than `most`; None when late."""
    pids = descendants(root, most=most, until=until)
    if len(pids) > most:
        return Usage(frozenset(pids), len(pids))
    tasks = ticks = pages = 0
    for pid in pids:
        if time.monotonic() >= until:
            return None
        with contextlib.suppress(OSError, ValueError, IndexError):
            stat = read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
            ticks += sum(map(int, stat[11:15]))
            tasks += max(1, int(stat[17]))
            pages += int(stat[21])
    if time.monotonic() >= until:
        return None
    return Usage(frozenset(pids), tasks, ticks / SECOND, pages * PAGE)


def weigh(used: Usage, free: int) -> int:
    """Return the memory of a tree in bytes, with what its processes share counted once.

    Of very many it is what the machine has less of than before: to be let look at a process's memory one has to wait
    for it, and among very many that can be long.
    """
    return sum(map(_share, used.pids)) if len(used.pids) <= FEW else free - free_memory()


def _share(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(read(f"/proc/{pid}/smaps_rollup").partition(b"\nPss:")[2].split(maxsplit=1)[0]) << 10
    # It has closed itself to us, which only raises what it is counted with
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(read(f"/proc/{pid}/statm").split()[1]) * PAGE
    return 0


def children(pid: int) -> list[int]:
    """List a process's children, as the kernel keeps them for each of its threads."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - walked while processes fork, so it has to be quick
            found += map(int, Path(f"/proc/{pid}/task/{thread}/children").read_bytes().split())
    return found


def families() -> dict[int, list[int]]:
    """Map each process that we can see to its children, on kernels that keep no such lists."""
    found: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - as above
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                parent = int(Path("/proc", name, "stat").read_bytes().rpartition(b")")[2].split()[1])
                found.setdefault(parent, []).append(int(name))
    return found


def session(leader: int) -> list[int]:
    """List the living processes of a session, which outlives its leader and has many groups."""
    found: list[int] = []
    for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208 - as above
        with contextlib.suppress(OSError, IndexError):
            state, _, _, number = read(f"/proc/{name}/stat").rpartition(b")")[2].split()[:4]
            found += [int(name)] if int(number) == leader and state not in b"ZX" else []
    return found


def descendants(
    root: int, meet: Callable[[int], None] | None = None, most: float = math.inf, until: float = math.inf
) -> set[int]:
    """Return every process below one, which itself is not among them, but not many more than `most`, nor very late.

    Each is met before its own children are looked for: they may come faster than they can be listed.
    """
    listed = Path(f"/proc/self/task/{os.getpid()}/children").exists()
    known = {} if listed else families()
    found, queue = set[int](), [root]
    while queue and len(found) <= most and time.monotonic() < until:
        parent = queue.pop()
        for pid in children(parent) if listed else known.get(parent, ()):
            if pid not in found:
                found.add(pid)
                queue.append(pid)
                if meet is not None:
                    meet(pid)
    return found
