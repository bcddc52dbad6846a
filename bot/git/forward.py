"""Moves the person's own branch and files forward, or leaves everything as it is."""

from collections.abc import Iterable, Iterator
from itertools import accumulate

from bot.core.change import readable
from bot.errors import UsageError
from bot.git.repository import Repository
from bot.git.run import Answer, Git
from bot.git.transplant import find_operation

_SHOWN = 5


def move_forward(repository: Repository, head: str, tip: str) -> None:
    """Fast-forward the checkout from `head` to `tip`. Raises UsageError before anything is touched."""
    operation = find_operation(repository.git_dir)
    if operation:
        raise UsageError(f"a {operation} is in progress here: finish or abort it first")
    mine = _mine(repository)
    hit = sorted(set(_in_the_way(repository.git.names(*_CHANGED, head, tip), mine)))
    if hit:
        names = ", ".join(map(readable, hit[:_SHOWN])) + (f" and {len(hit) - _SHOWN} more" if hit[_SHOWN:] else "")
        raise UsageError(f"uncommitted work of yours is in the way: {names}", "commit, move or stash it first")
    # Without the overrides that switch filters off: these are the person's own files, as their git would write them
    git = Git(repository.git_dir, repository.root)
    rehearsal = f"start\nupdate HEAD {tip} {head}\nprepare\nabort\n".encode()
    _refuse(git.ask("update-ref", "--stdin", stdin=rehearsal), "nothing was taken")
    # A file that was only touched is no change: merge looks itself, read-tree does not
    git.ask("update-index", "-q", "--refresh")
    _refuse(git.ask("read-tree", "-n", "-m", "-u", head, tip), "nothing was taken")
    # It writes files before it moves the branch: what would stop it half-way was looked for above
    _refuse(git.ask(*_MERGE, tip), "look at git status")


def _refuse(answer: Answer, hint: str) -> None:
    if answer.code:
        raise UsageError(f"git does not move your files: {answer.error}", hint)


_CHANGED = ("diff-tree", "-r", "-z", "--name-only", "--no-renames")
_MERGE = ("merge", "--ff-only", "--no-squash", "--no-autostash", "--no-overwrite-ignore", "--quiet", "--no-stat")


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
