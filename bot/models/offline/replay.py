"""Plays a script against a conversation: old questions are answered from the messages, the next one is the reply."""

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from pydantic import JsonValue

from bot.core.message import Message, Prompt, Reply, ToolCall
from bot.core.repeats import Reader

CALL_ID = re.compile(r"offline-(?P<chapter>\d{1,4})-(?P<turn>\d{1,6})-(?P<number>\d{1,3})")


class Act(NamedTuple):
    """A tool call to be made."""

    name: str
    arguments: dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Turn:
    """One reply: calls, and a sentence about them for whoever reads the log."""

    acts: tuple[Act, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one turn: a text for each call, and what the loop said besides."""

    results: tuple[str, ...]
    told: str = ""


Script: TypeAlias = Generator[Turn, Answer, None]


class Past(NamedTuple):
    """The turns of a conversation that a script can be played from."""

    chapter: int
    """A new one begins where older turns were replaced by a summary."""
    turns: tuple[tuple[tuple[str, ...], Answer], ...]
    """The names of the calls of each turn, and what came of them."""
    torn: bool
    """Whether what happened before is not all there."""


def play(prompt: Prompt, start: Callable[[Prompt, bool], Script]) -> Reply:
    """Give the reply that a script makes to a conversation; `start` is told whether earlier turns are lost."""
    past = read(tuple(_hear(prompt.messages)))
    turn = _advance(start(prompt, past.torn), past.turns)
    if turn is _LOST:
        past = Past(past.chapter + 1, (), torn=True)
        turn = _advance(start(prompt, True), ())  # noqa: FBT003 - the one parameter that a script has besides the prompt
    if turn is None:
        return Reply(text="The offline model has nothing more to try.")
    number = len(past.turns) + 1
    calls = tuple(
        ToolCall(id=f"offline-{past.chapter}-{number}-{index}", name=act.name, arguments=act.arguments)
        for index, act in enumerate(turn.acts, start=1)
    )
    return Reply(text=turn.text, calls=calls, finish="tool_calls" if calls else "stop")


_LOST = Turn(())


def _advance(script: Script, turns: Sequence[tuple[tuple[str, ...], Answer]]) -> Turn | None:
    """Play recorded turns into a script; None when it ends, `_LOST` when it does not ask what was recorded."""
    try:
        turn = next(script)
        for names, answer in turns:
            if tuple(act.name for act in turn.acts) != names:
                return _LOST
            turn = script.send(answer)
    except StopIteration:
        return None
    return turn


def read(messages: Sequence[Message]) -> Past:
    """Read the turns of the last chapter out of a conversation."""
    spoken = [index for index, message in enumerate(messages) if message.role == "assistant"]
    if not spoken:
        return Past(1, (), torn=len(messages) > 1)
    chapter = max((_place(messages[index])[0] for index in spoken), default=0)
    mine = [index for index in spoken if _place(messages[index])[0] == chapter]
    numbers = [_place(messages[index])[1] for index in mine]
    if chapter == 0 or numbers != list(range(1, len(numbers) + 1)):
        return Past(chapter + 1, (), torn=True)
    ends = [*mine[1:], len(messages)]
    turns = tuple(_turn(messages[start:end]) for start, end in zip(mine, ends, strict=True))
    return Past(chapter, turns, torn=chapter > 1 or spoken[0] > 1)


def _hear(messages: Sequence[Message]) -> Iterator[Message]:
    """Make answers whole that are shown as what differs from those above them."""
    reader = Reader()
    calls: dict[str | None, ToolCall] = {}
    for message in messages:
        calls.update((call.id, call) for call in message.calls)
        call = calls.get(message.call_id) if message.role == "tool" else None
        whole = reader.read(call, message.text) if call is not None else message.text
        yield message if whole == message.text else message.model_copy(update={"text": whole})


def _place(message: Message) -> tuple[int, int]:
    """Return chapter and turn of a reply of ours; zeros for any other."""
    found = CALL_ID.fullmatch(message.calls[0].id) if message.calls else None
    return (int(found["chapter"]), int(found["turn"])) if found else (0, 0)


def _turn(messages: Sequence[Message]) -> tuple[tuple[str, ...], Answer]:
    said, *rest = messages
    results = {message.call_id: message.text for message in rest if message.role == "tool"}
    told = "\n".join(message.text for message in rest if message.role == "user")
    names = tuple(call.name for call in said.calls)
    return names, Answer(tuple(results.get(call.id, "") for call in said.calls), told)
