"""A reply as it comes: chunks of chat completions, folded into what was said, called and used."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from pydantic import JsonValue

from bot.core.message import Finish, Message, Reply, Usage
from bot.errors import MalformedReply, ModelError, ModelUnavailable
from bot.models.profile import Price
from bot.models.service.arguments import clean_text, parse_arguments
from bot.models.service.bill import bill, count, estimate, tokens
from bot.models.service.draft import Draft, Part
from bot.models.service.events import Sent
from bot.models.service.faults import find_words, from_code

Fields: TypeAlias = Mapping[str, JsonValue]

DONE = "[DONE]"
PAGE = 20_000
"""Bytes of a page that are searched for its title."""
NOTHING: Fields = {}

_THOUGHT = re.compile(r"\A\s*<think>.*?</think>\s*", re.DOTALL)
"""What a model said to itself, where its server does not tell that from what it says."""
_FINISHES: Mapping[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "refused",
    "refusal": "refused",
    "safety": "refused",
}
_BROKEN = ("error", "network_error", "insufficient_system_resource", "abort")
"""Ends that are none."""


@dataclass(slots=True)
class Folding:
    """Takes chunks, or one whole answer, and makes a reply of them."""

    draft: Draft
    sent: int
    """Bytes of the request, for an estimate of what it cost."""
    secret: str = field(default="", repr=False)
    ended: bool = field(default=False, init=False)
    """Whether the service said that the reply is whole."""
    done: bool = field(default=False, init=False)
    """Whether nothing more is to come, not even what it cost."""
    _finish: Finish = field(default="stop", init=False)
    _usage: Fields = field(default_factory=dict, init=False)
    _slots: dict[int, Part] = field(default_factory=dict, init=False)
    """The last call at each index."""
    _last: Part | None = field(default=None, init=False)

    def take(self, sent: Sent) -> bool:
        """Take an event; False where nothing of the reply is in it. Raises ModelError."""
        if sent.data.strip() == DONE:
            self.ended, self.done = self.ended or self._is_whole(), True
            return True
        try:
            chunk: JsonValue = json.loads(sent.data)
        except (ValueError, RecursionError):
            chunk = None
            if sent.name != "error":
                raise MalformedReply("the service streams something that is not JSON") from None
        if sent.name == "error" and not _fields(chunk).get("error"):
            chunk = {"error": chunk or sent.data}
        return self.fold(chunk)

    def _is_whole(self) -> bool:
        """Say whether a reply without a reason for its end is one; gateways end one so that broke off behind them."""
        parts = self.draft.parts
        return bool(parts) and all(parse_arguments(part.raw or "{}") is not None for part in parts)

    def take_whole(self, data: bytes) -> None:
        """Take an answer that is not streamed. Raises ModelError."""
        try:
            told: JsonValue = json.loads(data.decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError):
            words = find_words(data[:PAGE].decode("utf-8", "replace"))
            said = f" ({words})" if words and data.lstrip()[:1] == b"<" else ""
            hint = "check base-url: it mostly ends in /v1"
            raise MalformedReply(f"the service answers with something that is not a reply{said}", hint) from None
        self.fold(told)
        if not _items(_fields(told).get("choices")):
            raise MalformedReply("the service's answer holds no reply", "check base-url: it mostly ends in /v1")
        self.ended = self.done = True

    def fold(self, chunk: JsonValue) -> bool:
        """Take a chunk or a whole answer; False where nothing of the reply is in it. Raises ModelError."""
        told = _fields(chunk)
        fault = self._fault(told)
        if fault is not None:
            raise fault
        usage = _fields(told.get("usage"))
        if count(usage.get("prompt_tokens")) or count(usage.get("completion_tokens")):
            # What it cost is said last, by those that say it once
            self._usage, self.done = usage, self.done or self.ended
        choice = next((entry for entry in map(_fields, _items(told.get("choices"))) if not entry.get("index")), NOTHING)
        new = self._take_delta(_fields(choice.get("delta")) or _fields(choice.get("message")))
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish:
            self._end(finish)
            return True
        return new

    def reply(self, messages: Iterable[Message], price: Price | None) -> Reply:
        """Return the reply, its calls with ids that none of the messages before has."""
        calls = self.draft.calls(messages)
        finish = "tool_calls" if calls and self._finish == "stop" else self._finish
        return Reply(text=_THOUGHT.sub("", self.draft.text), calls=calls, usage=self.usage(price), finish=finish)

    def usage(self, price: Price | None) -> Usage:
        """Say what it cost, estimated where the service does not tell."""
        sent, came = count(self._usage.get("prompt_tokens")), count(self._usage.get("completion_tokens"))
        # Some leave what the model said to itself to the sum
        came = max(came, count(self._usage.get("total_tokens")) - sent)
        if not sent:
            return estimate(price, self.sent, self.draft.characters)
        details = _fields(self._usage.get("prompt_tokens_details"))
        cached = count(details.get("cached_tokens")) or count(self._usage.get("prompt_cache_hit_tokens"))
        cached = min(sent, cached)
        return bill(price, sent - cached, came or tokens(self.draft.characters), cached)

    def _fault(self, told: Fields) -> ModelError | None:
        error = told.get("error")
        if not error:
            return None
        read = read_error(told)
        return from_code(read.code, read.message, secret=self.secret)

    def _end(self, finish: str) -> None:
        if finish.lower() in _BROKEN:
            raise ModelUnavailable(f"the service broke off the reply ({find_words(finish)})", "try again later")
        self.ended = True
        if self._finish != "refused":
            self._finish = _FINISHES.get(finish.lower(), "stop")

    def _take_delta(self, delta: Fields) -> bool:
        new = False
        for text in _texts(delta.get("content")):
            self.draft.say(text)
            new = True
        refusal = delta.get("refusal")
        if isinstance(refusal, str) and refusal:
            self.draft.say(refusal)
            self._finish, new = "refused", True
        for name in ("reasoning_content", "reasoning"):
            for text in _texts(delta.get(name)):
                self.draft.think(text)
                new = True
        for call in _calls(delta):
            self._take_call(call)
            new = True
        return new

    def _take_call(self, told: Fields) -> None:
        function = _fields(told.get("function")) or told
        id, name = _text(told.get("id")), _text(function.get("name"))  # noqa: A001 - the field's name
        index = told.get("index")
        slot = index if isinstance(index, int) else None
        part = self._find(slot, id, name)
        if part is None:
            part = self.draft.open(id, name)
        else:
            part.id = part.id or id
            # Some send the name with every piece, and few send it in pieces
            part.name = part.name if name == part.name or part.pieces else clean_text(part.name + name)
        self._last = part
        if slot is not None:
            self._slots[slot] = part
        arguments = function.get("arguments")
        if arguments not in (None, ""):
            self.draft.feed(part, arguments if isinstance(arguments, str) else json.dumps(arguments))

    def _find(self, slot: int | None, id: str, name: str) -> Part | None:  # noqa: A002 - the field's name
        """Find the call that a piece belongs to, whatever its server thinks of indexes; None where it begins one."""
        part = self._slots.get(slot) if slot is not None else self._last
        if slot is None and id:
            part = next((known for known in self.draft.parts if known.id == id), None)
        if part is None or not name:
            return part
        if id and part.id:
            return part if id == part.id else None
        return None if part.pieces and parse_arguments(part.raw) is not None else part


class Fault(NamedTuple):
    """An error as a server tells it."""

    code: str
    """Its code, or its type."""
    message: str
    param: str = ""
    """The parameter that it is about."""


def read_error(told: Fields) -> Fault:
    """Read an error, wherever a server puts what it says."""
    error = told.get("error")
    if isinstance(error, str) and error:
        return Fault(_text(told.get("code") or told.get("type")), error)
    fields = _fields(error) or told
    said = [fields.get("message") or fields.get("detail"), _fields(fields.get("metadata")).get("raw")]
    code, kind = fields.get("code"), fields.get("type")
    if kind and not isinstance(code, str):
        # A number says less than the name beside it
        said.insert(0, kind)
    code = code or kind or fields.get("status")
    return Fault(_text(code), ": ".join(_text(part) for part in said if part), _text(fields.get("param")))


def _calls(delta: Fields) -> Iterator[Fields]:
    yield from map(_fields, _items(delta.get("tool_calls")))
    # How calls were told before there could be several
    old = _fields(delta.get("function_call"))
    if old:
        yield old


def _texts(told: JsonValue) -> Iterator[str]:
    """Read text that comes as it is, or as a list of parts."""
    if isinstance(told, str):
        if told:
            yield told
        return
    for part in map(_fields, _items(told)):
        text = part.get("text")
        if isinstance(text, str) and text:
            yield text


def _fields(told: JsonValue) -> Fields:
    return told if isinstance(told, dict) else NOTHING


def _items(told: JsonValue) -> list[JsonValue]:
    return told if isinstance(told, list) else []


def _text(told: JsonValue) -> str:
    return told if isinstance(told, str) else "" if told is None else json.dumps(told)
