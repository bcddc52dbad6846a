"""A warm interpreter that turns into a fresh run of git agent for each request, by forking.

Started as a script of its own with `-I`, as git agent is; standard input is the socket on which requests come. It
imports what git agent imports and calls none of it, so that what a request turns into differs from a fresh process by
nothing but the time that the imports take, and that they take to be undone. It has no threads and leaves signals alone.
"""

import atexit
import gc
import io
import json
import os
import runpy
import select
import socket
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple, TextIO, cast

LATER = ("bot.app.demo", "bot.app.github.desk", "bot.app.github.issue", "bot.models.offline.model", "yaml")
"""What commands import only where they need it, and tests often do."""

LARGEST = 1 << 20
"""Bytes of a request."""


class Order(NamedTuple):
    """What a run is started with, beside its descriptors: input, output, errors, and where its end is told."""

    argv: Sequence[str]
    cwd: str
    environment: dict[str, str]
    umask: int


def load() -> None:
    """Import the command line and everything that its commands need."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    for name in (*dict.fromkeys(import_module("bot.entry.cli").COMMANDS.values()), *LATER):
        import_module(name)
    gc.collect()
    # Otherwise each fork copies what its collections only look at
    gc.freeze()


def serve(control: socket.socket) -> Sequence[str]:
    """Answer requests until nobody can make one any more; in each fork, return the arguments of its run."""
    poller = select.poll()
    poller.register(control, select.POLLIN)
    running: dict[int, tuple[int, int]] = {}
    while True:
        for ready, _ in poller.poll():
            if ready != control.fileno():
                poller.unregister(ready)
                tell_end(ready, *running.pop(ready))
                continue
            request, descriptors, _, _ = socket.recv_fds(control, LARGEST, 4)
            if not request:
                raise SystemExit
            order = Order(*json.loads(request))
            pid = os.fork()
            if not pid:
                control.detach()
                return become(order, descriptors)
            *given, told = descriptors
            watch = os.pidfd_open(pid)
            running[watch] = pid, told
            poller.register(watch, select.POLLIN)
            with suppress(BrokenPipeError):
                os.write(told, f"{pid}\n".encode())
            for descriptor in given:
                os.close(descriptor)


def tell_end(watch: int, pid: int, told: int) -> None:
    """Take the end of a run and pass it on as `subprocess` would tell it."""
    _, status = os.waitpid(pid, 0)
    with suppress(BrokenPipeError):
        os.write(told, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os.close(told)
    os.close(watch)


def become(order: Order, descriptors: Sequence[int]) -> Sequence[str]:
    """Take on everything that a process gets from the one that starts it."""
    for target, descriptor in enumerate(descriptors[:3]):
        os.dup2(descriptor, target)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.chdir(order.cwd)
    os.umask(order.umask)
    os.environ.clear()
    os.environ.update(order.environment)
    time.tzset()
    forget_home()
    sys.stdin = open_stream(0, "<stdin>", sys.stdin)
    sys.stdout = open_stream(1, "<stdout>", sys.stdout)
    sys.stderr = open_stream(2, "<stderr>", sys.stderr)
    return order.argv


def forget_home() -> None:
    """Let libgit2 look anew where the person's settings are: it asks for that when it is loaded."""
    pygit2: Any = sys.modules.get("pygit2")
    if pygit2 is not None:
        levels = pygit2.enums.ConfigLevel
        for level in (levels.PROGRAMDATA, levels.SYSTEM, levels.XDG, levels.GLOBAL):
            pygit2.settings.search_path[level] = None


def open_stream(descriptor: int, name: str, before: TextIO) -> TextIO:
    """Open a standard stream as the interpreter does when it starts."""
    raw: Any = io.FileIO(descriptor, "w" if descriptor else "r", closefd=False)
    raw.name = name
    buffer = io.BufferedWriter(raw) if descriptor else io.BufferedReader(raw)
    at_once = name == "<stderr>" or raw.isatty()
    return io.TextIOWrapper(cast("Any", buffer), before.encoding, before.errors, "\n", line_buffering=at_once)


def leave(code: object) -> None:
    """End as the interpreter does, short of taking itself to pieces; where more is to be told, leave it to that."""
    wait: Any = threading
    wait._shutdown()
    atexit._run_exitfuncs()
    with suppress(OSError):
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not stream.closed:
                stream.flush()
        if code is None or isinstance(code, int):
            os._exit((code or 0) & 0xFF)


if __name__ == "__main__":
    requests = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    load()
    os.close(os.pidfd_open(os.getpid()))
    requests.send(b"ready")
    sys.argv[1:] = serve(requests)
    try:
        runpy.run_module("bot", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        leave(end.code)
        raise
