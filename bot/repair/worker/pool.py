"""Children that run side by side, each with a pipe and a time by which it must have spoken."""

from __future__ import annotations

import math
import os
import re
import select
from collections.abc import Iterator
from time import monotonic
from typing import Any, Callable

from bot.repair.worker.fork import CHUNK, kill, reap, spawn
from bot.repair.worker.nursery import Nursery

LINGER = 2.0
"""Seconds that are waited for the end of a child that was killed."""
MOST = 1 << 26
"""Bytes that one child may say."""
LEADER = re.compile(rb'\["leader", "(\d+)", ""\]\n')


class Child:
    """One running child."""

    def __init__(self, kind: str, payload: Any, process: int, patience: float) -> None:
        self.kind = kind
        self.payload = payload
        self.process = process
        self.patience = patience
        self.deadline = monotonic() + patience
        self.end = math.inf
        """When it must be done, however much it says."""
        self.killed = False
        self.data = b""
        self.position = 0
        self.code = 0
        """How it ended: the exit code, or minus the signal."""

    @property
    def leader(self) -> int:
        """The process group to end: the child's own, or the one that a cold process told of itself."""
        found = LEADER.match(self.data)
        return int(found[1]) if found else self.process

    def lines(self) -> list[bytes]:
        """Return the whole lines that arrived since the last call."""
        end = self.data.rfind(b"\n") + 1
        if end <= self.position:
            return []
        fresh = self.data[self.position : end].splitlines()
        self.position = end
        return fresh


class Pool:
    """A bounded number of children."""

    def __init__(self, size: int, secrets: tuple[int, ...]) -> None:
        self.size = size
        self.secrets = secrets
        self.children: dict[int, Child] = {}
        self._poll = select.poll()

    @property
    def free(self) -> bool:
        """Whether another child may start."""
        return len(self.children) < self.size

    @property
    def newest(self) -> Child:
        """The child that was started last."""
        return next(reversed(self.children.values()))

    def count(self, *kinds: str) -> int:
        """Count running children of some kinds."""
        return sum(child.kind in kinds for child in self.children.values())

    def start(self, kind: str, payload: Any, work: Callable[[int], None], patience: float) -> None:
        """Start a child that may be silent for so many seconds."""
        process, pipe = spawn(work, (*self.secrets, *self.children))
        self.children[pipe] = Child(kind, payload, process, patience)
        self._poll.register(pipe, select.POLLIN | select.POLLHUP)

    def start_elsewhere(self, kind: str, payload: Any, nursery: Nursery, task: dict[str, Any], patience: float) -> None:
        """Let the nursery start a child that may be silent for so many seconds."""
        pipe = nursery.start(task)
        self.children[pipe] = Child(kind, payload, 0, patience)
        self._poll.register(pipe, select.POLLIN | select.POLLHUP)

    def events(self) -> Iterator[tuple[Child, bool]]:
        """Wait a moment, and yield children that said something or, with True, ended."""
        for pipe, _ in self._poll.poll(50):
            child = self.children[pipe]
            chunk = os.read(pipe, CHUNK)
            if chunk:
                child.data += chunk
                child.deadline = min(monotonic() + child.patience, child.end)
                if len(child.data) > MOST:
                    child.deadline = 0
                yield child, False
            else:
                self._remove(pipe)
                yield child, True
        for pipe, child in list(self.children.items()):
            if child.deadline >= monotonic():
                continue
            if child.killed:  # something that it started elsewhere holds its pipe open
                self._remove(pipe)
                yield child, True
            else:
                kill(child.leader)
                child.killed, child.deadline = True, monotonic() + LINGER

    def _remove(self, pipe: int) -> None:
        child = self.children.pop(pipe)
        self._poll.unregister(pipe)
        os.close(pipe)
        kill(child.leader)
        if not child.process:
            return
        status = reap(child.process)
        child.code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)

    def close(self) -> None:
        """End all that still run."""
        for pipe in list(self.children):
            self._remove(pipe)
