"""What isolation without mounts has in common: a command runs where its tree lies, and what it needs is put there."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from bot.protocols import Command, Completed
from bot.sandbox.carrying import find_carried, vacant
from bot.sandbox.environment import REPORT, compose
from bot.sandbox.footholds import Foothold, Footholds
from bot.sandbox.launch import Launcher, Plan, Seal
from bot.sandbox.leavings import tidied
from bot.sandbox.limits import Bounds
from bot.sandbox.outcome import tell
from bot.sandbox.scratch import Scratch, private_folders
from bot.sandbox.start import refuse, refused


class InPlace(ABC):
    """An executor whose trees stand under their own paths."""

    isolation: ClassVar[str]
    folders: ClassVar[bool]
    """Whether folders of the checkout can go along: they are linked to, and must not be open to be written to."""

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
        carried = self._carried(command.cwd.absolute())
        with (
            private_folders() as scratch,
            tidied(),
            self._footholds.hold(carried),
            self._seal(command, scratch, carried) as seal,
        ):
            told = {REPORT: "3"} if command.report else {}
            homes = str(scratch.home), str(scratch.temporary)
            environment = compose(command.argv, command.environment, os.environ, *homes, self._search)
            folder = str(command.cwd / command.folder)
            plan = Plan(
                command.argv,
                folder,
                environment | told,
                command.timeout,
                pipes=len(told),
                seal=seal,
                heard=command.heard,
            )
            ran = self._launcher.launch(plan)
            return tell(
                ran,
                ran.returncode,
                self.bounds,
                command.timeout,
                isolation=self.isolation,
                report=b"".join(ran.pipes),
            )

    @abstractmethod
    @contextmanager
    def _seal(self, command: Command, scratch: Scratch, carried: Sequence[Foothold]) -> Iterator[Seal | None]:
        """Make what the command is closed in with."""

    def _carried(self, root: Path) -> tuple[Foothold, ...]:
        """List what goes along into a tree."""
        repository = self._repository
        if repository is None or root == repository:
            return ()
        return tuple(
            Foothold(root / place, (repository / place).is_dir(), source=repository / place)
            for place in find_carried(repository, self._carry)
            if (repository / place).is_file() or (self.folders and (repository / place).is_dir())
            if self._footholds.ours(root / place) or vacant(root, place)
        )
