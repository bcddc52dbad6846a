"""What the last commits changed and what they say they did: only ever a guess at where the next change is."""

import re
from collections.abc import Iterator
from dataclasses import replace

from bot.core.change import readable
from bot.core.retrieval.pages import Change
from bot.errors import GitFailed
from bot.git.objects import full
from bot.git.repository import Repository
from bot.git.run import Git

MOST = 1000
"""Commits that are looked at."""
SECONDS = 2.0
"""Time for it; a history that takes longer is done without."""
LARGEST = 4 << 20
"""Bytes of what git tells."""

_MARK = b"\x01"
_PARTIAL = r"^(extensions\.partialclone|remote\..*\.promisor)$"
_NAME = re.compile(rb"\n?(.+)", re.DOTALL)


def read_past(repository: Repository, base: str) -> tuple[Change, ...]:
    """Return the last commits before and with a base, the newest first; none where it would have to be fetched."""
    git = replace(repository.shared, timeout=SECONDS)
    try:
        if is_partial(git):
            return ()
        shown = ("--no-merges", "--no-renames", "--name-only", "-z", "--format=%x01%s")
        told = git.head("log", f"--max-count={MOST}", *shown, full(base), "--", limit=LARGEST)
    except GitFailed:
        return ()
    return () if told.code else tuple(_read(told.output))


def is_partial(git: Git) -> bool:
    """Tell whether objects may have to be fetched when they are asked for. Raises GitFailed."""
    return not git.ask("config", "--get-regexp", _PARTIAL).code


def _read(told: bytes) -> Iterator[Change]:
    subject, paths = "", list[str]()
    for part in told.split(b"\0"):
        if part.startswith(_MARK):
            yield from _make(subject, paths)
            subject, paths = part[1:].decode("utf-8", "replace"), []
        elif name := _NAME.fullmatch(part):
            paths.append(readable(name[1]))
    yield from _make(subject, paths)


def _make(subject: str, paths: list[str]) -> Iterator[Change]:
    if paths:
        yield Change(subject, tuple(paths))
