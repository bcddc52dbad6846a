"""Reads and writes one file of the worktree, opening each folder on the way without following links."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from bot.core.paths import same
from bot.errors import Denied, NotFound, TooLarge, ToolError
from bot.tools.paths import Place

LARGEST = 10_000_000
"""Bytes of a file that a tool reads or writes."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Content(NamedTuple):
    """The bytes of a file, and its permissions."""

    data: bytes
    mode: int = 0o644


def read(place: Place) -> Content:
    """Read a regular file. Raises NotFound, Denied, TooLarge."""
    with _above(place) as folder:
        _regular(place, folder)
        handle = os.open(place.parts[-1], _READ, dir_fd=folder)
        with os.fdopen(handle, "rb") as file:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                raise Denied(f"{place.name} is not a regular file")
            if found.st_size > LARGEST:
                raise TooLarge(f"{place.name} has {found.st_size} bytes; at most {LARGEST} are read")
            return Content(file.read(LARGEST + 1), stat.S_IMODE(found.st_mode))


def write(place: Place, content: Content) -> None:
    """Put a whole file in place, making its folders, with the content's permissions. Raises Denied, TooLarge."""
    if len(content.data) > LARGEST:
        raise TooLarge(f"{place.name} would have {len(content.data)} bytes; at most {LARGEST} are written")
    place.announce()
    with _above(place, make=True) as folder:
        if exists(place):
            _regular(place, folder)
        else:
            _refuse_twin(folder, place.parts[-1])
        temporary = f".agent-{secrets.token_hex(8)}"
        try:
            handle = os.open(temporary, _NEW, 0o600, dir_fd=folder)
            with os.fdopen(handle, "wb") as file:
                file.write(content.data)
                os.fchmod(handle, content.mode & 0o777)
            os.rename(temporary, place.parts[-1], src_dir_fd=folder, dst_dir_fd=folder)
        except OSError:
            _discard(temporary, folder)
            raise


def remove(place: Place) -> None:
    """Remove a file, or a link itself. Raises NotFound, Denied."""
    place.announce()
    with _above(place) as folder:
        if stat.S_ISDIR(_look(place, folder).st_mode):
            raise Denied(f"{place.name} is a folder; delete its files")
        os.unlink(place.parts[-1], dir_fd=folder)
    _prune(place)


def move(source: Place, target: Place) -> None:
    """Give a file, or a link itself, another path. Raises NotFound, Denied."""
    source.announce()
    target.announce()
    with _above(source) as folder, _above(target, make=True) as into:
        if stat.S_ISDIR(_look(source, folder).st_mode):
            raise Denied(f"{source.name} is a folder; move its files")
        if exists(target):
            raise Denied(f"{target.name} exists already")
        _refuse_twin(into, target.parts[-1], besides=source.parts[-1])
        os.rename(source.parts[-1], target.parts[-1], src_dir_fd=folder, dst_dir_fd=into)
    _prune(source)


def exists(place: Place) -> bool:
    """Whether there is any entry of this name, links included."""
    if not place.parts:
        return True
    try:
        with _above(place) as folder:
            os.stat(place.parts[-1], dir_fd=folder, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError, NotFound):
        return False
    return True


def is_folder(place: Place) -> bool:
    """Whether a folder is there."""
    return not place.parts or place.root.joinpath(*place.parts).is_dir()


@contextmanager
def _above(place: Place, *, make: bool = False) -> Iterator[int]:
    """Open the folder that holds an entry, step by step from the root."""
    if not place.parts:
        raise Denied("the root of the worktree is a folder")
    folder = os.open(place.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in place.parts[:-1]:
            below = _enter(folder, part, place, make=make)
            os.close(folder)
            folder = below
            if make:
                _refuse_nested(folder, part)
        yield folder
    finally:
        os.close(folder)


def _enter(folder: int, part: str, place: Place, *, make: bool) -> int:
    try:
        return os.open(part, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise NotFound(f"there is no {place.name!r}") from None
        _refuse_twin(folder, part)
        os.mkdir(part, dir_fd=folder)
        return os.open(part, _FOLDER, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise Denied(f"{place.name}: {part!r} is not a folder") from error
        raise


def _look(place: Place, folder: int) -> os.stat_result:
    try:
        return os.stat(place.parts[-1], dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        raise NotFound(f"there is no {place.name!r}") from None
    except OSError as error:
        raise ToolError(f"{place.name!r}: {error.strerror}") from error


def _regular(place: Place, folder: int) -> None:
    """Look before opening: to open some devices is to use them."""
    mode = _look(place, folder).st_mode
    if stat.S_ISDIR(mode):
        raise Denied(f"{place.name} is a folder; use list_files")
    if not stat.S_ISREG(mode):
        raise Denied(f"{place.name} is a link that changed, a pipe, a socket or a device, not a regular file")


def _refuse_twin(folder: int, part: str, besides: str = "") -> None:
    """Refuse a new name that other file systems could not tell from an existing one."""
    wanted = same(part)
    for entry in os.listdir(folder):
        if entry not in (part, besides) and same(entry) == wanted:
            raise Denied(f"{part!r} differs from the existing {entry!r} only in case or composition")


def _refuse_nested(folder: int, part: str) -> None:
    try:
        os.stat(".git", dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    raise Denied(f"{part!r} is a repository of its own, such as a submodule")


def _prune(place: Place) -> None:
    """Take away the folders that became empty, as git does: a file may be wanted in their place."""
    for depth in range(len(place.parts) - 1, 0, -1):
        above = Place(place.root, place.parts[:depth])
        try:
            with _above(above) as folder:
                os.rmdir(above.parts[-1], dir_fd=folder)
        except (OSError, ToolError):
            return


def _discard(temporary: str, folder: int) -> None:
    try:
        os.unlink(temporary, dir_fd=folder)
    except FileNotFoundError:
        return
