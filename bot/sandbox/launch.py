"""Runs a command under a supervisor, listens to it and collects how it ended; shared by all isolation levels."""

import contextlib
import os
import select
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bot.errors import SandboxUnavailable
from bot.sandbox.capture import output_file, read_ends
from bot.sandbox.limits import Bounds, make_ceilings, resource_limits
from bot.sandbox.line import Line
from bot.sandbox.outcome import Ran, memory_kills
from bot.sandbox.ruleset import Access, Ruleset
from bot.sandbox.supervisor import Answer, Order

PIPE_CAP = 64 << 20
"""Bytes that are kept of what comes through a private pipe; the rest is dropped, so that the writer does not hang."""
DRAIN = 2.0
"""Seconds to wait for the end of the private pipes once the command has ended."""
GLANCE = 0.5
"""Seconds between looks at what else this thread has been told, such as an interrupt."""
GRACE = 6.0
"""Seconds beyond the time limit after which the supervisor itself is taken for stopped: a sweep takes 2, or 4."""


class Seal(NamedTuple):
    """What closes a command in, where no namespaces do."""

    ruleset: Ruleset
    filter: bytes


class Plan(NamedTuple):
    """What to start and what to listen to."""

    argv: Sequence[str]
    cwd: str
    environment: Mapping[str, str]
    timeout: float
    pipes: int = 0
    """How many private pipes to open; the command has their write ends as descriptors 3, 4 and so on."""
    given: Sequence[bytes] = ()
    """What it can read from the descriptors behind these."""
    locked: bool = True
    """Whether to forbid gaining rights through set-user-id programs."""
    seal: Seal | None = None
    tree: str = ""
    """Where on this machine it may write, if that is not where it starts."""
    heard: Callable[[bytes], None] | None = None
    """Is given what comes through the first of the pipes."""

    def order(self, bounds: Bounds) -> Order:
        """Write the plan down for a supervisor."""
        closed = self.seal.filter.hex() if self.seal is not None else ""
        limits, ceilings = resource_limits(bounds, self.timeout), make_ceilings(bounds, self.timeout)
        return Order(
            self.argv, self.cwd, self.environment, self.timeout, ceilings, limits, self.locked, closed, self.tree
        )


@dataclass(slots=True, eq=False)
class Pipe:
    """A private pipe from a command to us."""

    reading: int
    writing: int
    kept: bytearray = field(default_factory=bytearray)
    heard: Callable[[bytes], None] | None = None

    def read(self) -> bool:
        """Take what is there; say whether more may come."""
        piece = os.read(self.reading, 1 << 16)
        self.kept += piece[: PIPE_CAP - len(self.kept)]
        if self.heard is not None and piece:
            self.heard(piece)
        return bool(piece)

    def hand_over(self) -> None:
        """Close our copy of the write end, so that the pipe ends when its last writer does."""
        if self.writing >= 0:
            os.close(self.writing)
            self.writing = -1


@contextlib.contextmanager
def private_pipes(number: int) -> Iterator[tuple[Pipe, ...]]:
    """Open pipes for one command."""
    pipes = tuple(Pipe(*os.pipe()) for _ in range(number))
    try:
        yield pipes
    finally:
        for pipe in pipes:
            pipe.hand_over()
            os.close(pipe.reading)


@contextlib.contextmanager
def given_files(contents: Sequence[bytes]) -> Iterator[tuple[int, ...]]:
    """Open files without names that hold something for one command."""
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile(buffering=0)) for _ in contents]
        for file, content in zip(files, contents, strict=True):
            file.write(content)
            file.seek(0)
        yield tuple(file.fileno() for file in files)


class Launcher:
    """Lends a supervisor to each command; as many as ran at the same time are kept for the next ones."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self._idle: list[Line] = []
        self._lock = threading.Lock()

    def prepare(self, number: int) -> None:
        """Have supervisors begin for commands that come soon. Raises SandboxUnavailable."""
        fresh = [Line() for _ in range(number)]
        with self._lock:
            self._idle += fresh

    def launch(self, plan: Plan) -> Ran:
        """Run a plan to its end and sweep all that it started. Raises SandboxUnavailable."""
        with output_file() as output, private_pipes(plan.pipes) as pipes, given_files(plan.given) as files:
            for pipe in pipes[:1]:
                pipe.heard = plan.heard
            if plan.seal is not None:
                # Programs open /dev/stdout by name
                plan.seal.ruleset.allow_open(output, Access.PRINT)
            kills, started = memory_kills(), time.monotonic()
            answer, note = self._converse(plan, output, pipes, files)
            seconds = time.monotonic() - started
            starved = memory_kills() > kills
            return Ran(answer, read_ends(output), seconds, tuple(bytes(pipe.kept) for pipe in pipes), note, starved)

    def _converse(self, plan: Plan, output: int, pipes: Sequence[Pipe], files: Sequence[int]) -> tuple[Answer, str]:
        sealing = [plan.seal.ruleset.descriptor] if plan.seal is not None else []
        line = self._send(plan.order(self.bounds), [output, *(pipe.writing for pipe in pipes), *files, *sealing])
        try:
            for pipe in pipes:
                pipe.hand_over()
            answer = listen(line, pipes, time.monotonic() + plan.timeout + GRACE)
        except (OSError, EOFError) as error:
            line.lose()
            return misfortune(error)
        except BaseException:
            line.hang_up()
            raise
        self._keep(line, answer)
        if answer.ending == "unsealed":
            raise SandboxUnavailable("a command could not be put under Landlock and seccomp: it was not run")
        return answer, ""

    def _send(self, order: Order, descriptors: Sequence[int]) -> Line:
        while (line := self._take()) is not None:
            # One that was killed while it was idle is found out here, before anything has run.
            with contextlib.suppress(OSError, EOFError):
                line.send(order, descriptors)
                return line
            line.lose()
        fresh = Line()
        try:
            fresh.send(order, descriptors)
        except (OSError, EOFError) as error:
            fresh.lose()
            raise SandboxUnavailable("commands cannot be started: the supervisor process ended at once") from error
        return fresh

    def _take(self) -> Line | None:
        with self._lock:
            self._idle = [line for line in self._idle if line.owner == os.getpid()]
            return self._idle.pop() if self._idle else None

    def _keep(self, line: Line, answer: Answer) -> None:
        if not answer.clean:
            line.hang_up()
            return
        with self._lock:
            self._idle.append(line)


def misfortune(error: OSError | EOFError) -> tuple[Answer, str]:
    """Say what became of a command whose supervisor did not answer."""
    if isinstance(error, TimeoutError):
        return Answer("timed_out", signal.SIGKILL, clean=True), "ended at its time limit; it had stopped its supervisor"
    return Answer("killed", signal.SIGKILL, clean=True), "ended because it had killed its supervisor"


def listen(line: Line, pipes: Sequence[Pipe], until: float) -> Answer:
    """Read the pipes until the command and they have ended. Raises EOFError or OSError for a lost supervisor."""
    poller = select.poll()
    waiting = {pipe.reading: pipe for pipe in pipes}
    for descriptor in (line.descriptor, *waiting):
        poller.register(descriptor, select.POLLIN)
    over = False
    while waiting or not line.answer:
        if line.answer and not over:
            poller.unregister(line.descriptor)
            over, until = True, time.monotonic() + DRAIN
        left = until - time.monotonic()
        ready = poller.poll(max(0.0, min(left, GLANCE)) * 1000)
        # Late ourselves, on a machine that has too much to do, we still hear what has been said
        if left <= 0 and not any(descriptor == line.descriptor for descriptor, _ in ready):
            break
        for descriptor, _ in ready:
            if descriptor == line.descriptor:
                line.receive()
            elif not waiting[descriptor].read():
                poller.unregister(descriptor)
                del waiting[descriptor]
    if line.answer is None:
        raise TimeoutError
    return line.answer
