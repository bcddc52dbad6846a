"""What runs that died left behind: found by its owner's card, never taken from the living."""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from bot.errors import GitFailed
from bot.git import owner
from bot.git.checkout import delete
from bot.git.repository import Repository
from bot.git.store import open_store

PREFIX = "git-agent-"
"""How the name of every temporary folder of a workspace begins."""


class Leftover(NamedTuple):
    """One thing of a dead run."""

    path: Path
    owner: owner.Owner


def remove_leftovers(repository: Repository, *, dry_run: bool = False) -> tuple[str, ...]:
    """Remove worktrees, folders and empty branches of dead runs, and tell which."""
    found = (*_worktrees(repository), *_folders(repository))
    if not dry_run:
        for leftover in found:
            delete(leftover.path)
        with suppress(OSError):
            (repository.common_dir / "worktrees").rmdir()
    branches = _empty_branches(repository, found, dry_run=dry_run)
    return (*(str(leftover.path) for leftover in found), *branches)


def _worktrees(repository: Repository) -> Iterator[Leftover]:
    """Find entries of ours under the git dir; the verification folder's has no card and goes with its run's folder."""
    for admin in sorted((repository.common_dir / "worktrees").glob("agent-*")):
        folder = _folder_of(admin)
        card = owner.read(admin) or (owner.read(folder.parent) if folder else None)
        ours = folder is not None and folder.parent.name.startswith(PREFIX)
        if card is None and ours and folder is not None and not folder.exists():
            # Made by us, nobody left to ask, and the files are gone as well
            card = owner.Owner(pid=0, started="", boot="", host="")
            yield Leftover(admin, card)
        elif card is not None and ours and not card.alive:
            yield Leftover(admin, card)


def _folder_of(admin: Path) -> Path | None:
    try:
        return Path(os.fsdecode((admin / "gitdir").read_bytes()).strip()).parent
    except OSError:
        return None


def _folders(repository: Repository) -> Iterator[Leftover]:
    for folder in sorted(Path(tempfile.gettempdir()).resolve().glob(f"{PREFIX}*")):
        card = owner.read(folder) if _mine(folder) else None
        if card is not None and card.common_dir == str(repository.common_dir) and not card.alive:
            yield Leftover(folder, card)


def _mine(folder: Path) -> bool:
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()


def _empty_branches(repository: Repository, found: tuple[Leftover, ...], *, dry_run: bool) -> tuple[str, ...]:
    store = open_store(repository)
    removed = []
    for branch, base in dict.fromkeys((leftover.owner.branch, leftover.owner.base) for leftover in found):
        ref = f"refs/heads/{branch}"
        if branch and store.read_ref(ref) == base:
            removed.append(branch)
            if not dry_run:
                with suppress(GitFailed):
                    store.delete_ref(ref, base)
    return tuple(removed)
