"""Pull requests of other repositories: found and fetched without a trace in refs, configuration or FETCH_HEAD."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple
from urllib.parse import urlsplit

from bot.core.change import readable
from bot.errors import GitFailed, UsageError
from bot.git.launch import Answer
from bot.git.repository import Repository
from bot.git.run import Git

ASKING = 60.0
"""Seconds that a remote gets to say what it has."""
FETCHING = 600.0
"""Seconds that a fetch may take; a big repository over a slow line is what it is."""

FORMS = ("refs/pull/{}/head", "refs/merge-requests/{}/head")
"""Where forges keep the head of a pull request."""

_SHORT = re.compile(r"(?P<sign>[#!]|(?:pr|pull|mr)/)(?P<number>[1-9][0-9]{0,8})")
_PAGE = re.compile(
    r"/(?P<repository>.+?)/(?:(?P<pull>pulls?)|(?:-/)?(?P<merge>merge_requests))/(?P<number>[1-9][0-9]{0,8})(?:/.*)?"
)
_LISTED = re.compile(r"(?P<name>\S+)\t(?P<url>.*) \(fetch\)(?: \[.*\])?")
_SCP = re.compile(r"(?:[^@/]+@)?(?P<host>\[[^\]]+\]|[^:/]+):(?P<path>(?!//).+)")
_OTHER_DOORS = {"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com"}
"""Hosts that let ssh in on the port of https, and the forge behind each."""

QUIET = {"SSH_ASKPASS_REQUIRE": "never", "GCM_INTERACTIVE": "never"}
"""Without a terminal ssh and the usual credential helper open a window instead."""

MINIMAL = (
    *("--quiet", "--no-tags", "--no-write-fetch-head", "--refmap=", "--no-prune", "--no-auto-maintenance"),
    *("--no-recurse-submodules", "--no-write-commit-graph", "--no-show-forced-updates", "--no-filter"),
)
"""What keeps a fetch from writing anything but objects, and the refs that it is told."""


class Remote(NamedTuple):
    """Another repository, as the configuration names it."""

    name: str
    url: str


class Place(NamedTuple):
    """A repository on a server, however its address is written."""

    host: str
    port: int | None
    """Only of http, where another port is another server."""
    path: str


class Asked(NamedTuple):
    """A pull request that a person named."""

    number: int
    forms: tuple[str, ...]
    """Refs that may hold its head, the likeliest first."""
    place: Place | None = None
    """The repository that its address names."""


@dataclass(frozen=True, slots=True)
class Pull:
    """A pull request, fetched."""

    number: int
    remote: str
    ref: str
    tip: str
    branch: str
    """The remote's default branch."""
    base: str
    """Where the pull request leaves it."""


def read_request(what: str) -> Asked | None:
    """Understand `#12`, `!12`, `pr/12`, `pull/12`, `mr/12` or the address of a page; None for anything else."""
    short = _SHORT.fullmatch(what)
    if short is not None:
        merge = short["sign"] in ("!", "mr/")
        return Asked(int(short["number"]), _forms(int(short["number"]), FORMS[::-1] if merge else FORMS))
    if not re.match(r"https?://", what):
        return None
    place = read_place(what)
    page = _PAGE.fullmatch(f"/{place.path}") if place is not None else None
    if place is None or page is None:
        raise UsageError(f"not the address of a pull request: {what!r}", "for example https://HOST/OWNER/NAME/pull/12")
    number = int(page["number"])
    return Asked(number, _forms(number, FORMS[1:] if page["merge"] else FORMS[:1]), _of(place, page["repository"]))


def fetch_pull(repository: Repository, asked: Asked) -> Pull:
    """Bring a pull request and its remote's default branch here, as objects only. Raises UsageError."""
    remote = choose_remote(repository, asked)
    git = _calm(repository, remote)
    heads, branch = _ask(git, remote, asked)
    ref = next((form for form in asked.forms if form in heads), None)
    if ref is None:
        raise UsageError(f"{remote} has no pull request {asked.number}", _elsewhere(repository, remote))
    if not branch or branch not in heads:
        raise UsageError(f"{remote} does not say which branch is its default", "fetch it, and give a range A..B")
    what = f"pull request {asked.number} could not be fetched from {remote}"
    _told(what, remote, _bounded(git, FETCHING, "fetch", *MINIMAL, "--", remote, ref, branch))
    tip, default = heads[ref], heads[branch]
    if any(repository.git.ask("cat-file", "-e", f"{commit}^{{commit}}").code for commit in (tip, default)):
        raise UsageError(f"{what}: it was rewritten meanwhile", "try again")
    short = readable(branch.encode()).removeprefix("refs/heads/")
    return Pull(asked.number, remote, ref, tip, short, _fork(repository, asked.number, (default, short), tip))


def choose_remote(repository: Repository, asked: Asked) -> str:
    """Pick the remote that a pull request belongs to. Raises UsageError."""
    remotes = list_remotes(repository)
    if not remotes:
        raise UsageError("this repository has no remote to fetch a pull request from", "git remote add origin URL")
    if asked.place is not None:
        found = [remote.name for remote in remotes if _same(asked.place, read_place(remote.url))]
        if not found:
            raise UsageError(f"no remote of this repository is {asked.place.host}/{asked.place.path}", _named(remotes))
        return "origin" if "origin" in found else found[0]
    names = [remote.name for remote in remotes]
    branch = repository.git.ask("symbolic-ref", "--quiet", "--short", "HEAD").output.decode("utf-8", "replace").strip()
    tracked = repository.git.ask("config", "--get", f"branch.{branch}.remote").output.decode("utf-8", "replace").strip()
    for name in (tracked, "origin"):
        if name in names:
            return name
    if len(names) > 1:
        raise UsageError("several remotes may be meant", f"give the address of the pull request; {_named(remotes)}")
    return names[0]


def list_remotes(repository: Repository) -> tuple[Remote, ...]:
    """List the remotes with the address that each is fetched from."""
    told = repository.git.output("remote", "--verbose").decode("utf-8", "replace")
    lines = (_LISTED.fullmatch(line) for line in told.splitlines())
    return tuple({line["name"]: Remote(line["name"], line["url"]) for line in lines if line is not None}.values())


def _forms(number: int, forms: Sequence[str]) -> tuple[str, ...]:
    return tuple(form.format(number) for form in forms)


def _of(place: Place, path: str) -> Place:
    return place._replace(path=_plain(path))


def read_place(url: str) -> Place | None:
    """Read an address, however it is written; None when it names no server."""
    if "://" not in url:
        short = _SCP.fullmatch(url)
        return Place(_host(short["host"]), None, _plain(short["path"])) if short is not None else None
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None
    if not parts.hostname:
        return None
    return Place(_host(parts.hostname), port if parts.scheme in ("http", "https") else None, _plain(parts.path))


def _host(name: str) -> str:
    plain = name.strip("[]").lower().removeprefix("www.")
    return _OTHER_DOORS.get(plain, plain)


def _plain(path: str) -> str:
    return path.strip("/").removesuffix(".git").lower()


def _same(asked: Place, other: Place | None) -> bool:
    if other is None or (asked.host, asked.path) != (other.host, other.path):
        return False
    return other.port is None or asked.port == other.port


def _named(remotes: Sequence[Remote]) -> str:
    return f"there are {', '.join(readable(remote.name.encode()) for remote in remotes)}"


def _elsewhere(repository: Repository, remote: str) -> str:
    others = [other.name for other in list_remotes(repository) if other.name != remote]
    return f"give its address if it belongs to {' or '.join(others)}" if others else ""


def _calm(repository: Repository, remote: str) -> Git:
    """Point git at the person's configuration without what would make a fetch write more than objects."""
    git = repository.git
    still = (
        (f"remote.{remote}.followRemoteHEAD", "never"),
        ("fetch.bundleURI", ""),
        ("credential.interactive", "false"),
        ("http.lowSpeedLimit", "1000"),
        ("http.lowSpeedTime", "60"),
    )
    return replace(git, config=(*git.config, *still))


def _ask(git: Git, remote: str, asked: Asked) -> tuple[dict[str, str], str]:
    """Ask a remote for the refs that matter, and for the name of its default branch. Raises UsageError."""
    # Patterns fit at the end of a name, so what comes back is sorted out by its whole name
    told = _bounded(git, ASKING, "ls-remote", "--quiet", "--symref", "--", remote, "HEAD", *asked.forms)
    output = _told(f"pull request {asked.number} could not be asked for", remote, told)
    refs, branch = {}, ""
    for line in output.decode("utf-8", "surrogateescape").splitlines():
        value, _, name = line.partition("\t")
        if value.startswith("ref: ") and name == "HEAD":
            branch = value.removeprefix("ref: ")
        else:
            refs[name] = value
    heads = {name: refs[name] for name in asked.forms if name in refs}
    return (heads | {branch: refs["HEAD"]} if branch and "HEAD" in refs else heads), branch


def _bounded(git: Git, seconds: float, *args: str) -> Answer:
    try:
        return replace(git, timeout=seconds).ask(*args, environ=QUIET)
    except GitFailed as error:
        return Answer(1, b"", error.message)


def _told(what: str, remote: str, answer: Answer) -> bytes:
    if answer.code:
        hint = f"git ls-remote {readable(remote.encode())} shows whether it answers you"
        raise UsageError(f"{what}: {answer.error or 'git gives no reason'}", hint)
    return answer.output


def _fork(repository: Repository, number: int, default: tuple[str, str], tip: str) -> str:
    """Find where a pull request leaves the default branch. Raises UsageError."""
    commit, name = default
    answer = repository.git.ask("merge-base", commit, tip)
    base = answer.output.decode().strip()
    if not base:
        shallow = repository.git.line("rev-parse", "--is-shallow-repository") == "true"
        hint = "this clone is shallow: git fetch --unshallow brings the rest" if shallow else "give a range A..B"
        raise UsageError(f"pull request {number} has no commit in common with {name} here", hint)
    if base == tip:
        raise UsageError(f"everything in pull request {number} is in {name} already", "give a range A..B")
    return base
