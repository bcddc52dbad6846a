"""Other repositories in a person's checkout: which of them stand where a commit says that they do."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bot.errors import GitFailed
from bot.git.repository import Repository, silence
from bot.git.untracked import list_edited

LONGEST = 4096
"""Bytes of a `.git` file."""
ABSENT = "not checked out"


class Submodule(NamedTuple):
    """A repository in another."""

    path: str
    commit: str
    """The one that the outer commit names."""
    trouble: str = ""
    """Why its checkout is not to be taken for that commit; empty when it is."""
    extra: tuple[str, ...] = ()
    """What lies in its checkout and it neither tracks nor ignores."""


def find_submodules(repository: Repository, commit: str) -> tuple[Submodule, ...]:
    """Look at the submodules that a commit has; nothing of theirs is executed, and nothing is written."""
    return tuple(_examine(repository, *link, repository.common_dir) for link in _links(repository, commit))


def _links(repository: Repository, commit: str) -> Iterator[tuple[str, str]]:
    """List the places of submodules, each with the commit that is named for it."""
    git = repository.git
    # Without this file git itself knows of none, and a long list need not be asked for
    if git.ask("cat-file", "-e", f"{commit}:.gitmodules").code:
        return
    for entry in git.names("ls-tree", "-r", "-z", "--full-tree", commit):
        told, _, path = entry.partition(b"\t")
        if told.startswith(b"160000 "):
            yield os.fsdecode(path), told.split(b" ")[2].decode("ascii")


def _examine(outer: Repository, path: str, commit: str, home: Path) -> Submodule:
    folder = outer.root / path
    try:
        if folder.resolve() != outer.root.resolve() / path or not folder.is_dir():
            return Submodule(path, commit, ABSENT)
        if not os.path.lexists(folder / ".git"):
            return Submodule(path, commit, "not a checkout" if any(folder.iterdir()) else ABSENT)
        inner = _open(folder, home)
        trouble = _compare(inner, commit, home) if inner is not None else "its repository lies elsewhere"
        return Submodule(path, commit, trouble, _extra(inner) if inner is not None and not trouble else ())
    # A NUL byte in a path, and links that lead to themselves, are of these kinds
    except (OSError, ValueError, RuntimeError, GitFailed):
        return Submodule(path, commit, "it cannot be read")


def _open(folder: Path, home: Path) -> Repository | None:
    """Open the repository of a submodule, if it lies in the outer one or in the submodule itself and is whole."""
    pointer = folder / ".git"
    state = pointer.lstat()
    if stat.S_ISDIR(state.st_mode):
        found = pointer
    elif stat.S_ISREG(state.st_mode) and state.st_size <= LONGEST:
        found = folder / os.fsdecode(pointer.read_bytes().removeprefix(b"gitdir: ").rstrip(b"\r\n"))
    else:
        return None
    found = found.resolve(strict=True)
    inside = any(found != place and found.is_relative_to(place) for place in (home.resolve(), folder.resolve()))
    if not inside or os.path.lexists(found / "commondir"):
        return None
    return silence(Repository(folder, found, found))


def _compare(inner: Repository, commit: str, home: Path) -> str:
    """Say in what a checkout differs from a commit."""
    git = inner.git
    if not git.ask("config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$").code:
        return "it is a partial clone"
    if git.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}").output.decode("ascii", "replace").strip() != commit:
        return "it stands at another commit"
    # A file that git was told not to look at may be anything
    if any(not entry.startswith(b"H ") for entry in git.names("ls-files", "-v", "-z")):
        return "git was told not to look at some of its files"
    if list_edited(inner, commit):
        return "it has changes"
    within = (_examine(inner, path, named, home) for path, named in _links(inner, commit))
    moved = next((found for found in within if found.trouble not in ("", ABSENT)), None)
    return f"of its own submodule {moved.path}: {moved.trouble}" if moved else ""


def _extra(inner: Repository) -> tuple[str, ...]:
    return tuple(map(os.fsdecode, inner.git.names("ls-files", "-z", "--others", "--exclude-standard", "--directory")))
