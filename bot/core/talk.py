"""What passes between a run and its model, as events."""

from typing import Literal

from bot.core.message import Reply, Usage
from bot.core.plan import Design
from bot.core.task import Record


class Happening(Record):
    """Base of all events."""

    at: float = 0.0
    """Seconds since the epoch."""


class Planned(Happening):
    """Somebody said what the run is to do."""

    event: Literal["planned"] = "planned"
    steps: tuple[str, ...]
    design: Design = Design()
    by: Literal["model", "person"] = "model"
    """Who said it last; a person may have changed what a model had said."""
    source: str = ""
    """The run that it was made in, where that is another one."""


class Replied(Happening):
    """The model answered."""

    event: Literal["replied"] = "replied"
    reply: Reply
    seconds: float = 0.0
    sent: int = 0
    """Bytes of the prompt, tools included."""


class Retried(Happening):
    """The model did not answer, and is asked again."""

    event: Literal["retried"] = "retried"
    error: str
    """The kind of error (see errors.ModelError.kind)."""
    message: str
    wait: float = 0.0
    """Seconds waited before asking again."""
    seconds: float = 0.0
    """How long the request took that was not answered."""
    sent: int = 0
    """Bytes of its prompt; 0 where the record does not tell."""
    usage: Usage = Usage()
    """What it cost all the same."""


class Compressed(Happening):
    """Some of what was said before is shown shorter to the model from here on; indices count the run's events."""

    event: Literal["compressed"] = "compressed"
    until: int = 0
    """Number of events that the summary stands for."""
    summary: str = ""
    stale: tuple[int, ...] = ()
    """Events whose results are not shown any more, since later ones say it better."""
    before: int = 0
    """Bytes of the prompt before it."""
    after: int = 0
    """Bytes of the prompt with it."""


class Surveyed(Happening):
    """The project was looked over for this task, once the base was judged."""

    event: Literal["surveyed"] = "surveyed"
    map: str = ""
    """The definitions that the rest of the project leans on most, file by file."""
    hints: tuple[str, ...] = ()
    """The places most likely concerned, the likeliest first: `path` or `path:line name`, and why."""
    seconds: float = 0.0


class Told(Happening):
    """The loop said something to the model that answers no call, such as a nudge after an empty reply."""

    event: Literal["told"] = "told"
    text: str
    error: str | None = None
    """Why a change that was found after a reply without calls is not committed, as a tool result would say it."""
