"""Makes linked worktrees of our own beside the person's."""

import os
import shutil
import time
from contextlib import suppress
from pathlib import Path

from bot.errors import GitFailed, RepositoryChanged
from bot.git import owner
from bot.git.checkout import Checkout
from bot.git.disposal import delete
from bot.git.glance import Glance
from bot.git.repository import Repository
from bot.git.run import Git
from bot.git.signals import uninterrupted

MOST_WORKERS = 8
"""Processes that lay files out side by side."""

# A worktree of ours holds the whole tree, whatever the person's own checkout leaves out
_WHOLE = (
    ("core.sparseCheckout", "false"),
    ("core.splitIndex", "false"),
    ("core.untrackedCache", "false"),
    ("index.sparse", "false"),
    # What holds for the person's disk need not hold for ours: two names in one, or links as files, would lose content
    ("core.ignorecase", "false"),
    ("core.symlinks", "true"),
    ("checkout.workers", str(min(MOST_WORKERS, os.cpu_count() or 1))),
)

_REFTABLE = "reftable"
"""Folder of the common git dir where refs are kept in tables, of which each worktree has some of its own."""
_PAUSES = (0.05, 0.1, 0.2, 0.4)
"""Seconds between tries to make a worktree: git stumbles over one that somebody makes or drops at that moment."""


def link(repository: Repository, root: Path, *where: str) -> Checkout:
    """Make an empty linked worktree; `where` is what `git worktree add` wants to know besides the folder.

    Where there is no commit yet the last word is empty, and it stands on a branch that does not exist.
    An owner's card beside the folder is left at git's entry too, which may outlive the folder.
    """
    with uninterrupted():
        admin = _ask_git(repository, root, where) if (repository.common_dir / _REFTABLE).exists() else None
        admin = admin or _enter(repository, root, _head(root, where))
    git = Git(admin, root, config=(*repository.silenced, *_WHOLE))
    return Checkout(root, admin, git, repository.filters, Glance(root, git, repository))


def _head(root: Path, where: tuple[str, ...]) -> str:
    # A commit of zeros would stop the person's fsck and gc
    detached = where[0] == "--detach" and where[-1]
    return where[-1] if detached else f"ref: refs/heads/{where[-1] or root.name}"


def _enter(repository: Repository, root: Path, head: str) -> Path:
    """Write git's entry of a worktree, and the worktree's pointer to it. Raises GitFailed.

    Git itself writes a commit into an entry only after the entry counts: whoever fetches in that moment fails.
    """
    admin = _make_entry(repository.common_dir / "worktrees", root.name)
    try:
        root.mkdir()
        _keep_card(root, admin)
        _write(admin / "commondir", "../..")
        _write(admin / "HEAD", head)
        _write(root / ".git", f"gitdir: {admin}")
        # With this file git takes notice of the rest
        _write(admin / "gitdir", f"{root}/.git")
    except OSError:
        delete(admin)
        with suppress(OSError):
            admin.parent.rmdir()
        raise
    return admin


def _keep_card(root: Path, admin: Path) -> None:
    card = root.parent / owner.NAME
    if card.exists():
        shutil.copy(card, admin)


def _make_entry(entries: Path, name: str) -> Path:
    for pause in (*_PAUSES, 0):
        entries.mkdir(exist_ok=True)
        try:
            (entries / name).mkdir()
        except FileNotFoundError:
            # Whoever drops the last worktree takes this folder away, too
            time.sleep(pause)
        except FileExistsError as error:
            raise GitFailed(f"there is a worktree called {name} already") from error
        else:
            return entries / name
    raise GitFailed(f"the folder of git's worktrees cannot be kept: {entries}")


def _write(path: Path, line: str) -> None:
    path.write_bytes(os.fsencode(f"{line}\n"))


def _ask_git(repository: Repository, root: Path, where: tuple[str, ...]) -> Path:
    """Let git make the entry, where refs are not kept as files. Raises GitFailed."""
    _add(repository, root, where)
    # Nobody but us was in this folder yet: this once its pointer can be believed
    admin = Path(os.fsdecode((root / ".git").read_bytes()).removeprefix("gitdir: ").removesuffix("\n"))
    if admin.parent != repository.common_dir / "worktrees":
        raise RepositoryChanged("git made the worktree somewhere else than asked for")
    _keep_card(root, admin)
    return admin


def _add(repository: Repository, root: Path, where: tuple[str, ...]) -> None:
    usual = ("--no-checkout", *where[:-1], str(root), where[-1])
    command = ("worktree", "add", "--quiet", *(usual if where[-1] else ("--orphan", "-b", root.name, str(root))))
    for pause in (*_PAUSES, 0):
        answer = repository.shared.ask(*command)
        if not answer.code:
            return
        if not pause or "/worktrees" not in answer.error:
            with suppress(OSError):
                (repository.common_dir / "worktrees").rmdir()
            raise GitFailed(f"git worktree failed: {answer.error}")
        time.sleep(pause)
