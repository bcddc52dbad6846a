"""Folders of ours that are done with: out of the way at once, deleted when there is time for it."""

import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

from bot.git import owner
from bot.git.temporary import PREFIX

DONE = f"{PREFIX}done-"
"""How the name of one begins that nobody uses any more."""

AT_ONCE = 0.015
"""Seconds that may be spent on deleting while somebody waits."""
LATER = 2.0
LONGEST, SHORT = 3800, 200
"""Bytes of a path, of those that git can track and of those of which as many folders can be open at once."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def discard(folder: Path) -> None:
    """Move a folder of ours aside and delete what can be deleted in no time; sweep() or the next run does the rest."""
    with suppress(OSError):
        # A name of its own comes from the folder's: that is unique already
        folder = folder.rename(folder.with_name(DONE + folder.name.removeprefix(DONE).removeprefix(PREFIX)))
    delete(folder, AT_ONCE)


def sweep(seconds: float = LATER) -> bool:
    """Delete what this process has discarded, as far as that time goes, and say whether nothing is left."""
    until = time.monotonic() + seconds
    left = [folder for folder in _discarded() if not delete(folder, until - time.monotonic())]
    return not left


def _discarded() -> Iterator[Path]:
    """Find what was discarded here, or by somebody who has died since."""
    me = owner.current()
    for folder in sorted(Path(tempfile.gettempdir()).resolve().glob(f"{DONE}*")):
        card = owner.read(folder) if is_mine(folder) else None
        if card is not None and (_who(card) == _who(me) or not card.alive):
            yield folder


def _who(card: owner.Owner) -> tuple[int, str, str, str]:
    return card.pid, card.started, card.boot, card.host


def is_mine(folder: Path) -> bool:
    """Say whether something is a folder of this user, and no link."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()


def delete(folder: Path, seconds: float = float("inf")) -> bool:
    """Delete a folder of ours as far as it can be done, its owner's card last; say whether it is gone."""
    until = time.monotonic() + seconds
    try:
        handle = os.open(folder, _FOLDER)
    except OSError:
        return not folder.exists()
    try:
        done = _clear(handle, until, last=owner.NAME)
        if not done and time.monotonic() < until:
            loosen(folder, SHORT)
            done = _clear(handle, until, last=owner.NAME)
        if done:
            with suppress(OSError):
                os.unlink(owner.NAME, dir_fd=handle)
    finally:
        os.close(handle)
    with suppress(OSError):
        folder.rmdir()
    return not folder.exists()


def _clear(folder: int, until: float, last: str = "") -> bool:
    """Empty an open folder, and say whether that was done; links are removed and never followed."""
    done = True
    with os.scandir(folder) as listing:
        entries = list(listing)
    for entry in entries:
        if time.monotonic() > until:
            return False
        if entry.name != last:
            done &= _take(folder, entry, until)
    return done


def _take(folder: int, entry: os.DirEntry[str], until: float) -> bool:
    """Delete an entry, if need be with permissions that somebody took away."""
    try:
        return _take_once(folder, entry, until)
    except PermissionError:
        pass
    except (OSError, RecursionError):
        return False
    try:
        os.fchmod(folder, 0o700)
        if entry.is_dir(follow_symlinks=False):
            os.chmod(entry.name, 0o700, dir_fd=folder)
        return _take_once(folder, entry, until)
    except (OSError, RecursionError):
        return False


def _take_once(folder: int, entry: os.DirEntry[str], until: float) -> bool:
    if not entry.is_dir(follow_symlinks=False):
        with suppress(FileNotFoundError):
            os.unlink(entry.name, dir_fd=folder)
        return True
    below = os.open(entry.name, _FOLDER, dir_fd=folder)
    try:
        if not _clear(below, until):
            return False
    finally:
        os.close(below)
    os.rmdir(entry.name, dir_fd=folder)
    return True


def loosen(root: Path, longest: int = LONGEST) -> None:
    """Let folders be emptied that somebody made read-only, or so deep that no path leads there: those come to the top.

    What git tracks lies no deeper than `longest` bytes of path.
    """
    fresh = (root / f"{PREFIX}{number}" for number in count())
    waiting = [] if root.is_symlink() else [(root, 0)]
    while waiting:
        folder, above = waiting.pop()
        with suppress(OSError):
            folder.chmod(0o700)
            with os.scandir(folder) as entries:
                below = [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
            for path in below:
                length = above + len(os.fsencode(path.name)) + 1
                if length > longest:
                    path.chmod(0o700)
                    waiting.append((path.rename(next(new for new in fresh if not os.path.lexists(new))), 0))
                else:
                    waiting.append((path, length))
