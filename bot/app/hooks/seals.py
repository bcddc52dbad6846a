"""What was answered of the very same commit before. Light: git and a person wait for it to load."""

import json
import os
import stat
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import bot
from bot.core.variables import tell_variables

SECTION = "hooks"
"""Where they lie among all that is kept."""
MOST = 300
LARGEST = 1 << 20
"""Bytes of one of them."""
_CHOOSING = ("VIRTUAL_ENV", "CONDA_PREFIX")
"""Variables by which the project's interpreter is found."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Seal(NamedTuple):
    """An answer to git, and what a person read with it."""

    code: int
    text: str


class Stamp(NamedTuple):
    """A file or a folder as it was; all zero where there was none."""

    path: str
    modified: int = 0
    size: int = 0
    mode: int = 0


def stamp(path: str) -> Stamp:
    """Look at what a path leads to. Raises OSError."""
    with suppress(FileNotFoundError, NotADirectoryError):
        state = os.stat(path)  # noqa: PTH116 - hundreds of them, and only text is kept
        return Stamp(path, state.st_mtime_ns, state.st_size, state.st_mode)
    return Stamp(path)


def describe(commit: Sequence[str], git_dir: Path, settings: bytes, environ: Mapping[str, str]) -> str:
    """Put together what an answer depends on and can be told at once. Raises OSError.

    `commit` is what is judged and what it is held against, `settings` what the person has set, as git prints it. Each
    worktree has a git folder, files and an interpreter of its own.
    """
    place = os.stat(git_dir)  # noqa: PTH116
    chosen = (f"{name}={environ.get(name, '')}" for name in _CHOOSING)
    ours = sorted(f"{name}={value}" for name, value in environ.items() if name.startswith("GIT_AGENT"))
    who = (str(os.getuid()), os.uname().release, sys.prefix, bot.__version__, _ourselves())
    where = f"{place.st_dev} {place.st_ino}"
    return "\0".join((*commit, where, os.fsdecode(settings), *who, *tell_variables(environ), *chosen, *ours))


def _ourselves() -> str:
    """Tell when the code that judges was changed, where it is being worked on; otherwise the version says it."""
    folder = Path(bot.__file__).parent
    if folder.parent.name in ("site-packages", "dist-packages"):
        return ""
    return f"{max(_times(str(folder)))}"


def _times(folder: str) -> Iterable[int]:
    yield os.stat(folder).st_mtime_ns  # noqa: PTH116
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield entry.stat().st_mtime_ns
            elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                yield from _times(entry.path)


def write(seal: Seal, watched: Iterable[Stamp], seconds: float) -> bytes:
    """Write an answer down as it is kept, with what has to be as it was, and how long it holds from now on."""
    now = time.time()
    return json.dumps([seal.code, seal.text, now, now + seconds, list(watched)]).encode("ascii")


def find_seal(common_dir: Path, described: str) -> Seal | None:
    """Find what was answered, as long as it holds; whatever is odd about it is as if it were not there."""
    try:
        raw = _read(common_dir, blake2b(described.encode("utf-8", "surrogatepass"), digest_size=24).hexdigest())
        code, text, begin, end, watched = json.loads(raw)
        good = code in (0, 1) and isinstance(text, str) and begin <= time.time() < end
        holds = good and all(stamp(path) == (path, *state) for path, *state in watched)
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    return Seal(code, text) if holds else None


def _read(common_dir: Path, name: str) -> bytes:
    """Read a file of our own that nobody else writes, below folders that lead nowhere else. Raises OSError."""
    above = os.open(common_dir, _FOLDER & ~os.O_NOFOLLOW)
    for folder in ("git-agent", SECTION):
        try:
            below = os.open(folder, _FOLDER, dir_fd=above)
        finally:
            os.close(above)
        above = below
    try:
        descriptor = os.open(name, _FILE, dir_fd=above)
    finally:
        os.close(above)
    with os.fdopen(descriptor, "rb") as file:
        state = os.fstat(descriptor)
        private = state.st_uid == os.getuid() and not stat.S_IMODE(state.st_mode) & 0o077
        if not (private and stat.S_ISREG(state.st_mode) and state.st_size <= LARGEST):
            raise PermissionError(name)
        return file.read()
