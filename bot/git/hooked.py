"""What git tells a hook by its environment: nobody else reads these variables, and no git that we start sees them."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bot.git.plain import read_plain

# The answer to a commit that is known waits for no more than it needs
if TYPE_CHECKING:
    from bot.core.hook import Form

_MERGED = re.compile(r"GITHEAD_([0-9a-f]{40}(?:[0-9a-f]{24})?)")
_NOTED = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_ALONE = re.compile(r"next-index-[0-9]+\.lock")

LARGEST = 100_000
"""Bytes of what a merge notes down; a commit takes fewer than a hundred."""


class Hooked(NamedTuple):
    """Where git is about to make a commit, and of what; nothing where no git said so."""

    index: Path | None = None  # type: ignore[assignment]  # nobody looks for a value in it
    """The index that the commit is made of; None for the repository's own."""
    git_dir: Path | None = None
    work_tree: Path | None = None
    form: "Form" = "index"
    merged: tuple[str, ...] = ()
    """The commits that `git merge` brings together, which it has not noted down yet when it asks."""


def read_hooked(environ: Mapping[str, str], folder: Path) -> Hooked:
    """Read what git said; `folder` is the one that it started the hook in."""
    index, git_dir, work_tree = (
        folder.absolute() / environ[name] if environ.get(name) else None
        for name in ("GIT_INDEX_FILE", "GIT_DIR", "GIT_WORK_TREE")
    )
    form = _form(index.name) if index is not None else "index"
    return Hooked(index, git_dir, work_tree, form, tuple(_read_merged(environ)))


def point(hooked: Hooked) -> tuple[str, ...]:
    """Point git at the repository that it named itself; without a working copy beside it, it knows which one it is."""
    tree = () if hooked.work_tree is None else (f"--work-tree={hooked.work_tree}",)
    return () if hooked.git_dir is None else (f"--git-dir={hooked.git_dir}", *tree)


def read_others(hooked: Hooked, path: Path) -> tuple[str, ...]:
    """Read which commits a merge brings in: those that git told, or has noted down at a path until it is concluded."""
    with suppress(OSError):
        lines = read_plain(path, LARGEST)[0].split(b"\n")
        return tuple(dict.fromkeys(line.decode("ascii") for line in lines if _NOTED.fullmatch(line))) or hooked.merged
    return hooked.merged


def _form(name: str) -> "Form":
    """Tell what git makes a commit of, by where it has put it together."""
    if _ALONE.fullmatch(name):
        return "paths"
    # Also of an index elsewhere that a person works with: its lock lies beside it
    return "all" if name.endswith(".lock") else "index"


def _read_merged(environ: Iterable[str]) -> Iterable[str]:
    return (found[1] for found in map(_MERGED.fullmatch, environ) if found)
