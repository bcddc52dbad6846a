"""Where commands run: what executors of every level are made from."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.sandbox.carrying import CARRY


@dataclass(frozen=True, slots=True)
class Site:
    """One repository, and what its commands need of this machine."""

    repository: Path
    """Top of the person's working copy, in whose place a tree is shown where that can be."""
    common_dir: Path
    interpreters: Sequence[Path] = ()
    carry: Sequence[str] = CARRY
    """Patterns of what goes along from the working copy into each tree."""
    readable: Sequence[Path] = ()
    """Folders outside that may be read, besides those of the system and of the interpreters."""
    search: Sequence[Path] = ()
    """Folders where programs that are named without one are looked for first."""
