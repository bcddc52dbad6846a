"""What a command keeps of the file system under Landlock, where all stands in its own place."""

import os
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bot.protocols import Command
from bot.sandbox.gitview import alternates, closed_settings
from bot.sandbox.mounts import PACKAGE, Layout, homes
from bot.sandbox.ruleset import Access, Opening
from bot.sandbox.scratch import Scratch
from bot.sandbox.system import FOLDERS, MORE, RESOLVER, closed, covered

DEVICES = ("null", "zero", "full", "random", "urandom")
SHARED = Path("/dev/shm")  # noqa: S108 - the only place in which the C library makes semaphores
PROCESSES = Path("/proc")
"""Of other processes Landlock hides environment, memory and open files; their names and arguments it does not."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """Where things are, the same for every command of one repository."""

    layout: Layout
    common: Path
    """The repository's common git directory."""

    def open(self, command: Command, scratch: Scratch, carried: Sequence[Path]) -> Iterator[Opening]:
        """List what one command may use; `carried` are things of the person's checkout that it may read."""
        hidden = frozenset({self.layout.repository, *filter(covered, homes())})
        yield from (Opening(path, Access.READ) for path in system_places(hidden))
        yield from (Opening(Path("/dev", name), Access.DEVICE) for name in DEVICES)
        yield Opening(SHARED, Access.SHARE)
        yield Opening(PROCESSES, Access.LOOK)
        if command.network:
            yield Opening(RESOLVER.resolve(), Access.LOOK)
        yield from (Opening(path, Access.READ) for path in (PACKAGE, *self.layout.readable, *carried))
        yield from self._open_tree(command)
        yield from (Opening(path, Access.CHANGE) for path in (scratch.home, scratch.temporary))
        for mount in command.mounts:
            yield Opening(mount.path, Access.CHANGE if mount.writable else Access.READ)

    def _open_tree(self, command: Command) -> Iterator[Opening]:
        root = command.cwd.absolute()
        # Submodules have settings of their own, and git has no need to look at them in a tree without their checkouts
        secret = frozenset({*closed_settings(self.common), *filter(Path.exists, [self.common / "modules"])})
        yield from (Opening(path, Access.LOOK) for path in around(self.common, secret))
        yield from (Opening(store, Access.LOOK) for store in alternates(self.common))
        # The folder of git in a main checkout; in a worktree it is a file, which nothing here can tell from the rest
        kept = {path for path in (root / ".git",) if path.is_dir() and not path.is_symlink()}
        yield from (Opening(path, Access.READ) for path in around(root, kept))
        yield Opening(root, Access.READ_DIR)
        if command.writable:
            yield from (Opening(path, Access.CHANGE) for path in around(root, kept))


def around(folder: Path, hidden: AbstractSet[Path]) -> Iterator[Path]:
    """List what makes up a folder without what is hidden in it: rules open, and none closes again."""
    if folder in hidden:
        return
    if not any(path.is_relative_to(folder) for path in hidden):
        yield folder
        return
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if not entry.is_symlink():
            yield from around(entry, hidden)


@cache
def system_places(hidden: frozenset[Path]) -> tuple[Path, ...]:
    """List the programs and settings of this machine that everybody may read, without what is hidden among them."""
    secret = hidden | frozenset(closed(Path("/etc")))
    real = dict.fromkeys(Path("/", name).resolve() for name in (*FOLDERS, *MORE))
    return tuple(path for place in real if os.path.lexists(place) for path in around(place, secret))
