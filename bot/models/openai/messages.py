"""A conversation as it is sent: written once, and only what is new from turn to turn."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from pydantic import JsonValue

from bot.core.message import Message, ToolCall
from bot.models.service.identity import fit_id, fit_name
from bot.models.service.writing import dump, dump_arguments

LOST = "nothing is known of what came of this call"
EARLIER = "What came of an earlier call:"


Item: TypeAlias = dict[str, JsonValue]


class Spelling(NamedTuple):
    """How an interface has what is said."""

    said: Callable[[str], Item]
    """What is said to the model."""
    reply: Callable[[Message], Iterable[Item]]
    """What it said, and the calls that it made."""
    answer: Callable[[str, str], Item]
    """What came of the call with an id."""


def _said(text: str) -> Item:
    return {"role": "user", "content": text}


def _reply(message: Message) -> Iterator[Item]:
    said: Item = {"role": "assistant", "content": message.text}
    yield said | {"tool_calls": [_call(call) for call in message.calls]} if message.calls else said


def _call(call: ToolCall) -> Item:
    function: Item = {"name": fit_name(call.name), "arguments": dump_arguments(call).decode()}
    return {"id": fit_id(call.id), "type": "function", "function": function}


def _answer(call: str, text: str) -> Item:
    return {"role": "tool", "tool_call_id": call, "content": text}


CHAT = Spelling(_said, _reply, _answer)


@dataclass(slots=True)
class Conversation:
    """Writes one conversation after the other; of what a prompt has in common with the last one, nothing anew."""

    joined: bool = False
    """Whether what is said to the model in a row is sent as one message, for templates that know only turns."""
    spelling: Spelling = CHAT
    _messages: tuple[Message, ...] = field(default=(), init=False)
    _starts: list[int] = field(default_factory=list, init=False)
    """At which message each block begins."""
    _parts: list[bytes] = field(default_factory=list, init=False)
    """The blocks, each as messages with commas between them; empty where there is nothing to send."""

    def write(self, messages: tuple[Message, ...]) -> bytes:
        """Return messages as JSON, with commas between them."""
        same = _common(self._messages, messages)
        # A block is whole once the one behind it is there, too
        kept = max(0, bisect_left(self._starts, same) - 1)
        at = self._starts[kept] if kept else 0
        del self._starts[kept:], self._parts[kept:]
        self._messages = messages
        for block in _split(messages[at:], self.joined):
            self._starts.append(at)
            self._parts.append(b",".join(map(dump, self._write(block))))
            at += len(block)
        return b",".join(filter(None, self._parts))

    def join(self) -> None:
        """Send from now on as one message what is said in a row."""
        self.joined = True
        self._messages, self._starts, self._parts = (), [], []

    def _write(self, block: Sequence[Message]) -> Iterator[Item]:
        """Write a reply, what came of its calls in their order, and then what else was said."""
        head = block[0]
        replied = head.role == "assistant"
        rest = list(block[1:] if replied else block)
        if replied and (head.text or head.calls):
            yield from self.spelling.reply(head)
            for call in head.calls:
                found = next((message for message in rest if message.call_id == call.id), None)
                if found is not None:
                    rest.remove(found)
                yield self.spelling.answer(fit_id(call.id), LOST if found is None else found.text)
        said = [f"{EARLIER}\n{message.text}" if message.role == "tool" else message.text for message in rest]
        yield from map(self.spelling.said, ["\n\n".join(said)] if self.joined and said else said)


def _common(old: Sequence[Message], new: Sequence[Message]) -> int:
    """Count the messages with which both begin."""
    for index, (one, other) in enumerate(zip(old, new, strict=False)):
        if one is not other and (
            one.text != other.text or one.role != other.role or one.call_id != other.call_id or one.calls != other.calls
        ):
            return index
    return min(len(old), len(new))


def _split(messages: Sequence[Message], joined: bool) -> Iterator[Sequence[Message]]:  # noqa: FBT001 - how it is sent
    """Split where a later message can change nothing before it: a reply keeps all that follows up to the next."""
    first = 0
    for index in range(1, len(messages) + 1):
        if index == len(messages) or messages[index].role == "assistant" or not (joined or messages[first].calls):
            yield messages[first:index]
            first = index
