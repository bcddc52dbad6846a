"""Locks at refs of ours that a kill left behind: git would refuse to move those refs for ever."""

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from bot.git.names import is_ours
from bot.git.repository import Repository

OLD = 2.0
"""Seconds; whoever moves a ref has its lock for an instant."""
_FOLDERS = ("refs/agent", "refs/heads")
_HEADS = "refs/heads/"


def release(repository: Repository, refs: Iterable[str]) -> None:
    """Remove what is left at these refs, which nobody of ours moves now; a fresh lock is waited for."""
    for ref in refs:
        lock = repository.common_dir / f"{ref}.lock"
        while (age := _age(lock)) is not None and _ours(ref):
            if age > OLD:
                lock.unlink(missing_ok=True)
            else:
                time.sleep(OLD / 20)


def find_left(repository: Repository) -> Iterator[str]:
    """Name the refs of ours that have an old lock."""
    for folder in _FOLDERS:
        for lock in sorted((repository.common_dir / folder).rglob("*.lock")):
            ref = str(lock.relative_to(repository.common_dir)).removesuffix(".lock")
            age = _age(lock)
            if _ours(ref) and age is not None and age > OLD:
                yield ref


def _ours(ref: str) -> bool:
    # A record that was fetched may call a branch anything
    if ".." in ref:
        return False
    return ref.startswith("refs/agent/") or (ref.startswith(_HEADS) and is_ours(ref.removeprefix(_HEADS)))


def _age(lock: Path) -> float | None:
    with suppress(OSError):
        # A clock that was set back makes no lock younger than it is
        return abs(time.time() - lock.lstat().st_mtime)
    return None
