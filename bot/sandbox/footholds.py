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
    """A file to copy, where nothing can be mounted; without one the place is empty, to be mounted over."""


class Footholds:
    """Counts who stands where: removing a folder that another command has mounted over would unmount it there."""

    def __init__(self) -> None:
        self._held: Counter[Path] = Counter()
        self._copies: set[Path] = set()
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
                if path.exists():
                    continue
                self._place(path, foothold)
            self._held[path] += 1
            yield path

    def _place(self, path: Path, foothold: Foothold) -> None:
        if path != foothold.path or foothold.folder:
            path.mkdir()
        elif foothold.source is None:
            path.touch(exist_ok=False)
        else:
            shutil.copy2(foothold.source, path)
            self._copies.add(path)

    def _release(self, path: Path) -> None:
        self._held[path] -= 1
        if not self._held[path]:
            del self._held[path]
            with contextlib.suppress(OSError):
                if path.is_dir():
                    path.rmdir()
                elif path in self._copies or path.stat().st_size == 0:
                    self._copies.discard(path)
                    path.unlink()
