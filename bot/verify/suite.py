"""The unit rung: the project's tests through its own pytest, believed only when three signals agree."""

import secrets
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Annotated, Literal, NamedTuple, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError

from bot.core.check import CaseResult, Check, CheckResult, Outcome
from bot.core.task import Record
from bot.protocols import Completed
from bot.verify import stamps
from bot.verify.place import Place, clean, one_line, result, trouble

PROBE = Path(__file__).with_name("probe.py")
INTERNAL, USAGE, NOTHING = 3, 4, 5
"""Exit codes of pytest."""
PATIENCE = 1 / 30
"""Part of a check's time that one test may compute for; beyond it the test is stopped, and the others go on."""
TOKEN = "GIT_AGENT_REPORT_TOKEN"  # noqa: S105 - the name of a variable


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


class End(Line):
    """The session is over, and this is all there was."""

    kind: Literal["end"]
    exit: int
    collected: int
    missing: tuple[str, ...]
    """Tests that were collected, not left out, and never ran."""
    tampered: tuple[str, ...]
    """Parts of pytest that code of the tree replaced."""
    foreign: tuple[str, ...]
    """Modules of the project that came from outside the tree."""
    hidden: tuple[str, ...]
    """Modules of the tree that stand before others of the same name."""


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


def run(check: Check, place: Place, targets: Sequence[str]) -> CheckResult:
    """Run the project's tests, or those of the targets."""
    token = secrets.token_hex(16)
    patience = ("GIT_AGENT_PATIENCE", f"{check.timeout * PATIENCE:g}")
    environment = ((TOKEN, token), patience, *place.interpreter.variables)
    before = stamps.take(place.root)
    done = place.execute(check, command(check, place, targets), "own", writable=True, environment=environment)
    judged = judge(check, done, read(done.report, token))
    return judged.model_copy(update={"rewritten": tuple(map(clean, stamps.rewritten(place.root, before)))})


def command(check: Check, place: Place, targets: Sequence[str]) -> list[str]:
    """Build the command line that starts the probe in the project's interpreter."""
    words = [PurePath(word).name for word in check.argv]
    at = next((index for index, word in enumerate(words) if word in ("pytest", "py.test")), len(words))
    argv = [str(place.interpreter.path), str(PROBE)]
    lender = place.interpreter.lender
    if lender is not None:
        argv += ["--tools", str(lender)]
    if targets:
        argv.append("--narrow")
    return [*argv, "--", *check.argv[at + 1 :], *targets]


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
                cases.append(_case(told))
            case End():
                whole = number == report.count(b"\n")
                flaw = "" if whole else "the report goes on after its end"
                return Report(tuple(cases), told if whole else None, None, flaw)
    return Report(tuple(cases), None, running, "the report has no end: the process left before pytest was done")


def judge(check: Check, done: Completed, report: Report) -> CheckResult:
    """Let exit code, report and process end agree, or say what does not."""
    cases = report.cases
    if reason := trouble(done, check) or report.flaw or _distrust(report):
        if report.running is not None:
            cases = (*cases, _unfinished(report.running, reason))
        return result(check, done, "errored", _explain(reason, done), cases)
    assert report.end is not None, "a report without an end has a flaw"
    bad = any(case.bad for case in cases)
    doubt = _disagreement(report.end, done.returncode, cases)
    if doubt and not bad:
        return result(check, done, "errored", _explain(doubt, done), cases)
    if report.end.exit == 1 and not bad:
        unexplained = "pytest ended with exit code 1 although no test failed"
        missed = CaseResult(id=f"{check.name}::exit", outcome="failed", message=unexplained)
        return result(check, done, "failed", unexplained, (*cases, missed))
    summary = "; ".join(filter(None, (_summary(cases), doubt)))
    judged = result(check, done, "failed" if bad else "passed", summary, cases)
    return judged.model_copy(update={"hidden": tuple(map(clean, report.end.hidden))})


def _distrust(report: Report) -> str:
    """Say why nothing in a report may be believed, its failures least of all as the only ones; empty when it may."""
    end = report.end
    if end is None:
        return "the report has no end"
    if end.tampered:
        return f"code in the tree replaced parts of pytest: {', '.join(end.tampered)}"
    if end.foreign:
        return f"modules of the project were not imported from the tree: {', '.join(end.foreign)}"
    if end.missing:
        return f"{len(end.missing)} collected tests never ran: {', '.join(end.missing)}"
    told = len({case.id for case in report.cases})
    return f"{end.collected} tests were collected, and {told} reported" if told < end.collected else ""


def _disagreement(end: End, returncode: int, cases: Sequence[CaseResult]) -> str:
    """Say how exit codes and cases contradict each other; empty when they agree."""
    bad = any(case.bad for case in cases)
    doubts = (
        (
            end.exit in (INTERNAL, USAGE),
            f"pytest ended with {'an internal' if end.exit == INTERNAL else 'a usage'} error",
        ),
        (not end.collected and all(case.outcome == "skipped" for case in cases), "no tests were collected"),
        (end.exit == NOTHING, "no test was run"),
        (
            end.exit != returncode or end.exit not in (0, 1) or (end.exit == 0 and bad),
            f"exit codes {end.exit} and {returncode} do not fit a report {'with' if bad else 'without'} failures",
        ),
    )
    return next((words for doubt, words in doubts if doubt), "")


def _explain(reason: str, done: Completed) -> str:
    """Add what was printed of an error when the reason alone does not help."""
    lines = [line for line in done.output.splitlines() if line.strip() and not line.startswith("=")]
    telling = [line for line in lines if "error" in line.lower()] or lines
    return f"{reason}: {telling[-1]}" if reason.startswith(("the report", "pytest ended")) and telling else reason


def _case(told: Case) -> CaseResult:
    return CaseResult(
        id=clean(told.id),
        outcome=told.outcome,
        message=clean(told.message),
        path=clean(told.path),
        line=max(0, told.line),
        seconds=told.seconds,
        asks=clean(told.asks),
    )


def _unfinished(begun: Begin, reason: str) -> CaseResult:
    message = f"did not end: {one_line(reason, 200)}"
    return CaseResult(
        id=clean(begun.id), outcome="error", message=message, path=clean(begun.path), line=max(0, begun.line)
    )


def _summary(cases: Sequence[CaseResult]) -> str:
    words: tuple[Outcome, ...] = ("passed", "failed", "error", "skipped", "xfailed", "xpassed")
    counts = ((word, sum(case.outcome == word for case in cases)) for word in words)
    return ", ".join(f"{count} {word}" for word, count in counts if count) or "no tests"
