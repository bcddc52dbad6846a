"""The lines in which the worker answers."""

from typing import Annotated, Literal, NamedTuple

from pydantic import Field, TypeAdapter

from bot.core.task import Record


class Suspected(Record):
    """The worker's ranking of lines."""

    kind: Literal["suspects"]
    lines: tuple[tuple[str, int, float], ...]


class Span(NamedTuple):
    """Other text for a span of bytes of one file."""

    path: str
    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=0)]
    text: str


class Proposed(Record):
    """Edits that the worker confirmed together."""

    kind: Literal["candidate"]
    path: str
    edits: tuple[Span, ...]
    template: str
    line: int
    score: float
    seconds: float = 0.0
    """Since the worker began."""


class Tried(Record):
    """How many candidates were run."""

    kind: Literal["tried"]
    count: int


class Underway(Record):
    """How far the search is."""

    kind: Literal["progress"]
    tried: int
    path: str
    line: int
    left: float
    found: int


class Judged(Record):
    """What became of one of the given patches."""

    kind: Literal["trial"]
    index: int
    passed: bool
    detail: str


class Finished(Record):
    """The end of the worker's answer."""

    kind: Literal["end"]
    reason: str
    seconds: float = 0.0


Line = Annotated[Suspected | Proposed | Tried | Underway | Judged | Finished, Field(discriminator="kind")]
LINE: TypeAdapter[Line] = TypeAdapter(Line)
