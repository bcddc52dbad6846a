"""Starts cold processes quickly: from a process that has loaded pytest and its plugins, and nothing of the project."""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import sys
import sysconfig
from contextlib import suppress
from importlib import metadata, util
from pathlib import Path
from typing import Any, NoReturn

from bot.repair.worker import cold
from bot.repair.worker.boot import FIRST
from bot.repair.worker.cold import Patch
from bot.repair.worker.fork import kill, reap, seclude, send
from bot.repair.worker.source import Edit
from bot.repair.worker.tree import Tree

LONGEST = 1 << 24
"""Bytes of one request."""


def preload(tree: Tree) -> None:
    """Import the installed plugins of pytest that are not the project's own: most of its start goes into that."""
    if os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD"):
        return
    for entry in metadata.entry_points().get("pytest11", ()) if sys.version_info < (3, 10) else _plugins():
        name = str(entry.value).split(":")[0]
        try:
            found = util.find_spec(name.split(".")[0])
            if found is not None and found.origin and not tree.holds(found.origin):
                importlib.import_module(name)
        except Exception:  # noqa: BLE001, S112 - a plugin that cannot be imported is pytest's to complain of
            continue


def neutral(tree: Tree) -> list[str]:
    """Name the loaded modules that have nothing to do with the project: those of Python, and what draws examples."""
    place = sysconfig.get_path("stdlib")
    found = []
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        standard = file.startswith(place) and "site-packages" not in file
        if (standard or name.split(".")[0] == "hypothesis") and not tree.holds(file) and "__main__" not in name:
            found.append(name)
    return found


def _plugins() -> Any:
    return metadata.entry_points(group="pytest11")


def shares_code(tree: Tree) -> bool:
    """Whether the project provides a module that is loaded already, so that only a new interpreter will do."""
    loaded = {name.split(".")[0] for name in sys.modules} - {"bot", "__main__"}
    for folder in (tree.root, tree.root / "src"):
        if folder.is_dir():
            for entry in folder.iterdir():
                if entry.stem in loaded and (entry.suffix == ".py" or (entry / "__init__.py").is_file()):
                    return True
    return False


def runs_on_code(tree: Tree) -> bool:
    """Whether pytest itself, or a plugin, runs on code of the project, from where an editable install leads to it."""
    files = [getattr(module, "__file__", None) for name, module in sys.modules.items() if not name.startswith("bot")]
    return any(isinstance(file, str) and tree.own(file) is not None for file in files)


class Nursery:
    """The process that cold ones are forked from."""

    def __init__(self, tree: Tree, secret: int) -> None:
        self.fresh = shares_code(tree)
        self.first = self.fresh and runs_on_code(tree)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LONGEST)
        self.process = os.fork()
        if self.process == 0:
            ours.close()
            os.close(secret)
            self._serve(theirs, tree)
        theirs.close()
        self.socket = ours

    def start(self, task: dict[str, Any]) -> int:
        """Start a cold process; returns the end of the pipe that it tells its outcomes over."""
        reading, writing = os.pipe()
        try:
            socket.send_fds(self.socket, [json.dumps(task).encode()], [writing])
        except OSError:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        return reading

    def teach(self, names: list[str]) -> None:
        """Let it load modules that each cold process would load again."""
        with suppress(OSError):
            self.socket.send(json.dumps(names).encode())

    def close(self) -> None:
        """End the process; those that it started are ended by whoever asked for them."""
        self.socket.close()
        kill(self.process)
        reap(self.process)

    def _serve(self, requests: socket.socket, tree: Tree) -> NoReturn:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            data, pipes, _, _ = socket.recv_fds(requests, LONGEST, 1)
            if not data:
                os._exit(0)
            if not pipes:
                _learn(json.loads(data))
                continue
            if os.fork() == 0:
                try:
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    seclude((requests.fileno(),))
                    _become(tree, json.loads(data), pipes[0], fresh=self.fresh, first=self.first)
                finally:
                    os._exit(70)
            os.close(pipes[0])


def _learn(names: list[str]) -> None:
    for name in names:
        if name not in sys.modules:
            with suppress(Exception):
                importlib.import_module(name)


def _become(tree: Tree, task: dict[str, Any], pipe: int, *, fresh: bool, first: bool) -> None:
    """Copy the tree, patch the copy and run pytest there."""
    send(pipe, json.dumps(["leader", str(os.getpid()), ""]).encode() + b"\n")
    folder = Path(task["folder"])
    tree.copy(folder)
    cold.apply(folder, patch_of(task["patch"]))
    os.chdir(folder)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    # What tests start is to find the copy, too, before the tree that an editable install leads to
    before = [place for place in [os.environ.get("PYTHONPATH", "")] if place]
    os.environ["PYTHONPATH"] = os.pathsep.join([*cold.places(folder), *before])
    if not fresh:
        cold.run(task, pipe)
    os.set_inheritable(pipe, True)  # noqa: FBT003 - the parameter has no name
    text = json.dumps({**task, "mode": "cold", "patch": None})
    pieces = [text[i : i + 100_000] for i in range(0, len(text), 100_000)]
    boot = str(Path(__file__).with_name("boot.py"))
    environment = {**os.environ, "GIT_AGENT_REPORT_FD": str(pipe)}
    if first:
        # Else the code that pytest runs on would be taken from where it is installed, which is not the copy
        environment[FIRST] = os.pathsep.join(cold.places(folder))
    os.execve(sys.executable, [sys.executable, boot, *pieces], environment)  # noqa: S606 - no shell, by intent


def patch_of(asked: dict[str, Any]) -> Patch:
    """Read a patch that came as plain values."""
    return Patch(
        tuple(Edit(*edit) for edit in asked["edits"]),
        tuple((path, text) for path, text in asked["created"]),
        tuple(asked["deleted"]),
    )
