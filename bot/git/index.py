"""A copy of a person's index, for git commands that would write into it."""

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from bot.git.repository import Repository
from bot.git.run import Git

_PLAIN = (("core.splitIndex", "false"), ("core.untrackedCache", "false"), ("index.sparse", "false"))
"""The copy of the index is written whole, with nothing in it that leads to another file."""


def copy_index(repository: Repository, place: Path) -> Git:
    """Copy the index to a place, and return git on the person's working copy with the copy for its index."""
    # With its time, by which git tells that a file may have changed right after it was staged
    with suppress(FileNotFoundError), (repository.git_dir / "index").open("rb") as source:
        place.write_bytes(source.read())
        state = os.fstat(source.fileno())
        os.utime(place, ns=(state.st_atime_ns, state.st_mtime_ns))
    return replace(repository.git, index=place, config=(*repository.silenced, *_PLAIN))
