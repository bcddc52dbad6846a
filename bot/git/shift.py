"""Moves the person's own branch and files, forward or back, or leaves everything as it is."""

import errno
import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import accumulate

from bot.core.change import readable
from bot.errors import UsageError
from bot.git.launch import Answer
from bot.git.objects import AGENT
from bot.git.operation import find_operations
from bot.git.repository import Repository
from bot.git.run import Git

_SHOWN = 5
PATIENCE = 1.0
"""Seconds that another command may go on holding the index."""
_CHANGED = ("diff-tree", "-r", "-z", "--no-renames")
_NOTHING_DONE = ("Cannot merge", " by merge", "untracked files in it", "index.lock")
"""What git says when it finds out before it writes any file that it will not."""
# The reflog wants somebody, and a person without an identity is no reason to fail
_SOMEBODY = {"GIT_COMMITTER_NAME": AGENT.name, "GIT_COMMITTER_EMAIL": AGENT.email}


def shift(repository: Repository, before: str, after: str, why: str, ref: str = "") -> None:
    """Move the checkout, and the branch that it is on, from one commit to another. Raises UsageError for neither.

    The person may do something with git at any moment: what is theirs stays, and what was moved by then goes back.
    """
    ref = ref or standing(repository)
    rehearse(repository, before, after)
    _refuse_elsewhere(repository, ref)
    moved = _person(repository).ask("read-tree", "-m", "-u", before, after)
    if moved.code and not any(words in moved.error for words in _NOTHING_DONE):
        _put_back(repository, before, after)
    _refuse(moved)
    try:
        point(repository, before, after, why, ref)
    except UsageError:
        # Where they stand by now: they may have committed, and what was moved by then is part of that
        _person(repository).ask("read-tree", "-m", "-u", after, "HEAD")
        raise


def point(repository: Repository, before: str, after: str, why: str, ref: str) -> None:
    """Move the branch that the person is on, whose files are there already. Raises UsageError."""
    # Never what HEAD leads to by then: that may be another branch, at the same commit
    name = os.fsdecode(_refuse_elsewhere(repository, ref))
    note = ("-m", f"git agent: {why}")
    _refuse(repository.git.ask("update-ref", *note, name, after, before, environ=_SOMEBODY))
    try:
        _refuse_elsewhere(repository, ref)
    except UsageError:
        repository.git.ask("update-ref", *note, name, before, after, environ=_SOMEBODY)
        raise


def standing(repository: Repository) -> str:
    """Return the full name of the branch that the person is on, readable; HEAD where it is detached."""
    return readable(_standing(repository))


def _standing(repository: Repository) -> bytes:
    answer = repository.git.ask("symbolic-ref", "--quiet", "HEAD")
    return b"HEAD" if answer.code else answer.output.strip()


def _refuse_elsewhere(repository: Repository, ref: str) -> bytes:
    """Return the name of the branch that the person is on as git has it. Raises UsageError where it is another one."""
    now = _standing(repository)
    if readable(now) != ref:
        raise UsageError(f"you went from {ref} to {readable(now)} meanwhile: nothing was changed", "try again")
    return now


def rehearse(repository: Repository, before: str, after: str) -> None:
    """Find out whether the checkout can be moved, and move nothing. Raises UsageError."""
    refuse_operation(repository)
    wait(repository)
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


def wait(repository: Repository) -> bool:
    """Let another git that works on the index finish; a lock that stays is somebody's to look at, and is told of."""
    until = time.monotonic() + PATIENCE
    while (locked := (repository.git_dir / "index.lock").exists()) and time.monotonic() < until:
        time.sleep(PATIENCE / 50)
    return not locked


def refuse_operation(repository: Repository) -> None:
    """Stop where the person is in the middle of something of git's. Raises UsageError."""
    operations = find_operations(repository)
    if operations:
        raise UsageError(f"a {' and a '.join(operations)} is in progress here: finish or abort it first")


def _put_back(repository: Repository, before: str, after: str) -> None:
    """Make the files again what they were when a full disk, a closed folder or a filter stopped git half-way.

    Nothing of the person's was in any of these paths a moment ago; what is there by now and is not git's, stays.
    """
    changed = set(repository.git.names(*_CHANGED, "--name-only", before, after))
    known = {entry.partition(b"\t")[2] for entry in repository.git.names("ls-files", "-z", "--stage")}
    top = os.fsencode(repository.root)
    for path in (path for path in changed - known if _is_half_written(repository, after, path)):
        with suppress(OSError):
            os.unlink(os.path.join(top, path))  # noqa: PTH108, PTH118 - a name may be no text
            os.removedirs(os.path.dirname(os.path.join(top, path)))  # noqa: PTH118, PTH120
    differing = changed.intersection(known, repository.git.names("diff-files", "-z", "--name-only"))
    listed = b"".join(path + b"\0" for path in sorted(differing) if _is_half_written(repository, after, path))
    _person(repository).ask("checkout-index", "-f", "-q", "-u", "-z", "--stdin", stdin=listed)


def _is_half_written(repository: Repository, after: str, path: bytes) -> bool:
    """Say whether a file is gone, or no more than what git was about to write there."""
    top = os.fsencode(repository.root)
    place = os.path.join(top, path)  # noqa: PTH118 - a name may be no text
    if any(os.path.islink(os.path.join(top, folder)) for folder in _folders(path)):  # noqa: PTH114, PTH118
        return False
    try:
        mode = os.lstat(place).st_mode
        link = stat.S_ISLNK(mode)
        if not link and not stat.S_ISREG(mode):
            return False
        found = os.readlink(place) if link else _read(place)  # noqa: PTH115
    except OSError as error:
        return error.errno == errno.ENOENT
    name = f"{after}:{os.fsdecode(path)}"
    wanted = _person(repository).ask("cat-file", *(("blob",) if link else ("--filters",)), name)
    return wanted.output.startswith(found)


def _read(place: bytes) -> bytes:
    with open(place, "rb") as file:  # noqa: PTH123 - a name may be no text
        return file.read()


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
