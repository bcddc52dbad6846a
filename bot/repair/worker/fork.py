"""Work in forked children, bounded in time and memory."""

from __future__ import annotations

import marshal
import os
import resource
import select
import signal
import sys
import time
from contextlib import suppress
from typing import Any, Callable, NoReturn

MEMORY = 3 << 30
CHUNK = 1 << 16


class OutOfTime(BaseException):
    """The work used up its share of processor time."""


def _ring(_: int, __: object) -> NoReturn:
    raise OutOfTime


def alarm(seconds: float) -> None:
    """Raise OutOfTime after so much processor time, and again every few milliseconds in case it was swallowed."""
    signal.signal(signal.SIGVTALRM, _ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 0.02)


def disarm() -> None:
    """Stop the alarm, though it may ring meanwhile."""
    for _ in range(5):
        with suppress(OutOfTime):
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            return


def spawn(work: Callable[[int], None], secrets: tuple[int, ...] = ()) -> tuple[int, int]:
    """Start a child in a process group of its own; returns its id and the end of a pipe that `work` writes into.

    `secrets` are descriptors that the child must not have.
    """
    reading, writing = os.pipe()
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
    data, end = b"", time.monotonic() + seconds
    try:
        while (left := end - time.monotonic()) > 0 and select.select([reading], [], [], left)[0]:
            chunk = os.read(reading, CHUNK)
            if not chunk:
                break
            data += chunk
    finally:
        os.close(reading)
        kill(child)
        os.waitpid(child, 0)
    try:
        answered: object = marshal.loads(data)  # noqa: S302 - plain values from a fork of this very process
    except (EOFError, ValueError, TypeError):
        return None
    return answered
