"""Says whose branch a person has come to when it is a run's; on any other branch it costs next to nothing."""

import os
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

OURS = ("refs/heads/agent/", "refs/heads/agent-")
"""How branches of ours begin; git.names knows them for sure, and takes a while to load."""
LONGEST = 4_096
BRANCH = "1"
"""What git says of a checkout that is not one of files."""
GOING = ("rebase-merge", "rebase-apply")


def tell_checkout(directory: Path, args: tuple[str, ...]) -> int:
    """Print a line where a person lands on a run's branch; always 0, as nothing can be refused any more."""
    previous, _, flag = (*args, "", "", "")[:3]
    # A clone and a new worktree come from nowhere, and nobody went there
    if flag != BRANCH or not previous.strip("0") or sys.stderr is None or not sys.stderr.isatty():
        return 0
    branch = _read_branch(directory)
    if branch:
        import_module("bot.app.hooks.landing").tell_landing(directory, branch)
    return 0


def _read_branch(directory: Path) -> str:
    """Return the branch that was checked out when it may be ours and no rebase is what moves there; else nothing."""
    with suppress(OSError, ValueError):
        git_dir = _git_dir(directory)
        with (git_dir / "HEAD").open("rb") as file:
            ref = os.fsdecode(file.read(LONGEST)).strip().removeprefix("ref:").strip()
        if ref.startswith(OURS) and not any((git_dir / name).exists() for name in GOING):
            return ref.removeprefix("refs/heads/")
    return ""


def _git_dir(directory: Path) -> Path:
    """Find the folder that HEAD lies in, as git left it for a hook. Raises OSError."""
    told = os.environ.get("GIT_DIR", "")
    if told:
        return directory / told
    place = directory / ".git"
    if place.is_dir():
        return place
    with place.open("rb") as file:
        return directory / os.fsdecode(file.read(LONGEST)).strip().removeprefix("gitdir:").strip()
