"""A person's uncommitted work as a commit: their files as they stand, with index, stash and refs left as they are."""

import os
import stat
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from bot.core.change import readable
from bot.core.trailers import SNAPSHOT
from bot.errors import GitFailed, UsageError
from bot.git import owner
from bot.git.disk import refusals
from bot.git.index import copy_index
from bot.git.repository import Repository
from bot.git.run import Git
from bot.git.store import open_store
from bot.git.submodules import ABSENT, find_submodules
from bot.git.temporary import PREFIX

LARGEST = 10_000_000
"""Bytes of one untracked file that nobody would commit by mistake."""
MOST_BYTES = 100_000_000
MOST_NAMED = 5


class Uncommitted(NamedTuple):
    """What became of the uncommitted work."""

    commit: str
    """The snapshot on top of HEAD; HEAD itself when there is nothing to take in."""
    files: int
    left: tuple[str, ...] = ()
    """What is not in it, in words."""


@refusals("take in the uncommitted work")
def commit_uncommitted(repository: Repository) -> Uncommitted:
    """Write the working tree as a commit on HEAD that no ref holds yet.

    Raises UsageError when something in it cannot be taken in as the person's own `git add` would.
    """
    with tempfile.TemporaryDirectory(prefix=f"{PREFIX}uncommitted-") as folder:
        # So that it is found and removed when we are killed in the middle
        owner.write(Path(folder), owner.current(common_dir=repository.common_dir))
        git = copy_index(repository, Path(folder, "index"))
        _refuse_unmerged(git)
        work = _look(git, repository)
        return _commit(repository, work, _write(git, work))


@dataclass(frozen=True, slots=True)
class _Work:
    present: tuple[bytes, ...]
    gone: tuple[bytes, ...]
    left: tuple[str, ...]


def _refuse_unmerged(git: Git) -> None:
    entries = git.names("ls-files", "-z", "--unmerged")
    paths = dict.fromkeys(entry.partition(b"\t")[2] for entry in entries)
    if paths:
        text = f"uncommitted work with conflicts cannot be a start: {_names(paths)}"
        raise UsageError(text, hint="resolve them and `git add` the files, or start from HEAD")


def _look(git: Git, repository: Repository) -> _Work:
    """Tell what to record, what to take out and what stays as it is in the index."""
    changed = git.names("diff-files", "-z", "--name-only", "--ignore-submodules=all")
    others = git.names("ls-files", "-z", "--others", "--exclude-standard")
    untracked = tuple(name for name in others if not name.endswith(b"/"))
    present = tuple(name for name in changed if _is_file(repository.root, name))
    gone = tuple(name for name in changed if name not in set(present))
    nested = (*(name for name in others if name.endswith(b"/")), *(n for n in gone if _is_folder(repository.root, n)))
    _refuse_large(repository.root, untracked)
    _refuse_filtered(git, repository.filters, (*present, *untracked))
    left = (*_tell("a repository of its own", nested), *_tell("hidden from git by a flag", _hidden(git, repository)))
    return _Work((*present, *untracked), gone, left)


def _hidden(git: Git, repository: Repository) -> tuple[bytes, ...]:
    """List files that git was told not to look at although they are there; in a sparse checkout they are not."""
    entries = git.names("ls-files", "-z", "-v", "--cached")
    flagged = (entry[2:] for entry in entries if entry[:1].islower() or entry[:1] == b"S")
    return tuple(name for name in flagged if _is_file(repository.root, name))


def _refuse_large(root: Path, untracked: Sequence[bytes]) -> None:
    sizes = {name: _size(root, name) for name in untracked}
    large = [name for name, size in sizes.items() if size > LARGEST]
    hint = "add what is not for a commit to .gitignore or .git/info/exclude, or commit it yourself"
    if large:
        raise UsageError(f"untracked files of more than {LARGEST // 1_000_000} MB: {_names(large)}", hint=hint)
    if sum(sizes.values()) > MOST_BYTES:
        largest = sorted(sizes, key=lambda name: -sizes[name])
        text = f"untracked files of more than {MOST_BYTES // 1_000_000} MB in all, such as {_names(largest)}"
        raise UsageError(text, hint=hint)


def _refuse_filtered(git: Git, filters: Sequence[str], paths: Sequence[bytes]) -> None:
    """Refuse what the project stores through a filter: that is a program, and we do not run it."""
    if not filters or not paths:
        return
    told = git.output("check-attr", "-z", "--stdin", "filter", stdin=_joined(paths)).split(b"\0")
    kept = [path for path, value in zip(told[::3], told[2::3], strict=False) if os.fsdecode(value) in filters]
    if kept:
        text = f"changed files that are stored through a filter, which is never run here: {_names(kept)}"
        raise UsageError(text, hint="commit them yourself; where nothing changed, `git status` lets git see that")


def _write(git: Git, work: _Work) -> str:
    """Bring the copy of the index up to the files, path by path, and write its tree."""
    try:
        if work.gone:
            git.output("update-index", "--force-remove", "-z", "--stdin", stdin=_joined(work.gone))
        if work.present:
            known = ("--add", "--remove", "--replace")
            git.output("update-index", *known, "-z", "--stdin", stdin=_joined(work.present))
        return git.line("write-tree")
    except GitFailed as error:
        raise UsageError(f"the uncommitted work cannot be taken in: {error.message}") from error


def _commit(repository: Repository, work: _Work, tree: str) -> Uncommitted:
    store, head = open_store(repository), repository.default_base()
    if tree == store.tree(head):
        return Uncommitted(head, 0, (*work.left, *_tell_submodules(repository, head)))
    changed = repository.git.names("diff-tree", "-r", "-z", "--name-only", "--no-renames", head, tree)
    commit = store.commit(tree, (head,), f"snapshot of uncommitted work\n\n{SNAPSHOT}: yes\n")
    return Uncommitted(commit, len(changed), (*work.left, *_tell_submodules(repository, commit)))


def _tell_submodules(repository: Repository, commit: str) -> tuple[str, ...]:
    """Name submodules that do not stand as recorded."""
    found = (submodule for submodule in find_submodules(repository, commit) if submodule.trouble != ABSENT)
    moved = [os.fsencode(submodule.path) for submodule in found if submodule.trouble or submodule.extra]
    return _tell("a submodule, taken as it is recorded", moved)


def _tell(what: str, names: Iterable[bytes]) -> tuple[str, ...]:
    listed = tuple(dict.fromkeys(names))
    return (f"{_names(listed)} ({what})",) if listed else ()


def _names(names: Iterable[bytes]) -> str:
    told = [readable(name.rstrip(b"/")) for name in names]
    more = f" and {len(told) - MOST_NAMED} more" if len(told) > MOST_NAMED else ""
    return ", ".join(told[:MOST_NAMED]) + more


def _is_file(root: Path, name: bytes) -> bool:
    """Say whether there is a file or a link, and no link on the way to it."""
    top, parts = os.fsencode(root), name.split(b"/")
    parents = (os.path.join(top, *parts[:depth]) for depth in range(1, len(parts)))  # noqa: PTH118
    return not any(map(os.path.islink, parents)) and _mode(root, name) in (stat.S_IFREG, stat.S_IFLNK)


def _is_folder(root: Path, name: bytes) -> bool:
    return os.path.lexists(os.path.join(os.fsencode(root), name, b".git"))  # noqa: PTH118


def _mode(root: Path, name: bytes) -> int:
    try:
        return stat.S_IFMT(os.lstat(os.path.join(os.fsencode(root), name)).st_mode)  # noqa: PTH118
    except OSError:
        return 0


def _size(root: Path, name: bytes) -> int:
    try:
        return os.lstat(os.path.join(os.fsencode(root), name)).st_size  # noqa: PTH118
    except OSError:
        return 0


def _joined(paths: Iterable[bytes]) -> bytes:
    return b"".join(path + b"\0" for path in paths)
