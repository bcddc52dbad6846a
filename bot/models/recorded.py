"""A model that answers as another one did in a recorded run."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.core.event import Event
from bot.core.message import Prompt, Reply
from bot.core.talk import Replied


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
        self._replies = tuple(event.reply for event in self.events if isinstance(event, Replied))

    @property
    def name(self) -> str:
        """The spec of this model."""
        return f"recorded:{self.run}"

    def reply(self, prompt: Prompt, seconds: float | None = None) -> Reply:
        """Give the next recorded reply, whatever is asked."""
        self.asked += 1
        return self._replies[self.asked - 1] if self.asked <= len(self._replies) else Reply()
