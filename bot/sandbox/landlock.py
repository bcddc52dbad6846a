"""Runs commands under Landlock and seccomp: all stands in its place, but most of it is closed.

For machines that keep user namespaces from us, such as most containers and hosted runners. What it leaves open beside
what bubblewrap does: mode and times of the user's files anywhere, the tree's own `.git` file, and the names and
arguments of other processes.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bot.protocols import Command
from bot.sandbox.footholds import Foothold
from bot.sandbox.gitview import closed_settings
from bot.sandbox.inplace import InPlace
from bot.sandbox.launch import Seal
from bot.sandbox.limits import Bounds
from bot.sandbox.mounts import lay_out
from bot.sandbox.openings import Grounds
from bot.sandbox.ruleset import TRUNCATE_SINCE, Ruleset, find_version, shortcomings
from bot.sandbox.scratch import Scratch
from bot.sandbox.seccomp import make_filter
from bot.sandbox.site import Site


class LandlockExecutor(InPlace):
    """Rules for the file system, and no sockets unless the network is asked for."""

    isolation = "landlock"
    folders = True

    def __init__(self, site: Site, bounds: Bounds | None = None, version: int | None = None) -> None:
        """Without a `version` of Landlock, all of the kernel's is used. Raises SandboxUnavailable."""
        super().__init__(bounds, search=site.search, repository=site.repository, carry=site.carry)
        self.version = min(find_version(), version or sys.maxsize)
        make_filter(network=False)
        self._grounds = Grounds(lay_out(site), site.common_dir.resolve())

    @property
    def shortcomings(self) -> tuple[str, ...]:
        """Say what of the level this kernel does not have."""
        return shortcomings(self.version)

    @property
    def notes(self) -> tuple[str, ...]:
        """Say what a person should know of commands at this level."""
        secret = closed_settings(self._grounds.common)
        closed = tuple(f"git does not work in commands, as {path} may hold secrets" for path in secret[:1])
        return (*(f"with this kernel's Landlock {told}" for told in self.shortcomings), *closed)

    @contextmanager
    def _seal(self, command: Command, scratch: Scratch, carried: Sequence[Foothold]) -> Iterator[Seal]:
        sources = [foothold.source for foothold in carried if foothold.folder and foothold.source is not None]
        with Ruleset(self.version, network=command.network) as ruleset:
            for opening in self._grounds.open(command, scratch, sources):
                ruleset.allow(opening)
            yield Seal(ruleset, make_filter(network=command.network, truncate=self.version >= TRUNCATE_SINCE))
