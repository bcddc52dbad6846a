"""Places in a tree for what is carried into it, removed when the last command that needs them has ended."""

import contextlib
import shutil
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple


class Foothold(NamedTuple):
    """A place in a tree."""

    path: Path
    folder: bool
    source: Path | None = None
    """What to put there where nothing can be mounted: a file is copied, a folder linked to. Without one the place is
    empty, to be mounted over."""


class Footholds:
    """Counts who stands where: removing a folder that another command has mounted over would unmount it there."""

    def __init__(self) -> None:
        self._held: Counter[Path] = Counter()
        self._copies: set[Path] = set()
        self._emptied: set[Path] = set()
        """Empty folders that gave way to a link."""
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def hold(self, wanted: Sequence[Foothold]) -> Iterator[None]:
        """Make the places that are not there, parents included, and remove them afterwards."""
        made: list[Path] = []
        try:
            with self._lock:
                for foothold in wanted:
                    made += self._make(foothold)
            yield
        finally:
            with self._lock:
                for path in reversed(made):
                    self._release(path)

    def ours(self, path: Path) -> bool:
        """Say whether a path is there only because of us."""
        return self._held[path] > 0

    def _make(self, foothold: Foothold) -> Iterator[Path]:
        for path in (*reversed(foothold.path.parents), foothold.path):
            if not self._held[path]:
                if path.exists() and not self._clear(path, foothold):
                    continue
                self._place(path, foothold)
            self._held[path] += 1
            yield path

    def _clear(self, path: Path, foothold: Foothold) -> bool:
        """Take an empty folder away where a link is to stand; say whether that was done."""
        if path != foothold.path or not foothold.folder or foothold.source is None:
            return False
        try:
            path.rmdir()
        except OSError:
            return False
        self._emptied.add(path)
        return True

    def _place(self, path: Path, foothold: Foothold) -> None:
        if path != foothold.path:
            path.mkdir()
        elif foothold.source is None:
            path.mkdir() if foothold.folder else path.touch(exist_ok=False)
        elif foothold.folder:
            path.symlink_to(foothold.source)
        else:
            shutil.copy2(foothold.source, path)
            self._copies.add(path)

    def _release(self, path: Path) -> None:
        self._held[path] -= 1
        if not self._held[path]:
            del self._held[path]
            with contextlib.suppress(OSError):
                self._remove(path)
            if path in self._emptied:
                self._emptied.discard(path)
                with contextlib.suppress(OSError):
                    path.mkdir()

    def _remove(self, path: Path) -> None:
        if path.is_symlink():
            path.unlink()
        elif path.is_dir():
            path.rmdir()
        elif path in self._copies or path.stat().st_size == 0:
            self._copies.discard(path)
            path.unlink()
