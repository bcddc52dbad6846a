"""What differs between two trees, seen through libgit2: in this process, by objects and contents alone."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import pygit2
from pygit2.enums import ObjectType

from bot.git.delta import ABSENT, SUBMODULE, Delta, parse_tree, walk
from bot.git.library import Mapped
from bot.git.section import compare, confirm, note, write

SNIFFED = 8000
"""Bytes of a content that are looked at for a NUL, as git does."""
LARGEST = 64_000_000
"""Bytes of a content beyond which it is neither read nor shown."""

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""A tree that is known and need not be stored."""
BINARY = "Binary file: content not shown"
HUGE = "Too large: content not shown"


class Difference(NamedTuple):
    """One path that differs, and how."""

    delta: Delta
    added: int
    removed: int
    binary: bool
    size: int
    """Bytes of the new content."""
    text: str
    """Its part of the patch."""


@dataclass(frozen=True, slots=True)
class LibraryReader:
    """Reads trees and contents through libgit2, which is told of nothing else."""

    repo: pygit2.Repository
    """Opened for one audit: a handle that is kept does not see what git wrote meanwhile."""

    def trees(self, *treeish: str) -> tuple[str, ...]:
        """Return the ids of commits' trees; a tree is its own."""
        with Mapped("read a tree"):
            return tuple(map(self._tree, treeish))

    def differences(self, base: str, tree: str) -> Iterator[Difference]:
        """Tell of each path that differs. Raises WorkspaceError."""
        yield from map(self._describe, walk(self._read, base, tree))

    def content(self, blob: str) -> bytes:
        """Return the content of a blob."""
        return self._read(blob)

    def names(self, tree: str, folder: bytes) -> Iterable[bytes]:
        """Return the names in a folder, which ends with a slash unless it is the root."""
        for part in folder.split(b"/")[:-1]:
            mode, oid = parse_tree(self._read(tree)).get(part, (b"", b""))
            if not mode.lstrip(b"0").startswith(b"4"):
                return ()
            tree = oid.hex()
        return parse_tree(self._read(tree))

    def _tree(self, treeish: str) -> str:
        # Whoever looks a tree up has all of it read
        kind, _ = self.repo.odb.read_header(treeish) if treeish != EMPTY_TREE else (ObjectType.TREE, 0)
        return treeish if kind == ObjectType.TREE else str(self.repo[treeish].peel(pygit2.Commit).tree_id)

    def _read(self, oid: str) -> bytes:
        if oid == EMPTY_TREE:
            return b""
        with Mapped(f"read {oid}"):
            return self.repo.read(oid)[1]

    def _size(self, mode: str, oid: str) -> int:
        if mode in (ABSENT, SUBMODULE):
            return 0
        with Mapped(f"read the size of {oid}"):
            return int(self.repo.odb.read_header(oid)[1])

    def _describe(self, delta: Delta) -> Difference:
        before, size = self._size(delta.old_mode, delta.old), self._size(delta.new_mode, delta.new)
        if max(before, size) > LARGEST:
            return Difference(delta, 0, 0, binary=True, size=size, text=note(delta, HUGE))
        old, new = self._content(delta.old_mode, delta.old), self._content(delta.new_mode, delta.new)
        pairs = [(old, None), (None, new)] if delta.status == "T" else [(old, new)]
        compared = [compare(*pair) for pair in pairs]
        hunks = [body for body, _, _ in compared]
        if is_binary(old) or is_binary(new) or any(b"\0" in body for body in hunks):
            return Difference(delta, 0, 0, binary=True, size=size, text=note(delta, BINARY))
        added, removed = sum(count for _, count, _ in compared), sum(count for *_, count in compared)
        confirm(delta.path, hunks, (added, removed), [(before or b"", after or b"") for before, after in pairs])
        text = write(delta, hunks).decode("utf-8", "backslashreplace")
        return Difference(delta, added, removed, binary=False, size=size, text=text)

    def _content(self, mode: str, oid: str) -> bytes | None:
        if mode == ABSENT:
            return None
        return f"Subproject commit {oid}\n".encode() if mode == SUBMODULE else self._read(oid)


def is_binary(content: bytes | None) -> bool:
    """Decide by content, and never by a name or an attribute, whether it is no text."""
    return content is not None and b"\0" in content[:SNIFFED]
