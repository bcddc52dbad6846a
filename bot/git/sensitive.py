"""Reads the secrets that a repository itself holds: in tracked files made to hold some, and in git's settings."""

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from bot.core.credentials import MOST, MOST_BYTES, find_configured, find_values
from bot.core.paths import list_sensitive
from bot.errors import GitFailed
from bot.git.repository import Repository
from bot.git.store import open_store

MOST_FILES = 200
MOST_NAMES = 20_000
"""Names in a carried folder that are looked at."""


def read_secrets(
    repository: Repository, base: str, scope: Sequence[str] = (), carried: Sequence[Path] = ()
) -> tuple[str, ...]:
    """Return the values that must not be shown; a file that the scope names is not looked at.

    Files of the checkout count that no commit holds: those in its top folder, and those that are carried into trees.
    """
    found = (
        *find_configured(_settings(repository)),
        *_committed(repository, base, scope),
        *_beside(repository.root, carried, scope),
    )
    return tuple(dict.fromkeys(found))[:MOST]


def _settings(repository: Repository) -> Iterator[tuple[str, str]]:
    answer = repository.git.ask("config", "--null", "--list")
    for entry in answer.output.decode("utf-8", "replace").split("\0"):
        key, _, value = entry.partition("\n")
        yield key, value


def _beside(root: Path, carried: Sequence[Path], scope: Sequence[str]) -> Iterator[str]:
    places = [*root.iterdir(), *(path for place in carried for path in _below(place))]
    names = dict.fromkeys(str(path.relative_to(root)) for path in places)
    for name in list_sensitive(names, scope)[:MOST_FILES]:
        try:
            if (root / name).is_file():
                with (root / name).open("rb") as file:
                    yield from find_values(file.read(MOST_BYTES).decode("utf-8", "replace"))
        except OSError:
            continue  # what we cannot read, nobody whom we start can


def _below(place: Path) -> Iterator[Path]:
    yield place
    if place.is_dir() and not place.is_symlink():
        found = (Path(folder, name) for folder, _, names in os.walk(place) for name in names)
        yield from islice(found, MOST_NAMES)


def _committed(repository: Repository, base: str, scope: Sequence[str]) -> Iterator[str]:
    names = map(os.fsdecode, repository.shared.names("ls-tree", "-r", "-z", "--name-only", "--full-tree", base))
    store = open_store(repository)
    for name in list_sensitive(names, scope)[:MOST_FILES]:
        try:
            content = store.blob(base, name) or b""
        except GitFailed:
            continue  # in a partial clone it may not be here, and then nobody can show it either
        yield from find_values(content[:MOST_BYTES].decode("utf-8", "replace"))
