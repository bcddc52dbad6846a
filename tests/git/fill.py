"""Runs in a mount namespace of its own: works in a repository on a disk that is full, again and again, and reports.

Arguments: a repository to copy, an empty folder to put a small disk on, and the free KiB to try.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bot.errors import AgentError
from bot.git.disk import refusals
from bot.git.repository import open_repository
from bot.git.workspace import open_workspace
from tests.conftest import Repo
from tests.untouched import difference, print_of

SIZE = 4 << 20


def fill(disk: Path, free: int) -> Path:
    """Leave only that many KiB."""
    state = os.statvfs(disk)
    filler = disk / "filler"
    with filler.open("wb") as stream:
        stream.write(b"\1" * max(0, state.f_bavail * state.f_frsize - (free << 10)))
    return filler


def work(repo: Repo, run: str) -> str:
    """Open a workspace, make a step and go back from another, as tools would; tell what the machine refused."""
    repository = open_repository(repo.path)
    try:
        opened = open_workspace(repository, base=repository.default_base(), run=run, branch=f"agent/x-{run}")
        with opened as workspace:
            workspace.disturb()
            with refusals("write a file"):
                (workspace.root / "calc.py").write_bytes(b"x = 1\n" * 4000)
            workspace.commit(workspace.tree(), "a step")
            workspace.disturb()
            with refusals("write a file"):
                (workspace.root / "other.py").write_bytes(os.urandom(30_000))
            workspace.rollback()
    except (AgentError, OSError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def main(source: str, disk: Path, frees: list[int]) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "none", str(disk)], check=True)
    tempfile.tempdir = str(disk / "tmp")
    told = []
    for number, free in enumerate(frees):
        repo = Repo(disk / "repo")
        (disk / "tmp").mkdir()
        shutil.copytree(source, repo.path, symlinks=True)
        before = print_of(repo.path)
        filler = fill(disk, free)
        error = work(repo, f"r{number}")
        changed = difference(before, print_of(repo.path))
        left = [*(disk / "tmp").iterdir(), *(repo.path / ".git").glob("worktrees/*"), *repo.path.rglob("*.lock")]
        told.append((free, error, changed, [str(path) for path in left], repo.git("fsck", "--strict", check=False)))
        filler.unlink()
        shutil.rmtree(repo.path)
        shutil.rmtree(disk / "tmp")
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), [int(free) for free in sys.argv[3:]])
