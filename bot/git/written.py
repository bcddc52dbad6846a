"""Notes of what was written in this repository: no fetch brings them along, so that a stranger's is told from ours."""

import os
from collections.abc import Collection
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from bot.git.repository import Repository

FOLDER = Path("git-agent", "ours")
"""Below the git dir that all worktrees share."""
OPEN = "open"
"""Stands behind the commit while what a journal holds is ours, too."""
_WIDTH = 64
"""Characters of the longest name that git gives to an object."""
_LONGEST = 100


def note(repository: Repository, ref: str, stands: str, *, going: bool = False) -> None:
    """Note what we made a ref of ours stand at, and whether more of it is in a journal.

    A note that cannot be written makes the ref a stranger's.
    """
    path = _path(repository, ref)
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            # As long as the one before and in one go: a kill leaves the one or the other
            os.write(descriptor, f"{stands:<{_WIDTH}} {OPEN if going else '':<{len(OPEN)}}\n".encode("ascii"))
        finally:
            os.close(descriptor)


def recall(repository: Repository, ref: str) -> str:
    """Return what was noted of a ref; empty when nothing was."""
    with suppress(OSError), _path(repository, ref).open(encoding="ascii", errors="replace") as file:
        return " ".join(file.read(_LONGEST).split())
    return ""


def is_own(repository: Repository, ref: str, stands: str, *, kept: bool) -> bool:
    """Say whether a record was written here; `kept` tells whether a journal holds all that its ref does, or more."""
    noted = recall(repository, ref).split(" ")
    return (bool(stands) and stands in noted) or (OPEN in noted and kept)


def forget(repository: Repository, ref: str) -> None:
    """Drop what was noted of a ref."""
    with suppress(OSError):
        _path(repository, ref).unlink(missing_ok=True)


def forget_others(repository: Repository, refs: Collection[str]) -> None:
    """Drop the notes of all refs but these."""
    known = {_path(repository, ref).name for ref in refs}
    folder = repository.common_dir / FOLDER
    with suppress(OSError):
        for path in folder.iterdir():
            if path.name not in known:
                path.unlink(missing_ok=True)
        folder.rmdir()
        folder.parent.rmdir()


def _path(repository: Repository, ref: str) -> Path:
    return repository.common_dir / FOLDER / blake2b(ref.encode("utf-8", "surrogateescape"), digest_size=24).hexdigest()
