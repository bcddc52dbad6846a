"""Keeps commands within what is left of a time that several share."""

import time
from dataclasses import dataclass, field, replace
from threading import Event

from bot.errors import SandboxUnavailable
from bot.protocols import Command, Completed, Executor

LEAST = 0.05
"""Seconds below which nothing is started any more."""


@dataclass(slots=True)
class Bounded:
    """An executor whose commands all end before a moment; see protocols.Executor."""

    executor: Executor
    until: float
    """Of the monotonic clock."""
    cut: bool = False
    """Whether a command was kept from its own end."""
    lost: str = ""
    """Why a command could not be closed in, which says nothing of any tree; empty where all could be."""
    begun: Event = field(default_factory=Event)
    """Set when a command begins."""

    @property
    def isolation(self) -> str:
        """Name of the isolation level."""
        return self.executor.isolation

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self.until - time.monotonic()

    def execute(self, command: Command) -> Completed:
        """Run a command for no longer than is left; with nothing left it is not started. Raises SandboxUnavailable."""
        left = self.left
        self.begun.set()
        if left < LEAST:
            self.cut = True
            return Completed(-1, "timed_out", "", 0.0, isolation=self.isolation, hit=("time",))
        try:
            done = self.executor.execute(replace(command, timeout=min(command.timeout, left)))
        except SandboxUnavailable as error:
            self.lost = error.message
            raise
        self.cut = self.cut or (done.ended == "timed_out" and left < command.timeout)
        return done
