"""What mypy found out, kept from one commit to the next; what it says stays the same.

mypy takes a file for unchanged when its size and the second of its last change are as it remembers. So no version of a
file may have a second that an earlier version had: one that was written again since is given a later second than any
before, where it has none by itself. The system's own mark of a change, which nobody can set, tells which those are.

A memory is used only for the same question in the same environment, by one process at a time, and only where no code of
the project can reach it. What somebody else wrote to is thrown away.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from bot.core.check import Check, CheckResult
from bot.core.task import Record
from bot.protocols import Mount
from bot.verify import typed
from bot.verify.detection.plugins import foreign_plugins
from bot.verify.fast.named import write_whole
from bot.verify.place import Place
from bot.verify.reuse import OPEN
from bot.verify.warm import (
    COLD,
    CONFIGURATION,
    Seen,
    Walked,
    Warmth,
    asks_for,
    cached,
    digest_settings,
    name_moved,
    walk,
)

FOLDER = "types"
CACHE, STATE, LOCK = "cache", "state.json", "lock"
STRANGE = (b"python_executable", b"bazel", b"skip_cache", b"skip_version")
"""Settings by which mypy starts a program of the tree's choice, or believes a cache without looking at the files."""
MOST = 4
"""Memories that are kept: of other checks, other environments, other settings."""


class Source(NamedTuple):
    """A file that mypy may have read."""

    changed: int
    """The mark of the last change; 0 for a file that is gone."""
    second: int
    """The latest that any version of it had."""
    versions: tuple[str, ...]
    """Digests of all contents that it had."""


class State(Record):
    """What is known of a memory, written when a run of mypy has ended."""

    key: str
    links: Mapping[str, str]
    sources: Mapping[str, Source]
    moved: tuple[str, ...]
    """Names of modules that came or went since it was begun."""
    cache: Mapping[str, Seen]
    """The memory's own files as mypy left them."""


_STATE = TypeAdapter(State)


class Memory(Warmth):
    """Keeps a cache for each check of types below a folder, for whoever asks there next."""

    def __init__(self, kept: Path, environment: str) -> None:
        super().__init__()
        self.kept = kept / FOLDER
        self.environment = environment
        """Digest of what is installed, the interpreter among it."""

    def run(self, check: Check, place: Place, targets: Sequence[str] = (), *, fill: bool = False) -> CheckResult:
        """Check types with what is remembered, and remember what was found out."""
        walked = walk(place.root) if _is_plain(check, place) else None
        if walked is None:
            return typed.run(check, place, targets)
        key = self._key(check, place)
        with _held(self.kept / key) as folder:
            found = _run(folder, key, walked, check, place, targets) if folder is not None else None
        self._trim(key)
        return found if found is not None else typed.run(check, place, targets)

    def _key(self, check: Check, place: Place) -> str:
        asked = check.model_copy(update={"reason": "", "targets": (), "timeout": 0.0}).spelled
        settings = digest_settings(place.root, check.folder)
        where = (place.executor.isolation, str(place.interpreter.path))
        return blake2b(
            "\0".join((self.environment, *where, asked, settings)).encode("utf-8", "surrogateescape"), digest_size=16
        ).hexdigest()

    def _trim(self, key: str) -> None:
        """Drop the memories that were not used for the longest time."""
        with suppress(OSError):
            others = [path for path in self.kept.iterdir() if path.name != key]
            for path in sorted(others, key=lambda path: path.lstat().st_mtime, reverse=True)[MOST - 1 :]:
                shutil.rmtree(path, ignore_errors=True)


def _is_plain(check: Check, place: Place) -> bool:
    """Tell whether mypy does with a cache what we know of it, and runs nothing of the tree that could reach it."""
    given = any(word.startswith("--config-file") for word in check.argv)
    if given or not {*check.argv} >= COLD or place.executor.isolation in OPEN:
        return False
    # A tree may stand in another place each time, and where it is called by its whole path that would be told
    if place.own_types(check):
        return False
    folder = place.root / check.folder
    for above in (folder, *folder.parents):
        for name in CONFIGURATION if above.is_relative_to(place.root) else ():
            with suppress(OSError):
                content = (above / name).read_bytes()
                if any(word in content for word in STRANGE):
                    return False
    return not foreign_plugins(place.root, check.folder, place.interpreter)


def _run(
    folder: Path, key: str, walked: Walked, check: Check, place: Place, targets: Sequence[str]
) -> CheckResult | None:
    """Run mypy on a memory that nobody else uses meanwhile; None where it has to be asked without one."""
    cache, state = folder / CACHE, folder / STATE
    try:
        known = _follow(_load(state, key, walked, cache), walked, place.root)
        # Whatever ends us now, a memory without a word on it is not believed
        state.unlink(missing_ok=True)
        if known is None:
            shutil.rmtree(cache, ignore_errors=True)
            cache.mkdir()
            known = _begin(key, walked, place.root)
        found = typed.run(cached(check, cache), place, targets, mounts=[Mount(cache, writable=True)])
        # mypy may be stopped at any time, and remembers what it had finished
        if found.status == "errored" and "time" not in found.hit:
            found = typed.run(check, place, targets)
            if found.status != "errored":
                return found
        written = walk(cache, whole=True)
        if written is not None and not written.links:
            write_whole(state, known.model_copy(update={"cache": written.sources}).model_dump_json().encode())
    except OSError:
        return None
    return found


def _load(path: Path, key: str, walked: Walked, cache: Path) -> State | None:
    """Read what is known of a memory; None where it is not as it was left, or a link leads elsewhere now."""
    try:
        known = _STATE.validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
    left = walk(cache, whole=True)
    same = left is not None and not left.links and left.sources == known.cache
    return known if same and (known.key, known.links) == (key, walked.links) else None


def _begin(key: str, walked: Walked, root: Path) -> State:
    """Start anew. Raises OSError."""
    sources = {path: Source(*seen, (_digest(root / path),)) for path, seen in walked.sources.items()}
    return State(key=key, links=walked.links, sources=sources, moved=(), cache={})


def _follow(known: State | None, walked: Walked, root: Path) -> State | None:
    """Bring what is known up to a tree; None where mypy would not look again at what it has to. Raises OSError."""
    if known is None:
        return None
    present = {path for path, source in known.sources.items() if source.changed}
    sources = {path: source._replace(changed=0) for path, source in known.sources.items() if path not in walked.sources}
    same, back = [], []
    for path, seen in walked.sources.items():
        old = known.sources.get(path)
        if old is not None and old.changed == seen.changed:
            sources[path] = old
            same.append(path)
            continue
        version = _digest(root / path)
        versions = old.versions if old is not None else ()
        back += [path] if version in versions else []
        later = _separate(root / path, seen, old.second if old is not None else -1)
        sources[path] = Source(*later, versions if version in versions else (*versions, version))
    moved = name_moved(present, walked.sources)
    everything = {*known.moved, *moved}
    # A content that a file had before may be remembered from then
    if asks_for(root, same, moved) or asks_for(root, back, everything):
        return None
    return known.model_copy(update={"sources": sources, "moved": tuple(sorted(everything))})


def _separate(path: Path, seen: Seen, before: int) -> Seen:
    """Give a file that was written again a second that none of its versions had. Raises OSError."""
    if seen.second > before:
        return seen
    os.utime(path, (before + 1, before + 1), follow_symlinks=False)
    return Seen(path.lstat().st_ctime_ns, before + 1)


def _digest(path: Path) -> str:
    return blake2b(path.read_bytes(), digest_size=8).hexdigest()


@contextmanager
def _held(folder: Path) -> Iterator[Path | None]:
    """Use a memory alone; None where somebody else does, or where it cannot be kept."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:
        yield None
        return
    with os.fdopen(descriptor, "rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield None
            return
        with suppress(OSError):
            os.utime(folder)
        yield folder
