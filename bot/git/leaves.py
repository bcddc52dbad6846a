"""Single files of a checkout as git would record them, reached folder by folder without following a link."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

LARGEST = 50_000_000
"""Bytes of a file that is read into memory."""
REGULAR, EXECUTABLE, LINK = 0o100644, 0o100755, 0o120000

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Peculiar(Exception):
    """Only the git executable can tell what is right here."""


class File(NamedTuple):
    """What a path holds."""

    mode: int
    content: bytes
    """Of a link: where it leads."""


def read(root: Path, path: bytes) -> File | None:
    """Read a file or a link; None when there is none of these. Raises Peculiar."""
    with above(root, path) as folder:
        if folder is None:
            return None
        name = path.rpartition(b"/")[2]
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return None
        if stat.S_ISLNK(found.st_mode):
            return File(LINK, os.readlink(name, dir_fd=folder))
        return _regular(folder, name) if stat.S_ISREG(found.st_mode) else None


def _regular(folder: int, name: bytes) -> File:
    with os.fdopen(os.open(name, _READ, dir_fd=folder), "rb") as stream:
        found = os.fstat(stream.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST:
            raise Peculiar
        return File(EXECUTABLE if found.st_mode & stat.S_IXUSR else REGULAR, stream.read())


def write(root: Path, path: bytes, file: File) -> None:
    """Put a file in place of what is there. Raises Peculiar, OSError."""
    with above(root, path, make=True) as folder:
        if folder is None:
            raise Peculiar
        name = path.rpartition(b"/")[2]
        _unlink(folder, name)
        if file.mode == LINK:
            os.symlink(file.content, name, dir_fd=folder)
            return
        with os.fdopen(os.open(name, _NEW, 0o777 if file.mode == EXECUTABLE else 0o666, dir_fd=folder), "wb") as stream:
            stream.write(file.content)


def remove(root: Path, path: bytes) -> None:
    """Take away whatever is no folder, and folders around it that are left empty. Raises Peculiar, OSError."""
    with above(root, path) as folder:
        if folder is not None:
            _unlink(folder, path.rpartition(b"/")[2])
    parent = path.rpartition(b"/")[0]
    while parent:
        with above(root, parent) as folder:
            if folder is not None and not _empty_out(folder, parent.rpartition(b"/")[2]):
                return
        parent = parent.rpartition(b"/")[0]


def _unlink(folder: int, name: bytes) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return
    except OSError as error:
        if error.errno in (errno.EISDIR, errno.EPERM):
            raise Peculiar from error
        raise


def _empty_out(folder: int, name: bytes) -> bool:
    """Remove a folder that is empty, and say whether it is gone."""
    try:
        os.rmdir(name, dir_fd=folder)
    except FileNotFoundError:
        return True
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            return False
        raise
    return True


@contextmanager
def above(root: Path, path: bytes, *, make: bool = False) -> Iterator[int | None]:
    """Open the folder that holds an entry; None where the way there is not made of folders."""
    folder: int | None = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in path.split(b"/")[:-1]:
            assert folder is not None
            below = _enter(folder, part, make=make)
            os.close(folder)
            folder = below
            if folder is None:
                break
            _refuse_nested(folder)
        yield folder
    finally:
        if folder is not None:
            os.close(folder)


def _enter(folder: int, part: bytes, *, make: bool) -> int | None:
    if make:
        with suppress(FileExistsError):
            os.mkdir(part, dir_fd=folder)
    try:
        return os.open(part, _FOLDER, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return None
        raise


def _refuse_nested(folder: int) -> None:
    """Leave a repository within the repository to git."""
    try:
        os.stat(b".git", dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    raise Peculiar
