"""What mypy found out about the first tree, lent to it for the later ones; what it says stays the same.

mypy takes a file for unchanged when its size and the second of its last change are as they were. A file that was
written again since is therefore given another second, so that mypy looks at its content.
"""

import fcntl
import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, NamedTuple

from bot.core.check import Check, CheckResult
from bot.core.held import HELD
from bot.protocols import Mount
from bot.verify import typed
from bot.verify.detection.plugins import foreign_plugins
from bot.verify.imports import read_imports
from bot.verify.place import APART, Place
from bot.verify.reuse import OPEN

COLD = frozenset({"--no-incremental", "--cache-dir=/dev/null"})
"""The options by which detection asks for a run without a cache; a command of another make is left alone."""
CONFIGURATION = ("mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg")
SOURCES = (".py", ".pyi")
MOST = 50_000
"""Entries of a tree; beyond them looking for what changed takes longer than mypy does."""


class Seen(NamedTuple):
    """What tells that a file was written again, and when mypy believes that it was."""

    changed: int
    second: int


@dataclass(frozen=True, slots=True)
class Kept:
    """A cache, and the tree that it was made of."""

    folder: Path
    root: Path
    sources: Mapping[str, Seen]
    links: Mapping[str, str]
    settings: str
    untouched: Mapping[str, Seen]
    """The cache's own files: repository code that can reach them must not have."""


class Warmth:
    """Keeps a cache for each check of types, as long as somebody holds on to it."""

    def __init__(self) -> None:
        self._kept: dict[str, Kept] = {}
        self._folder: Path | None = None
        self._lock = threading.Lock()

    def run(self, check: Check, place: Place, targets: Sequence[str] = (), *, fill: bool = False) -> CheckResult:
        """Check types; the tree that fills the cache is checked as a whole, the others where they differ from it."""
        kept = self._kept.get(check.name)
        if not {*check.argv} >= COLD or (kept is None and not fill):
            return typed.run(check, place, targets)
        if kept is None:
            return self._fill(check, place, targets)
        found = _use(kept, check, place, targets)
        return typed.run(check, place, targets) if found is None or found.status == "errored" else found

    def _fill(self, check: Check, place: Place, targets: Sequence[str]) -> CheckResult:
        if foreign_plugins(place.root, check.folder, place.interpreter):
            return typed.run(check, place, targets)
        folder = Path(tempfile.mkdtemp(dir=self._place()))
        found = typed.run(cached(check, folder), place, targets, mounts=[Mount(folder, writable=True)])
        walked = walk(place.root)
        if found.status == "errored" or walked is None:
            return typed.run(check, place, targets) if found.status == "errored" else found
        settings = digest_settings(place.root, check.folder)
        cache = walk(folder, whole=True)
        if cache is not None:
            self._kept[check.name] = Kept(folder, place.root, walked.sources, walked.links, settings, cache.sources)
        return found

    def _place(self) -> Path:
        with self._lock:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="git-agent-types-")).resolve()
                weakref.finalize(self, _remove, self._folder, _hold(self._folder))
            return self._folder


class Walked(NamedTuple):
    """The files of a tree that mypy may read."""

    sources: Mapping[str, Seen]
    links: Mapping[str, str]


def _use(kept: Kept, check: Check, place: Place, targets: Sequence[str]) -> CheckResult | None:
    """Check types with a copy of a cache; None where it does not fit."""
    walked, cache = walk(place.root), walk(kept.folder, whole=True)
    # With bubblewrap every tree stands in the same place
    placed = place.root == kept.root or place.executor.isolation not in OPEN | APART
    fits = walked is not None and walked.links == kept.links and placed
    if not fits or walked is None or cache is None or cache.sources != kept.untouched:
        return None
    if digest_settings(place.root, check.folder) != kept.settings:
        return None
    same = (path for path, seen in walked.sources.items() if _is_unchanged(seen, kept.sources.get(path)))
    if asks_for(place.root, same, name_moved(kept.sources, walked.sources)):
        return None
    _outdate(place.root, kept.sources, walked.sources)
    with _copied(kept.folder) as folder:
        return typed.run(cached(check, folder), place, targets, mounts=[Mount(folder, writable=True)])


def _is_unchanged(now: Seen, before: Seen | None) -> bool:
    return before is not None and before.changed == now.changed


def name_moved(before: Collection[str], now: Collection[str]) -> frozenset[str]:
    """Tell under which names the files may be imported that came or went."""
    return frozenset(name for path in {*before} ^ {*now} for name in _names_of(path))


def _names_of(path: str) -> Iterator[str]:
    parts = path.rpartition(".")[0].removesuffix("/__init__").split("/")
    yield from (".".join(parts[start:]) for start in range(len(parts)))


def asks_for(root: Path, paths: Iterable[str], names: Collection[str]) -> bool:
    """Tell whether a file uses a module of one of these names, or looks for it in its package.

    When such a module came or went, mypy does not look again at files that are as they were.
    """
    stems = {name.rpartition(".")[2].encode() for name in names}
    packages = {name.rpartition(".")[0] for name in names} - {""}
    for path in paths if names else ():
        try:
            source = (root / path).read_bytes()
        except OSError:
            return True
        if any(stem in source for stem in stems):
            told = [name.split(".") for name in read_imports(source, path).modules]
            if any(".".join(parts) in packages for parts in told):
                return True
            if any(".".join(parts[:end]) in names for parts in told for end in range(1, len(parts) + 1)):
                return True
    return False


def _outdate(root: Path, before: Mapping[str, Seen], now: Mapping[str, Seen]) -> None:
    """Make mypy look at every file that was written again within the second that it remembers."""
    for path, seen in now.items():
        old = before.get(path)
        if old is not None and seen.changed != old.changed and seen.second == old.second:
            os.utime(root / path, (seen.second + 2, seen.second + 2), follow_symlinks=False)


def cached(check: Check, folder: Path) -> Check:
    """Let a check of types use a cache."""
    argv = [word for word in check.argv if word not in COLD]
    at = argv.index("mypy") + 1 if "mypy" in argv else 1
    return check.model_copy(update={"argv": (*argv[:at], f"--cache-dir={folder}", *argv[at:])})


def digest_settings(root: Path, folder: str) -> str:
    """Digest what configures mypy in a check's folder and above it."""
    told = blake2b()
    for place in (root / folder, *(root / folder).parents):
        if place.is_relative_to(root):
            for name in CONFIGURATION:
                with suppress(OSError):
                    content = (place / name).read_bytes()
                    told.update(b"%b\0%d\0%b" % (os.fsencode(place.relative_to(root) / name), len(content), content))
    return told.hexdigest()


def walk(root: Path, *, whole: bool = False) -> Walked | None:
    """Look at the files that mypy may read, or at all; None when there are too many, or one cannot be looked at."""
    sources: dict[str, Seen] = {}
    links: dict[str, str] = {}
    try:
        for count, (path, entry) in enumerate(_entries(str(root))):
            if count > MOST:
                return None
            if entry.is_symlink():
                links[path] = os.readlink(entry.path)  # noqa: PTH115 - a path would drop a slash at the end
            elif whole or path.endswith(SOURCES):
                state = entry.stat(follow_symlinks=False)
                sources[path] = Seen(state.st_ctime_ns, int(state.st_mtime))
    except OSError:
        return None
    return Walked(sources, links)


def _entries(folder: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    waiting = [("", folder)]
    while waiting:
        inside, path = waiting.pop()
        with os.scandir(path) as entries:
            for entry in entries:
                name = entry.name
                if not entry.is_dir(follow_symlinks=False):
                    yield inside + name, entry
                elif name != ".git":
                    waiting.append((f"{inside}{name}/", entry.path))


@contextmanager
def _copied(folder: Path) -> Iterator[Path]:
    """Copy a cache for one run: mypy writes into it."""
    copy = folder.with_name(f"{folder.name}-{os.urandom(4).hex()}")
    try:
        shutil.copytree(folder, copy)
        yield copy
    finally:
        shutil.rmtree(copy, ignore_errors=True)


def _hold(folder: Path) -> BinaryIO:
    """Show that a folder is in use: the system takes the lock away with us, however we end."""
    fresh = folder / f"{HELD}.new"
    held = fresh.open("wb")
    with suppress(OSError):
        fcntl.flock(held, fcntl.LOCK_EX)
    fresh.rename(folder / HELD)
    return held


def _remove(folder: Path, held: BinaryIO) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    held.close()
