"""The repository at GitHub that a person's repository belongs to, as their token sees it."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from bot.app.github.door import TOKENS, log
from bot.app.secrecy import take_secrets
from bot.core import hub
from bot.core.change import readable
from bot.errors import ConfigError, ForgeNotFound, UsageError
from bot.forge.github.client import GitHub
from bot.git import remote
from bot.git.pull import Place, Remote, list_remotes, read_place
from bot.git.repository import Repository

GITHUB = "https://github.com"
PARTS = 2
"""Of the name of a repository: its owner's, and its own."""
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Site(NamedTuple):
    """A server of GitHub's, and where its interfaces are."""

    server: str
    api: str
    graph: str = ""
    """Empty where it follows from `api`."""


def find_site(environ: Mapping[str, str]) -> Site:
    """Find the server that a token may be shown to: github.com, unless a person names another. Raises ConfigError."""
    server = (environ.get("GITHUB_SERVER_URL") or GITHUB).rstrip("/")
    site = Site(server, environ.get("GITHUB_API_URL") or _api_of(server), environ.get("GITHUB_GRAPHQL_URL") or "")
    for name, url in (("GITHUB_SERVER_URL", site.server), ("GITHUB_API_URL", site.api)):
        if not _is_safe(url):
            raise ConfigError(f"{name} is no address that a token may be sent to", f"it is like {GITHUB}")
    return site


def _api_of(server: str) -> str:
    host = (read_place(f"{server}/x") or Place("", None, "")).host
    if host == "github.com" or host.endswith(".ghe.com"):
        return f"https://api.{host}"
    return f"{server}/api/v3"


def _is_safe(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return bool(parts.hostname) and (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK))


@dataclass(frozen=True)
class Home:
    """A person's repository, and the one at GitHub; nothing is asked before it is needed."""

    repository: Repository
    site: Site
    name: str
    """The remote, as the configuration names it."""
    path: str
    """OWNER/NAME, in small letters."""
    token: str = field(repr=False)

    @cached_property
    def known(self) -> hub.Repository:
        """What GitHub tells of it. Raises ForgeError."""
        try:
            return self._client(self.path).repository()
        except ForgeNotFound as error:
            text = f"there is no {self.path} at {self.site.server}, or the token may not see it"
            raise ForgeNotFound(text, "a token for it needs read access to contents and issues") from error

    @cached_property
    def github(self) -> GitHub:
        """The forge, asked for the repository by the name that it has now. Raises ForgeError."""
        return self._client(self.known.full_name)

    @property
    def remote(self) -> remote.Remote:
        """The repository as git reaches it: with the token, and with no key or helper of the person's."""
        return remote.Remote(f"{self.site.server}/{quote(self.known.full_name)}.git", self.token)

    def _client(self, name: str) -> GitHub:
        site = self.site
        return GitHub(
            site.api,
            self.token,
            name,
            server_url=site.server,
            graphql_url=site.graph,
            log=log,
            secrets=take_secrets().values,
        )


def find_home(repository: Repository, page: Place | None = None) -> Home:
    """Find the repository at GitHub: the one that a page belongs to, else `origin`. Raises UsageError."""
    site = find_site(os.environ)
    chosen, path = choose(list_remotes(repository), site, page)
    token = next(filter(None, map(take_secrets().get, TOKENS)), "")
    if not token:
        hint = "a personal one that may write contents and pull requests; with gh: GH_TOKEN=$(gh auth token)"
        raise UsageError("there is no token for GitHub: set GITHUB_TOKEN or GH_TOKEN", hint)
    return Home(repository, site, chosen, path, token)


def choose(remotes: Sequence[Remote], site: Site, page: Place | None) -> tuple[str, str]:
    """Choose a remote at the site; return its name, and OWNER/NAME. Raises UsageError."""
    found = {each.name: place.path for each in remotes if (place := _place_at(site, each.url)) is not None}
    if page is not None:
        return _match(remotes, found, site, page)
    name = next((name for name in ("origin", *found) if name in found), "")
    if not name:
        raise _stranger(remotes, site)
    if name != "origin" and len(set(found.values())) > 1:
        raise UsageError(f"several remotes are at {site.server}: {_names(found)}", "call the one that is meant origin")
    return name, found[name]


def _match(remotes: Sequence[Remote], found: Mapping[str, str], site: Site, page: Place) -> tuple[str, str]:
    """Choose the remote that a page belongs to. Raises UsageError."""
    named = [name for name, path in found.items() if path == page.path]
    if named and _is_at(site, page):
        return ("origin" if "origin" in named else named[0]), page.path
    there = f"there are {_names([each.name for each in remotes])}" if remotes else "there are none"
    text = f"no remote of this repository is {page.host}/{page.path}"
    raise _stranger(remotes, site) if not found else UsageError(text, there)


def _place_at(site: Site, url: str) -> Place | None:
    """Read the address of a remote; None where it is elsewhere, or no repository."""
    place = read_place(url)
    if place is None or not _is_at(site, place) or len(place.path.split("/")) != PARTS:
        return None
    return place


def _is_at(site: Site, place: Place) -> bool:
    there = read_place(f"{site.server}/x")
    # Without a port it is ssh's, which has one of its own
    return there is not None and place.host == there.host and place.port in (None, there.port)


def _stranger(remotes: Sequence[Remote], site: Site) -> UsageError:
    """Say why there is no repository at the site: a token is not shown to any server that a remote happens to name."""
    host = (read_place(f"{site.server}/x") or Place(site.server, None, "")).host
    add = f"git remote add {'github' if remotes else 'origin'} {site.server}/OWNER/NAME.git"
    if not remotes:
        return UsageError("this repository has no remote at GitHub", add)
    places = [(each.name, place.host) for each in remotes if (place := read_place(each.url)) is not None]
    other = next((f"{name} is at {there}" for name, there in places if there != host), "its remotes are files")
    servers = [there for _, there in places if "." in there and there != host]
    enterprise = f"GITHUB_SERVER_URL=https://{servers[0]} if that is a GitHub of its own, or " if servers else ""
    return UsageError(f"no remote of this repository is at {host}: {other}", f"{enterprise}{add}")


def _names(names: Mapping[str, str] | Sequence[str]) -> str:
    return ", ".join(readable(os.fsencode(name)) for name in names)
