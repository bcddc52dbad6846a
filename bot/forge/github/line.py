"""The way to GitHub's host: bounded in time and size, and it leads nowhere else."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar
from urllib.parse import urljoin, urlsplit

from bot.errors import MalformedAnswer
from bot.forge.github.limits import ANSWER
from bot.forge.github.patience import Patience

if TYPE_CHECKING:
    import requests

T = TypeVar("T")

HOPS = 3
"""Redirections in a row that we follow: a repository that was renamed, perhaps twice."""
MOVED = (301, 307, 308)
ACCEPTED = 202
DIGITS = 15
"""Of any counter that is one."""
PIECE = 1 << 16
COUNTERS = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as PyGithub reads it."""

    status: int
    headers: Mapping[str, str]
    """By name in lower case."""
    body: str

    def getheaders(self) -> Iterator[tuple[str, str]]:
        """Return the headers, without counters that are no numbers: PyGithub would fail on them."""
        return ((k, v) for k, v in self.headers.items() if k not in COUNTERS or (v.isdecimal() and len(v) <= DIGITS))

    def read(self) -> str:
        """Return the body."""
        return self.body


@dataclass(frozen=True, slots=True)
class Line:
    """All requests of one client go through here."""

    origin: str
    """Scheme, host and port."""
    patience: Patience
    session: "requests.Session" = field(repr=False)

    def send(self, verb: str, path: str, body: str | None, headers: Mapping[str, str]) -> Reply:
        """Send one request, following the host's own redirections. Raises MalformedAnswer, OSError."""
        url = urljoin(self.origin, path)
        for _ in range(HOPS):
            reply = self._send(verb, url, body, headers)
            if reply.status in MOVED and "location" in reply.headers:
                url = self._follow(url, reply.headers["location"])
            elif reply.status == ACCEPTED:
                raise MalformedAnswer(f"{self.origin} has no answer yet ({reply.status})")
            else:
                return reply
        raise MalformedAnswer(f"{self.origin} sends us in a circle")

    def _follow(self, url: str, location: str) -> str:
        try:
            target = urljoin(url, location)
            if origin_of(target) == self.origin:
                return target
        except ValueError:
            pass
        raise MalformedAnswer(
            f"{self.origin} sends us on to another host", "set GITHUB_API_URL to the address that the API has by now"
        )

    def _send(self, verb: str, url: str, body: str | None, headers: Mapping[str, str]) -> Reply:
        deadline = time.monotonic() + self.patience.whole
        with self.session.request(
            verb,
            url,
            data=body and body.encode(),
            headers=dict(headers),
            timeout=(self.patience.connect, self.patience.read),
            allow_redirects=False,
            stream=True,
        ) as response:
            told = {name.lower(): value for name, value in response.headers.items()}
            whole = b"".join(pieces(response, deadline, ANSWER))
            return Reply(response.status_code, told, whole.decode("utf-8", "replace"))


class Call:
    """One request as PyGithub makes it on what it takes for a connection."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._asked: tuple[str, str, str | None, Mapping[str, str]] = ("GET", "/", None, {})

    def request(self, verb: str, url: str, body: str | None, headers: Mapping[str, str], *_: object) -> None:
        """Take note of what to send."""
        self._asked = (verb, url, body, headers)

    def getresponse(self) -> Reply:
        """Send it. Raises MalformedAnswer, OSError."""
        return self._line.send(*self._asked)

    def close(self) -> None:
        """Do nothing: the line stays open for the next request."""


def open_session() -> "requests.Session":
    """Open a session that adds nothing to what is asked for, such as a login out of a .netrc file."""
    import requests  # noqa: PLC0415 - most events are not for us

    session = requests.Session()
    session.auth = _as_it_is
    return session


def _as_it_is(request: "requests.PreparedRequest") -> "requests.PreparedRequest":
    return request


def pieces(response: "requests.Response", deadline: float, most: float) -> Iterator[bytes]:
    """Read an answer piece by piece. Raises MalformedAnswer, TimeoutError, OSError."""
    size = 0
    for piece in response.iter_content(PIECE):
        size += len(piece)
        if size > most:
            raise MalformedAnswer(f"the answer of {urlsplit(response.url).hostname} is larger than {most:.0f} bytes")
        if time.monotonic() > deadline:
            raise TimeoutError
        yield piece


def within(seconds: float, act: Callable[[], T]) -> T:
    """Return what a function returns, or leave it after a time. Raises TimeoutError, and what the function does."""
    # No limit of a socket bounds the look-up of a name, nor headers that come letter by letter
    outcome: Outcome[T] = Outcome()
    threading.Thread(target=outcome.fill, args=(act,), daemon=True).start()
    if not outcome.ready.wait(seconds):
        raise TimeoutError
    return outcome.get()


@dataclass(slots=True)
class Outcome(Generic[T]):
    """What came of a call in another thread."""

    value: list[T] = field(default_factory=list)
    """Empty where it failed."""
    error: BaseException | None = None
    ready: threading.Event = field(default_factory=threading.Event)

    def fill(self, act: Callable[[], T]) -> None:
        """Call a function, and keep what it returns or raises."""
        with self:
            self.value.append(act())

    def get(self) -> T:
        """Return what it returned. Raises what it raised."""
        if self.error is not None:
            raise self.error
        return self.value[0]

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, where: object) -> bool:
        self.error = error
        self.ready.set()
        return True


def origin_of(url: str) -> str:
    """Return scheme, host and port of an address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()
