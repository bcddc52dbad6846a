"""Reads the secrets that a repository itself holds: in tracked files made to hold some, and in git's settings."""

import os
from collections.abc import Iterator, Sequence

from bot.core.credentials import MOST, MOST_BYTES, find_configured, find_values
from bot.core.paths import list_sensitive
from bot.errors import GitFailed
from bot.git.repository import Repository
from bot.git.store import open_store

MOST_FILES = 200


def read_secrets(repository: Repository, base: str, scope: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the values that must not be shown; a file that the scope names is not looked at."""
    found = dict.fromkeys((*find_configured(_settings(repository)), *_committed(repository, base, scope)))
    return tuple(found)[:MOST]


def _settings(repository: Repository) -> Iterator[tuple[str, str]]:
    answer = repository.git.ask("config", "--null", "--list")
    for entry in answer.output.decode("utf-8", "replace").split("\0"):
        key, _, value = entry.partition("\n")
        yield key, value


def _committed(repository: Repository, base: str, scope: Sequence[str]) -> Iterator[str]:
    names = map(os.fsdecode, repository.shared.names("ls-tree", "-r", "-z", "--name-only", "--full-tree", base))
    store = open_store(repository)
    for name in list_sensitive(names, scope)[:MOST_FILES]:
        try:
            content = store.blob(base, name) or b""
        except GitFailed:
            continue  # in a partial clone it may not be here, and then nobody can show it either
        yield from find_values(content[:MOST_BYTES].decode("utf-8", "replace"))
