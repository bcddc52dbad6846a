"""Finds the things of the person's checkout that checks need and no commit holds."""

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

CARRY = (".venv", "venv", "node_modules")
"""What is carried without being asked for."""
MOST = 256
"""Things that one pattern may carry."""


def find_carried(repository: Path, patterns: Sequence[str]) -> tuple[Path, ...]:
    """List what the patterns name in a checkout, relative to it."""
    found: list[Path] = []
    for pattern in patterns:
        parts = Path(pattern).parts
        if parts and not pattern.startswith("/") and not {"..", ".git"} & set(parts):
            found += islice((path.relative_to(repository) for path in repository.glob(pattern)), MOST)
    return tuple(outermost(dict.fromkeys(found)))


def outermost(paths: Sequence[Path] | dict[Path, None]) -> Iterator[Path]:
    """Drop what lies below another."""
    for path in paths:
        if not any(other in path.parents for other in paths):
            yield path


def vacant(tree: Path, place: Path) -> bool:
    """Say whether nothing of the tree's own stands at a place, and no link leads there."""
    if any((tree / parent).is_symlink() for parent in place.parents):
        return False
    target = tree / place
    if not os.path.lexists(target):
        return True
    return target.is_dir() and not target.is_symlink() and not any(target.iterdir())
