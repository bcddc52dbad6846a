"""Private folders of one command, gone when it has ended."""

import atexit
import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import NamedTuple

from bot.core.held import HELD

_OPEN: dict[Path, int] = {}
"""Those of commands that run, and the process that they are of."""


class Scratch(NamedTuple):
    """A home and a place for temporary files, on the host, with room for our own beside them."""

    root: Path
    home: Path
    temporary: Path


@contextlib.contextmanager
def private_folders() -> Iterator[Scratch]:
    """Make the folders, and remove them afterwards whatever the command did to them."""
    root = Path(tempfile.mkdtemp(prefix="git-agent-"))
    _OPEN[root] = os.getpid()
    try:
        made = Scratch(root, root / "home", root / "tmp")
        with _hold(root):
            made.home.mkdir(mode=0o700)
            made.temporary.mkdir(mode=0o700)
            try:
                yield made
            finally:
                # While it is held: killed half-way, the rest is still known to be nobody's
                remove(made.home)
                remove(made.temporary)
    finally:
        remove(root)
        _OPEN.pop(root, None)


@atexit.register
def clear() -> None:
    """Remove the folders of commands that the end of the process does not wait for: nobody else comes back to them."""
    for root, process in tuple(_OPEN.items()):
        if process == os.getpid():
            remove(root)


@contextlib.contextmanager
def _hold(root: Path) -> Iterator[None]:
    """Show that the folder is in use: the system takes the lock away with us, however we end."""
    fresh = root / f"{HELD}.new"
    with fresh.open("wb") as held:
        # Some file systems know no locks; there nobody takes the folder for abandoned
        with contextlib.suppress(OSError):
            fcntl.flock(held, fcntl.LOCK_EX)
        fresh.rename(root / HELD)
        yield


def remove(root: Path) -> None:
    """Remove a folder, opening what was left closed; what still resists is left to the system."""
    if root.is_symlink():
        # A command put it there, and beyond it nothing is ours
        with contextlib.suppress(OSError):
            root.unlink()
        return
    with contextlib.suppress(RecursionError):
        shutil.rmtree(root, ignore_errors=True)
    if root.exists():
        flatten(root)
        shutil.rmtree(root, ignore_errors=True)


def flatten(root: Path) -> None:
    """Open every folder below one of ours and move it up to the top: no path is too long there, and no tree too deep.

    Never follows a link.
    """
    names = (f".{number}" for number in count())
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        with contextlib.suppress(OSError):
            folder.chmod(stat.S_IRWXU)
            with os.scandir(folder) as entries:
                below = [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
            for path in below:
                path.chmod(stat.S_IRWXU)
                waiting.append(path if folder == root else path.rename(_free(root, names)))


def _free(root: Path, names: Iterator[str]) -> Path:
    return next(path for path in map(root.joinpath, names) if not os.path.lexists(path))
