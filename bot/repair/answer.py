"""The lines in which the worker answers; code of the project ran beside it, so nothing in them is boundless."""

from typing import Annotated, Literal, NamedTuple

from pydantic import Field, TypeAdapter

from bot.core.task import Record

MOST_EDITS = 1000
"""Parts of one candidate: as many as the last changes may have had that it takes back."""

Count = Annotated[int, Field(ge=0, lt=10**9)]
Place = Annotated[int, Field(ge=0, lt=10**7)]
"""A line of a file."""
Number = Annotated[float, Field(allow_inf_nan=False, ge=-1e6, le=1e6)]
Path = Annotated[str, Field(min_length=1, max_length=4000)]


class Suspected(Record):
    """The worker's ranking of lines."""

    kind: Literal["suspects"]
    lines: Annotated[tuple[tuple[Path, Place, Number], ...], Field(max_length=1000)]


class Span(NamedTuple):
    """Other text for a span of bytes of one file."""

    path: Path
    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=0)]
    text: str


class Proposed(Record):
    """Edits that the worker confirmed together."""

    kind: Literal["candidate"]
    path: Path
    edits: Annotated[tuple[Span, ...], Field(max_length=MOST_EDITS)]
    template: Annotated[str, Field(pattern=r"^[\w+]{1,100}$")]
    line: Place
    score: Number
    created: Annotated[tuple[tuple[Path, str], ...], Field(max_length=MOST_EDITS)] = ()
    """Files that come, with their text."""
    deleted: Annotated[tuple[Path, ...], Field(max_length=MOST_EDITS)] = ()
    seconds: Number = 0.0
    """Since the worker began."""
    rank: Count = 0
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
    one: Count
    other: Count
    """Ranks of the two."""
    call: str
    answers: tuple[str, str]


class Tried(Record):
    """How many candidates were run."""

    kind: Literal["tried"]
    count: Count


class Underway(Record):
    """How far the search is."""

    kind: Literal["progress"]
    tried: Count
    path: Annotated[str, Field(max_length=4000)]
    line: Place
    left: Number
    found: Count


class Judged(Record):
    """What became of one of the given patches."""

    kind: Literal["trial"]
    index: Count
    passed: bool
    detail: str


class Finished(Record):
    """The end of the worker's answer."""

    kind: Literal["end"]
    reason: str
    seconds: Number = 0.0


Line = Annotated[
    Suspected | Stood | Proposed | Asked | Tried | Underway | Judged | Finished, Field(discriminator="kind")
]
LINE: TypeAdapter[Line] = TypeAdapter(Line)
