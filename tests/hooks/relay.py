"""An interpreter for hook scripts that costs little to start: it hands its call to the warm one of the tests."""

import atexit
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.warm import Process, Warm, warm

CLIENT = """#!{python} -IS
import _socket, array, json, os, sys
assert sys.argv[1:4] == ["-I", "-m", "bot"], sys.argv
line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
line.connect({address!r})
request = json.dumps((sys.argv[4:], os.getcwd(), dict(os.environ))).encode()
line.sendmsg([request], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", (0, 1, 2)))])
code = int(line.recv(100))
if code < 0:
    os.kill(os.getpid(), -code)
raise SystemExit(code)
"""
"""Imports next to nothing; what it was started with goes to the one who listens, and the exit code comes back."""

LARGEST = 1 << 20
"""Bytes of a call."""


class Call(NamedTuple):
    """A hook that was started, as git started it."""

    args: tuple[str, ...]
    cwd: str
    environment: dict[str, str]


class Relay:
    """Listens for clients, and starts what each asks for out of the warm interpreter."""

    def __init__(self, warm: Warm) -> None:
        self._warm = warm
        # Not below pytest's own folder: the address of a socket is short
        self._folder = Path(tempfile.mkdtemp(prefix="relay-"))
        address = str(self._folder / "s")
        self.python = self._folder / "python"
        """The interpreter to put into a script."""
        self.python.write_text(CLIENT.format(python=sys.executable, address=address))
        self.python.chmod(0o755)
        self.calls: list[Call] = []
        """What was started, in order."""
        self.running: list[Process] = []
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(address)
        self._listener.listen(64)
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        """Take the interpreter away."""
        self._listener.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _listen(self) -> None:
        while True:
            try:
                line, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(line,), daemon=True).start()

    def _answer(self, line: socket.socket) -> None:
        with line:
            request, descriptors, _, _ = socket.recv_fds(line, LARGEST, 3)
            args, cwd, environment = json.loads(request)
            try:
                process = self._warm.start(args, cwd, environment, descriptors)
            finally:
                for descriptor in descriptors:
                    os.close(descriptor)
            self.calls.append(Call(tuple(args), cwd, environment))
            self.running.append(process)
            line.send(str(process.wait()).encode())


@cache
def relay() -> Relay | None:
    """Return the relay, or None where there is no warm interpreter."""
    ready = warm()
    if ready is None or not ready.suits(os.environ):
        return None
    made = Relay(ready)
    atexit.register(made.close)
    return made


def hook_python() -> str:
    """Return the interpreter that hooks of the tests are started with."""
    found = relay()
    return sys.executable if found is None else str(found.python)


def is_quick() -> bool:
    """Say whether the interpreter of hooks is a client, and answers."""
    argv = (hook_python(), "-I", "-m", "bot", "--version")
    return relay() is not None and subprocess.run(argv, capture_output=True, check=True).stdout.startswith(b"git-agent")
