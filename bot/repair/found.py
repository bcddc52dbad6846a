"""What the repair engine finds."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Suspect:
    """A line that the failing tests blame."""

    path: str
    line: int
    score: float
    """0 to 1."""
    text: str


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of one candidate patch."""

    index: int
    passed: bool
    """Whether every given test passed and no passing one of the same files broke."""
    detail: str
    """Which tests failed and why, or why the patch could not be applied; one line."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A patch that turns the failing tests green, not yet verified by the ladder."""

    patch: str
    """Unified diff with a/ and b/ prefixes."""
    path: str
    line: int
    template: str
    score: float
    alike: int = 1
    """How many of the plausible candidates behave as this one does, itself included, as far as that was tried."""
    history: str = ""
    """What it has to do with the last changes: that it takes some back, or makes a line what it was."""


@dataclass(frozen=True, slots=True)
class Question:
    """A call on which two candidates differ, so that the tests do not decide between them."""

    one: int
    other: int
    """Places among the candidates of the search, counted from 0."""
    call: str
    """As it would be written in the project: `median([1, 2])`."""
    answers: tuple[str, str]
    """What each of the two gives for it, as source or as the name of an exception."""


@dataclass(frozen=True, slots=True)
class Search:
    """What a patch search found."""

    candidates: tuple[Candidate, ...]
    """Best first."""
    suspects: tuple[Suspect, ...]
    tried: int
    seconds: float
    """Of the whole search."""
    reason: str
    """Why the search ended: found, exhausted, out of time, or why it could not start."""
    first: float = 0.0
    """Seconds until the first candidate was confirmed; 0 where none was."""
    questions: tuple[Question, ...] = ()
    before: tuple[str, ...] = ()
    """Tests that fail without the last changes as well."""
    flaky: tuple[str, ...] = ()
    """Tests that end in different ways when they are run again."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Tests that were not asked while candidates were screened, each with why."""
