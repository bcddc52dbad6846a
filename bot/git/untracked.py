"""What lies in a person's checkout and no commit holds."""

import os
import tempfile
from pathlib import Path

from bot.git.index import copy_index
from bot.git.repository import Repository
from bot.git.temporary import PREFIX


def list_untracked(repository: Repository) -> tuple[str, ...]:
    """List what is not tracked, ignored or not; a folder without any tracked file is one entry, ending in `/`."""
    return tuple(map(os.fsdecode, repository.git.names("ls-files", "-z", "--others", "--directory")))


def list_submodules(repository: Repository) -> tuple[str, ...]:
    """List the places of other repositories in this one, which our trees leave empty."""
    entries = repository.git.names("ls-files", "-z", "--stage")
    return tuple(os.fsdecode(entry.partition(b"\t")[2]) for entry in entries if entry.startswith(b"160000 "))


def list_edited(repository: Repository, commit: str) -> tuple[str, ...]:
    """List tracked files of the checkout that are not as in a commit."""
    shown = ("-z", "--name-only", "--no-renames", "--ignore-submodules=all")
    if not repository.git.names("diff-index", *shown, commit):
        return ()
    # Files that were only touched are among those; `diff` looks into them, and then writes the index anew
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        git = copy_index(repository, Path(folder, "index"))
        return tuple(map(os.fsdecode, git.names("diff", *shown, "--no-ext-diff", "--no-textconv", commit)))
