"""Runs commands directly on this machine: bounded, watched and swept, but able to see and write what the user can."""

import os

from bot.protocols import Command, Completed
from bot.sandbox.environment import REPORT, compose
from bot.sandbox.launch import Launcher, Plan
from bot.sandbox.limits import Bounds
from bot.sandbox.outcome import tell
from bot.sandbox.scratch import private_folders


class ProcessExecutor:
    """The weakest isolation level, which is to be had everywhere."""

    isolation = "process"

    def __init__(self, bounds: Bounds | None = None) -> None:
        self.bounds = bounds or Bounds()
        self._launcher = Launcher(self.bounds)

    def execute(self, command: Command) -> Completed:
        """Run a command to its end and sweep its whole tree. Raises SandboxUnavailable."""
        with private_folders() as scratch:
            told = {REPORT: "3"} if command.report else {}
            environment = compose(
                command.argv, command.environment, os.environ, home=str(scratch.home), temporary=str(scratch.temporary)
            )
            plan = Plan(command.argv, str(command.cwd), environment | told, command.timeout, pipes=len(told))
            ran = self._launcher.launch(plan)
            return tell(
                ran,
                ran.returncode,
                self.bounds,
                command.timeout,
                isolation=self.isolation,
                report=b"".join(ran.pipes),
            )
