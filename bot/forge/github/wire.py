"""Requests to GitHub: what may be sent again, and what counts as an answer."""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast
from urllib.parse import urlsplit

from pydantic import JsonValue, TypeAdapter, ValidationError

from bot import __version__
from bot.core.redact import MARK, Redactor
from bot.errors import ConfigError, ForgeError, ForgeLimited, ForgeRejected, ForgeUnavailable, MalformedAnswer
from bot.forge.github.faults import Answer, find_fault
from bot.forge.github.limits import PAGE, PAGES
from bot.forge.github.line import Call, Line, open_session, origin_of, within
from bot.forge.github.patience import Clock, Patience, Waiting

if TYPE_CHECKING:
    from github.Requester import Requester

T = TypeVar("T")
Parameters: TypeAlias = Mapping[str, str | int]
Body: TypeAlias = Mapping[str, JsonValue]

HEADERS = {"Accept": "application/vnd.github+json"}
ERROR = 400
REDIRECTED = 302
TEXTS = frozenset({"title", "body", "summary", "text", "message"})
"""What of a request people will read."""
FOUND = range(200, 300)
_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}", re.ASCII)
_TOKEN = re.compile(r"[!-~]{1,4096}", re.ASCII)
_FAILURES: Mapping[str, str] = {
    "ConnectTimeout": "it cannot be reached in time",
    "ReadTimeout": "it fell silent",
    "SSLError": "the certificate of its server is not trusted",
    "ProxyError": "the proxy does not let us through",
    "TimeoutError": "no whole answer came in time",
}


@dataclass(frozen=True)
class Wire:
    """One client's requests about one repository."""

    api_url: str
    token: str = field(repr=False)
    repository: str
    """OWNER/NAME."""
    patience: Patience
    log: Callable[[str], None] = field(repr=False)
    secrets: Sequence[str] = field(default=(), repr=False)
    """What must not be written anywhere, beside the token and whatever looks like one."""

    def __post_init__(self) -> None:
        parts = urlsplit(self.api_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
            raise ConfigError("the address of GitHub's API is none", "GITHUB_API_URL is like https://api.github.com")
        if not _REPOSITORY.fullmatch(self.repository):
            raise ConfigError(f"{self.repository[:200]!r} is no repository", "GITHUB_REPOSITORY is like OWNER/NAME")
        if not _TOKEN.fullmatch(self.token):
            raise ConfigError(
                "the token for GitHub is empty, or holds characters that no token has", "set GITHUB_TOKEN"
            )

    def get(self, path: str, parameters: Parameters | None = None) -> Answer:
        """Ask for something, again and again while that makes sense. Raises ForgeError."""
        attempt = 0
        while True:
            attempt, started = attempt + 1, time.monotonic()
            try:
                return self.send("GET", path, parameters=parameters)
            except ForgeUnavailable as fault:
                if not self.waiting.pause(fault, attempt, started):
                    raise

    def read(self, shape: TypeAdapter[T], path: str, parameters: Parameters | None = None) -> T:
        """Ask for something of a known shape. Raises ForgeError."""
        return fit(shape, self.get(path, parameters))

    def pages(
        self, shape: TypeAdapter[T], path: str, count: Callable[[T], int], parameters: Parameters | None = None
    ) -> Iterator[T]:
        """Ask for a list page by page, to its end. Raises ForgeError."""
        for page in range(1, PAGES + 1):
            answer = self.get(path, {**(parameters or {}), "per_page": PAGE, "page": page})
            told = fit(shape, answer)
            yield told
            more = 'rel="next"' in answer.headers.get("link", "")
            if more and not count(told):
                raise MalformedAnswer(f"GitHub's list breaks off at page {page} ({answer.asked})")
            # Some proxies drop the header that names the next page
            if not more and count(told) < PAGE:
                return
        raise ForgeRejected(f"the list at {path} is longer than {PAGES * PAGE} entries", reason="too_long")

    def write(self, act: Callable[[], T], find: Callable[[], T | None]) -> T:
        """Change something; after a failure that leaves it open, look whether it took effect. Raises ForgeError."""
        attempt = 0
        while True:
            attempt, started = attempt + 1, time.monotonic()
            try:
                return act()
            except (ForgeUnavailable, MalformedAnswer, ForgeRejected) as fault:
                if isinstance(fault, ForgeRejected) and fault.reason != "unresolved":
                    raise
                again = self.waiting.pause(fault, attempt, started)
                undone = isinstance(fault, ForgeLimited | ForgeRejected)
                found = None if undone else self._look(find, fault)
                if found is not None:
                    return found
                if not again or isinstance(fault, MalformedAnswer):
                    raise

    def _look(self, find: Callable[[], T | None], fault: ForgeError) -> T | None:
        try:
            return find()
        except ForgeError as blind:
            self.log(f"whether it took effect cannot be seen: {blind.message}")
            raise fault from blind

    def send(self, verb: str, path: str, body: Body | None = None, *, parameters: Parameters | None = None) -> Answer:
        """Send one request, once; a path that begins with `/repos/` is taken as it is. Raises ForgeError."""
        try:
            whole = self.patience.whole + self.patience.connect
            status, headers, text = within(whole, lambda: self._request(verb, path, self._hide(body), parameters))
        except OSError as error:
            why = _FAILURES.get(type(error).__name__, "the connection failed or broke off")
            raise ForgeUnavailable(f"GitHub gives no answer ({verb} {path}): {why}") from None
        except ValueError:
            raise MalformedAnswer(f"GitHub's answer cannot be read ({verb} {path})") from None
        answer = Answer(verb, path, status, headers, text.replace(self.token, MARK))
        if answer.date is not None:
            self.clock.set(answer.date)
        if status >= ERROR:
            raise find_fault(answer)
        if status not in FOUND and status != REDIRECTED:
            raise MalformedAnswer(f"GitHub's answer is none that we know ({answer.asked})")
        return answer

    def _hide(self, body: Body | None) -> Body | None:
        """Take secrets out of what people will read: nothing is written to GitHub but here."""
        return None if body is None else {name: self._hidden(name, value) for name, value in body.items()}

    def _hidden(self, name: str, value: JsonValue) -> JsonValue:
        match value:
            case str():
                return self._redactor.text(value) if name in TEXTS else value
            case list():
                return [self._hidden(name, each) for each in value]
            case dict():
                return {key: self._hidden(key, each) for key, each in value.items()}
            case _:
                return value

    @cached_property
    def _redactor(self) -> Redactor:
        return Redactor((self.token, *self.secrets))

    def _request(self, verb: str, path: str, body: Body | None, parameters: Parameters | None) -> tuple[int, Any, str]:
        whole = path if path.startswith(("/user", "http")) else f"/repos/{self.repository}{path}"
        given = None if parameters is None else dict(parameters)
        # A mapping of the caller's is the one thing that it puts headers into
        return self._requester.requestJson(verb, whole, given, dict(HEADERS), body)

    def close(self) -> None:
        """Close the connections; another request opens them again."""
        if "line" in vars(self):
            self.line.session.close()

    @cached_property
    def waiting(self) -> Waiting:
        """What is left of our patience."""
        return Waiting(self.patience, self.log)

    @cached_property
    def clock(self) -> Clock:
        """What GitHub says of the time."""
        return Clock()

    @cached_property
    def line(self) -> Line:
        """The way to GitHub's host."""
        return Line(origin_of(self.api_url), self.patience, open_session())

    @cached_property
    def _requester(self) -> "Requester":
        from github.Auth import Token  # noqa: PLC0415 - most events are not for us
        from github.Requester import Requester  # noqa: PLC0415

        class Bounded(Requester):
            """PyGithub's requests over our own line: it would wait, follow and read without bounds."""

        Bounded.injectConnectionClasses(cast("Any", self._call), cast("Any", self._call))
        return Bounded(
            auth=Token(self.token),
            base_url=self.api_url.rstrip("/"),
            timeout=0,
            user_agent=f"git-agent/{__version__}",
            per_page=PAGE,
            verify=True,
            retry=None,
            pool_size=None,
        )

    def _call(self, host: str, port: int | None, **_: object) -> Call:
        return Call(self.line)


def fit(shape: TypeAdapter[T], answer: Answer) -> T:
    """Read an answer. Raises MalformedAnswer."""
    try:
        return shape.validate_json(answer.body, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise MalformedAnswer(
            f"GitHub's answer is not what it should be ({answer.asked}): {where}: {first['msg']}"
        ) from None
