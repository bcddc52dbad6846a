"""What each Python file of a tree names, kept by its content, so that only changed files are read again."""

import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TypeAlias

from bot.protocols import Contents
from bot.verify import imports
from bot.verify.detection.project import SKIP
from bot.verify.impact import LARGEST, Graph
from bot.verify.imports import Imports, read_imports
from bot.verify.warm import walk

FILE = "imports"
MOST = 50_000
"""Files; of a tree that has more nobody asks what reaches what."""

Entries: TypeAlias = dict[str, tuple[str, Imports]]
"""By path: the id of the content, and what it names."""


@dataclass(frozen=True, slots=True)
class Names:
    """Where it is kept; with None it is found out anew each time."""

    kept: Path | None

    def read(self, root: Path, tree: str, contents: Contents | None, until: float) -> Graph | None:
        """Read what the files of a tree name; None where that takes beyond a moment, and then it goes on from there.

        The folder at `root` holds the tree.
        """
        ids = _from_git(contents, tree) if contents is not None else _from_stamps(root)
        if ids is None or len(ids) > MOST:
            return None
        known = self._load()
        found: Entries = {}
        for path, content in ids.items():
            old = known.get(path)
            if old is not None and old[0] == content:
                found[path] = old
            elif time.monotonic() < until:
                found[path] = (content, _names(root, path))
        if found != known:
            # What the time was too short for stays known as it was: another commit may have it again
            self._save(found if len(found) == len(ids) else known | found)
        return Graph({path: told for path, (_, told) in found.items()}) if len(found) == len(ids) else None

    def _load(self) -> Entries:
        """Read what is kept; what is damaged or of another make is as if it were not there."""
        try:
            data = (self.kept / FILE).read_bytes() if self.kept is not None else b""
            head, _, body = data.partition(b"\n")
            if head != _head(body):
                return {}
            told = json.loads(body)
        except (OSError, ValueError):
            return {}
        words = told["words"]
        return {
            path: (content, Imports(frozenset(words[at] for at in modules), frozenset(strings), bool(wild)))
            for path, (content, modules, strings, wild) in told["files"].items()
        }

    def _save(self, entries: Entries) -> None:
        if self.kept is None:
            return
        numbers = {
            word: at for at, word in enumerate({word: 0 for _, told in entries.values() for word in told.modules})
        }
        files = {
            path: (content, [numbers[word] for word in told.modules], [*told.strings], int(told.wild))
            for path, (content, told) in entries.items()
        }
        body = json.dumps({"words": [*numbers], "files": files}, separators=(",", ":")).encode()
        with suppress(OSError):
            write_whole(self.kept / FILE, _head(body) + b"\n" + body)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that whoever reads it sees all of it or what was there before. Raises OSError."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _head(body: bytes) -> bytes:
    """Tell content of ours, read in the way that we read now, from anything else."""
    return hashlib.blake2b(_form() + body, digest_size=16).hexdigest().encode()


@cache
def _form() -> bytes:
    told = Path(imports.__file__).read_bytes() + Path(__file__).read_bytes()
    return hashlib.blake2b(told).digest() + repr(sys.version_info).encode()


def _names(root: Path, path: str) -> Imports:
    """Read a file; one that cannot be read, or is too large for that, may run anything."""
    unknown = Imports(frozenset(), frozenset(), wild=True)
    try:
        target = root / path
        if target.is_symlink():
            return replace(unknown, strings=frozenset({str(target.readlink())}))
        if target.stat().st_size > LARGEST:
            return unknown
        return read_imports(target.read_bytes(), path)
    except OSError:
        return unknown


def _from_git(contents: Contents, tree: str) -> Mapping[str, str]:
    return {blob.path: blob.id for blob in contents.files(tree) if _is_source(blob.path)}


def _from_stamps(root: Path) -> Mapping[str, str] | None:
    """Know files by what changes with every write, where nobody says what they hold."""
    walked = walk(root)
    if walked is None:
        return None
    return {path: str(seen.changed) for path, seen in walked.sources.items() if _is_source(path)}


def _is_source(path: str) -> bool:
    return path.endswith(".py") and not any(name[0] == "." or name in SKIP for name in path.split("/")[:-1])
