"""The lines in which the worker answers."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from bot.core.task import Record


class Suspected(Record):
    """The worker's ranking of lines."""

    kind: Literal["suspects"]
    lines: tuple[tuple[str, int, float], ...]


class Proposed(Record):
    """An edit that the worker confirmed."""

    kind: Literal["candidate"]
    path: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str
    template: str
    line: int
    score: float


class Tried(Record):
    """How many candidates were run."""

    kind: Literal["tried"]
    count: int


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


Line = Annotated[Suspected | Proposed | Tried | Judged | Finished, Field(discriminator="kind")]
LINE: TypeAdapter[Line] = TypeAdapter(Line)
