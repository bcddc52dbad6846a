"""What was learnt of trees and files, kept beside the objects that it is about; only ever a saving of time."""

import os
import re
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import NamedTuple

from bot.git.repository import Repository

FOLDER = Path("git-agent")
"""Below the git dir that all worktrees share, where no status looks."""
MOST = 2000
LARGEST = 16 << 20
"""Bytes of one result."""
ALTOGETHER = 256 << 20
DAY = 24 * 3600.0
"""Seconds after which a result is of no use to anybody."""
TAGS = 64
TAGS_ALTOGETHER = 128 << 20
_OURS = re.compile(r"[0-9a-f]{48}|\.[a-z0-9_]{8}")
"""Names of results, and of what is being written."""


class Item(NamedTuple):
    """A kept result."""

    written: int
    size: int
    path: Path


class Sum(NamedTuple):
    """Several kept results together."""

    number: int = 0
    size: int = 0

    @property
    def text(self) -> str:
        """Say it."""
        return f"{self.number} kept result{'' if self.number == 1 else 's'}, {self.size / 1e6:.1f} MB"


@dataclass(frozen=True, slots=True)
class GitShelf:
    """Keeps results in a repository; what cannot be read or written is as if it were not there."""

    repository: Repository
    most: int = MOST
    altogether: int = ALTOGETHER
    section: str = "results"
    lifetime: float = DAY

    @property
    def folder(self) -> Path:
        """Where they lie."""
        return self.repository.common_dir / FOLDER / self.section

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
        if len(value) > min(LARGEST, self.altogether) or self._leads_away():
            return
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write(self._path(key), value)
            self._trim()

    def count(self) -> Sum:
        """Say how much is kept."""
        return _sum(self._items())

    def sweep(self, *, dry_run: bool = False) -> Sum:
        """Remove what is older than its lifetime, or from days to come, and say how much that is."""
        now = time.time()
        old = [item for item in self._items() if abs(now - item.written / 1e9) > self.lifetime]
        if not dry_run:
            for item in old:
                with suppress(OSError):
                    item.path.unlink(missing_ok=True)
            with suppress(OSError):
                self.folder.rmdir()
                self.folder.parent.rmdir()
        return _sum(old)

    def _leads_away(self) -> bool:
        return self.folder.is_symlink() or self.folder.parent.is_symlink()

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
        """List what is ours; nothing else that lies there is touched."""
        with suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries if not self._leads_away() else ():
                with suppress(FileNotFoundError):
                    state = entry.stat(follow_symlinks=False)
                    if _OURS.fullmatch(entry.name) and not S_ISDIR(state.st_mode):
                        yield Item(state.st_mtime_ns, state.st_size, Path(entry.path))


def tag_shelf(repository: Repository) -> GitShelf:
    """Open the shelf for what is known of a project's files, which changes only with them."""
    return GitShelf(repository, most=TAGS, altogether=TAGS_ALTOGETHER, section="tags", lifetime=30 * DAY)


def _sum(items: Iterable[Item]) -> Sum:
    sizes = [item.size for item in items]
    return Sum(len(sizes), sum(sizes))
