"""Runs commands directly on this machine: bounded, watched and swept, but able to see and write what the user can."""

import os
from collections.abc import Sequence
from pathlib import Path

from bot.protocols import Command, Completed
from bot.sandbox.carrying import find_carried, vacant
from bot.sandbox.environment import REPORT, compose
from bot.sandbox.footholds import Foothold, Footholds
from bot.sandbox.launch import Launcher, Plan
from bot.sandbox.limits import Bounds
from bot.sandbox.outcome import tell
from bot.sandbox.scratch import private_folders
from bot.sandbox.start import refuse, refused


class ProcessExecutor:
    """The weakest isolation level, which is to be had everywhere."""

    isolation = "process"

    def __init__(
        self,
        bounds: Bounds | None = None,
        *,
        search: Sequence[Path] = (),
        repository: Path | None = None,
        carry: Sequence[str] = (),
    ) -> None:
        self.bounds = bounds or Bounds()
        self._search = tuple(search)
        self._repository = repository.resolve() if repository is not None else None
        self._carry = tuple(carry)
        self._footholds = Footholds()
        self._launcher = Launcher(self.bounds)

    def execute(self, command: Command) -> Completed:
        """Run a command to its end and sweep its whole tree. Raises SandboxUnavailable."""
        if command.folder and (reason := refuse(command)):
            return refused(reason, self.isolation)
        with private_folders() as scratch, self._footholds.hold(self._carried(command.cwd.absolute())):
            told = {REPORT: "3"} if command.report else {}
            homes = str(scratch.home), str(scratch.temporary)
            environment = compose(command.argv, command.environment, os.environ, *homes, self._search)
            folder = str(command.cwd / command.folder)
            plan = Plan(command.argv, folder, environment | told, command.timeout, pipes=len(told))
            ran = self._launcher.launch(plan)
            return tell(
                ran,
                ran.returncode,
                self.bounds,
                command.timeout,
                isolation=self.isolation,
                report=b"".join(ran.pipes),
            )

    def _carried(self, root: Path) -> tuple[Foothold, ...]:
        """List single files to copy into a tree: a folder would have to be linked, and so be open to be written to."""
        repository = self._repository
        if repository is None or root == repository:
            return ()
        return tuple(
            Foothold(root / place, folder=False, source=repository / place)
            for place in find_carried(repository, self._carry)
            if (repository / place).is_file() and (self._footholds.ours(root / place) or vacant(root, place))
        )
