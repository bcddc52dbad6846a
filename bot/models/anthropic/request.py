"""Requests: a prompt as the messages interface takes it, of which only what is new since the last is written."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from typing import NamedTuple

from bot.core.message import Message, Prompt, ToolSpec
from bot.models.anthropic.blocks import write_answers, write_said, write_text, write_tool
from bot.models.profile import Profile
from bot.models.service.cap import cap_reply
from bot.models.service.identity import fit_name, name_calls
from bot.models.service.writing import dump

MARK = b',"cache_control":{"type":"ephemeral"}'
"""Stands at the end of a block up to which the service is to keep what it has read of the prompt."""
GO_ON = "Go on."
"""Said where the model spoke last and nobody answered: a conversation must end with somebody else."""

_CLOSING = len(b"}]}")
"""From a mark in a turn's last block to the end of the turn."""


class Turn(NamedTuple):
    """One reply of the model and all that was said after it; before the first reply, all that was said."""

    messages: tuple[Message, ...]
    wire: bytes
    """Messages of the service, without marks."""
    ids: tuple[str, ...]
    """Of its calls, as they are sent."""
    first: int
    """Where a mark of its first block goes that is not the model's."""

    def marked(self, *, first: bool, last: bool) -> bytes:
        """Return it with marks at the end of its first block, its last, or both."""
        end = len(self.wire) - _CLOSING
        places = sorted({*((self.first,) if first else ()), *((end,) if last else ())})
        cuts = [0, *places, len(self.wire)]
        return MARK.join(self.wire[begin:until] for begin, until in pairwise(cuts))


@dataclass(slots=True)
class Writer:
    """Writes one request after the other, and keeps what it wrote."""

    profile: Profile
    _turns: list[Turn] = field(default_factory=list, init=False)
    _answered: int = field(default=0, init=False)
    """How many turns the longest prompt held that was answered and still begins this one."""
    _head: "_Head | None" = field(default=None, init=False)

    def write(self, prompt: Prompt) -> bytes:
        """Write the body of a request.

        The service writes its cache at marks only, at most four of them, and reads the longest part that it has at a
        mark or up to twenty blocks before. So the marks stand where they do not move with the length of the prompt:
        behind tools and system, which other runs share; behind the first message, which compression leaves; behind the
        last turn that this prompt shares with one that was answered, which is kept there already; and at its end.
        """
        self._take(prompt.messages)
        ends = {len(self._turns) - 1, (self._answered or len(self._turns) - 1) - 1}
        parts = [
            turn.marked(first=index == 0, last=index in ends) if index in ends or not index else turn.wire
            for index, turn in enumerate(self._turns)
        ]
        # Joined once: a copy of all of it takes longer than everything else here
        parts[0] = self._start(prompt) + parts[0]
        parts[-1] += b"]}"
        return b",".join(parts)

    def answered(self) -> None:
        """Hear that the service has read what was written last, and keeps it."""
        self._answered = len(self._turns)

    def _take(self, messages: Sequence[Message]) -> None:
        new = list(_split(messages))
        same = sum(1 for _ in takewhile(lambda pair: pair[0].messages == pair[1], zip(self._turns, new, strict=False)))
        del self._turns[same:]
        self._answered = min(self._answered, same)
        taken = {id for turn in self._turns for id in turn.ids}  # noqa: A001 - the field's name
        for each in new[same:]:
            turn = write_turn(each, taken)
            taken.update(turn.ids)
            self._turns.append(turn)

    def _start(self, prompt: Prompt) -> bytes:
        """Write everything before the messages; but for the cap it is the same from turn to turn."""
        key = _Key(prompt.system, prompt.tools or _called(self._turns), offered=bool(prompt.tools))
        if self._head is None or self._head.key != key:
            self._head = _Head(key, self._write_head(key))
        head = self._head.wire
        most = cap_reply(self.profile, prompt, len(head) + sum(len(turn.wire) for turn in self._turns))
        return b'{"max_tokens":%d,%b' % (most, head)

    def _write_head(self, key: "_Key") -> bytes:
        fields = [b'"stream":true,"model":%b' % dump(self.profile.name)]
        system, tools = list(write_text(key.system)), [write_tool(tool) for tool in key.tools]
        # The service reads the tools first: a mark behind the system's text is one behind both
        if system:
            fields.append(b'"system":[%b]' % _mark(system[0]))
        elif tools:
            tools[-1] = _mark(tools[-1])
        if tools:
            fields.append(b'"tools":[%b]' % b",".join(tools))
        if tools and not key.offered:
            fields.append(b'"tool_choice":{"type":"none"}')
        elif tools and not self.profile.parallel:
            fields.append(b'"tool_choice":{"type":"auto","disable_parallel_tool_use":true}')
        return b",".join(fields) + b',"messages":['


class _Key(NamedTuple):
    """All that the start of a request depends on."""

    system: str
    tools: tuple[ToolSpec, ...]
    offered: bool
    """Whether the model may call the tools."""


class _Head(NamedTuple):
    key: _Key
    wire: bytes


def write_turn(messages: tuple[Message, ...], taken: Collection[str]) -> Turn:
    """Write a turn whose calls get none of the ids that are taken."""
    said = messages[0] if messages[0].role == "assistant" else None
    asked = said.calls if said is not None else ()
    calls = tuple(name_calls(asked, taken))
    ids = tuple(call.id for call in calls)
    answers = list(write_answers(asked, ids, messages[said is not None :])) or list(write_text(GO_ON))
    wire = b'{"role":"user","content":[' + answers[0]
    before = b""
    if said is not None:
        before = b'{"role":"assistant","content":[%b]},' % b",".join(write_said(said, calls))
    return Turn(messages, before + b",".join((wire, *answers[1:])) + b"]}", ids, len(before) + len(wire) - 1)


def _split(messages: Sequence[Message]) -> Iterator[tuple[Message, ...]]:
    """Cut a conversation in front of every reply; one that says nothing cannot be sent, and is left out."""
    shown = [each for each in messages if each.role != "assistant" or each.calls or each.text.strip()]
    starts = [place for place, each in enumerate(shown) if place and each.role == "assistant"]
    if not shown or shown[0].role == "assistant":
        # Whoever speaks first must not be the model
        yield (Message(role="user", text=GO_ON),)
    cuts = [0, *starts, len(shown)]
    yield from (tuple(shown[begin:end]) for begin, end in pairwise(cuts) if begin < end)


def _called(turns: Sequence[Turn]) -> tuple[ToolSpec, ...]:
    """Describe the tools that were called: a prompt that offers none must still tell of those that it shows."""
    names = {fit_name(call.name): None for turn in turns for call in turn.messages[0].calls}
    return tuple(ToolSpec(name=name, description="", parameters={"type": "object"}) for name in names)


def _mark(block: bytes) -> bytes:
    return block[:-1] + MARK + block[-1:]
