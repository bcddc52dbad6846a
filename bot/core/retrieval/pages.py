"""What ranking knows of a tree: its files, and which of them were changed for what."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Page:
    """One file."""

    path: str
    words: Sequence[str] = ()
    """Names and words that stand anywhere in it, each once, as they are written."""
    counts: Sequence[int] = ()
    """How often each of them does."""
    names: Sequence[str] = ()
    """The dotted names of what it defines."""


class Change(NamedTuple):
    """A commit of the past."""

    subject: str
    paths: tuple[str, ...]
