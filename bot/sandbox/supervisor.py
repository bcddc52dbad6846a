"""Runs one command at a time for git agent, and ends everything that the command started.

Started as a script of its own by `line`, so the standard library is all that it may import. It exists because the
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
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, NoReturn, TypeAlias

Ending: TypeAlias = Literal["exited", "timed_out", "killed", "cancelled"]

CONTROL = 3
"""Descriptor of the socket to git agent."""
TICK = 0.02
"""Seconds between looks at the size of the output."""
PATIENCE = 2.0
"""Seconds that a sweep may take: a process that sleeps in the kernel cannot be killed by anybody."""
DEATH_SIGNAL, DUMPABLE, SUBREAPER, LOCK = 1, 4, 36, 38
"""Numbers of prctl: PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS."""


class Order(NamedTuple):
    """A command as it is sent to a supervisor, beside its descriptors: the output, then what becomes 3, 4 and so on."""

    argv: Sequence[str]
    cwd: str
    environment: Mapping[str, str]
    timeout: float
    cap: int
    """Bytes of output after which the command is killed."""
    limits: Sequence[tuple[int, int]]
    """Resource limits: number and value."""
    locked: bool
    """Whether to forbid gaining rights through set-user-id programs."""


class Answer(NamedTuple):
    """How a command ended."""

    ending: Ending
    status: int
    """As wait gives it."""
    clean: bool
    """Whether all that it left behind is gone."""


def control_process(option: int, value: int) -> bool:
    """Call prctl on this process; say whether the kernel took it."""
    prctl = system_call()
    return prctl is not None and prctl(option, value, 0, 0, 0) == 0


@functools.cache
def system_call() -> Callable[..., int] | None:
    """Find prctl, which other systems than Linux lack."""
    return getattr(ctypes.CDLL(None), "prctl", None)


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


def descendants(root: int) -> set[int]:
    """Return every process below one, which itself is not among them."""
    listed = Path(f"/proc/self/task/{os.getpid()}/children").exists()
    known = {} if listed else families()
    found, queue = set[int](), [root]
    while queue:
        parent = queue.pop()
        fresh = [pid for pid in (children(parent) if listed else known.get(parent, ())) if pid not in found]
        found.update(fresh)
        queue += fresh
    return found


def send_signal(pids: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to each process that is still there and ours to signal."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def freeze(root: int) -> set[int]:
    """Stop all below a process until no new ones turn up: what is stopped cannot fork, nor free a process number."""
    frozen: set[int] = set()
    while fresh := descendants(root) - frozen:
        send_signal(fresh, signal.SIGSTOP)
        frozen |= fresh
    return frozen


def reap(ended: dict[int, int]) -> bool:
    """Collect the children that have ended; say whether any child is left."""
    with contextlib.suppress(ChildProcessError):
        while (report := os.waitpid(-1, os.WNOHANG))[0]:
            ended[report[0]] = report[1]
        return True
    return False


def sweep(ended: dict[int, int], awake: int) -> bool:
    """Kill everything below this process; say whether all of it is gone. Costs nothing when nothing was left behind."""
    until = time.monotonic() + PATIENCE
    while reap(ended):
        if time.monotonic() > until:
            return False
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


def become(order: Order, descriptors: list[int]) -> NoReturn:
    """Turn this fresh child into the command."""
    os.setsid()
    for name in ("HUP", "INT", "QUIT", "TERM", "PIPE", "XFSZ", "CHLD"):
        signal.signal(signal.Signals[f"SIG{name}"], signal.SIG_DFL)
    control_process(DEATH_SIGNAL, signal.SIGKILL)
    if order.locked:
        control_process(LOCK, 1)
    # Ours are numbered from 6 on, so no target is a source that is still to come.
    for target, source in enumerate([descriptors[0], *descriptors], start=1):
        os.dup2(source, target, inheritable=True)
    try:
        os.chdir(order.cwd)
    except OSError as error:
        fail(order.cwd, OSError(f"the folder is not there ({error.strerror})"))
    for limit, value in order.limits:
        hard = resource.getrlimit(limit)[1]
        lowered = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (lowered, lowered))
    try:
        os.execvpe(order.argv[0], list(order.argv), order.environment)  # noqa: S606 - no shell on purpose
    except (OSError, ValueError) as error:
        fail(order.argv[0], error, order.environment.get("PATH", ""))


def watch(pid: int, order: Order, output: int, awake: int) -> tuple[Ending, dict[int, int]]:
    """Wait until the command has ended, or must."""
    poller = select.poll()
    poller.register(CONTROL, select.POLLIN)
    poller.register(awake, select.POLLIN)
    ended: dict[int, int] = {}
    until = time.monotonic() + order.timeout
    while True:
        reap(ended)
        if pid in ended:
            return "exited", ended
        if (left := until - time.monotonic()) <= 0:
            return "timed_out", ended
        if os.fstat(output).st_size > order.cap:
            return "killed", ended
        for descriptor, _ in poller.poll(min(TICK, left) * 1000):
            if descriptor == CONTROL:
                return "cancelled", ended
            with contextlib.suppress(BlockingIOError):
                os.read(awake, 4096)


def carry_out(order: Order, descriptors: list[int], control: socket.socket, awake: int) -> None:
    """Run one command, kill whatever it left, and answer."""
    gate, key = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(key)
            if os.read(gate, 1):
                become(order, descriptors)
        finally:
            os._exit(126)
    control.sendall(b"%d\n" % pid)
    # Only now may the command begin: whatever it does to us, git agent knows that it ran, and as which process.
    os.write(key, b"!")
    os.close(gate)
    os.close(key)
    ending, ended = watch(pid, order, descriptors[0], awake)
    clean = sweep(ended, awake)
    answer = Answer(ending, ended.get(pid, signal.SIGKILL), clean)
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


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
