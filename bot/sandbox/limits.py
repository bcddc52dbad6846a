"""What one command may use of the machine."""

import math
import os
import resource
from dataclasses import dataclass
from pathlib import Path

GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Bounds:
    """Ceilings for every process of a command; time is bounded by the command itself."""

    memory: int = 4 * GIB
    """Bytes of private writable memory of each process."""
    reserve: int = 64 * GIB
    """Bytes of address space of each process; wide, as runtimes such as V8 and Go reserve far more than they use."""
    file: int = GIB
    """Bytes of the largest file that may be written."""
    files: int = 4096
    """Open descriptors of each process."""
    processes: int = 1024
    """Processes that may be started on top of those that run already; the kernel counts by user, and not for root."""
    output: int = 64 << 20
    """Bytes of output after which the command is killed."""


def resource_limits(bounds: Bounds, timeout: float) -> tuple[tuple[int, int], ...]:
    """List the limits as the kernel takes them."""
    processors = os.cpu_count() or 1
    return (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_DATA, bounds.memory),
        (resource.RLIMIT_AS, bounds.reserve),
        (resource.RLIMIT_FSIZE, bounds.file),
        (resource.RLIMIT_NOFILE, bounds.files),
        (resource.RLIMIT_NPROC, running_tasks() + bounds.processes),
        # A backstop for a supervisor that was killed: more than any process can burn within the time on the wall.
        (resource.RLIMIT_CPU, math.ceil(timeout * processors) + 5),
    )


def running_tasks() -> int:
    """Count the threads of this machine, an upper bound of those of this user."""
    try:
        return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    except (OSError, IndexError, ValueError):
        return 4096
