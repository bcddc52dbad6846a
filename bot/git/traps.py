"""Frees git from what it would wait for without end: a pipe in the place of a file of rules that it reads."""

import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bot.git.temporary import PREFIX

RULES = (".gitignore", ".gitattributes", ".mailmap")
"""What git reads in a working copy without looking first whether it is a file."""

PATIENCE = 2.0
"""Seconds after which git may be waiting for something that never comes."""


@contextmanager
def disarming(folder: Path) -> Iterator[None]:
    """Look for traps when git takes long, in a working copy of ours: a person's is left alone."""
    if not folder.parent.name.startswith(PREFIX):
        yield
        return
    timer = threading.Timer(PATIENCE, disarm, (folder,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def disarm(root: Path) -> None:
    """Remove pipes of such names below a folder, and let whoever waits at one of them go on with nothing."""
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        for name in RULES:
            with suppress(OSError):
                _remove(folder / name)
        with suppress(OSError), os.scandir(folder) as entries:
            waiting += [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]


def _remove(path: Path) -> None:
    if not stat.S_ISFIFO(path.lstat().st_mode):
        return
    # For both, so that it opens at once, and whoever comes before it is gone does not wait either
    pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        path.unlink()
    finally:
        os.close(pipe)
