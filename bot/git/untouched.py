"""Files that git takes for changed although nobody wrote them: as stored, they go against their own attributes."""

import hashlib
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from bot.git import leaves
from bot.git.leaves import File, Peculiar
from bot.git.run import Git

MOST_PATHS = 200
"""Paths that git is asked about by name."""


class Entry(NamedTuple):
    """What the index has of a path."""

    mode: int
    id: str


def find_untouched(git: Git, root: Path, paths: Collection[bytes]) -> frozenset[bytes]:
    """Return those of the paths that are to the byte what the index has, or what git lays out of it.

    Such a file is stored with CRLF and to be stored without, say: to add it would change all of its lines.
    """
    tracked = dict(_entries(git, paths)) if paths else {}
    found = {path: _read(root, path) for path in tracked}
    stored = {path for path, file in found.items() if file is not None and _is_stored(file, tracked[path])}
    rest = tracked.keys() - stored
    if not rest:
        return frozenset(stored)
    with tempfile.TemporaryDirectory(prefix="laid-", dir=root.parent) as folder:
        git.output("checkout-index", "--quiet", f"--prefix={folder}/", "-z", "--stdin", stdin=_joined(rest))
        laid = {path for path in rest if found[path] is not None and found[path] == _read(Path(folder), path)}
        return frozenset(stored | laid)


def _entries(git: Git, paths: Collection[bytes]) -> Iterator[tuple[bytes, Entry]]:
    few = ("--", *(path.decode("utf-8", "surrogateescape") for path in paths)) if len(paths) <= MOST_PATHS else ()
    wanted = frozenset(paths)
    for told in git.names("ls-files", "-z", "--stage", *few):
        facts, _, path = told.partition(b"\t")
        mode, name, stage = facts.decode("ascii").split(" ")
        if path in wanted and stage == "0" and int(mode, 8) in (leaves.REGULAR, leaves.EXECUTABLE):
            yield path, Entry(int(mode, 8), name)


def _read(root: Path, path: bytes) -> File | None:
    with suppress(Peculiar, OSError):
        return leaves.read(root, path)
    return None


def _is_stored(file: File, entry: Entry) -> bool:
    digest = hashlib.new("sha1" if len(entry.id) == 40 else "sha256", usedforsecurity=False)  # noqa: PLR2004 - hex digits
    digest.update(b"blob %d\0" % len(file.content) + file.content)
    return (file.mode, digest.hexdigest()) == entry


def _joined(paths: Iterable[bytes]) -> bytes:
    return b"".join(path + b"\0" for path in paths)
