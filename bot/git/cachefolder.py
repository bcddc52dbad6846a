"""The folder for what may be lost, below the user's own: found, made and trusted only where nobody else can write.

Of the XDG rules so few lines are needed here, and so many of our own, that a library for them would only stand between.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from bot.git.disposal import is_mine

NAME = "git-agent"


def find_cache(name: str, outside: Iterable[Path] = (), *, make: bool = True) -> Path | None:
    """Give a folder of ours in the user's cache folder, made where it is missing unless it is only looked for.

    None where there is no such folder, it belongs to somebody else, cannot be written or runs no programs, a link of
    somebody's leads away, or it lies in a folder that it should be outside of.
    """
    base = _base()
    if base is None:
        return None
    try:
        if make:
            base.mkdir(mode=0o700, exist_ok=True)
        folder = base.resolve(strict=True)
        if any(folder.is_relative_to(other.resolve()) for other in outside) or not _fits(folder):
            return None
        for part in (NAME, name):
            folder /= part
            if make:
                folder.mkdir(mode=0o700, exist_ok=True)
            if not is_mine(folder):
                return None
            folder.chmod(0o700)
    except OSError:
        return None
    return folder


def _base() -> Path | None:
    """Name the user's cache folder; None for a user without a home of their own."""
    # What is not absolute is to be ignored
    given = os.environ.get("XDG_CACHE_HOME", "")
    if given.startswith("/"):
        return Path(given)
    home = os.environ.get("HOME", "")
    # With sudo it is often still somebody else's
    return Path(home, ".cache") if home.startswith("/") and is_mine(Path(os.path.realpath(home))) else None


def _fits(folder: Path) -> bool:
    writable = os.access(folder, os.R_OK | os.W_OK | os.X_OK)
    return is_mine(folder) and writable and not os.statvfs(folder).f_flag & os.ST_NOEXEC
