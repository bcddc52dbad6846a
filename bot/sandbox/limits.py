"""What one command may use of the machine."""

import math
import os
import resource
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bot.sandbox.usage import Ceilings, running_tasks

GIB = 1 << 30
SOME = 4096
"""Tasks that are taken to run where the system does not tell."""
PROCESSORS = os.cpu_count() or 1
GROUPS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
"""Where a container tells how much memory it has."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Ceilings for a command; time is bounded by the command itself."""

    memory: int = 4 * GIB
    """Bytes of private writable memory of each process."""
    together: int = 16 * GIB
    """Bytes of memory of all its processes together; less on machines that have little."""
    reserve: int = 64 * GIB
    """Bytes of address space of each process; wide, as runtimes such as V8 and Go reserve far more than they use."""
    file: int = GIB
    """Bytes of the largest file that may be written."""
    files: int = 4096
    """Open descriptors of each process."""
    processes: int = max(1024, 64 * PROCESSORS)
    """Processes and their threads at one time: many tools start one for each processor, and each of those as many."""
    processors: float = PROCESSORS
    """How many processors it may keep busy all of its time."""
    disk: int = 32 * GIB
    """Bytes that a disk may lose while it runs; less where little is free."""
    output: int = 64 << 20
    """Bytes of output after which the command is killed."""


def make_ceilings(bounds: Bounds, timeout: float) -> Ceilings:
    """List what the supervisor sees to: what all processes use together the kernel does not limit."""
    memory = min(bounds.together, machine_memory() * 3 // 4)
    return Ceilings(bounds.output, memory, bounds.processes, timeout * bounds.processors, bounds.disk)


def resource_limits(bounds: Bounds, timeout: float) -> tuple[tuple[int, int], ...]:
    """List the limits as the kernel takes them, for each process by itself."""
    return (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_DATA, bounds.memory),
        (resource.RLIMIT_AS, bounds.reserve),
        (resource.RLIMIT_FSIZE, bounds.file),
        (resource.RLIMIT_NOFILE, bounds.files),
        # Counted by user, and not for root: the supervisor counts by command
        (resource.RLIMIT_NPROC, (running_tasks() or SOME) + bounds.processes),
        # A backstop for a supervisor that was killed: more than any process can burn within the time on the wall.
        (resource.RLIMIT_CPU, math.ceil(timeout * max(bounds.processors, 1)) + 5),
    )


@cache
def machine_memory() -> int:
    """Return the bytes of memory of this machine, or of the container around us."""
    return min(_memories())


def _memories() -> Iterator[int]:
    yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for path in GROUPS:
        with suppress(OSError, ValueError):
            yield int(path.read_text())
