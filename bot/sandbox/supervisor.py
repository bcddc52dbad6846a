"""Runs one command at a time for git agent, and ends everything that the command started.

Started as a process of its own by `line`, without what is installed beside the standard library. It exists because the
kernel hands an orphan to the nearest ancestor that asked for orphans: with one supervisor for each command in flight,
whatever turns up below it belongs to that command and to no other thread of git agent. It also sets resource limits
between fork and exec, where a process with threads must run no Python, and it dies with git agent, taking all along.
"""

import contextlib
import ctypes
import functools
import gc
import json
import os
import resource
import select
import signal
import socket
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, NoReturn, TypeAlias

from bot.sandbox.seal import ORDINARY, drop, seal
from bot.sandbox.usage import TICK, Ceiling, Ceilings, Guard, Toll, descendants

Ending: TypeAlias = Literal["exited", "timed_out", "killed", "cancelled", "unsealed"]

CONTROL = 3
"""Descriptor of the socket to git agent."""
MOUTHFUL = 256
"""Children that are collected at once: others may end faster than that."""
PATIENCE = 2.0
"""Seconds that a sweep goes on without success: a process that sleeps in the kernel cannot be killed by anybody."""
DEATH_SIGNAL, DUMPABLE, SUBREAPER, LOCK = 1, 4, 36, 38
"""Numbers of prctl: PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS."""


class Order(NamedTuple):
    """A command as it is sent to a supervisor, beside its descriptors: the output, then what becomes 3, 4 and so on."""

    argv: Sequence[str]
    cwd: str
    environment: Mapping[str, str]
    timeout: float
    ceilings: Sequence[float]
    """What all of it may use together, as the fields of Ceilings."""
    limits: Sequence[tuple[int, int]]
    """Resource limits: number and value."""
    locked: bool
    """Whether to forbid gaining rights through set-user-id programs."""
    filter: str
    """A seccomp filter to live under, in hexadecimal; where there is one, the last descriptor is a Landlock ruleset."""
    tree: str = ""
    """A folder on the disk that the command writes to, if it starts in another one."""


class Answer(NamedTuple):
    """How a command ended."""

    ending: Ending
    status: int
    """As wait gives it."""
    clean: bool
    """Whether all that it left behind is gone."""
    passed: Ceiling = ""
    """What it was killed for using too much of."""
    processor: float = 0.0
    """Seconds of processor time that all of it used, as far as that was told."""
    memory: int = 0
    """Bytes of its largest process at its largest."""


def control_process(option: int, value: int) -> bool:
    """Call prctl on this process; say whether the kernel took it."""
    prctl = system_call()
    return prctl is not None and prctl(option, value, 0, 0, 0) == 0


@functools.cache
def system_call() -> Callable[..., int] | None:
    """Find prctl, which other systems than Linux lack."""
    return getattr(ctypes.CDLL(None), "prctl", None)


def send_signal(pids: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to each process that is still there and ours to signal."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def freeze(root: int) -> set[int]:
    """Stop all below a process until no new ones turn up: what is stopped cannot fork, nor free a process number."""
    frozen: set[int] = set()

    def stop(pid: int) -> None:
        if pid not in frozen:
            send_signal([pid], signal.SIGSTOP)

    while fresh := descendants(root, stop) - frozen:
        frozen |= fresh
    return frozen


def reap(toll: Toll) -> int | None:
    """Collect children that have ended and count them; None when no child is left."""
    with contextlib.suppress(ChildProcessError):
        for count in range(MOUTHFUL):
            report = os.wait4(-1, os.WNOHANG)
            if not report[0]:
                return count
            # One that let us trace it tells of every signal, and has not ended
            if not os.WIFSTOPPED(report[1]):
                toll.add(*report)
        return MOUTHFUL
    return None


def sweep(pid: int, toll: Toll, awake: int) -> bool:
    """Kill everything below this process; say whether all of it is gone. Costs nothing when nothing was left behind."""
    if pid not in toll.statuses:
        # A whole group at once, as walking may be slower than forking; nobody else has its number while we wait for it
        send_signal([-pid, pid], signal.SIGKILL)
    begun = until = time.monotonic()
    until += PATIENCE
    while (count := reap(toll)) is not None:
        now = time.monotonic()
        if count:
            until = min(now + PATIENCE, begun + 2 * PATIENCE)
        if now > until:
            return False
        if count < MOUTHFUL:
            send_signal(freeze(os.getpid()), signal.SIGKILL)
            wait_for_child(awake, TICK)
    return True


def wait_for_child(awake: int, seconds: float) -> None:
    """Wait until a child ends, or for some time."""
    if select.select([awake], [], [], seconds)[0]:
        os.read(awake, 4096)


def fail(name: str, error: Exception, path: str = "") -> NoReturn:
    """End the child that could not become the command, in the way that shells do."""
    missing = isinstance(error, (FileNotFoundError, NotADirectoryError))
    if isinstance(error, PermissionError) and "/" not in name:
        # Also said when a folder of the search path may not be entered.
        missing = not any(Path(folder, name).is_file() for folder in path.split(":") if os.access(folder, os.X_OK))
    why = "no such program" if missing else f"cannot be run: {error}"
    os.write(1, f"{name}: {why}\n".encode("utf-8", "backslashreplace"))
    os._exit(127 if missing else 126)


def become(order: Order, descriptors: list[int], gate: socket.socket) -> NoReturn:
    """Turn this fresh child into the command, or say through the gate that it cannot be closed in."""
    os.setsid()
    for name in ("HUP", "INT", "QUIT", "TERM", "PIPE", "XFSZ", "CHLD"):
        signal.signal(signal.Signals[f"SIG{name}"], signal.SIG_DFL)
    control_process(DEATH_SIGNAL, signal.SIGKILL)
    if order.locked:
        control_process(LOCK, 1)
        # Root reads git agent's memory otherwise, and raises its own limits
        with contextlib.suppress(OSError, AttributeError):
            drop(ORDINARY)
    passed = descriptors[:-1] if order.filter else descriptors
    # Ours are numbered from 6 on, so no target is a source that is still to come.
    for target, source in enumerate([passed[0], *passed], start=1):
        os.dup2(source, target, inheritable=True)
    try:
        os.chdir(order.cwd)
    except OSError as error:
        fail(order.cwd, OSError(f"the folder is not there ({error.strerror})"))
    for limit, value in order.limits:
        hard = resource.getrlimit(limit)[1]
        lowered = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (lowered, lowered))
    if order.filter:
        try:
            seal(descriptors[-1], bytes.fromhex(order.filter))
        except OSError:
            gate.sendall(b"!")
            os._exit(126)
    try:
        os.execvpe(order.argv[0], list(order.argv), order.environment)  # noqa: S606 - no shell on purpose
    except (OSError, ValueError) as error:
        fail(order.argv[0], error, order.environment.get("PATH", ""))


def watch(pid: int, order: Order, output: int, awake: int, toll: Toll) -> tuple[Ending, Ceiling]:
    """Wait until the command has ended, or must; say why it must, if it is for what it used."""
    poller = select.poll()
    poller.register(CONTROL, select.POLLIN)
    poller.register(awake, select.POLLIN)
    ceilings = Ceilings._make(order.ceilings)
    guard, until = Guard(ceilings, pid, [output, order.tree or order.cwd]), time.monotonic() + order.timeout
    while True:
        reap(toll)
        # Before the end is: otherwise it would be chance how much may be printed
        if os.fstat(output).st_size > ceilings.output:
            return "killed", "output"
        if pid in toll.statuses:
            return "exited", ""
        if (left := until - time.monotonic()) <= 0:
            return "timed_out", ""
        if passed := guard.passed(toll):
            return "killed", passed
        for descriptor, _ in poller.poll(min(TICK, left) * 1000):
            if descriptor == CONTROL:
                return "cancelled", ""
            with contextlib.suppress(BlockingIOError):
                os.read(awake, 4096)


def carry_out(order: Order, descriptors: list[int], control: socket.socket, awake: int) -> None:
    """Run one command, kill whatever it left, and answer."""
    gate, key = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        try:
            key.close()
            if gate.recv(1):
                become(order, descriptors, gate)
        finally:
            os._exit(126)
    control.sendall(b"%d\n" % pid)
    # Only now may the command begin: whatever it does to us, git agent knows that it ran, and as which process.
    key.sendall(b"!")
    gate.close()
    toll = Toll()
    ending, passed = watch(pid, order, descriptors[0], awake, toll)
    with key, contextlib.suppress(BlockingIOError):
        # The command itself cannot say so: its end was closed when it began
        ending = "unsealed" if key.recv(1, socket.MSG_DONTWAIT) else ending
    clean = sweep(pid, toll, awake)
    answer = Answer(ending, toll.statuses.get(pid, signal.SIGKILL), clean, passed, toll.processor, toll.memory)
    control.sendall(json.dumps(answer).encode() + b"\n")


def receive(control: socket.socket) -> tuple[Order, list[int]] | None:
    """Take the next order and its descriptors; None when git agent is gone."""
    data, descriptors, _, _ = socket.recv_fds(control, 1 << 16, 8)
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)  # noqa: FBT003 - the system's signature
    while data and not data.endswith(b"\n"):
        piece = control.recv(1 << 20)
        data = data + piece if piece else b""
    return (Order(*json.loads(data)), descriptors) if data else None


def prepare() -> int:
    """Make this process fit to supervise; return the descriptor that becomes readable when a child ends."""
    os.closerange(CONTROL + 1, 1024)
    os.set_inheritable(CONTROL, False)  # noqa: FBT003 - the system's signature
    os.chdir("/")
    os.setsid()
    control_process(SUBREAPER, 1)
    # When memory runs out the kernel shall take the command, whose largest process is larger than this one.
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("900")
    # Nor shall thousands of processes keep this one from ending them; where they are not counted, we have the right.
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    # The command must not be able to trace us and to change what we say of it.
    control_process(DUMPABLE, 0)
    # A collection in a fresh child would copy the pages that fork shares.
    gc.disable()
    gc.freeze()
    awake, alarm = os.pipe()
    os.set_blocking(awake, False)
    os.set_blocking(alarm, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(alarm, warn_on_full_buffer=False)
    return awake


def main() -> NoReturn:
    """Carry out orders until git agent closes the socket."""
    awake = prepare()
    control = socket.socket(fileno=CONTROL)
    with contextlib.suppress(OSError, EOFError, ValueError):
        while order := receive(control):
            carry_out(*order, control, awake)
            for descriptor in order[1]:
                os.close(descriptor)
    os._exit(0)
