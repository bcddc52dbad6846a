"""What git shows inside the sandbox: the worktree's own state, read-only, and no settings that may hold secrets."""

import re
from pathlib import Path
from typing import NamedTuple

INSIDE = "/run/git-agent/repository.git"
"""Where the common git directory is seen."""

_SECTION = re.compile(r"\s*\[\s*([\w.-]+)")
_PLAIN = frozenset({"core", "extensions", "user", "filter", "diff", "merge"})
"""Sections without addresses, headers or further files: a checkout on a runner keeps its token among the others."""
_COMMON = frozenset({"branch", "remote", "submodule", "push", "pull", "fetch", "commit", "tag", "lfs", "agent", "init"})
_TASTE = frozenset({"color", "log", "status", "rebase", "rerere", "advice", "pack", "index", "feature", "gc", "gpg"})
"""Further sections without programs or headers; addresses among them may hold a password."""
_PASSWORD = re.compile(r"://(?!git@)[^/\s]*@")


class GitView(NamedTuple):
    """How to show git to one command."""

    common: Path
    pointer: str
    """Content of the `.git` file; empty when the tree is a main checkout, whose `.git` is a folder."""
    masked: tuple[tuple[str, str], ...]
    """Settings files of the common directory, with what is shown in their place."""
    alternates: tuple[Path, ...]
    """Object stores elsewhere that this one borrows from."""


def view(tree: Path, common: Path) -> GitView | None:
    """Work out what to show for a tree; None when the tree is not a checkout of this repository."""
    if (tree / ".git").is_dir() and (tree / ".git").resolve() == common.resolve():
        return GitView(common, "", masks(common, ""), alternates(common))
    name = worktree_name(tree, common)
    if name is None:
        return None
    return GitView(common, f"gitdir: {INSIDE}/worktrees/{name}\n", masks(common, name), alternates(common))


def worktree_name(tree: Path, common: Path) -> str | None:
    """Find a worktree in the repository's own list: its `.git` file is not to be believed once foreign code ran."""
    pointer = (tree / ".git").absolute()
    for entry in sorted(common.glob("worktrees/*/gitdir")):
        if same_place(Path(entry.read_text("utf-8", "surrogateescape").strip()), pointer):
            return entry.parent.name
    return None


def same_place(one: Path, other: Path) -> bool:
    """Compare two paths by their folders, so that the last component is never followed."""
    return one.name == other.name and one.parent.resolve() == other.parent.resolve()


def masks(common: Path, worktree: str) -> tuple[tuple[str, str], ...]:
    """List the settings files that are shown in part."""
    names = ["config", "config.worktree", *([f"worktrees/{worktree}/config.worktree"] if worktree else [])]
    return tuple((name, without_secrets(read(common / name))) for name in names if (common / name).is_file())


def without_secrets(settings: str) -> str:
    """Keep only the sections that say how a repository works."""
    kept, keep = [], False
    for line in settings.splitlines(keepends=True):
        if section := _SECTION.match(line):
            keep = section[1].lower().partition(".")[0] in _PLAIN
        if keep:
            kept.append(line)
    return "".join(kept)


def closed_settings(common: Path) -> tuple[Path, ...]:
    """List the settings files that may hold secrets: for where they can only be shown whole."""
    names = ("config", "config.worktree", "worktrees/*/config.worktree")
    return tuple(path for name in names for path in common.glob(name) if not is_harmless(read(path)))


def is_harmless(settings: str) -> bool:
    """Say whether nothing in settings is of a kind that may be secret."""
    sections = (_SECTION.match(line) for line in settings.splitlines())
    names = {section[1].lower().partition(".")[0] for section in sections if section}
    return names <= _PLAIN | _COMMON | _TASTE and not _PASSWORD.search(settings)


def alternates(common: Path) -> tuple[Path, ...]:
    """List the object stores outside that the repository cannot be read without."""
    lines = read(common / "objects/info/alternates").splitlines()
    return tuple(Path(line) for line in lines if line.startswith("/") and Path(line).is_dir())


def read(path: Path) -> str:
    """Read a small text, or nothing where there is none."""
    try:
        return path.read_text("utf-8", "surrogateescape")
    except OSError:
        return ""
