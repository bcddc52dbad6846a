"""A reply as it comes: chunks of chat completions, folded into what was said, called and used."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from bot.core.message import Finish, Message, Reply, Usage
from bot.errors import MalformedReply, ModelError, ModelUnavailable
from bot.models.openai.reading import (
    DONE,
    HINT,
    NOTHING,
    Fields,
    Traffic,
    has_usage,
    read_answer,
    read_error,
    read_event,
    read_fields,
    read_items,
    read_text,
    read_usage,
)
from bot.models.profile import Price
from bot.models.service.arguments import clean_text, parse_arguments
from bot.models.service.draft import NAME, Draft, Part
from bot.models.service.events import Sent
from bot.models.service.faults import find_words, from_code

SPOKEN = (None, "text", "output_text")
"""Kinds of parts that are text which the model says, and not to itself."""
FIRST = (None, 0, "0", "")
"""How the first of several replies is numbered."""
PLACES = 6
"""Digits of an index."""

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
            return self.fold(read_event(sent))
        except MalformedReply:
            if self.ended:
                # What comes behind the end of a reply changes nothing of it
                return False
            raise

    def _is_whole(self) -> bool:
        """Say whether a reply without a reason for its end is one; gateways end one so that broke off behind them."""
        parts = self.draft.parts
        return bool(parts) and all(parse_arguments(part.raw or "{}") is not None for part in parts)

    def take_whole(self, data: bytes) -> None:
        """Take an answer that is not streamed. Raises ModelError."""
        told = read_answer(data)
        self.fold(told)
        if not read_items(read_fields(told).get("choices")):
            raise MalformedReply("the service's answer holds no reply", HINT)
        self.ended = self.done = True

    def fold(self, chunk: JsonValue) -> bool:
        """Take a chunk or a whole answer; False where nothing of the reply is in it. Raises ModelError."""
        told = read_fields(chunk)
        fault = self._fault(told)
        if fault is not None:
            raise fault
        usage = read_fields(told.get("usage"))
        if has_usage(usage):
            # What it cost is said last, by those that say it once
            self._usage, self.done = usage, self.done or self.ended
        choices = map(read_fields, read_items(told.get("choices")))
        choice = next((entry for entry in choices if entry.get("index") in FIRST), NOTHING)
        new = self._take_delta(read_fields(choice.get("delta")) or read_fields(choice.get("message")))
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish:
            self._end(finish, choice)
            return True
        return new

    def reply(self, messages: Iterable[Message], price: Price | None) -> Reply:
        """Return the reply, its calls with ids that none of the messages before has."""
        calls = self.draft.calls(messages)
        finish = "tool_calls" if calls and self._finish == "stop" else self._finish
        return Reply(text=_THOUGHT.sub("", self.draft.text), calls=calls, usage=self.usage(price), finish=finish)

    def usage(self, price: Price | None) -> Usage:
        """Say what it cost, estimated where the service does not tell."""
        return read_usage(self._usage, price, Traffic(self.sent, self.draft.characters))

    def _fault(self, told: Fields) -> ModelError | None:
        bare = "choices" not in told and (told.get("object") == "error" or "detail" in told)
        if self.ended or not (told.get("error") or bare):
            return None
        read = read_error(told)
        return from_code(read.code, read.message, secret=self.secret)

    def _end(self, finish: str, choice: Fields) -> None:
        if finish.lower() in _BROKEN and not self.ended:
            why = read_error(choice).message or finish
            raise ModelUnavailable(f"the service broke off the reply ({find_words(why)})", "try again later")
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
        function = read_fields(told.get("function")) or told
        id, name = read_text(told.get("id")), read_text(function.get("name"))  # noqa: A001 - the field's name
        slot = _number(told.get("index"))
        part = self._find(slot, id, name)
        if part is None:
            part = self.draft.open(id, name)
        else:
            part.id = part.id or id
            # Some send the name with every piece, more of it each time, and few send it in pieces
            longer = name if name.startswith(part.name) else part.name + name
            part.name = part.name if part.pieces else clean_text(longer[:NAME])
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


def _calls(delta: Fields) -> Iterator[Fields]:
    told = delta.get("tool_calls")
    yield from filter(None, map(read_fields, [told] if isinstance(told, dict) else read_items(told)))
    # How calls were told before there could be several
    old = read_fields(delta.get("function_call"))
    if old:
        yield old


def _texts(told: JsonValue) -> Iterator[str]:
    """Read text that comes as it is, or as a list of parts."""
    if isinstance(told, str):
        if told:
            yield told
        return
    for part in map(read_fields, read_items(told)):
        text = part.get("text") if part.get("type") in SPOKEN else None
        if isinstance(text, str) and text:
            yield text


def _number(index: JsonValue) -> int | None:
    """Read an index, whatever kind of number it is told as."""
    text = f"{index:g}" if isinstance(index, int | float) else index
    return int(text) if isinstance(text, str) and len(text) <= PLACES and text.isascii() and text.isdigit() else None
