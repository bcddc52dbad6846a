"""Holds a run for one process: by a lock that the kernel takes back when the process is gone, however it went."""

import errno
import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path

from bot.core.held import HELD
from bot.errors import UsageError, WorkspaceError
from bot.git import owner
from bot.git.disk import refusals

_TRIES = 20
"""Somebody who only looks holds the lock for an instant, and somebody who leaves takes the folder away."""
_PAUSE = 0.01
_BUSY = frozenset({errno.EAGAIN, errno.EACCES})


def take(folder: Path, card: owner.Owner, what: str) -> int:
    """Make a folder our own and leave our card there; return what holds it. Raises UsageError, WorkspaceError."""
    for _ in range(_TRIES):
        descriptor = _try(folder)
        if descriptor is not None:
            break
        time.sleep(_PAUSE)
    else:
        raise UsageError(f"{what} is still going", _whose(folder))
    left = owner.read(folder)
    if left is not None and left.distant:
        os.close(descriptor)
        raise UsageError(f"{what} is still going, as far as can be seen from here", _whose(folder))
    with refusals("keep a record of the run"):
        owner.write(folder, card)
    return descriptor


def is_held(folder: Path) -> bool:
    """Say whether a process holds a folder right now; of one on another machine we cannot know, and say yes."""
    card = owner.read(folder)
    locked = _look(folder)
    if locked is None:
        return card is not None and card.alive
    return locked or (card is not None and card.distant)


def _try(folder: Path) -> int | None:
    """Lock a folder's file; None when somebody else has it, or took the folder away while we waited."""
    with refusals("keep a record of the run"):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(folder / HELD, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if error.errno in _BUSY:
            return None
        raise WorkspaceError(f"could not lock {folder / HELD}: {error.strerror}") from error
    if _same(descriptor, folder / HELD):
        return descriptor
    os.close(descriptor)
    return None


def _same(descriptor: int, path: Path) -> bool:
    with suppress(OSError):
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    return False


def _look(folder: Path) -> bool | None:
    """Say whether a folder's file is locked; None when there is none, or no telling."""
    try:
        descriptor = os.open(folder / HELD, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return True if error.errno in _BUSY else None
    finally:
        os.close(descriptor)
    return False


def _whose(folder: Path) -> str:
    card = owner.read(folder)
    if card is None:
        return ""
    if card.distant:
        return f"by process {card.pid} on {card.machine}; if that is gone: rm '{folder / owner.NAME}'"
    return f"by process {card.pid}"
