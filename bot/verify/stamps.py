"""Sees which files of a tree were written to while a check ran."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from bot.verify.detection.project import SKIP

MOST_NAMED = 20


class Stamp(NamedTuple):
    """What changes with every write, and cannot be put back by whoever wrote."""

    changed: int
    size: int


def take(root: Path) -> Mapping[str, Stamp]:
    """Stamp the files below a folder; what is carried into a tree, or hidden in it, is not the tree's own."""
    return dict(_walk(root, ""))


def rewritten(root: Path, before: Mapping[str, Stamp]) -> tuple[str, ...]:
    """Name the files that were there before and are not as they were."""
    now = take(root)
    return tuple(sorted(path for path, stamp in before.items() if now.get(path) != stamp))[:MOST_NAMED]


def _walk(folder: Path, inside: str) -> Iterator[tuple[str, Stamp]]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if entry.name[0] != "." and entry.name not in SKIP:
                yield from _walk(Path(entry.path), f"{inside}{entry.name}/")
        else:
            state = entry.stat(follow_symlinks=False)
            yield f"{inside}{entry.name}", Stamp(state.st_ctime_ns, state.st_size)
