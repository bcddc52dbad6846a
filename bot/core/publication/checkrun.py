"""What a check on a commit says of a run, and the remarks beside the lines of files."""

import re
from collections.abc import Iterable, Iterator

from bot.core.account import findings
from bot.core.check import CheckResult
from bot.core.escape import line
from bot.core.hub import Annotation, CheckRun, Conclusion
from bot.core.paths import refuse_path
from bot.core.publication.attention import attention, holds
from bot.core.publication.pull import show_change, show_evidence, show_top
from bot.core.publication.sections import join
from bot.core.publication.setting import Setting
from bot.core.publication.words import GRAVE, spell, tell_ending
from bot.core.redact import sanitize
from bot.core.report import Report
from bot.core.undecided import questions

NAME = "git agent"
MOST = 50
"""Annotations that GitHub takes with one request."""
LONGEST_TITLE = 120
LONGEST_MESSAGE = 4_000
BY_CASE = ("still failing", "fails, unlike")
"""How findings begin that name a case, which has no line in them."""

_PLACE = re.compile(
    r"(?=[^:\n]{0,400}[./])(?P<path>[^\s:][^:\n]{0,400}?):(?P<line>[1-9]\d{0,6})(?!\d)(?P<said>.*)", re.DOTALL
)


def check_run(report: Report, setting: Setting, results: Iterable[CheckResult] = ()) -> CheckRun:
    """Say of a commit what a run found; only what is verified is a success."""
    word, rest = tell_ending(report)
    summary = join((*show_top(report, setting), *show_change(report)))
    evidence = show_evidence(report, setting)
    return CheckRun(
        name=NAME,
        sha=setting.tip or report.tip,
        conclusion=conclude(report, setting),
        title=line(f"{word.capitalize()}: {rest}", LONGEST_TITLE),
        summary=summary,
        text=join(evidence),
        annotations=annotations(report, results),
    )


def conclude(report: Report, setting: Setting) -> Conclusion:
    """Put the end of a run into the words of a forge."""
    if holds(report, setting):
        return "success"
    if report.stop == "interrupted":
        return "cancelled"
    if report.waits or report.stop == "needs_human":
        return "action_required"
    if report.outcome in ("gave_up", "failed"):
        return "failure"
    grave = any(point.sign == "bad" for point in attention(report, setting))
    return "action_required" if grave else "neutral"


def annotations(report: Report, results: Iterable[CheckResult] = ()) -> tuple[Annotation, ...]:
    """Put what fails and what a person should know beside its line, where that is known."""
    found = dict.fromkeys((*_failing(results), *_found(report)))
    return tuple(found)[:MOST]


def _failing(results: Iterable[CheckResult]) -> Iterator[Annotation]:
    for result in results:
        for case in result.cases:
            if case.bad and case.line > 0 and case.path:
                said = f"{spell(case.id)}\n{case.message}"
                yield from _annotate(case.path, case.line, f"{result.check} fails", said, grave=True)


def _found(report: Report) -> Iterator[Annotation]:
    for finding in (*questions(report.findings), *findings(report)):
        grave = finding.startswith(GRAVE)
        said = finding.removeprefix(f"{GRAVE}: ")
        place = _PLACE.match(said)
        if place and not said.startswith(BY_CASE):
            title = "needs a person" if grave else "to be known"
            yield from _annotate(
                place["path"], int(place["line"]), title, place["said"].strip(" :") or said, grave=grave
            )


def _annotate(path: str, at: int, title: str, said: str, *, grave: bool) -> Iterator[Annotation]:
    if refuse_path(path) is None:
        message = sanitize(said.strip()[:LONGEST_MESSAGE])
        level = "failure" if grave else "warning"
        yield Annotation(path=path, start=at, end=at, level=level, title=line(title), message=message or title)
