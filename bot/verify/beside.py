"""A small tree laid out a second time, so that tests can run in it while others look at the first."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MOST = 500
"""Entries; copying more takes longer than is won."""
LARGEST = 16 << 20
"""Bytes."""


@contextmanager
def second(root: Path) -> Iterator[Path | None]:
    """Copy a tree beside itself for as long as it is needed; None when it is too much or cannot be copied."""
    copy = root.with_name(f"{root.name}-{os.urandom(4).hex()}")
    try:
        yield copy if _is_small(root) and _copy(root, copy) else None
    finally:
        shutil.rmtree(copy, ignore_errors=True)


def _is_small(root: Path) -> bool:
    size = 0
    try:
        for count, entry in enumerate(_entries(str(root))):
            size += entry.stat(follow_symlinks=False).st_size
            if count > MOST or size > LARGEST:
                return False
    except OSError:
        return False
    return True


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            yield entry
            if entry.is_dir(follow_symlinks=False):
                yield from _entries(entry.path)


def _copy(root: Path, copy: Path) -> bool:
    try:
        shutil.copytree(root, copy, symlinks=True)
    except (OSError, shutil.Error):
        return False
    return True
