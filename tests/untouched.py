"""All that is a person's in a repository, byte for byte: what a run must leave as it was, however it ends."""

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

OURS = (
    *("objects", "agent", "git-agent", "worktrees/agent"),
    *("refs/agent", "refs/heads/agent", "logs/refs/agent", "logs/refs/heads/agent"),
)
"""Below the git folder: what we write, and what worktrees of ours come and go in."""


def print_of(root: Path, common: Path | None = None) -> Mapping[str, str]:
    """Describe each file of a working copy and of its git folder: kind, mode, content and, where it counts, time."""
    git = root / ".git"
    inside = {f".git/{name}": _tell(path, timed=False) for path, name in _walk(git) if not _is_ours(name)}
    outside = {name: _tell(path, timed=True) for path, name in _walk(root) if name.split("/")[0] != ".git"}
    shared = (
        {f"common/{name}": _tell(p, timed=False) for p, name in _walk(common) if not _is_ours(name)} if common else {}
    )
    return {**inside, **outside, **shared, ".git/index time": _time(git / "index")}


def difference(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    """List what is not as it was."""
    return tuple(sorted(name for name in {*before, *after} if before.get(name) != after.get(name)))


def _is_ours(name: str) -> bool:
    # Git makes this folder for the first worktree and takes it away with the last
    return name == "worktrees" or any(name == own or name.startswith((f"{own}/", f"{own}-")) for own in OURS)


def _walk(folder: Path) -> Iterator[tuple[Path, str]]:
    for where, folders, files in os.walk(folder):
        for name in sorted((*folders, *files)):
            path = Path(where, name)
            yield path, os.fsencode(path.relative_to(folder)).decode("utf-8", "backslashreplace")


def _tell(path: Path, *, timed: bool) -> str:
    if path.name == "packed-refs" and not timed:
        return repr([line for line in path.read_bytes().split(b"\n") if not _ours_packed(line)])
    state = path.lstat()
    if stat.S_ISLNK(state.st_mode):
        return f"link {os.fsencode(path.readlink())!r}"
    if not stat.S_ISREG(state.st_mode):
        return f"{state.st_mode:o}"
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return f"{state.st_mode:o} {digest} {state.st_mtime_ns if timed else ''}"


def _ours_packed(line: bytes) -> bool:
    name = line.partition(b" ")[2]
    return name.startswith((b"refs/agent/", b"refs/heads/agent/", b"refs/heads/agent-"))


def _time(path: Path) -> str:
    return str(path.stat().st_mtime_ns) if path.exists() else ""
