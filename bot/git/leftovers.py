"""What runs that died left behind: found by its owner's card, never taken from the living."""

import fcntl
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
from bot.protocols import HELD

PREFIX = "git-agent-"
"""How the name of every temporary folder of a workspace begins."""


NOBODY = owner.Owner(pid=0, started="", boot="", host="")


class Leftover(NamedTuple):
    """One thing of a dead run."""

    path: Path
    owner: owner.Owner


def remove_leftovers(repository: Repository, *, dry_run: bool = False) -> tuple[str, ...]:
    """Remove worktrees, folders and empty branches of dead runs, and tell which."""
    # The one may lead to what the other lists
    found = tuple({leftover.path: leftover for leftover in (*_worktrees(repository), *_folders(repository))}.values())
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
            yield Leftover(admin, NOBODY)
        elif card is not None and ours and not card.alive:
            yield Leftover(admin, card)
            # It may lie elsewhere than folders of ours are made today
            if folder is not None and owner.read(folder.parent) == card:
                yield Leftover(folder.parent, card)


def _folder_of(admin: Path) -> Path | None:
    try:
        return Path(os.fsdecode((admin / "gitdir").read_bytes()).strip()).parent
    except OSError:
        return None


def _folders(repository: Repository) -> Iterator[Leftover]:
    place = owner.place(repository.common_dir)
    for folder in sorted(Path(tempfile.gettempdir()).resolve().glob(f"{PREFIX}*")):
        if not _mine(folder):
            continue
        card = owner.read(folder)
        if card is not None and card.common_dir == place and not card.alive:
            yield Leftover(folder, card)
        elif _abandoned(folder):
            yield Leftover(folder, NOBODY)


def _abandoned(folder: Path) -> bool:
    """Say whether a folder that a command had for its own belongs to no process any more."""
    try:
        with (folder / HELD).open("rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


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
