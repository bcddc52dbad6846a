"""What changed between two trees, established from the objects themselves; what disagrees is not believed."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Protocol

import pygit2

from bot.core.change import ChangeSet, FileChange, Kind, readable
from bot.core.project import read_table
from bot.git.delta import ABSENT, LINK, SUBMODULE, Delta, find_clashes
from bot.git.difference import Difference, LibraryReader
from bot.git.difftree import ExecutableReader
from bot.git.repository import Repository

PATCH_LIMIT = 200_000
"""Characters of patch text that are kept."""
SETTINGS_FILE = b"pyproject.toml"

_KINDS: dict[str, Kind] = {"A": "added", "M": "modified", "D": "deleted", "T": "typechange"}


class Reader(Protocol):
    """What an audit asks of a back end. Raises WorkspaceError."""

    def trees(self, *treeish: str) -> tuple[str, ...]:
        """Return the ids of commits' trees; a tree is its own."""
        ...

    def differences(self, base: str, tree: str) -> Iterator[Difference]:
        """Tell of each path that differs, once, in the order of their bytes."""
        ...

    def content(self, blob: str) -> bytes:
        """Return the content of a blob."""
        ...

    def names(self, tree: str, folder: bytes) -> Iterable[bytes]:
        """Return the names in a folder, which ends with a slash unless it is the root."""
        ...


def changes(repository: Repository, old: str, new: str) -> ChangeSet:
    """List what differs between two trees or commits. Raises WorkspaceError when counts and contents disagree."""
    return examine(open_reader(repository), old, new)


def open_reader(repository: Repository) -> Reader:
    """Choose the back end that fits a repository."""
    if repository.library:
        with suppress(pygit2.GitError, KeyError, ValueError, OSError):
            return LibraryReader(pygit2.Repository(str(repository.common_dir)))
    return ExecutableReader(repository.shared)


def examine(reader: Reader, old: str, new: str) -> ChangeSet:
    """List what differs, as a back end tells it. Raises WorkspaceError."""
    base, tree = reader.trees(old, new)
    if base == tree:
        return ChangeSet(base=base, tree=tree)
    found = tuple(reader.differences(base, tree))
    added = [each.delta.path for each in found if each.delta.status == "A"]
    clashes = find_clashes(added, lambda folder: reader.names(base, folder), lambda folder: reader.names(tree, folder))
    return ChangeSet(
        base=base,
        tree=tree,
        files=tuple(map(_describe, found)),
        patch=_shorten([each.text for each in found]),
        clashes=tuple(clashes),
        settings=any(_resets(reader, each.delta) for each in found),
    )


def _describe(found: Difference) -> FileChange:
    delta = found.delta
    return FileChange(
        path=readable(delta.path),
        kind=_KINDS[delta.status],
        added=found.added,
        removed=found.removed,
        mode=delta.old_mode if delta.status == "D" else delta.new_mode,
        old_mode="" if delta.old_mode == ABSENT else delta.old_mode,
        binary=found.binary,
        size=found.size,
    )


def _resets(reader: Reader, delta: Delta) -> bool:
    """Tell whether a change is one of what the project sets for us."""
    if delta.path != SETTINGS_FILE:
        return False
    old, new = (
        read_table(reader.content(blob)) if mode not in (ABSENT, LINK, SUBMODULE) else {}
        for mode, blob in ((delta.old_mode, delta.old), (delta.new_mode, delta.new))
    )
    # What cannot be read sets nothing
    return (old or {}) != (new or {})


def _shorten(sections: Sequence[str]) -> str:
    whole = "".join(sections)
    if len(whole) <= PATCH_LIMIT:
        return whole
    kept = whole[:PATCH_LIMIT]
    kept = kept[: kept.rfind("\n") + 1]
    return f"{kept}[patch cut: {len(whole) - len(kept)} more characters]\n"
