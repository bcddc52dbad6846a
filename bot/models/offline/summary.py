"""The last word of a run: what was mended, what was not, and what that would take."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.models.offline.briefing import Finding
from bot.models.offline.complaints import read
from bot.models.offline.outdated import once_of_python
from bot.models.offline.patches import NOT_SEARCHED, Searched, Suspect
from bot.models.offline.suggestions import Suggestion, tell

MOST_LISTED = 8
MOST_OTHERS = 4
MORE = (
    "The goal asks for something new. The offline model only mends what checks report and cannot write new logic: "
    "use a language model, or a person."
)
QUIET = (
    "No check fails that the goal could be about. The offline model only mends what checks report: "
    "add a failing test that shows the problem, or use a language model."
)
MISSING = (
    "A module cannot be found. If the project depends on it, install it into the project's environment (.venv), "
    "or name the right interpreter with --python."
)
SHORT = ("out of time", "out of candidates")
"""Reasons for which a search ends early."""
EXCUSES = {
    "BEFORE": "fails without the last changes as well: they are not to blame.",
    "FLAKY": "is flaky: with nothing changed it does not end the same way every time.",
}
CANNOT = "That takes new logic or a decision, which the offline model cannot write: use a language model, or a person."


@dataclass(slots=True)
class Ending:
    """What is known at the end."""

    goal: str = ""
    more: bool = False
    """Whether the goal asks for more than mending."""
    done: Sequence[str] = ()
    left: list[Finding] = field(default_factory=list)
    barred: Sequence[Finding] = ()
    """Failures in files that the task wants left alone."""
    unasked: Sequence[Finding] = ()
    """Failures that the goal is not about."""
    excused: Mapping[str, str] = field(default_factory=dict)
    """Tests that the last changes are not to blame for: a word of `EXCUSES`, by test."""
    suspects: Sequence[Suspect] = ()
    vain: Searched = NOT_SEARCHED
    """What searches tried in vain."""
    suggestions: Sequence[Suggestion] = ()
    spent: bool = False
    errored: list[str] = field(default_factory=list)
    """Checks that gave no evidence."""
    planning: bool = False
    """Whether nothing could be tried."""


def summarize(end: Ending) -> str:
    """Say plainly how it ends."""
    parts = [
        MORE if end.more else "",
        _done(end),
        tell(end.suggestions),
        _left(end.left, untried=end.planning or end.more),
        _others("Left alone, in files that this task may not change:", end.barred),
        _others("Left alone, since the goal is not about it:", end.unasked),
        _excused(end),
        _vain(end),
        _suspects(end.suspects),
        _errored(end),
        QUIET if end.goal and not (end.more or end.done or end.left) else "",
    ]
    return "\n\n".join(part for part in parts if part)


def _done(end: Ending) -> str:
    if not end.done:
        return (
            "Nothing was changed."
            if end.left or end.goal or end.errored or end.barred
            else "Nothing is broken, and nothing was changed."
        )
    return "\n".join(["Mended, each in a commit of its own:", *(f"- {subject}" for subject in end.done)])


def _left(left: Sequence[Finding], *, untried: bool) -> str:
    if not left:
        return ""
    rows = [_row(finding) for finding in left[:MOST_LISTED]]
    if len(left) > MOST_LISTED:
        rows.append(f"- and {len(left) - MOST_LISTED} more")
    notes = ["Tests and configuration are never edited."] if any(f.evidence and f.code for f in left) else []
    if untried:
        return "\n".join(["Broken now:", *rows, *notes])
    missing = [finding for finding in left if _lacks_module(finding)]
    lack = [MISSING] if missing else []
    return "\n".join(["Not mended:", *rows, *notes, *lack, *([CANNOT] if len(missing) < len(left) else [])])


def _others(title: str, found: Sequence[Finding]) -> str:
    rows = [_row(finding) for finding in found[:MOST_OTHERS]]
    more = [f"- and {len(found) - MOST_OTHERS} more"] if len(found) > MOST_OTHERS else []
    return "\n".join([title, *rows, *more]) if rows else ""


def _lacks_module(finding: Finding) -> bool:
    """Whether somebody could install what a finding misses; what Python itself had once nobody can."""
    complaint = read(finding.message) if "No module named" in finding.message else None
    return complaint is not None and complaint.wanted.partition(".")[0] not in once_of_python()


def _row(finding: Finding) -> str:
    """Tell a finding; the id of a static one only says its message again."""
    name = f"{finding.path}:{finding.line}" if finding.code else finding.id
    return f"- {finding.check}: {name}: {finding.message[:160]}"


def _excused(end: Ending) -> str:
    """Say of tests that still fail why the last changes are not to blame, before anything else is."""
    left = {finding.id for finding in end.left}
    told = [f"{test} {EXCUSES[word]}" for test, word in end.excused.items() if test in left]
    return "\n".join(told[:MOST_LISTED])


def _vain(end: Ending) -> str:
    """Say how much was searched for what is left, and whether more time could find more."""
    tried, reason = end.vain
    if not reason or all(finding.code for finding in end.left):
        return ""
    if not tried:
        return f"No small edit was tried: {reason}."
    plural = "s were" if tried > 1 else " was"
    late = ", and the time for it was up before it had tried all that it knows" if reason in SHORT else ""
    return f"A search found no repair: {tried:,} small edit{plural} tried{late}."


def _suspects(suspects: Sequence[Suspect]) -> str:
    if not suspects:
        return ""
    rows = [f"- {one.path}:{one.line} ({one.score:.2f}) {one.text[:100]}".rstrip() for one in suspects[:5]]
    return "\n".join(["The failing tests blame these lines most:", *rows])


def _errored(end: Ending) -> str:
    rows = [f"The check {name} gave no evidence." for name in end.errored]
    if end.spent:
        rows.append("The offline model stopped because it has used up its turns.")
    return "\n".join(rows)
