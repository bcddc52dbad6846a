"""A reply as it comes: events of the messages interface, folded into what was said, called and used."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from pydantic import JsonValue

from bot.core.message import Finish, Message, Reply, Usage
from bot.models.profile import Price
from bot.models.service.bill import bill, count, tokens
from bot.models.service.draft import Draft, Part

Fields: TypeAlias = Mapping[str, JsonValue]

INPUT, OUTPUT = "input_tokens", "output_tokens"
READ, WRITTEN = "cache_read_input_tokens", "cache_creation_input_tokens"

_FINISHES: Mapping[str, Finish] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}
_NOTHING: Fields = {}


@dataclass(slots=True)
class _Block:
    """A block that has not come to its end."""

    kind: str
    call: Part | None = None
    fresh: bool = True
    """Whether nothing of it has come."""


@dataclass(slots=True)
class Folding:
    """A reply of which some has come."""

    draft: Draft
    sent: int = 0
    """Bytes of the request, to go by where the service does not say how many tokens it read."""
    ended: bool = field(default=False, init=False)
    """Whether nothing more can come, whatever becomes of the connection."""
    stop: str = field(default="", init=False)
    """Why the model stopped, in the service's words; only the end itself comes after them."""
    _open: dict[int, _Block] = field(default_factory=dict, init=False)
    _lost: list[_Block] = field(default_factory=list, init=False)
    """Blocks in whose place another one began."""
    _counts: dict[str, int] = field(default_factory=dict, init=False)

    def take(self, event: Fields) -> bool:
        """Take an event in, and say whether the reply goes on with it. Raises MalformedReply.

        What is not known is passed over, and so is what cannot be.
        """
        match event.get("type"):
            case "message_start":
                self._count(fields(fields(event, "message"), "usage"))
            case "content_block_start":
                self._start(_index(event), fields(event, "content_block"))
            case "content_block_delta":
                self._grow(_index(event), fields(event, "delta"))
            case "content_block_stop":
                self._open.pop(_index(event), None)
            case "message_delta":
                self.stop = words(fields(event, "delta"), "stop_reason") or self.stop
                self._count(fields(event, "usage"))
            case "message_stop":
                self.ended = True
            case _:
                return False
        return True

    def reply(self, messages: Iterable[Message], price: Price | None) -> Reply:
        """Return the reply to a prompt of these messages."""
        for block in (*self._lost, *self._open.values()):
            # Of a call that does not end nobody knows that it has no arguments
            if block.call is not None and not block.call.pieces:
                block.call.pieces.append("{")
        calls = self.draft.calls(messages)
        finish = _FINISHES.get(self.stop, "tool_calls" if calls else "stop")
        return Reply(text=self.draft.text, calls=calls, usage=self.usage(price), finish=finish)

    def usage(self, price: Price | None) -> Usage:
        """Say what it cost, by what the service counted; where it did not, by the size of what was sent and came."""
        counts = self._counts
        fresh, read, written = counts.get(INPUT, 0), counts.get(READ, 0), counts.get(WRITTEN, 0)
        output = counts.get(OUTPUT, 0)
        if not fresh + read + written:
            fresh = tokens(self.sent)
        # Until the end it is not said how much came
        if not self.stop or not output:
            output = max(output, tokens(self.draft.characters))
        return bill(price, fresh, output, read, written)

    def _count(self, usage: Fields) -> None:
        """Hear what was counted: each time all that there was so far, so that the most is the last."""
        for name in (INPUT, OUTPUT, READ, WRITTEN):
            self._counts[name] = max(self._counts.get(name, 0), count(usage.get(name)))

    def _start(self, index: int, begun: Fields) -> None:
        block = _Block(words(begun, "type"))
        if index in self._open:
            self._lost.append(self._open[index])
        self._open[index] = block
        if block.kind == "tool_use":
            block.call = self.draft.open(words(begun, "id"), words(begun, "name"))
            # Of a service that does not cut them into pieces
            self._feed(block.call, begun.get("input"))
        elif block.kind == "text":
            self._say(block, words(begun, "text"))

    def _grow(self, index: int, delta: Fields) -> None:
        if index not in self._open and delta.get("type") == "text_delta":
            self._start(index, {"type": "text"})
        block = self._open.get(index)
        if block is None:
            return
        match delta.get("type"):
            case "text_delta" if block.kind == "text":
                self._say(block, words(delta, "text"))
            case "input_json_delta" if block.call is not None:
                self._feed(block.call, delta.get("partial_json"))
            case "thinking_delta":
                self.draft.think(words(delta, "thinking"))
            case _:
                pass

    def _feed(self, call: Part, told: JsonValue) -> None:
        """Take arguments, or a piece of them; those that are no text are all of them."""
        if told:
            self.draft.feed(call, told if isinstance(told, str) else json.dumps(told))

    def _say(self, block: _Block, text: str) -> None:
        if text:
            self.draft.say(f"\n\n{text}" if block.fresh and self.draft.written else text)
            block.fresh = False


def unfold(message: Fields) -> Iterator[Fields]:
    """Tell a reply that came in one piece as the events of one that is streamed."""
    content = message.get("content")
    yield {"type": "message_start", "message": dict(message)}
    for index, block in enumerate(content if isinstance(content, list) else ()):
        yield {"type": "content_block_start", "index": index, "content_block": block}
        yield {"type": "content_block_stop", "index": index}
    # What is whole came to its end, whether it says why or not
    yield {"type": "message_delta", "delta": {"stop_reason": message.get("stop_reason") or "end_turn"}}
    yield {"type": "message_stop"}


def fields(event: Fields, name: str) -> Fields:
    """Return an object within an event; an empty one where there is none."""
    found = event.get(name)
    return found if isinstance(found, dict) else _NOTHING


def words(event: Fields, name: str) -> str:
    """Return a text within an event; an empty one where there is none."""
    found = event.get(name)
    return found if isinstance(found, str) else ""


def _index(event: Fields) -> int:
    found = event.get("index")
    return found if isinstance(found, int) else -1
