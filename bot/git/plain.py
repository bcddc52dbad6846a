"""Reads files of git's own, in whose place anything may lie."""

import errno
import os
import stat
from pathlib import Path


def read_plain(path: Path, most: int = -1) -> tuple[bytes, os.stat_result]:
    """Read a file as it is at one moment, or its first bytes; nothing else keeps us waiting. Raises OSError."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        state = os.fstat(file.fileno())
        if not stat.S_ISREG(state.st_mode):
            raise OSError(errno.EINVAL, "it is not a file", str(path))
        return file.read(most), state
