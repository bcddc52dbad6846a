"""A model that answers as another one did in a recorded run."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from bot.core.event import Acted, Event
from bot.core.message import Prompt, Reply, ToolCall
from bot.core.redact import MARK
from bot.core.talk import Replied
from bot.errors import Denied


@dataclass(slots=True)
class RecordedModel:
    """Gives the replies of a trace in their order.

    After the last it has nothing more to say. A loop ends on that by itself, so the replay of a whole run stops as the
    run did: at `finish`, at the same limit, or for want of an answer, in which case the trace was cut short.
    """

    run: str
    events: Iterable[Event]
    asked: int = 0
    _replies: tuple[Reply, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._replies = tuple(_replies(tuple(self.events)))

    @property
    def name(self) -> str:
        """The spec of this model."""
        return f"recorded:{self.run}"

    def reply(self, prompt: Prompt, seconds: float | None = None) -> Reply:
        """Give the next recorded reply, whatever is asked."""
        self.asked += 1
        return self._replies[self.asked - 1] if self.asked <= len(self._replies) else Reply()


def _replies(events: tuple[Event, ...]) -> Iterator[Reply]:
    """Give the replies; a call that was refused for a secret in it, which no record holds, is not made again."""
    refused = {event.call.id for event in events if isinstance(event, Acted) and _hid_secret(event)}
    for event in events:
        if isinstance(event, Replied):
            calls = tuple(_void(call) if call.id in refused else call for call in event.reply.calls)
            yield event.reply.model_copy(update={"calls": calls})


def _hid_secret(event: Acted) -> bool:
    return event.result.error == Denied.kind and MARK in event.call.model_dump_json()


def _void(call: ToolCall) -> ToolCall:
    return call.model_copy(update={"arguments": {}, "raw": MARK}) if MARK in call.model_dump_json() else call
