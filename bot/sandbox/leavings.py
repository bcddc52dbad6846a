"""Takes away what a command leaves below /dev/shm, where that is the machine's own."""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from bot.sandbox.openings import SHARED


@contextlib.contextmanager
def tidied(folder: Path = SHARED) -> Iterator[None]:
    """Remove afterwards the files of ours that appeared meanwhile and that no process has open."""
    before = {inode for _, inode in _files(folder)}
    try:
        yield
    finally:
        fresh = [path for path, inode in _files(folder) if inode not in before]
        if fresh:
            held = set(_held(folder))
            for path in fresh:
                if str(path) not in held:
                    with contextlib.suppress(OSError):
                        path.unlink()


def _files(folder: Path) -> Iterator[tuple[Path, int]]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            told = entry.stat(follow_symlinks=False)
            if stat.S_ISREG(told.st_mode) and told.st_uid == os.geteuid():
                yield Path(entry.path), told.st_ino


def _held(folder: Path) -> Iterator[str]:
    """List what of a folder processes have open or in their memory, as far as we may look at them."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            lines = (process / "maps").read_text("utf-8", "replace").splitlines()
            yield from (line.partition("/")[1] + line.partition("/")[2] for line in lines if str(folder) in line)
        with contextlib.suppress(OSError):
            for entry in (process / "fd").iterdir():
                with contextlib.suppress(OSError):
                    yield str(entry.readlink())
