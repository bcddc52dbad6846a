"""What a tree holds under one name, and what becomes of it."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol, TypeAlias

from bot.git.leaves import File


class Leaf(NamedTuple):
    """An entry of a tree."""

    mode: int
    id: str


Changes: TypeAlias = Mapping[bytes, Leaf | None]
"""Paths and what they are to be; None is no file."""


class Objects(Protocol):
    """Trees and files of a repository, one by one. Raises GitFailed, Peculiar."""

    def find(self, tree: str, path: bytes) -> Leaf | None:
        """Return what a path is in a tree."""
        ...

    def keep(self, file: File) -> Leaf:
        """Write a file's content as a blob."""
        ...

    def load(self, leaf: Leaf) -> File:
        """Return the content behind an entry that is a file or a link."""
        ...

    def graft(self, tree: str, changes: Changes) -> str:
        """Return the id of a tree with these paths changed."""
        ...
