"""Moves the person's own branch and files, forward or back, or leaves everything as it is."""

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import accumulate

from bot.core.change import readable
from bot.errors import UsageError
from bot.git.objects import AGENT
from bot.git.operation import find_operations
from bot.git.repository import Repository
from bot.git.run import Answer, Git

_SHOWN = 5
PATIENCE = 1.0
"""Seconds that another command may go on holding the index."""
_CHANGED = ("diff-tree", "-r", "-z", "--no-renames")
# The reflog wants somebody, and a person without an identity is no reason to fail
_SOMEBODY = {"GIT_COMMITTER_NAME": AGENT.name, "GIT_COMMITTER_EMAIL": AGENT.email}


def shift(repository: Repository, before: str, after: str, why: str) -> None:
    """Move the checkout from one commit to another. Raises UsageError before anything is touched."""
    rehearse(repository, before, after)
    moved = _person(repository).ask("read-tree", "-m", "-u", before, after)
    if moved.code:
        _put_back(repository, before, after)
    _refuse(moved)
    point(repository, before, after, why)


def point(repository: Repository, before: str, after: str, why: str) -> None:
    """Move the branch that the person is on, whose files are there already. Raises UsageError."""
    moved = repository.git.ask("update-ref", "-m", f"git agent: {why}", "HEAD", after, before, environ=_SOMEBODY)
    _refuse(moved, "look at git status")


def rehearse(repository: Repository, before: str, after: str) -> None:
    """Find out whether the checkout can be moved, and move nothing. Raises UsageError."""
    refuse_operation(repository)
    _wait(repository)
    mine = _mine(repository)
    hit = sorted(set(_in_the_way(repository.git.names(*_CHANGED, "--name-only", before, after), mine)))
    if hit:
        names = ", ".join(map(readable, hit[:_SHOWN])) + (f" and {len(hit) - _SHOWN} more" if hit[_SHOWN:] else "")
        raise UsageError(f"uncommitted work of yours is in the way: {names}", "commit, move or stash it first")
    order = f"start\nupdate HEAD {after} {before}\nprepare\nabort\n".encode()
    _refuse(repository.git.ask("update-ref", "--stdin", stdin=order, environ=_SOMEBODY))
    git = _person(repository)
    # A file that was only touched is no change: read-tree does not look itself
    git.ask("update-index", "-q", "--refresh")
    _refuse(git.ask("read-tree", "-n", "-m", "-u", before, after))


def _wait(repository: Repository) -> None:
    """Let another git that works on the index finish; a lock that stays is somebody's to look at, and is told of."""
    until = time.monotonic() + PATIENCE
    while (repository.git_dir / "index.lock").exists() and time.monotonic() < until:
        time.sleep(PATIENCE / 50)


def refuse_operation(repository: Repository) -> None:
    """Stop where the person is in the middle of something of git's. Raises UsageError."""
    operations = find_operations(repository)
    if operations:
        raise UsageError(f"a {' and a '.join(operations)} is in progress here: finish or abort it first")


def _put_back(repository: Repository, before: str, after: str) -> None:
    """Make the files again what they were when a full disk, a closed folder or a filter stopped git half-way.

    Nothing of the person's was in any of these paths a moment ago.
    """
    changed = repository.git.names(*_CHANGED, "--name-only", before, after)
    known = {entry.partition(b"\t")[2] for entry in repository.git.names("ls-files", "-z", "--stage")}
    for path in (os.path.join(os.fsencode(repository.root), name) for name in changed if name not in known):  # noqa: PTH118
        with suppress(OSError):
            os.unlink(path)  # noqa: PTH108 - a name may be no text
            os.removedirs(os.path.dirname(path))  # noqa: PTH120
    differing = set(repository.git.names("diff-files", "-z", "--name-only")).intersection(changed)
    listed = b"".join(path + b"\0" for path in sorted(differing))
    _person(repository).ask("checkout-index", "-f", "-q", "-u", "-z", "--stdin", stdin=listed)


def files_stand_at(repository: Repository, before: str, after: str) -> bool:
    """Say whether the index already holds the second commit wherever the two differ."""
    raw = repository.git.names(*_CHANGED, "--raw", "--no-abbrev", before, after)
    wanted = {path: fields.split()[1:4:2] for fields, path in zip(raw[::2], raw[1::2], strict=True)}
    listed = (entry.partition(b"\t") for entry in repository.git.names("ls-files", "-z", "--stage"))
    staged = {path: fields.split()[:2] for fields, _, path in listed if path in wanted}
    gone = [b"000000"]
    return all(
        staged.get(path) == entry or (path not in staged and entry[:1] == gone) for path, entry in wanted.items()
    )


def _person(repository: Repository) -> Git:
    """Git that runs the person's own filters: these are their files, as their git would write them."""
    return Git(repository.git_dir, repository.root)


def _refuse(answer: Answer, hint: str = "nothing was changed") -> None:
    if answer.code:
        raise UsageError(f"git does not move your files: {answer.error}", hint)


def _mine(repository: Repository) -> set[bytes]:
    """List what no commit holds: edits, staged or not, and every untracked file, ignored ones too."""
    shown = ("--porcelain", "-z", "--untracked-files=no", "--no-renames")
    edited = (entry[3:] for entry in repository.git.names("status", *shown))
    untracked = repository.git.names("ls-files", "--others", "-z")
    return {path.rstrip(b"/") for path in (*edited, *untracked)}


def _in_the_way(changed: Iterable[bytes], mine: set[bytes]) -> Iterator[bytes]:
    """Find the person's files that a change would write over, or whose folder it would have to be."""
    above = {folder: path for path in mine for folder in _folders(path)}
    for path in changed:
        if path in above:
            yield above[path]
        yield from (name for name in (*_folders(path), path) if name in mine)


def _folders(path: bytes) -> Iterator[bytes]:
    return accumulate(path.split(b"/")[:-1], lambda above, name: above + b"/" + name)
