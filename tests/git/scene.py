"""A workspace on a real repository, and what became of it."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.git.repository import open_repository
from bot.git.workspace import GitWorkspace, open_workspace
from tests.conftest import Repo

BRANCH = "agent/fix-r1"
FIXED = b"def add(a, b):\n    return a + b\n"


@contextmanager
def opened(repo: Repo, *, run: str = "r1", at: str = "") -> Iterator[GitWorkspace]:
    repository = open_repository(repo.path)
    with open_workspace(repository, base=repository.default_base(), run=run, branch=BRANCH, at=at) as workspace:
        yield workspace


def shaken(workspace: GitWorkspace) -> GitWorkspace:
    """Say that a command may have written anything."""
    workspace.disturb()
    return workspace


def write(workspace: GitWorkspace, name: str | bytes, content: bytes) -> Path:
    """Write a file as a command might, which nobody tells of."""
    path = shaken(workspace).root / os.fsdecode(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def names(repo: Repo, tree: str) -> list[bytes]:
    done = subprocess.run(
        ["git", "ls-tree", "-r", "-z", "--name-only", tree], cwd=repo.path, capture_output=True, check=True
    )
    return done.stdout.split(b"\0")[:-1]


def changed(repo: Repo, old: str, new: str) -> list[str]:
    return repo.git("diff-tree", "-r", "--name-status", "--no-renames", old, new).splitlines()
