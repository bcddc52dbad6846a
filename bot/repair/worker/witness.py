"""Tells which lines of a project other processes pass: loaded in each as `sitecustomize`, from a folder of its own.

It stands alone: nothing but the standard library is imported, and only what any interpreter has loaded anyway.
"""

from __future__ import annotations

import os
import sys
from typing import Any

VARIABLE = "GIT_AGENT_WITNESS"
"""Holds the folder of this file, the folder that notes are left in, and the root of the project."""


class Notes:
    """A file of lines that were passed, each written once, at once: a process may end at any time."""

    def __init__(self, folder: str, kind: str, root: str) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self.descriptor = os.open(f"{folder}/{kind}{os.getpid()}", flags, 0o600)
        self.root = os.path.realpath(root) + os.sep
        self.names: dict[str, str] = {}
        self.seen: set[tuple[str, int]] = set()

    def add(self, line: tuple[str, int]) -> None:
        """Note one line of a file."""
        if line not in self.seen:
            self.seen.add(line)
            try:
                os.write(self.descriptor, f"{line[0]}\t{line[1]}\n".encode())
            except OSError:  # it was closed; the process must not suffer from it
                return

    def own(self, filename: str) -> str:
        """Return the real name of a file of the project; empty for any other."""
        if filename not in self.names:
            real = os.path.realpath(filename)
            self.names[filename] = real if real.startswith(self.root) and "site-packages" not in real else ""
        return self.names[filename]

    def enter(self, frame: Any, _: str, __: Any) -> Any:
        """Follow a frame of the project."""
        path = self.own(frame.f_code.co_filename)
        if not path:
            return None

        def inside(frame: Any, event: str, _: Any) -> Any:
            if event == "line":
                self.add((path, frame.f_lineno))
            return inside

        self.add((path, frame.f_lineno))
        return inside


def stand_aside(folder: str) -> None:
    """Let the module whose name this one took be loaded too."""
    sys.path[:] = [place for place in sys.path if place != folder]
    own = sys.modules.pop("sitecustomize", None)
    try:
        __import__("sitecustomize")
    except ImportError:
        if own is not None:
            sys.modules["sitecustomize"] = own


def start(told: str | None) -> None:
    """Begin to note, if somebody asked for it."""
    if not told:
        return
    own, folder, root = told.split(os.pathsep)
    stand_aside(own)
    try:
        notes = Notes(folder, "x", root)
    except OSError:
        return
    sys.settrace(notes.enter)
    threading = sys.modules.get("threading")
    if threading is not None:
        threading.settrace(notes.enter)


if __name__ == "sitecustomize":
    start(os.environ.get(VARIABLE))
