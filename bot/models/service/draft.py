"""A reply while it comes: its text and calls piece by piece, within bounds, and told to whoever watches."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from bot.core.message import Message, Progress, ToolCall
from bot.errors import MalformedReply
from bot.models.service.arguments import clean_text, make_call
from bot.models.service.identity import name_calls, taken
from bot.protocols import Watch

TEXT = 2_000_000
"""Characters of a reply's text."""
ARGUMENTS = 2_000_000
"""Characters of the arguments of all its calls."""
CALLS = 64
NAME = 200
"""Characters of the name of a tool, or of an id."""
SHOWN = 400
"""Characters of the end of the text that are shown."""
PACE = 0.05
"""Seconds between two looks at what has come."""


@dataclass(slots=True)
class Part:
    """One call that is coming."""

    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)

    @property
    def raw(self) -> str:
        """The arguments so far."""
        return "".join(self.pieces)


@dataclass(slots=True)
class Draft:
    """Takes a reply in pieces. Its methods raise MalformedReply where a service sends more than a reply may hold."""

    watch: Watch | None = None
    clock: Callable[[], float] = time.monotonic
    parts: list[Part] = field(default_factory=list, init=False)
    """The calls, in order."""
    thought: int = field(default=0, init=False)
    """Characters of what the model said to itself."""
    written: int = field(default=0, init=False)
    """Characters of the text."""
    argued: int = field(default=0, init=False)
    """Characters of arguments."""
    _text: list[str] = field(default_factory=list, init=False)
    _end: str = field(default="", init=False)
    _shown: float = field(default=float("-inf"), init=False)

    @property
    def text(self) -> str:
        """The text so far."""
        return clean_text("".join(self._text))

    @property
    def characters(self) -> int:
        """All that has come, for an estimate of its cost."""
        return self.written + self.argued + self.thought

    def say(self, text: str) -> None:
        """Take a piece of the text."""
        self.written += len(text)
        _bound(self.written, TEXT, "characters of text")
        self._text.append(text)
        if self.watch is not None:
            self._end = (self._end + text)[-SHOWN:]
        self._show("")

    def think(self, text: str) -> None:
        """Take note of what the model says to itself, which is no part of the reply."""
        self.thought += len(text)
        self._show("")

    def open(self, id: str = "", name: str = "") -> Part:  # noqa: A002 - the field's name
        """Begin another call."""
        _bound(len(self.parts) + 1, CALLS, "calls")
        part = Part(id[:NAME], clean_text(name[:NAME]))
        self.parts.append(part)
        self._show(part.name)
        return part

    def feed(self, part: Part, arguments: str) -> None:
        """Take a piece of a call's arguments."""
        self.argued += len(arguments)
        _bound(self.argued, ARGUMENTS, "characters of arguments")
        part.pieces.append(arguments)
        self._show(part.name)

    def calls(self, messages: Iterable[Message]) -> tuple[ToolCall, ...]:
        """Make the calls, each with an id that is its own among these and those of the messages before."""
        if not self.parts:
            return ()
        made = [make_call(part.id, part.name, clean_text(part.raw) if part.pieces else "") for part in self.parts]
        return tuple(name_calls(made, taken(messages)))

    def _show(self, call: str) -> None:
        if self.watch is None:
            return
        now = self.clock()
        if now - self._shown >= PACE:
            self._shown = now
            self.watch(Progress(self._end, call, self.characters))


def _bound(count: int, most: int, what: str) -> None:
    if count > most:
        raise MalformedReply(f"the reply has more than {most:,} {what}")
