"""Credentials that a repository's settings leave where every command of the project can read them."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from bot.core.change import readable
from bot.core.credentials import find_userinfo
from bot.git.launch import redact
from bot.git.obeyed import list_places
from bot.git.repository import Repository

MOST_MODULES = 1_000
"""Submodules whose settings are looked at."""

_HEADER = re.compile(r"http\.(.*\.)?extraheader")
_HELPER = re.compile(r"credential\.(.*\.)?helper")
_FILE = re.compile(r"http\.(.*\.)?(cookiefile|sslkey|proxysslkey)")
_SSH_KEY = re.compile(r"(?:^|\s)-i\s*\S|identityfile", re.IGNORECASE)
_LOGIN = re.compile(r"://[^/\s@:]*:[^/\s@]+@")


def find_exposed(repository: Repository) -> tuple[str, ...]:
    """Name each setting that gives a credential away, with its file and never with its value.

    Files that are included count as well, whether the condition for it holds now or not.
    """
    places = [place for place in list_places(repository.git, repository.root) if not _is_machines(place, repository)]
    found = dict.fromkeys(_find(places))
    for own in islice(sorted((repository.common_dir / "modules").rglob("config")), MOST_MODULES):
        found |= dict.fromkeys(_find(list_places(repository.shared, own.parent, own)))
    return tuple(found)


def _is_machines(place: tuple[Path, str, str], repository: Repository) -> bool:
    """Say whether a setting names a helper of the machine, which commands are kept from together with its files."""
    origin, key, _ = place
    return bool(_HELPER.fullmatch(key.casefold())) and not origin.resolve().is_relative_to(repository.common_dir)


def _find(settings: Iterable[tuple[Path, str, str]]) -> Iterator[str]:
    for origin, key, value in settings:
        if _gives_away(key, value):
            # The name of a section may be an address with a login in it
            yield f"{redact(key)} in {readable(str(origin).encode('utf-8', 'surrogateescape'))}"


def _gives_away(key: str, value: str) -> bool:
    name = key.casefold()
    if not value:
        # It takes back what another file has set
        return False
    if _HEADER.fullmatch(name) or _HELPER.fullmatch(name) or _FILE.fullmatch(name):
        return True
    if name == "core.sshcommand":
        return bool(_SSH_KEY.search(value))
    return any(_LOGIN.search(text) or any(find_userinfo(text)) for text in (key, value))
