"""Asks a model behind one of OpenAI's interfaces, whoever serves it."""

import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import JsonValue

from bot.core.escape import line
from bot.core.message import Prompt, Reply
from bot.errors import Interrupted, MalformedReply, ModelDenied, ModelError
from bot.models.address import check_address
from bot.models.openai.interface import Folding, Interface
from bot.models.openai.refusal import Refusal
from bot.models.preload import load
from bot.models.profile import Profile
from bot.models.service.bill import billed
from bot.models.service.draft import Draft
from bot.models.service.events import begin, is_whole, read_events, read_whole, until_end
from bot.models.service.faults import shield
from bot.models.service.guard import USUAL, Guard, Timing
from bot.models.service.key import check_key
from bot.protocols import Watch

if TYPE_CHECKING:
    import httpx2

    from bot.models.openai.wire import Wire

ADDRESS = "https://api.openai.com/v1"
HOST = "openai.com"
NO_KEY = "none"
"""Stands for the key of a server that asks for none."""


@dataclass(slots=True)
class OpenAIModel:
    """Asks for one reply after the other; what was written of a conversation is kept for its next turn."""

    name: str
    profile: Profile
    key: str = field(default="", repr=False)
    base_url: str = ADDRESS
    organization: str = ""
    project: str = ""
    watch: Watch | None = None
    timing: Timing = USUAL
    _interface: Interface = field(init=False, repr=False)
    _guard: Guard = field(init=False, repr=False)
    _wire: "Wire | None" = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self._interface = Interface(self.profile, hosted=_is_hosted(self.base_url))
        self._guard = Guard(self.timing)

    def reply(self, prompt: Prompt, seconds: float | None = None) -> Reply:
        """Ask for a reply, all of which may take so many seconds. Raises ModelError."""
        return self.answer(prompt, seconds)

    def answer(
        self, prompt: Prompt, seconds: float | None = None, extra: Mapping[str, JsonValue] | None = None
    ) -> Reply:
        """Ask with further parameters, such as a schema that the reply must fit. Raises ModelError."""
        response, folding = self._ask(prompt, seconds, extra)
        with self._billing(folding), closing(response):
            self._read(response, folding)
        return folding.reply(prompt.messages, self.profile.price)

    def close(self) -> None:
        """Hang up."""
        if self._wire is not None:
            self._wire.close()
            self._wire = None

    def _ask(
        self, prompt: Prompt, seconds: float | None, extra: Mapping[str, JsonValue] | None
    ) -> tuple["httpx2.Response", Folding]:
        """Send the question, and again without what the server does not take of it."""
        wire = self._wire = self._wire or self._connect()
        started = time.monotonic()
        while True:
            body = self._interface.writer.write(prompt, extra)
            self._guard.begin(None if seconds is None else seconds - (time.monotonic() - started))
            folding = self._interface.fold(Draft(self.watch), len(body), self.key)
            with self._billing(folding):
                answer = wire.ask(body, self._interface.path)
            if not isinstance(answer, Refusal):
                self._interface.answered = True
                return answer, folding
            if not self._interface.learn(answer):
                raise answer.explain(self.key)

    @contextmanager
    def _billing(self, folding: Folding) -> Iterator[None]:
        """Note with an error what came before it, which has to be paid."""
        try:
            yield
        except ModelError as error:
            if self._guard.answered:
                error.billed = billed(folding.usage(self.profile.price))
            shield(error, self.key)
            raise
        except KeyboardInterrupt:
            if not self._guard.answered:
                raise
            raise Interrupted(billed(folding.usage(self.profile.price))) from None

    def _connect(self) -> "Wire":
        check_address(self.base_url)
        if not self.key and _is_hosted(self.base_url):
            raise ModelDenied(f"there is no key for {self.name}", "set OPENAI_API_KEY to one")
        key = check_key(self.key) if self.key else NO_KEY
        for told, where in ((self.organization, "OPENAI_ORG_ID"), (self.project, "OPENAI_PROJECT_ID")):
            check_key(told or NO_KEY, where)
        load("openai")
        wire: Wire = import_module("bot.models.openai.wire").Wire(
            key, self.base_url, self.organization, self.project, self._guard
        )
        return wire

    def _read(self, response: "httpx2.Response", folding: Folding) -> None:
        """Read the answer to its end, and no further. Raises ModelError."""
        pieces = until_end(response.iter_bytes(), self._guard)
        first = begin(pieces)
        if is_whole(first):
            folding.take_whole(read_whole(chain((first,), pieces), self._guard))
            self._guard.end()
            return
        for sent in read_events(chain((first,), pieces)):
            if folding.take(sent):
                self._guard.advance()
            if folding.ended and not self._guard.ended:
                self._guard.end()
            if folding.done:
                break
        if not folding.ended:
            raise self._guard.lost() if self._guard.begun else _nothing(response)


def _is_hosted(url: str) -> bool:
    """Tell whether it is OpenAI itself that is asked."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    return host == HOST or host.endswith(f".{HOST}")


def _nothing(response: "httpx2.Response") -> MalformedReply:
    """Say that an answer in good order holds nothing of a reply."""
    what = line(response.headers.get("content-type", ""), 60) or "nothing"
    return MalformedReply(
        f"the service answered with {what} in place of a reply", "check base-url: it mostly ends in /v1"
    )
