"""What checks said of trees, kept beside the objects that they spoke of; only ever a saving of time."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from bot.git.repository import Repository

FOLDER = Path("git-agent", "results")
"""Below the git dir that all worktrees share, where no status looks."""
MOST = 2000
LARGEST = 16 << 20
"""Bytes of one result."""
ALTOGETHER = 256 << 20


class Item(NamedTuple):
    """A kept result."""

    written: int
    size: int
    path: Path


@dataclass(frozen=True, slots=True)
class GitShelf:
    """Keeps results in a repository; what cannot be read or written is as if it were not there."""

    repository: Repository
    most: int = MOST
    altogether: int = ALTOGETHER

    @property
    def folder(self) -> Path:
        """Where they lie."""
        return self.repository.common_dir / FOLDER

    def get(self, key: str) -> bytes | None:
        """Return what was put under a key."""
        try:
            descriptor = os.open(self._path(key), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(descriptor, "rb") as file:
                state = os.fstat(descriptor)
                return file.read() if S_ISREG(state.st_mode) and state.st_size <= LARGEST else None
        except OSError:
            return None

    def put(self, key: str, value: bytes) -> None:
        """Keep something, and drop the oldest of what is too much."""
        if len(value) > min(LARGEST, self.altogether):
            return
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write(self._path(key), value)
            self._trim()

    def _path(self, key: str) -> Path:
        return self.folder / blake2b(key.encode("utf-8", "surrogatepass"), digest_size=24).hexdigest()

    def _write(self, path: Path, value: bytes) -> None:
        descriptor, name = tempfile.mkstemp(dir=self.folder, prefix=".")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(value)
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise

    def _trim(self) -> None:
        total = 0
        for number, item in enumerate(sorted(self._items(), reverse=True), 1):
            total += item.size
            if number > self.most or total > self.altogether:
                item.path.unlink(missing_ok=True)

    def _items(self) -> Iterator[Item]:
        with os.scandir(self.folder) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    state = entry.stat(follow_symlinks=False)
                    yield Item(state.st_mtime_ns, state.st_size, Path(entry.path))
