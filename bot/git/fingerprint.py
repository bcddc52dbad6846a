"""Tells whether somebody changed what git would obey."""

import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

from bot.git.repository import Repository

_WATCHED = ("config", "config.worktree", "info/attributes", "info/exclude", "info/grafts", "objects/info/alternates")


def fingerprint(repository: Repository, *admins: Path) -> str:
    """Hash the configuration, hooks and attributes of a repository, and of the given worktrees of it."""
    digest = blake2b(digest_size=20)
    folders = dict.fromkeys((repository.common_dir, repository.git_dir))
    paths = [folder / name for folder in folders for name in _WATCHED]
    paths += [admin / name for admin in admins for name in ("commondir", "gitdir", "HEAD", "config.worktree")]
    for path in (*paths, *_below(repository.common_dir / "hooks")):
        digest.update(os.fsencode(path) + b"\0" + _content(path) + b"\0")
    return digest.hexdigest()


def _below(folder: Path) -> Iterator[Path]:
    for where, folders, files in os.walk(folder):
        folders.sort()
        yield Path(where)
        yield from (Path(where) / name for name in sorted((*files, *folders)))


def _content(path: Path) -> bytes:
    try:
        if path.is_symlink():
            return b"link " + os.fsencode(path.readlink())
        if path.is_file():
            return f"{path.stat().st_mode:o} ".encode() + path.read_bytes()
        return f"{path.stat().st_mode:o}".encode()
    except OSError as error:
        return f"none {error.errno}".encode()
