"""Files of a person's that are replaced one by one, each in one step, and can all be put back."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from bot.core.change import readable
from bot.errors import UsageError, WorkspaceError
from bot.git.leaves import EXECUTABLE, LINK, File, Peculiar, above, read

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Found(NamedTuple):
    """A file or a link as it stands."""

    file: File
    bits: int | None = None
    """Its permissions; None for those that a new one gets."""
    times: tuple[int, int] | None = None
    """When it was read and written last, in nanoseconds."""


class _Done(NamedTuple):
    path: bytes
    was: Found | None
    put: File | None
    made: tuple[bytes, ...]
    """Folders that were made for it."""
    empty: tuple[bytes, ...]
    """Folders without a file that were in its place, the outermost first."""
    kept: bytes
    """Where the very file lies that was there; empty where it could not be kept."""


def find(root: Path, path: bytes) -> Found | None:
    """Look at a file or a link; None where there is none, or a folder. Raises Peculiar, OSError."""
    with above(root, path) as folder:
        if folder is None:
            return None
        try:
            state = os.stat(_name(path), dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return None
        file = read(root, path)
    if file is None and stat.S_ISDIR(state.st_mode):
        return None
    if file is None:
        raise Peculiar
    return Found(file, stat.S_IMODE(state.st_mode), (state.st_atime_ns, state.st_mtime_ns))


@contextmanager
def placing(root: Path, spare: Path) -> Iterator["Placer"]:
    """Replace files below a root, all or none; new ones are made in a spare folder."""
    with _opened(spare) as descriptor:
        placer = Placer(root, descriptor)
        try:
            yield placer
        except BaseException:
            placer.take_back()
            raise


@dataclass(slots=True)
class Placer:
    """Replaces files, and knows what was there."""

    root: Path
    spare: int
    done: list[_Done] = field(default_factory=list)

    def replace(self, path: bytes, was: Found | None, wanted: File | None) -> None:
        """Put a file where something known is, or take that away. Raises UsageError, WorkspaceError."""
        try:
            if not _alike(find(self.root, path), was):
                raise UsageError(f"{readable(path)} was changed meanwhile: nothing was changed", "try again")
            made = tuple(_lacking(self.root, path)) if wanted is not None else ()
            empty = tuple(_list_folders(self.root, path)) if was is None else ()
            # Before it is done: what fails in the middle is looked at again when all is put back
            self.done.append(_Done(path, was, wanted, made, empty, self._keep(path) if was is not None else b""))
            for folder in reversed(empty):
                _remove_empty(self.root, folder)
            self._put(path, None if wanted is None else Found(wanted))
            if wanted is None:
                _prune(self.root, path)
        except (OSError, Peculiar) as error:
            why = error.strerror if isinstance(error, OSError) else "something is in its way"
            raise WorkspaceError(f"could not write {readable(path)}: {why}") from error

    def take_back(self) -> None:
        """Put back what was there, as far as nobody changed it since. Raises WorkspaceError."""
        left: list[bytes] = []
        for step in reversed(self.done):
            try:
                self._return(step)
            except (OSError, Peculiar):
                left.append(step.path)
        if left:
            names = ", ".join(map(readable, left))
            raise WorkspaceError(f"not all could be put back: {names}", "git diff shows how they stand")

    def _return(self, step: _Done) -> None:
        now = find(self.root, step.path)
        if (now.file if now else None) == step.put:
            self._put(step.path, step.was, step.kept)
        for folder in step.empty:
            _make_folder(self.root, folder)
        for folder in reversed(step.made):
            _remove_empty(self.root, folder)

    def _keep(self, path: bytes) -> bytes:
        """Give a file a second name: to have it back, also on a full disk, that is all that it takes."""
        kept = b"kept-%d" % len(self.done)
        with above(self.root, path) as folder, suppress(OSError):
            if folder is not None:
                os.link(_name(path), kept, src_dir_fd=folder, dst_dir_fd=self.spare, follow_symlinks=False)
                return kept
        return b""

    def _put(self, path: bytes, new: Found | None, kept: bytes = b"") -> None:
        with above(self.root, path, make=new is not None) as folder:
            if folder is None and new is not None:
                raise Peculiar
            if folder is None:
                return
            if kept:
                os.rename(kept, _name(path), src_dir_fd=self.spare, dst_dir_fd=folder)
            elif new is not None:
                _swap(self.spare, folder, _name(path), new)
            else:
                with suppress(FileNotFoundError):
                    os.unlink(_name(path), dir_fd=folder)


def _alike(now: Found | None, was: Found | None) -> bool:
    """Say whether nobody wrote a file; when it was read last says nothing of that."""
    if now is None or was is None:
        return now is was
    return now._replace(times=None) == was._replace(times=None)


def _swap(spare: int, folder: int, name: bytes, new: Found) -> None:
    """Make a file and move it in place of what is there; a spare folder on another disk is of no use for that."""
    try:
        _move(spare, folder, name, new)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _move(folder, folder, name, new)


def _move(place: int, folder: int, name: bytes, new: Found) -> None:
    passing = f".git-agent-{secrets.token_hex(8)}".encode()
    try:
        _make(place, passing, new)
        os.rename(passing, name, src_dir_fd=place, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(passing, dir_fd=place)
        raise


def _make(folder: int, name: bytes, new: Found) -> None:
    if new.file.mode == LINK:
        os.symlink(new.file.content, name, dir_fd=folder)
    else:
        descriptor = os.open(name, _NEW, 0o777 if new.file.mode == EXECUTABLE else 0o666, dir_fd=folder)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(new.file.content)
            if new.bits is not None:
                os.fchmod(stream.fileno(), new.bits)
    if new.times is not None:
        os.utime(name, ns=new.times, dir_fd=folder, follow_symlinks=False)


def _prune(root: Path, path: bytes) -> None:
    """Take folders away that are left empty, as git does."""
    folder = path.rpartition(b"/")[0]
    while folder and _remove_empty(root, folder):
        folder = folder.rpartition(b"/")[0]


def _list_folders(root: Path, path: bytes) -> Iterator[bytes]:
    """Name a folder and all below it, the outermost first."""
    top = os.fsencode(root)
    for where, _, _ in os.walk(os.path.join(top, path)):  # noqa: PTH118 - a name may be no text
        yield os.path.relpath(where, top)


def _make_folder(root: Path, folder: bytes) -> None:
    with above(root, folder) as holder, suppress(FileExistsError):
        if holder is not None:
            os.mkdir(_name(folder), dir_fd=holder)


def _remove_empty(root: Path, folder: bytes) -> bool:
    """Remove a folder, and say whether it was empty."""
    with above(root, folder) as holder:
        if holder is None:
            return False
        try:
            os.rmdir(_name(folder), dir_fd=holder)
        except OSError:
            return False
    return True


def _lacking(root: Path, path: bytes) -> Iterator[bytes]:
    """Name the folders on the way to a path that are not there, the outermost first."""
    parts = path.split(b"/")
    for depth in range(1, len(parts)):
        folder = b"/".join(parts[:depth])
        if not os.path.lexists(os.path.join(os.fsencode(root), folder)):  # noqa: PTH118 - a name may be no text
            yield folder


def _name(path: bytes) -> bytes:
    return path.rpartition(b"/")[2]


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, _FOLDER)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
