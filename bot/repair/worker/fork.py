"""Work in forked children, bounded in time and memory."""

from __future__ import annotations

import fcntl
import marshal
import os
import resource
import select
import signal
import sys
from contextlib import suppress
from time import monotonic
from typing import Any, Callable, NoReturn

MEMORY = 3 << 30
CHUNK = 1 << 16
UNKNOWN = 1 << 8
"""The status of a child that left with the exit code 1."""
HIGH = 700
"""From here on descriptors are taken for pipes: tests that close all low ones leave them alone."""


class OutOfTime(BaseException):
    """The work used up its share of processor time."""


class _Bell:
    """Whether the alarm rang since it was set."""

    rang = False
    waited = False
    """Whether it rang for the time by the clock; what waited for something may have left it half done."""


def _ring(_: int, __: object) -> NoReturn:
    _Bell.rang = True
    raise OutOfTime


def _ring_late(number: int, frame: object) -> NoReturn:
    _Bell.waited = True
    _ring(number, frame)


def alarm(seconds: float, wall: float = 0.0) -> None:
    """Raise OutOfTime after so much processor time, and again every few milliseconds in case it was swallowed.

    With `wall`, also after so much time by the clock: what sleeps or waits for a lock uses no processor time.
    """
    _Bell.rang = False
    signal.signal(signal.SIGVTALRM, _ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 0.02)
    if wall:
        signal.signal(signal.SIGALRM, _ring_late)
        signal.setitimer(signal.ITIMER_REAL, wall, 0.05)


def disarm() -> None:
    """Stop the alarm, though it may ring meanwhile."""
    for timer in (signal.ITIMER_VIRTUAL, signal.ITIMER_REAL):
        for _ in range(5):
            with suppress(OutOfTime):
                signal.setitimer(timer, 0)
                break


def rang() -> bool:
    """Whether the time was up since the alarm was set, even if the code under it did not let that through."""
    return _Bell.rang


def waited() -> bool:
    """Whether anything in this process waited so long that it was ended."""
    return _Bell.waited


def spawn(work: Callable[[int], None], secrets: tuple[int, ...] = ()) -> tuple[int, int]:
    """Start a child in a process group of its own; returns its id and the end of a pipe that `work` writes into.

    `secrets` are descriptors that the child must not have.
    """
    reading, low = os.pipe()
    writing = lift(low)
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    seclude((reading, *secrets))
    try:
        work(writing)
        os._exit(0)
    except BaseException:  # noqa: BLE001 - a child must end here, whatever the project's code raised
        os._exit(70)


def lift(descriptor: int) -> int:
    """Move a descriptor to where tests that close all low ones do not reach it."""
    try:
        moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, HIGH)
    except OSError:  # the system allows fewer
        return descriptor
    os.close(descriptor)
    return moved


def seclude(secrets: tuple[int, ...]) -> None:
    """Make a fresh child a group of its own, without a terminal, with bounded memory and without some descriptors."""
    os.setpgid(0, 0)
    for descriptor in secrets:
        os.close(descriptor)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def kill(child: int) -> None:
    """End a child with its whole group; 0 is none."""
    if child <= 0:
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)


def reap(child: int) -> int:
    """Wait for a child and return its status; as if it had failed where the project lets nobody wait for children."""
    try:
        return os.waitpid(child, 0)[1]
    except ChildProcessError:
        return UNKNOWN


def send(descriptor: int, data: bytes) -> None:
    """Write everything."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def ask(work: Callable[[], Any], seconds: float, secrets: tuple[int, ...] = ()) -> object | None:
    """Let a child compute something made of plain values; None if it did not answer in time."""

    def answer(writing: int) -> None:
        send(writing, marshal.dumps(work()))

    sys.stdout.flush()
    child, reading = spawn(answer, secrets)
    data, end = b"", monotonic() + seconds
    try:
        while (left := end - monotonic()) > 0 and select.select([reading], [], [], left)[0]:
            chunk = os.read(reading, CHUNK)
            if not chunk:
                break
            data += chunk
    finally:
        os.close(reading)
        kill(child)
        reap(child)
    try:
        answered: object = marshal.loads(data)  # noqa: S302 - plain values from a fork of this very process
    except (EOFError, ValueError, TypeError):
        return None
    return answered
