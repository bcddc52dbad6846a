"""Which of OpenAI's interfaces a server is asked on: what its model is known to want, until it says otherwise."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import JsonValue

from bot.core.message import Message, Prompt, Reply, Usage
from bot.models.openai import reply, request
from bot.models.openai.refusal import Refusal
from bot.models.openai.responses import reply as responses_reply
from bot.models.openai.responses import request as responses_request
from bot.models.openai.terms import REFUSALS, Terms
from bot.models.profile import Price, Profile, Wire
from bot.models.service.draft import Draft
from bot.models.service.events import Sent

PATHS: Mapping[Wire, str] = {"chat": "/chat/completions", "responses": "/responses"}

_ABSENT = (404, 405, 501)
"""Statuses of a path that a server does not have."""
_ELSEWHERE = re.compile(
    r"\bv1/responses\b|\bresponses api\b|unsupported_api_for_model|not accessible via the /chat/completions",
    re.IGNORECASE,
)
"""What is said on the one interface of a model that answers on the other only."""
_MODEL = re.compile(r"model|deployment", re.IGNORECASE)


class Writer(Protocol):
    """Writes the requests of one conversation after the other."""

    def write(self, prompt: Prompt, extra: Mapping[str, JsonValue] | None = None) -> bytes:
        """Return the body of a request."""
        ...

    def learn(self, param: str, words: str) -> bool:
        """Leave out from now on what an error refuses; False where asking again would be no use."""
        ...


class Folding(Protocol):
    """Makes a reply of what comes."""

    @property
    def ended(self) -> bool:
        """Whether the service said that the reply is whole."""
        ...

    @property
    def done(self) -> bool:
        """Whether nothing more is to come."""
        ...

    def take(self, sent: Sent) -> bool:
        """Take an event; False where nothing of the reply is in it. Raises ModelError."""
        ...

    def take_whole(self, data: bytes) -> None:
        """Take an answer that is not streamed. Raises ModelError."""
        ...

    def reply(self, messages: Iterable[Message], price: Price | None) -> Reply:
        """Return the reply, its calls with ids that none of the messages before has."""
        ...

    def usage(self, price: Price | None) -> Usage:
        """Say what it cost, estimated where the service does not tell."""
        ...


@dataclass(slots=True)
class Interface:
    """The interface that is asked, and what has been learnt of it."""

    profile: Profile
    hosted: bool = False
    """Whether it is OpenAI itself that is asked."""
    wire: Wire = field(init=False)
    writer: Writer = field(init=False, repr=False)
    answered: bool = field(default=False, init=False)
    """Whether it ever answered anything but an error."""
    _turned: bool = field(default=False, init=False)
    """Whether it is not the first that was asked; there is no third."""

    def __post_init__(self) -> None:
        self._take(self.profile.wire)

    @property
    def path(self) -> str:
        """Where requests go, below the address."""
        return PATHS[self.wire]

    def fold(self, draft: Draft, sent: int, secret: str) -> Folding:
        """Begin with a reply to a request of so many bytes."""
        kind = reply.Folding if self.wire == "chat" else responses_reply.Folding
        return kind(draft, sent, secret)

    def learn(self, refusal: Refusal) -> bool:
        """Ask otherwise from now on, if a refusal shows how; False where asking again would be no use."""
        fault = refusal.fault
        words = f"{fault.code} {fault.message}"
        if not self._turned and self._is_elsewhere(refusal.status, words):
            self._turned = True
            self._take("responses" if self.wire == "chat" else "chat")
            return True
        return refusal.status in REFUSALS and self.writer.learn(fault.param, fault.message)

    def _is_elsewhere(self, status: int, words: str) -> bool:
        if self.wire == "chat":
            return status in REFUSALS and _ELSEWHERE.search(words) is not None
        return status in _ABSENT and not self.answered and _MODEL.search(words) is None

    def _take(self, wire: Wire) -> None:
        self.wire, self.answered = wire, False
        if wire == "responses":
            terms = Terms("max_output_tokens")
            self.writer = responses_request.Writer(self.profile, terms, key=self.hosted)
        else:
            terms = Terms("max_completion_tokens" if self.hosted else "max_tokens")
            self.writer = request.Writer(self.profile, terms, key=self.hosted)
