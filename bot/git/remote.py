"""A repository on a server: asked, fetched from and pushed to, with a token that only git's environment holds."""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from bot.core.redact import Redactor
from bot.errors import ConfigError, GitFailed
from bot.git.launch import Answer
from bot.git.objects import full
from bot.git.pull import ASKING, FETCHING, MINIMAL
from bot.git.run import Git

PushKind: TypeAlias = Literal[
    "ok",
    "moved",
    "protected",
    "workflows",
    "too-large",
    "denied",
    "hooked",
    "shallow",
    "refused",
    "unreachable",
]
"""`moved`: the ref is not where we left it; `protected`: a rule of the forge; `workflows`: the token may not change
files of CI; `denied`: the token may not write at all; `hooked`: a hook of the server; `refused`: anything else that
was answered; `unreachable`: nothing was."""

DEEPER = (50, 500, 5_000)
"""Commits by which a history that is cut is made longer, one after the other, until it shows what is looked for."""

_OURS = re.compile(r"refs/heads/agent[/-][a-z0-9][a-z0-9-]{0,99}|refs/agent/runs/[0-9a-z][0-9a-z-]{0,59}")
"""The only refs that are ever pushed to."""
_PLAIN_URL = re.compile(r"[!-~]+")
_REJECTED = re.compile(r"\[(?:remote )?(?:rejected|failure)\] ?\(?(?P<why>.*?)\)?")
_TOGETHER = re.compile(r"atomic (?:push failed|transaction failed|push failure)", re.IGNORECASE)
_KINDS: Mapping[PushKind, re.Pattern[str]] = {
    "workflows": re.compile(
        r"refusing to allow .{0,200}workflow|without `?workflows?`? (?:permission|scope)", re.IGNORECASE
    ),
    "too-large": re.compile(
        r"GH001|large files detected|file size limit|exceeds maximum allowed size|(?:HTTP|error:) 413", re.IGNORECASE
    ),
    "protected": re.compile(r"protected branch|GH006|GH013|repository rule", re.IGNORECASE),
    "moved": re.compile(
        r"stale info|fetch first|non-fast-forward|cannot lock ref|failed to (?:update ref|lock)|already exists"
        r"|incorrect old value|needs force",
        re.IGNORECASE,
    ),
    "shallow": re.compile(r"shallow update not allowed", re.IGNORECASE),
    "denied": re.compile(
        r"(?:error:|HTTP) 40[134]|authentication failed|could not read (?:username|password)"
        r"|permission (?:to .{0,200} )?denied|write access|not granted|repository '.{0,300}' not found"
        r"|was archived|read-only",
        re.IGNORECASE,
    ),
}
"""What is said in which case; the first that fits counts."""
_MOVED_AWAY = re.compile(r"error: 30[12378]|redirect", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Remote:
    """A repository on a server. Raises ConfigError for an address that git must not be given."""

    url: str
    token: str = field(default="", repr=False)
    user: str = "x-access-token"
    """Whose token it is, as the server wants to be told."""

    def __post_init__(self) -> None:
        if not _is_address(self.url, secret=bool(self.token)):
            raise ConfigError("the address of the repository is not one of https://HOST/OWNER/NAME.git")
        if not self.token.isascii() or not self.token.isprintable() or " " in self.token:
            raise ConfigError("the token holds characters that no token has", "set it anew, without a line end")

    @property
    def basic(self) -> str:
        """The token as its header has it."""
        return b64encode(f"{self.user}:{self.token}".encode()).decode("ascii") if self.token else ""

    def hide(self, text: str) -> str:
        """Take the token out of a text, however it is spelled."""
        return Redactor((self.token, self.basic)).text(text) if self.token else text


def _is_address(url: str, *, secret: bool) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    if not _PLAIN_URL.fullmatch(url) or parts.query or parts.fragment or "@" in parts.netloc or len(parts.path) < 2:  # noqa: PLR2004 - a slash alone
        return False
    if parts.scheme == "file":
        return not parts.netloc and not secret
    return parts.scheme in ("http", "https") and bool(parts.hostname)


class Move(NamedTuple):
    """Where a ref of the remote is to stand."""

    ref: str
    """Its full name."""
    sha: str
    expected: str
    """Where it stands now, a full commit id; empty where it must not exist."""


class Pushed(NamedTuple):
    """What became of a push."""

    kind: PushKind
    detail: str = ""
    """One line of what the other side said, without credentials; foreign text."""


def connect(git: Git, remote: Remote) -> Git:
    """Let git speak to a remote, and to nothing else, with its token and no other credential."""
    return replace(git, config=(*git.config, *_settings(remote)))


def _settings(remote: Remote) -> Iterator[tuple[str, str]]:
    yield from (("protocol.allow", "never"), (f"protocol.{urlsplit(remote.url).scheme}.allow", "always"))
    yield from (("credential.helper", ""), ("credential.interactive", "false"), ("http.cookieFile", ""))
    # Wherever a redirect leads, our token must not; a repository that was renamed is asked for by its new name
    yield ("http.followRedirects", "false")
    yield from (("http.lowSpeedLimit", "1000"), ("http.lowSpeedTime", "60"), ("fetch.bundleURI", ""))
    yield from (("push.pushOption", ""), ("push.followTags", "false"), ("push.negotiate", "false"))
    # The longest name wins: an address of ours stays what it is, whatever a person has shorter ones rewritten to
    yield from ((f"url.{remote.url}.insteadOf", remote.url), (f"url.{remote.url}.pushInsteadOf", remote.url))
    # The empty one drops what a less exact address was given: a second header of the kind is an error to the server
    yield (f"http.{remote.url}.extraHeader", "")
    if remote.token:
        yield (f"http.{remote.url}.extraHeader", f"Authorization: Basic {remote.basic}")


def fetch(git: Git, remote: Remote, refspecs: Sequence[str], *, depth: int = 0) -> None:
    """Bring commits here, as objects and under the refs that are named for them. Raises GitFailed.

    `depth` counts only where history is cut already, or where there is none yet: a whole one is never cut.
    """
    cut = (f"--depth={depth}",) if depth and (is_cut(git) or _is_empty(git)) else ()
    _transfer(git, remote, FETCHING, "fetch", *MINIMAL, *cut, "--", remote.url, *refspecs)


def is_cut(git: Git) -> bool:
    """Say whether history is cut somewhere."""
    return git.line("rev-parse", "--is-shallow-repository") == "true"


def _is_empty(git: Git) -> bool:
    return not git.output("for-each-ref", "--count=1", "--format=x")


def find_fork(git: Git, remote: Remote, one: str, other: str) -> str:
    """Return where two commits part, with more history brought here while it is cut; empty where that is not found."""
    for more in (0, *DEEPER):
        if more and not is_cut(git):
            break
        if more:
            deepen = ("fetch", *MINIMAL, f"--deepen={more}", "--", remote.url)
            _transfer(git, remote, FETCHING, *deepen, full(one), full(other))
        answer = git.ask("merge-base", full(one), full(other))
        if not answer.code:
            return answer.output.decode("ascii").strip()
    return ""


def tips(git: Git, remote: Remote, patterns: Sequence[str]) -> Mapping[str, str]:
    """Return where refs of a remote stand, by their full names, in which `*` stands for anything. Raises GitFailed."""
    told = _transfer(git, remote, ASKING, "ls-remote", "--quiet", "--refs", "--", remote.url, *patterns)
    found = {}
    for line in told.decode("utf-8", "surrogateescape").splitlines():
        target, _, name = line.partition("\t")
        # To git a pattern may fit at the end of a name
        if any(fnmatchcase(name, pattern) for pattern in patterns):
            found[name] = full(target)
    return found


def push(git: Git, remote: Remote, sha: str, ref: str, expected: str) -> Pushed:
    """Let one ref of ours stand at a commit, if it stands where it is expected. Raises GitFailed for other refs."""
    return push_all(git, remote, (Move(ref, sha, expected),))[0]


def push_all(git: Git, remote: Remote, moves: Sequence[Move]) -> tuple[Pushed, ...]:
    """Move several refs of ours, all of them or none where the server can do so, else one by one up to a failure.

    Raises GitFailed for refs that are not ours.
    """
    for move in moves:
        _refuse_others(move)
    answer = _send(git, remote, moves, "--atomic" if len(moves) > 1 else "--no-atomic")
    if len(moves) > 1 and "does not support --atomic" in answer.error:
        return tuple(_one_by_one(git, remote, moves))
    told = tuple(_read(remote, move, answer) for move in moves)
    if any(each.kind == "unreachable" for each in told):
        return _look(git, remote, moves, told)
    why = next((each for each in told if each.kind != "ok" and not _TOGETHER.search(each.detail)), None)
    return tuple(why if why is not None and _TOGETHER.search(each.detail) else each for each in told)


def _refuse_others(move: Move) -> None:
    full(move.sha)
    if move.expected:
        full(move.expected)
    if not _OURS.fullmatch(move.ref):
        raise GitFailed(f"{move.ref[:80]!r} is not a ref of ours: nothing was pushed")


def _one_by_one(git: Git, remote: Remote, moves: Sequence[Move]) -> Iterator[Pushed]:
    failed = False
    for move in moves:
        told = Pushed("refused", "not tried") if failed else push(git, remote, move.sha, move.ref, move.expected)
        failed = failed or told.kind != "ok"
        yield told


def _send(git: Git, remote: Remote, moves: Sequence[Move], how: str) -> Answer:
    leases = [f"--force-with-lease={move.ref}:{move.expected}" for move in moves]
    specs = [f"{move.sha}:{move.ref}" for move in moves]
    args = ("push", "--porcelain", "--no-verify", "--no-signed", "--no-follow-tags", how, *leases)
    return _bounded(git, remote, FETCHING, *args, "--", remote.url, *specs)


def _read(remote: Remote, move: Move, answer: Answer) -> Pushed:
    """Find out what a push did to one ref; only a line that says so makes it a success."""
    lines = [line.split("\t") for line in answer.output.decode("utf-8", "replace").splitlines()]
    mine = next((line for line in lines if len(line) > 2 and line[1].rpartition(":")[2] == move.ref), None)  # noqa: PLR2004 - flag, refs, summary
    said = remote.hide(" ".join(answer.told))
    if mine is None:
        return _judge(remote.hide(answer.error), said, "unreachable")
    if mine[0] in (" ", "+", "*", "=") and not _REJECTED.search(mine[2]):
        return Pushed("ok")
    match = _REJECTED.fullmatch(mine[2])
    return _judge(remote.hide(match["why"] if match else mine[2]), said, "refused")


def _judge(reason: str, said: str, otherwise: PushKind) -> Pushed:
    """Name the kind of a failure: by the reason that is given for it, then by all that the server said."""
    if _MOVED_AWAY.search(reason):
        return Pushed("unreachable", f"the repository has another address by now: {reason[:400]}")
    kind = next((kind for text in (reason, said) for kind, sign in _KINDS.items() if sign.search(text)), None)
    # A hook says that it declined, and only among its words why
    kind = kind or ("hooked" if "hook declined" in reason else otherwise)
    told = said if kind in ("hooked", "protected", "too-large") else ""
    return Pushed(kind, ": ".join(filter(None, (reason or "git gives no reason", told)))[:500])


def _look(git: Git, remote: Remote, moves: Sequence[Move], told: tuple[Pushed, ...]) -> tuple[Pushed, ...]:
    """Ask where the refs stand after a push that nobody answered: it may have been carried out all the same."""
    try:
        stands = tips(git, remote, [move.ref for move in moves])
    except GitFailed:
        return told
    return tuple(
        Pushed("ok") if stands.get(move.ref) == move.sha else each for move, each in zip(moves, told, strict=True)
    )


def _transfer(git: Git, remote: Remote, seconds: float, *args: str) -> bytes:
    answer = _bounded(git, remote, seconds, *args)
    if answer.code:
        told = _judge(answer.error, " ".join(answer.told), "unreachable")
        hint = "the token has no right to this repository" if told.kind == "denied" else ""
        raise GitFailed(f"git {args[0]} failed: {remote.hide(told.detail)}", hint)
    return answer.output


def _bounded(git: Git, remote: Remote, seconds: float, *args: str) -> Answer:
    try:
        return replace(connect(git, remote), timeout=seconds).ask(*args)
    except GitFailed as error:
        return Answer(1, b"", error.message)
