"""Which of the paths that git lists in a checkout can be recorded, and which are gone."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from bot.core.change import readable
from bot.errors import WorkspaceError
from bot.git.run import Git


def sort_found(git: Git, root: Path, listed: Iterable[bytes]) -> tuple[list[bytes], list[bytes]]:
    """Tell paths to record from paths that are no longer files; nested repositories and submodules are neither."""
    named = [path for path in listed if not path.endswith(b"/")]
    present = [path for path in named if _recordable(os.fsencode(root), path)]
    absent = set(named).difference(present)
    return present, sorted(absent - _submodules(git) if absent else absent)


def refuse_filtered(git: Git, filters: tuple[str, ...], paths: list[bytes]) -> None:
    """Refuse what the project stores through a filter: that is a program, and we do not run it.

    Raises WorkspaceError.
    """
    if not filters or not paths:
        return
    told = git.output("check-attr", "-z", "--stdin", "filter", stdin=joined(paths)).split(b"\0")
    for path, value in zip(told[::3], told[2::3], strict=False):
        if os.fsdecode(value) in filters:
            raise WorkspaceError(
                f"{readable(path)} is stored through the filter {readable(value)}, which is never run here",
                hint="keep the task away from such files (Git LFS and the like)",
            )


def is_file(path: bytes) -> bool:
    """Say whether there is a file or a link."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def joined(paths: Iterable[bytes]) -> bytes:
    """Write paths as git reads them."""
    return b"".join(path + b"\0" for path in paths)


def _recordable(top: bytes, path: bytes) -> bool:
    parts = path.split(b"/")
    parents = (os.path.join(top, *parts[:depth]) for depth in range(1, len(parts)))  # noqa: PTH118
    return not any(map(os.path.islink, parents)) and is_file(os.path.join(top, path))  # noqa: PTH118


def _submodules(git: Git) -> set[bytes]:
    entries = git.names("ls-files", "-z", "--stage")
    return {entry.partition(b"\t")[2] for entry in entries if entry.startswith(b"160000 ")}
