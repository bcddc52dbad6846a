"""Keeps what a command has strewn about from being copied into the person's object store."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from bot.errors import WorkspaceError

MOST_FILES, MOST_BYTES = 50_000, 1 << 30
"""What one look records: far more than any limit of a change lets through."""


def refuse_flood(root: Path, paths: Sequence[bytes]) -> None:
    """Refuse to record very many files, or very large ones. Raises WorkspaceError."""
    if len(paths) > MOST_FILES:
        raise WorkspaceError(f"{len(paths):,} files were written, and no more than {MOST_FILES:,} are recorded")
    size = sum(map(_size, (os.path.join(os.fsencode(root), path) for path in paths)))  # noqa: PTH118
    if size > MOST_BYTES:
        raise WorkspaceError(f"{size:,} bytes were written, and no more than {MOST_BYTES:,} are recorded")


def _size(path: bytes) -> int:
    with suppress(OSError):
        return os.lstat(path).st_size
    return 0
