"""What makes libgit2 see or write less than git does, in a repository that it may open all the same."""

import os
from collections.abc import Iterator
from pathlib import Path

from bot.git.run import Git

_ASKED = r"^(extensions\..*|remote\..*\.(promisor|partialclonefilter)|core\.sharedrepository)$"
_HARMLESS = frozenset({"noop", "preciousobjects", "worktreeconfig", "relativeworktrees"})
"""Extensions that change nothing about objects and refs."""
_PRIVATE = frozenset({"", "false", "no", "off", "0", "umask"})
"""Values of core.sharedRepository with which new files are nobody else's."""
_DEEPEST = 5
"""How far git follows alternates."""


def find_obstacle(git: Git, common_dir: Path) -> str:
    """Name what keeps libgit2 out; empty when nothing that we know of does."""
    told = git.ask("config", "--null", "--get-regexp", _ASKED).output
    pairs = (pair.partition(b"\n") for pair in told.split(b"\0") if pair)
    for key, equals, value in pairs:
        # A key without a value is true
        reason = _judge(os.fsdecode(key), os.fsdecode(value).lower() if equals else "true")
        if reason:
            return reason
    quoted = any(b'"' in line[:1] for line in _alternates(common_dir / "objects"))
    return "quoted alternates" if quoted else ""


def _judge(key: str, value: str) -> str:
    """Say why a setting is an obstacle; empty when it is none."""
    section, _, name = key.partition(".")
    if section == "extensions":
        sha1 = name == "objectformat" and value == "sha1"
        # With a format of version 0 libgit2 looks at no extension, and misses what it does not know
        return "" if sha1 or name in _HARMLESS else key
    if section == "remote":
        # Objects that were left out would count as none
        return "" if value == "false" else key
    # Folders that libgit2 makes are closed to the others who write here
    return "" if value in _PRIVATE else key


def _alternates(objects: Path) -> Iterator[bytes]:
    """Read where more objects lie, line by line; libgit2 takes quotes for part of a name."""
    places = {objects: 0}
    # Grows while it is gone through; each place counts once, however often it is named
    for place in (queue := [objects]):
        for line in _lines(place / "info/alternates"):
            yield line
            further = place / os.fsdecode(line)
            if places[place] < _DEEPEST and further not in places and not line.startswith((b"#", b'"')):
                places[further] = places[place] + 1
                queue.append(further)


def _lines(path: Path) -> list[bytes]:
    try:
        return [line for line in path.read_bytes().split(b"\n") if line]
    except (OSError, ValueError):
        return []
