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
    created: tuple[tuple[str, str], ...] = ()
    """Files that come, with their text."""
    deleted: tuple[str, ...] = ()
    seconds: float = 0.0
    """Since the worker began."""
    rank: int = 0
    """Its place, counted from 1, once candidates were compared by what they do; 0 before."""
    alike: Annotated[int, Field(ge=1, le=1000)] = 1
    """How many confirmed candidates do the same, itself included."""


class Stood(Record):
    """Tests that are not counted: they failed before the last changes, do not always fail, or cannot be run here."""

    kind: Literal["standing"]
    word: Literal["before", "flaky", "left"]
    tests: Annotated[tuple[str, ...], Field(max_length=50)]
    why: Annotated[str, Field(max_length=200)] = ""


class Asked(Record):
    """A call on which two candidates differ."""

    kind: Literal["question"]
    one: int
    other: int
    """Ranks of the two."""
    call: str
    answers: tuple[str, str]


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


Line = Annotated[
    Suspected | Stood | Proposed | Asked | Tried | Underway | Judged | Finished, Field(discriminator="kind")
]
LINE: TypeAdapter[Line] = TypeAdapter(Line)
