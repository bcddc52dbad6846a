"""What the probe reports, and how far it can be believed."""

import secrets
from typing import Annotated, Literal, NamedTuple, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError

from bot.core.check import CaseResult, Cause, Outcome
from bot.core.task import Record
from bot.verify.place import clean, one_line


class Line(Record):
    """Base of what the probe reports."""

    token: str
    number: int


class Begin(Line):
    """A test is about to run."""

    kind: Literal["begin"]
    id: str
    path: str
    line: int


class Case(Line):
    """A test has run, or something could not be collected."""

    kind: Literal["case"]
    id: str
    outcome: Outcome
    message: str
    path: str
    line: int
    seconds: float = 0.0
    asks: str = ""
    code: str = ""
    error: str = ""
    cause: Cause = ""
    lacks: str = ""

    def result(self) -> CaseResult:
        """Turn it into what is kept."""
        return CaseResult(
            id=clean(self.id),
            outcome=self.outcome,
            message=clean(self.message),
            path=clean(self.path),
            line=max(0, self.line),
            seconds=self.seconds,
            asks=clean(self.asks),
            code=clean(self.code),
            error=clean(self.error),
            cause=self.cause,
            lacks=clean(self.lacks),
        )


class End(Line):
    """The session is over, and this is all there was."""

    kind: Literal["end"]
    exit: int
    collected: int
    share: int
    """How many of them this process had to account for."""
    same: str
    """Digest of all that was collected, alike in every process that collected alike."""
    left_out: int = 0
    """How many tests the project left out, where there are too many to name."""
    missing: tuple[str, ...]
    """Tests that were collected, not left out, and never ran."""
    tampered: tuple[str, ...]
    """Parts of the runner that code of the tree replaced."""
    foreign: tuple[str, ...]
    """Modules of the project that came from outside the tree."""
    hidden: tuple[str, ...]
    """Modules of the tree that stand before others of the same name."""
    imported: tuple[str, ...] = ()
    """Files of the tree that were imported."""


Told: TypeAlias = Annotated[Begin | Case | End, Field(discriminator="kind")]
_TOLD: TypeAdapter[Told] = TypeAdapter(Told)


class Report(NamedTuple):
    """The probe's report as far as it can be believed."""

    cases: tuple[CaseResult, ...]
    end: End | None
    running: Begin | None
    """The test that was begun and never ended."""
    flaw: str
    """What is wrong with the report itself; empty when nothing is."""


def read(report: bytes, token: str) -> Report:
    """Read the probe's lines; whatever does not carry the token, in order, makes the report unusable from there on."""
    cases: list[CaseResult] = []
    running: Begin | None = None
    for number, line in enumerate(report.splitlines(), 1):
        try:
            told = _TOLD.validate_json(line)
        except ValidationError:
            return Report(tuple(cases), None, running, "the report was cut off or written to by something else")
        if not secrets.compare_digest(told.token.encode(), token.encode()) or told.number != number:
            return Report(tuple(cases), None, running, "the report holds lines that the probe did not write")
        match told:
            case Begin():
                running = told
            case Case():
                running = None
                cases.append(told.result())
            case End():
                whole = number == report.count(b"\n")
                flaw = "" if whole else "the report goes on after its end"
                return Report(tuple(cases), told if whole else None, None, flaw)
    return Report(tuple(cases), None, running, "the report has no end: the process left before the tests were done")


def unfinished(begun: Begin, reason: str, cause: Cause) -> CaseResult:
    """Tell of a test that was begun and never ended."""
    return CaseResult(
        id=clean(begun.id),
        outcome="error",
        message=f"did not end: {one_line(reason, 200)}",
        path=clean(begun.path),
        line=max(0, begun.line),
        cause=cause,
    )
