"""What a run had begun when it stopped: the part of the last reply that was not carried out."""

from collections.abc import Sequence
from typing import NamedTuple

from bot.agent.answer import CUT_OFF, DECLINED
from bot.core.allowance import waiting
from bot.core.event import Acted, Decided, Ended, Event, Redone, Undone
from bot.core.message import Reply, ToolCall
from bot.core.redact import MARK
from bot.core.talk import Replied, Told

CUT = ("interrupted", "workspace")
"""Stops that come in the middle of things."""


class Pending(NamedTuple):
    """A reply that was not carried out to its end."""

    reply: Reply
    answered: tuple[Acted, ...]

    @property
    def open(self) -> tuple[ToolCall, ...]:
        """The calls that nobody answered yet."""
        return self.reply.calls[len(self.answered) :]

    @property
    def redacted(self) -> bool:
        """Whether the record does not hold all of what a call was given."""
        return any(MARK in call.model_dump_json() for call in self.open)


def find(events: Sequence[Event]) -> Pending | None:
    """Look whether the last reply has open calls, or has not had its effect yet."""
    at = next((at for at in range(len(events) - 1, -1, -1) if isinstance(events[at], Replied)), None)
    if at is None:
        return None
    replied = events[at]
    assert isinstance(replied, Replied), "that is what was looked for"
    after = events[at + 1 :]
    if any(_closes(event, after[:place]) for place, event in enumerate(after)):
        return None
    answered = tuple(event for event in after if isinstance(event, Acted))
    # With every call answered there may still be an end that was asked for
    return Pending(replied.reply, answered)


def _closes(event: Event, before: Sequence[Event]) -> bool:
    """Say whether nothing of a reply is left to be done after an event; where it waits for an answer there is."""
    return isinstance(event, Told) or (isinstance(event, Ended) and event.stop not in CUT and not waiting(before))


def moved(events: Sequence[Event]) -> bool:
    """Say whether a person went back or forth since the last reply, so that what it began is void."""
    for event in reversed(events):
        if isinstance(event, Undone | Redone):
            return True
        if isinstance(event, Replied):
            return False
    return False


def refuse(begun: Pending | None, past: Sequence[Event], news: Sequence[Event]) -> str:
    """Say why the open calls of a reply are not carried out any more when a run is taken up; empty when they are."""
    if moved(past) or (begun is not None and begun.redacted):
        return CUT_OFF
    allowed = any(isinstance(event, Decided) for event in news)
    told = any(isinstance(event, Told) for event in news)
    return DECLINED if waiting(past) and told and not allowed else ""


def wanted_end(answered: Sequence[Acted]) -> Ended | None:
    """Return the end that an answered call asked for."""
    for event in answered:
        if event.call.name == "finish" and event.result.ok:
            return Ended(stop="done", detail=str(event.call.arguments.get("summary", "")))
        if event.call.name == "ask" and event.result.ok:
            return Ended(stop="needs_human", detail=str(event.call.arguments.get("question", "")))
    return None
