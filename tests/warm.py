"""Starts git agent as a process of its own, out of a warm interpreter where that can be done; see forkserver."""

import atexit
import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from select import POLLIN, poll

SERVER = Path(__file__).with_name("forkserver.py")

READ_AT_START = ("LC_", "LANG", "LD_", "DYLD_", "MALLOC_", "GLIBC_")
"""How the names begin of variables that an interpreter obeys when it starts, and not later."""


@dataclass(slots=True)
class Process:
    """A run of git agent, as `subprocess.Popen` has it."""

    pid: int
    _told: int
    """Where the warm interpreter writes the exit code."""
    returncode: int | None = field(default=None, init=False)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and return the exit code; negative is the signal. Raises TimeoutExpired."""
        if self.returncode is None:
            watch = poll()
            watch.register(self._told, POLLIN)
            if not watch.poll(None if timeout is None else timeout * 1000):
                raise subprocess.TimeoutExpired("git agent", timeout or 0)
            self.returncode = int(os.read(self._told, 100))
            os.close(self._told)
        return self.returncode

    def poll(self) -> int | None:
        """Return the exit code if it has ended."""
        with suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it is gone."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)


class Warm:
    """A warm interpreter of this process's own. Raises OSError where there cannot be one."""

    def __init__(self) -> None:
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.environment = dict(os.environ)
        with theirs:
            self._server = subprocess.Popen(
                [sys.executable, "-I", str(SERVER)], stdin=theirs.fileno(), stdout=subprocess.DEVNULL, cwd="/"
            )
        if self.control.recv(100) != b"ready":
            self.close()
            raise OSError("the warm interpreter did not start")

    def suits(self, environment: Mapping[str, str]) -> bool:
        """Say whether a fresh interpreter would start with these variables as the warm one did."""
        return _read_at_start(environment) == _read_at_start(self.environment)

    def start(
        self, args: Sequence[str], cwd: str, environment: Mapping[str, str], descriptors: Sequence[int]
    ) -> Process:
        """Start git agent with these arguments; the descriptors are its input, output and errors."""
        ours, told = os.pipe()
        try:
            request = json.dumps((args, cwd, dict(environment), _umask())).encode()
            socket.send_fds(self.control, [request], [*descriptors, told])
        finally:
            os.close(told)
        return Process(int(_line(ours)), ours)

    def close(self) -> None:
        """Let it end; what it started goes on."""
        self.control.close()
        self._server.wait()


@cache
def warm() -> Warm | None:
    """Return the warm interpreter, or None where there cannot be one."""
    try:
        made = Warm()
    except OSError:
        return None
    atexit.register(made.close)
    return made


def _umask() -> int:
    """Look, rather than set it and set it back: other threads make files meanwhile."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8", errors="replace").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("Umask:")), 8)


def _read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(READ_AT_START)}


def _line(descriptor: int) -> bytes:
    """Read one line, and nothing of the next one."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(descriptor, 1)
        if not byte:
            raise EOFError("the warm interpreter ended")
        line += byte
    return line


def drain(descriptors: Sequence[int], until: float) -> list[bytes]:
    """Read from all until each is closed at its other end. Raises TimeoutExpired."""
    read = {descriptor: bytearray() for descriptor in descriptors}
    watch = poll()
    for descriptor in descriptors:
        watch.register(descriptor, POLLIN)
    waiting = set(descriptors)
    while waiting:
        left = until - time.monotonic()
        if left <= 0:
            raise subprocess.TimeoutExpired("git agent", 0)
        for descriptor, _ in watch.poll(left * 1000):
            piece = os.read(descriptor, 1 << 16)
            read[descriptor] += piece
            if not piece:
                watch.unregister(descriptor)
                waiting.remove(descriptor)
    return [bytes(text) for text in read.values()]


def complete(
    warm: Warm, args: Sequence[str], cwd: str, environment: Mapping[str, str], timeout: float
) -> "subprocess.CompletedProcess[str]":
    """Run git agent to its end without input, as `subprocess.run` does. Raises TimeoutExpired."""
    pipes = os.pipe(), os.pipe()
    try:
        with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - only its descriptor is wanted
            process = warm.start(args, cwd, environment, (nothing.fileno(), pipes[0][1], pipes[1][1]))
    finally:
        for _, theirs in pipes:
            os.close(theirs)
    try:
        until = time.monotonic() + timeout
        out, err = (_text(printed) for printed in drain([ours for ours, _ in pipes], until))
        code = process.wait(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        raise
    finally:
        for ours, _ in pipes:
            os.close(ours)
    return subprocess.CompletedProcess(args, code, out, err)


def _text(printed: bytes) -> str:
    return io.TextIOWrapper(io.BytesIO(printed)).read()
