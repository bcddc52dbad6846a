"""A copy of a person's index, for git commands that would write into it."""

import os
from dataclasses import replace
from pathlib import Path

from bot.core.change import readable
from bot.errors import UsageError
from bot.git.plain import read_plain
from bot.git.repository import Repository
from bot.git.run import Git
from bot.git.staged import PLAIN


def copy_index(repository: Repository, place: Path, source: Path | None = None) -> Git:
    """Copy the index, or another one, to a place, and return git on the person's working copy with the copy for its.

    Raises UsageError.
    """
    path = source or repository.git_dir / "index"
    try:
        content, state = read_plain(path)
    except OSError as error:
        # In a repository that was just made there is none yet, which holds nothing
        if not isinstance(error, FileNotFoundError) or path.resolve() != (repository.git_dir / "index").resolve():
            told = readable(os.fsencode(path))
            raise UsageError(f"the index {told} cannot be read: {error.strerror}") from error
    else:
        place.write_bytes(content)
        # With its time, by which git tells that a file may have changed right after it was staged
        os.utime(place, ns=(state.st_atime_ns, state.st_mtime_ns))
    return replace(repository.git, index=place, config=(*repository.silenced, *PLAIN))
