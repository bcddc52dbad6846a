"""The connection to one supervisor process, which ends when the connection does."""

import contextlib
import json
import os
import select
import signal
import socket
import sys
import time
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.errors import SandboxUnavailable
from bot.sandbox import supervisor
from bot.sandbox.supervisor import CONTROL, Answer, Order
from bot.sandbox.usage import session

BOOT = (
    # Nothing that is loaded is garbage, and to look for some takes a tenth of the start
    "import gc; gc.disable(); import sys; sys.path.append(sys.argv[1]); from bot.sandbox.supervisor import main; main()"
)
START = 10.0
"""Seconds that a supervisor may take to start a command, on the busiest of machines."""


class Line:
    """The connection to one supervisor process."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self.pid = spawn_supervisor(theirs.fileno())
        self.owner = os.getpid()
        self.leader = 0
        """First process of the command; 0 until it has started."""
        self.answer: Answer | None = None
        self.pending = b""
        # A plain descriptor and a finalizer: nobody has to close an executor, and none leaves a process behind.
        self.descriptor = ours.detach()
        self.hang_up = weakref.finalize(self, dismiss, self.descriptor, self.pid, self.owner)

    def send(self, order: Order, descriptors: Sequence[int]) -> None:
        """Give an order and see it started. Raises EOFError or OSError when the supervisor is gone."""
        self.leader, self.answer, self.pending = 0, None, b""
        data = json.dumps(order).encode() + b"\n"
        # A quick command may have killed the supervisor by now: only what it has said tells whether it began
        with borrowed(self.descriptor) as control, contextlib.suppress(BrokenPipeError, ConnectionResetError):
            sent = socket.send_fds(control, [data], list(descriptors))
            control.sendall(data[sent:])
        while not self.leader:
            if not select.select([self.descriptor], [], [], START)[0]:
                raise TimeoutError
            self.receive()

    def receive(self) -> None:
        """Take what has come. Raises EOFError or OSError when the supervisor is gone."""
        piece = os.read(self.descriptor, 4096)
        if not piece:
            raise EOFError
        *lines, self.pending = (self.pending + piece).split(b"\n")
        for line in lines:
            told = json.loads(line)
            if isinstance(told, list):
                self.answer = Answer(*told)
            else:
                self.leader = int(told)

    def lose(self) -> None:
        """Give up a supervisor that was stopped or killed, and end what it can no longer end itself."""
        supervisor.send_signal(supervisor.freeze(self.pid) | {self.pid}, signal.SIGKILL)
        self.hang_up()
        if self.leader > 1:
            end_session(self.leader)


def end_session(leader: int) -> None:
    """Kill the processes of a session until none is left, or none that can be killed in time."""
    until = time.monotonic() + supervisor.PATIENCE
    while (found := session(leader)) and time.monotonic() < until:
        supervisor.send_signal(found, signal.SIGKILL)
        time.sleep(0.001)


@contextlib.contextmanager
def borrowed(descriptor: int) -> Iterator[socket.socket]:
    """Use a descriptor as a socket for a moment, without owning it."""
    control = socket.socket(fileno=descriptor)
    try:
        yield control
    finally:
        control.detach()


def spawn_supervisor(control: int) -> int:
    """Start a supervisor that talks through a socket. Raises SandboxUnavailable."""
    nothing = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    argv = [sys.executable, "-I", "-S", "-B", "-c", BOOT, str(Path(supervisor.__file__).resolve().parents[2])]
    actions = [(os.POSIX_SPAWN_DUP2, control, CONTROL), *nothing]
    try:
        return os.posix_spawn(sys.executable, argv, {"LC_ALL": "C.UTF-8"}, file_actions=actions)
    except OSError as error:
        raise SandboxUnavailable(f"commands cannot be started: {sys.executable}: {error.strerror}") from error


def dismiss(descriptor: int, pid: int, owner: int) -> None:
    """Hang up, which makes a supervisor kill what runs below it and end; one that does not is killed with all of it."""
    os.close(descriptor)
    if os.getpid() != owner:
        return
    until = time.monotonic() + supervisor.PATIENCE + 1
    while not gone(pid):
        if time.monotonic() > until:
            supervisor.send_signal(supervisor.freeze(pid) | {pid}, signal.SIGKILL)
        time.sleep(0.001)


def gone(pid: int) -> bool:
    """Say whether a child of ours has ended, and collect it."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True
