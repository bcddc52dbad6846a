"""Asks a model behind the messages interface, whoever serves it."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bot.core.escape import line
from bot.core.message import Prompt, Reply
from bot.errors import Interrupted, MalformedReply, ModelDenied, ModelError, ModelTimeout, StreamCut, StreamStalled
from bot.models.address import check_address
from bot.models.anthropic.fault import is_error, parse, read_error
from bot.models.anthropic.reply import Fields, Folding, unfold
from bot.models.anthropic.request import Writer
from bot.models.preload import load
from bot.models.profile import Profile
from bot.models.service.bill import billed
from bot.models.service.draft import Draft
from bot.models.service.events import Sent, begin, is_whole, read_events, read_whole, until_end
from bot.models.service.faults import find_words, shield
from bot.models.service.guard import USUAL, Guard, Timing
from bot.models.service.key import check_key
from bot.protocols import Watch

if TYPE_CHECKING:
    import httpx2

    from bot.models.anthropic.wire import Wire

ADDRESS = "https://api.anthropic.com"
HOST = "anthropic.com"
NO_KEY = "none"
"""Stands for the key of a service that asks for none."""
DONE = "[DONE]"
"""What some gateways send at the end, from another interface."""
UNTOLD = (MalformedReply, ModelTimeout, StreamCut, StreamStalled)
"""After these the service may have read the request, and want to be paid for it, though it did not say so."""


@dataclass(slots=True)
class AnthropicModel:
    """Asks for one reply after the other; what was written of a conversation is kept for its next turn."""

    name: str
    profile: Profile
    key: str = field(default="", repr=False)
    base_url: str = ADDRESS
    watch: Watch | None = None
    timing: Timing = USUAL
    bearer: bool = False
    """Whether the key is a token for `Authorization: Bearer`, however the SDK sends other keys."""
    _writer: Writer = field(init=False, repr=False)
    _guard: Guard = field(init=False, repr=False)
    _wire: "Wire | None" = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self._writer = Writer(self.profile)
        self._guard = Guard(self.timing)

    def reply(self, prompt: Prompt, seconds: float | None = None) -> Reply:
        """Ask for a reply, all of which may take so many seconds. Raises ModelError."""
        wire = self._wire = self._wire or self._connect()
        body = self._writer.write(prompt)
        folding = Folding(Draft(self.watch), len(body))
        self._guard.begin(seconds)
        try:
            with closing(wire.ask(body)) as response:
                self._read(response, folding)
        except ModelError as error:
            if self._guard.begun or (self._guard.answered and isinstance(error, UNTOLD)):
                error.billed = billed(folding.usage(self.profile.price))
            shield(error, self.key)
            raise
        except KeyboardInterrupt:
            if not self._guard.answered:
                raise
            raise Interrupted(billed(folding.usage(self.profile.price))) from None
        self._writer.answered()
        return folding.reply(prompt.messages, self.profile.price)

    def close(self) -> None:
        """Hang up."""
        if self._wire is not None:
            self._wire.close()
            self._wire = None

    def _connect(self) -> "Wire":
        check_address(self.base_url)
        host = urlsplit(self.base_url).hostname or ""
        if not self.key and (host == HOST or host.endswith(f".{HOST}")):
            raise ModelDenied(f"there is no key for {self.name}", "set ANTHROPIC_API_KEY to one")
        key = check_key(self.key) if self.key else NO_KEY
        load("anthropic")
        # As other services have their addresses
        address = self.base_url.rstrip("/").removesuffix("/v1")
        wire: Wire = import_module("bot.models.anthropic.wire").Wire(key, address, self._guard, bearer=self.bearer)
        return wire

    def _read(self, response: "httpx2.Response", folding: Folding) -> None:
        """Read the answer to the end of the reply, which need not be its own. Raises ModelError."""
        for event in self._events(response):
            if is_error(event) and not self._guard.ended:
                raise read_error(event, self.key)
            if folding.take(event) and not self._guard.ended:
                self._guard.advance()
                if folding.stop:
                    self._guard.end()
            if folding.ended:
                break
        # An end without a reason is what a gateway makes of an answer that broke off behind it
        if not folding.stop:
            raise self._guard.lost()

    def _events(self, response: "httpx2.Response") -> Iterator[Fields]:
        kind = response.headers.get("content-type", "")
        pieces = until_end(response.iter_bytes(), self._guard)
        first = begin(pieces)
        if is_whole(first):
            data = read_whole(chain((first,), pieces), self._guard)
            yield from _unpack(data.decode("utf-8", "replace"), kind)
            return
        none = True
        for sent in read_events(chain((first,), pieces)):
            none = False
            yield from self._event(sent)
        if none and self._guard.received and "event-stream" not in kind:
            raise _nothing(kind)

    def _event(self, sent: Sent) -> Iterator[Fields]:
        """Read an event; what comes behind the end of a reply changes nothing of it. Raises MalformedReply."""
        if sent.data.strip() == DONE or sent.name == "ping":
            return
        try:
            yield {"type": sent.name, **parse(sent.data)}
        except MalformedReply:
            if sent.name == "error":
                yield {"type": "error", "error": sent.data}
            elif not self._guard.ended:
                raise


def _unpack(text: str, kind: str) -> Iterator[Fields]:
    """Tell an answer that is not streamed as events. Raises MalformedReply."""
    if text[:1] == "<":
        raise _nothing(kind, find_words(text))
    answer = parse(text)
    if is_error(answer):
        yield answer
    elif isinstance(answer.get("content"), list):
        yield from unfold(answer)
    else:
        raise MalformedReply("the service answered with JSON that is no reply", "check base-url")


def _nothing(kind: str, words: str = "") -> MalformedReply:
    said = f" ({words})" if words else ""
    what = line(kind, 60) or "something"
    return MalformedReply(f"the service answered with {what} in place of a reply{said}", "check base-url")
