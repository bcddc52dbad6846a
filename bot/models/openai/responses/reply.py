"""A reply as it comes: events of the Responses interface, folded into what was said, called and used."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from bot.core.message import Finish, Message, Reply, Usage
from bot.errors import MalformedReply, ModelError
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
from bot.models.service.arguments import clean_text
from bot.models.service.draft import NAME, Draft, Part
from bot.models.service.events import Sent
from bot.models.service.faults import from_code

MOST = 1_000
"""Messages, calls and other things of one reply."""

_ENDS = ("response.completed", "response.incomplete", "response.done")
_BROKEN = ("failed", "cancelled")
_FINISHES: Mapping[str, Finish] = {"content_filter": "refused"}


@dataclass(slots=True)
class _Item:
    """Something of a reply that is coming: a message, or a call."""

    id: str
    call: Part | None = None
    said: bool = False
    """Whether any text of it came."""
    whole: bool = False
    """Whether the service said that all of it came."""


@dataclass(slots=True)
class Folding:
    """Takes events, or one whole answer, and makes a reply of them."""

    draft: Draft
    sent: int
    """Bytes of the request, for an estimate of what it cost."""
    secret: str = field(default="", repr=False)
    ended: bool = field(default=False, init=False)
    """Whether the service said that the reply is whole."""
    done: bool = field(default=False, init=False)
    """Whether nothing more is to come."""
    _finish: Finish = field(default="stop", init=False)
    _usage: Fields = field(default_factory=dict, init=False)
    _items: list[_Item] = field(default_factory=list, init=False)
    _slots: dict[int, _Item] = field(default_factory=dict, init=False)
    """The last one at each index."""

    def take(self, sent: Sent) -> bool:
        """Take an event; False where nothing of the reply is in it. Raises ModelError."""
        if sent.data.strip() == DONE:
            self.done = True
            return True
        told = read_fields(read_event(sent))
        return self.fold(told if told.get("type") else {"type": sent.name, **told})

    def take_whole(self, data: bytes) -> None:
        """Take an answer that is not streamed. Raises ModelError."""
        told = read_fields(read_answer(data))
        if told.get("error"):
            raise self._fault(told)
        if not isinstance(told.get("output"), list):
            raise MalformedReply("the service's answer holds no reply", HINT)
        self.fold({"type": _ENDS[0], "response": dict(told)})

    def fold(self, told: Fields) -> bool:
        """Take an event; False where nothing of the reply is in it. Raises ModelError."""
        kind, response = read_text(told.get("type")), read_fields(told.get("response"))
        usage = read_fields(response.get("usage"))
        if has_usage(usage):
            self._usage = usage
        if kind == "error" or told.get("error") or told.get("object") == "error" or "detail" in told:
            raise self._fault(told)
        if kind.removeprefix("response.") in _BROKEN:
            raise self._fault(response)
        if kind in _ENDS:
            self._end(kind, response)
            return True
        return self._grow(kind, told)

    def reply(self, messages: Iterable[Message], price: Price | None) -> Reply:
        """Return the reply, its calls with ids that none of the messages before has."""
        for item in self._items:
            # Of a call that does not end nobody knows that it has no arguments
            if item.call is not None and not (item.whole or item.call.pieces):
                item.call.pieces.append("{")
        calls = self.draft.calls(messages)
        finish = "tool_calls" if calls and self._finish == "stop" else self._finish
        return Reply(text=self.draft.text, calls=calls, usage=self.usage(price), finish=finish)

    def usage(self, price: Price | None) -> Usage:
        """Say what it cost, estimated where the service does not tell."""
        return read_usage(self._usage, price, Traffic(self.sent, self.draft.characters))

    def _grow(self, kind: str, told: Fields) -> bool:
        match kind.removeprefix("response."):
            case "output_item.added":
                return self._begin(told)
            case "output_item.done":
                return self._close(told)
            case "output_text.delta" | "refusal.delta":
                self._say(self._find(told), read_text(told.get("delta")), refused="refusal" in kind)
            case "function_call_arguments.delta":
                self.draft.feed(self._call(self._find(told)), _arguments(told.get("delta")))
            case "function_call_arguments.done":
                self._settle(self._call(self._find(told)), told.get("arguments"))
            case "reasoning_summary_text.delta" | "reasoning_text.delta":
                self.draft.think(read_text(told.get("delta")))
            case _:
                return False
        return True

    def _fault(self, told: Fields) -> ModelError:
        read = read_error(told)
        return from_code(read.code, read.message, secret=self.secret)

    def _end(self, kind: str, response: Fields) -> None:
        status = read_text(response.get("status"))
        if status in _BROKEN:
            raise self._fault(response)
        if not self._items:
            # Of a service that tells all of it at once
            for index, item in enumerate(read_items(response.get("output"))):
                self._close({"output_index": index, "item": item})
        if "incomplete" in (status, kind.removeprefix("response.")) and self._finish != "refused":
            why = read_text(read_fields(response.get("incomplete_details")).get("reason"))
            self._finish = _FINISHES.get(why, "length")
        self.ended = self.done = True

    def _begin(self, told: Fields) -> bool:
        item = read_fields(told.get("item"))
        kind = item.get("type")
        if kind not in ("message", "function_call"):
            # While it says something to itself at first, nothing of the reply has begun
            return bool(self._items)
        begun = self._open(told, read_text(item.get("id")))
        if kind == "function_call":
            self._settle(self._call(begun, item), item.get("arguments"))
        return True

    def _close(self, told: Fields) -> bool:
        """Take an item that is whole, of which all, some or nothing came before."""
        item = read_fields(told.get("item"))
        match item.get("type"):
            case "function_call":
                found = self._find(told)
                self._settle(self._call(found, item), item.get("arguments"))
            case "message":
                found = self._find(told)
                for text, refused in () if found.said else _texts(item):
                    self._say(found, text, refused=refused)
            case _:
                return bool(self._items)
        found.whole = item.get("status") != "incomplete"
        return True

    def _open(self, told: Fields, id: str) -> _Item:  # noqa: A002 - the field's name
        made = _Item(id)
        self._items.append(made)
        if len(self._items) > MOST:
            raise MalformedReply(f"the reply has more than {MOST:,} parts")
        index = told.get("output_index")
        if isinstance(index, int):
            self._slots[index] = made
        return made

    def _find(self, told: Fields) -> _Item:
        """Find the item that an event belongs to: by its id, which some change with every event, else by its index."""
        id = read_text(told.get("item_id") or read_fields(told.get("item")).get("id"))  # noqa: A001
        index = told.get("output_index")
        named = next((item for item in reversed(self._items) if id and item.id == id), None)
        if named is not None:
            return named
        if isinstance(index, int):
            return self._slots.get(index) or self._open(told, id)
        last = self._items[-1] if self._items else None
        return self._open(told, id) if last is None or last.whole else last

    def _call(self, item: _Item, told: Fields = NOTHING) -> Part:
        """Return the call of an item, with what is told of it."""
        id, name = read_text(told.get("call_id")), read_text(told.get("name"))  # noqa: A001 - the field's name
        if item.call is None:
            item.call = self.draft.open(id, name)
        item.call.id = item.call.id or id[:NAME]
        item.call.name = item.call.name or clean_text(name[:NAME])
        return item.call

    def _settle(self, call: Part, told: JsonValue) -> None:
        """Take all of a call's arguments, of which some may have come."""
        arguments = _arguments(told)
        if arguments and arguments != call.raw:
            call.pieces.clear()
            self.draft.feed(call, arguments)

    def _say(self, item: _Item, text: str, *, refused: bool) -> None:
        if not text:
            return
        self.draft.say(f"\n\n{text}" if self.draft.written and not item.said else text)
        item.said = True
        if refused:
            self._finish = "refused"


def _texts(item: Fields) -> Iterator[tuple[str, bool]]:
    """Read what a message says, and whether it declines to."""
    content = item.get("content")
    if isinstance(content, str):
        yield content, False
    for part in map(read_fields, read_items(content)):
        refusal = read_text(part.get("refusal"))
        yield refusal or read_text(part.get("text")), bool(refusal)


def _arguments(told: JsonValue) -> str:
    return "" if told is None else told if isinstance(told, str) else json.dumps(told)
