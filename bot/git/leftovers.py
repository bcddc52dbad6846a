"""What runs that died left behind: found by its owner's card, never taken from the living."""

import fcntl
import os
import re
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from bot.core.change import readable
from bot.core.held import HELD
from bot.errors import GitFailed
from bot.git import owner
from bot.git.disposal import delete, discard, is_mine
from bot.git.repository import Repository
from bot.git.store import open_store
from bot.git.temporary import PREFIX

MOMENT = 10.0
"""Seconds after which an empty folder of ours is nobody's."""
LONG = 86_400.0
"""Seconds after which a folder without an owner's card is nobody's."""
_PASSING = re.compile(rf"{PREFIX}(?:(?:compose|trial|repair)-)?[a-z0-9_]{{8}}")
_PASSED = re.compile(r"secret|wanted|made|index(?:\.lock)?|[0-9]+")
"""What is in such folders; a person may give one of theirs any name."""

NOBODY = owner.Owner(pid=0, started="", boot="", host="")


class Leftover(NamedTuple):
    """One thing of a dead run."""

    path: Path
    owner: owner.Owner


def remove_leftovers(repository: Repository, *, dry_run: bool = False, later: bool = False) -> tuple[str, ...]:
    """Remove worktrees, folders and empty branches of dead runs, and tell which.

    With `later` folders are only moved aside when there is much in them, for sweep() to delete.
    """
    # The one may lead to what the other lists
    found = tuple({leftover.path: leftover for leftover in (*_worktrees(repository), *_folders(repository))}.values())
    listed = [leftover.path for leftover in found if leftover.path.is_relative_to(repository.common_dir)]
    if not dry_run:
        for path in listed:
            delete(path)
        with suppress(OSError):
            (repository.common_dir / "worktrees").rmdir()
    # Where git lists no dead worktree any more, and while there are still cards: this may be killed as well
    branches = _empty_branches(repository, found, dry_run=dry_run)
    for leftover in () if dry_run else found:
        if leftover.path not in listed:
            discard(leftover.path) if later else delete(leftover.path)
    return (*(str(leftover.path) for leftover in found), *branches)


def _worktrees(repository: Repository) -> Iterator[Leftover]:
    """Find entries of ours under the git dir, whole or half made or half removed."""
    for admin in sorted((repository.common_dir / "worktrees").glob("agent-*")):
        folder = _folder_of(admin)
        own = owner.read(admin)
        card = own or (owner.read(folder.parent) if folder else None)
        ours = folder is not None and _is_place(folder)
        if card is None and ours and folder is not None and not folder.exists():
            # Made by us, nobody left to ask, and the files are gone as well
            yield Leftover(admin, NOBODY)
        elif card is not None and (own or ours) and not card.alive:
            yield Leftover(admin, card)
            # It may lie elsewhere than folders of ours are made today
            if ours and folder is not None and owner.read(folder.parent) == card:
                yield Leftover(folder.parent, card)
        elif card is None and (_hollow(admin) or _begun(repository, admin)):
            yield Leftover(admin, NOBODY)


def _is_place(folder: Path) -> bool:
    """Say whether a worktree lies where only ours do: in a folder that bears the name of its run."""
    run = folder.name.removeprefix("agent-").removesuffix("-clean")
    return folder.name.startswith("agent-") and folder.parent.name.startswith(f"{PREFIX}{run}-")


def _folder_of(admin: Path) -> Path | None:
    try:
        return Path(os.fsdecode((admin / "gitdir").read_bytes()).strip()).parent
    except OSError:
        return None


def _begun(repository: Repository, admin: Path) -> bool:
    """Say whether an entry that has no whole card yet was being made by a run that is dead, or by nobody any more."""
    if (admin / "gitdir").exists():
        return False
    start = PREFIX + admin.name.removeprefix("agent-").removesuffix("-clean") + "-"
    found = (owner.read(folder) for folder in _temporary() if f"{folder.name}-".startswith(start))
    cards = [card for card in found if card is not None and card.common_dir == owner.place(repository.common_dir)]
    if cards:
        return not any(card.alive for card in cards)
    with suppress(OSError):
        return {entry.name for entry in admin.iterdir()} == {owner.NAME} and _old(admin)
    return False


def _temporary() -> list[Path]:
    """List what lies under our names where temporary folders are made, and belongs to this user."""
    return [path for path in sorted(Path(tempfile.gettempdir()).resolve().glob(f"{PREFIX}*")) if is_mine(path)]


def _folders(repository: Repository) -> Iterator[Leftover]:
    place = owner.place(repository.common_dir)
    for folder in _temporary():
        card = owner.read(folder)
        if card is not None and card.common_dir == place and not card.alive:
            yield Leftover(folder, card)
        elif _abandoned(folder) or (card is None and _private(folder) and (_hollow(folder) or _forgotten(folder))):
            yield Leftover(folder, NOBODY)


def _private(folder: Path) -> bool:
    """Say whether a folder is closed to others, as all are that we make."""
    with suppress(OSError):
        return stat.S_IMODE(folder.lstat().st_mode) == stat.S_IRWXU
    return False


def _abandoned(folder: Path) -> bool:
    """Say whether a folder that a command had for its own belongs to no process any more."""
    try:
        with (folder / HELD).open("rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _hollow(folder: Path) -> bool:
    """Say whether a folder is for longer than it takes as it is before it has a card, and after that went."""
    with suppress(OSError):
        found = [entry.name for entry in folder.iterdir()]
        return all(name == f"{HELD}.new" or name.startswith(f".{owner.NAME}.") for name in found) and _old(folder)
    return False


def _old(folder: Path) -> bool:
    return time.time() - folder.lstat().st_mtime > MOMENT


def _forgotten(folder: Path) -> bool:
    """Say whether a folder that is only ever used for moments has not been used for so long that nobody comes back."""
    with suppress(OSError):
        passing = _PASSING.fullmatch(folder.name) and all(_PASSED.fullmatch(entry.name) for entry in folder.iterdir())
        return bool(passing) and time.time() - folder.lstat().st_mtime > LONG
    return False


def _empty_branches(repository: Repository, found: tuple[Leftover, ...], *, dry_run: bool) -> tuple[str, ...]:
    store = open_store(repository)
    removed = []
    for branch, base in dict.fromkeys((leftover.owner.branch, leftover.owner.base) for leftover in found):
        ref = f"refs/heads/{branch}"
        if branch and store.read_ref(ref) == base and not _in_use(repository, branch, found):
            removed.append(branch)
            if not dry_run:
                with suppress(GitFailed):
                    store.delete_ref(ref, base)
    return tuple(removed)


def _in_use(repository: Repository, branch: str, found: tuple[Leftover, ...]) -> bool:
    """Say whether somebody stands on a branch, beside those that are found to be dead."""
    place = repository.place_of(branch)
    dead = {readable(os.fsencode(leftover.path)) for leftover in found}
    return bool(place) and place.rpartition("/")[0] not in dead
