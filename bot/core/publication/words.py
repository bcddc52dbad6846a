"""What a report says in words, the same on a terminal and on a page: how a run ended, what a check counted."""

from collections.abc import Mapping
from typing import NamedTuple

from bot.core.account import is_reading, tolerated, weakness
from bot.core.past import REVERTED
from bot.core.report import CheckSummary, Report
from bot.core.stops import tell_stop
from bot.core.undecided import questions

GRAVE = "needs a person"
"""How findings begin that a run cannot answer for."""
EARLY: Mapping[str, str] = {
    "interrupted": "the run was interrupted",
    "denied": "a person stopped the run",
    "workspace": "the workspace could not be used any more",
}
"""How a run ended early, where the words for why it stopped are others."""
OWN = ("limit:loop", "limit:context")
"""Stops at what is no limit that somebody set: a model went round in circles, or can be told no more."""


HEADLINES: Mapping[str, str] = {
    "failed": "❌ **Something went wrong.**",
    "unfit": "⚠️ **Not published.**",
    "planned": "**A plan.** Nothing was changed.",
    "undone": "↩️ **Taken back.**",
    "nothing": "⚪ **Nothing to do.**",
}
"""What is said first where there is no run to tell of, by a word for it."""


class Ending(NamedTuple):
    """How a run ended: a word or two, and the rest of the sentence."""

    word: str
    rest: str


def tell_ending(report: Report) -> Ending:
    """Say how a run ended and what that means."""
    match report.outcome:
        case "verified":
            return _success(report)
        case "partial":
            return Ending("partial", f"no commit made a check worse, but {_lack(report)}")
        case "nothing" if report.planning and report.plan:
            return Ending("planned", "nothing was changed")
        case "nothing":
            names = ", ".join(check.name for check in report.baseline)
            return Ending("nothing to do", f"every check passes ({names})" if names else "every check passes")
        case "gave_up":
            return _surrender(report)
        case "failed":
            return Ending("failed", tell_stop(report.stop) or "the run could not be carried out")


def _success(report: Report) -> Ending:
    what, left = f"{_passing(report)} on exactly what the branch holds, in a clean checkout", questions(report.findings)
    if not left:
        return Ending("verified", what)
    word = f"verified, with {count(len(left), 'open question')}"
    return Ending(word, f"{what}; answer what the tests leave open before you merge")


def _passing(report: Report) -> str:
    wanted, left = ", ".join(report.task.acceptance), ", ".join(tolerated(report))
    if wanted:
        return f"the required checks ({wanted}) pass"
    if left:
        return f"every test passes, and static checks ({left}) find only what they found on the base,"
    return "every check passes"


def _lack(report: Report) -> str:
    if asks(report):
        return "there is a question first"
    if report.stop != "done":
        return EARLY.get(report.stop) or tell_stop(report.stop).replace(" is ", " was ") or f"it ended ({report.stop})"
    grave = [finding for finding in report.findings if finding.startswith(GRAVE)]
    if grave and all(finding.startswith(f"{GRAVE}: {REVERTED}") for finding in grave):
        return "earlier changes are taken back, so you have to say whether they were meant"
    if grave:
        return "what the evidence rests on was changed, so you have to look"
    return "not every check passes"


def asks(report: Report) -> bool:
    """Tell whether a run ended with a question that wants words; what ended before a model was asked has none."""
    return report.stop == "needs_human" and not report.waits and report.usage.turns > 0


def _surrender(report: Report) -> Ending:
    none = "no plan" if report.planning else "no verified change"
    if report.stop == "interrupted":
        return Ending("interrupted", none)
    if report.waits or asks(report):
        return Ending("waits for you", none)
    if report.stop == "needs_human":
        return Ending("left alone", "no model was asked to change anything")
    if report.stop == "denied":
        return Ending("stopped by a person", none)
    if report.stop in OWN:
        none += f", and {tell_stop(report.stop)}"
    elif report.stop.startswith("limit:"):
        none += f" within the limit on {report.stop.removeprefix('limit:')}"
    return Ending("gave up", none)


def quote(report: Report, room: int) -> str:
    """Return the last words of a run, without what the report lists anyway."""
    bare = report.stop.startswith("limit:") and report.stop not in OWN
    if bare or report.stop == "interrupted" or report.outcome == "nothing":
        return ""
    subjects = {f"- {step.subject}" for step in report.steps}
    kept: list[str] = []
    for line in report.detail.split("\n"):
        if line.strip() not in subjects:
            kept.append(line)
        elif kept and kept[-1].endswith(":"):
            kept.pop()
    text = "\n".join(kept).strip()
    return text if len(text) <= room else f"{text[:room]} …"


def spell(case: str) -> str:
    """Write the id of a finding, `path::code::message`, as tools write it; ids of tests stay as they are."""
    path, _, rest = case.partition("::")
    code, _, message = rest.partition("::")
    return f"{path}: {message} ({code})" if is_reading(case) else case


def cases(check: CheckSummary) -> str:
    """Count the cases of a check in words; where there is but an exit code, say its own summary."""
    if weakness(check) and check.passed + check.failed == 1:
        return check.summary.partition(";")[0]
    failed = check.failed - check.prevented
    counts = ((failed, "failed"), (check.prevented, "not judged"), (check.passed, "passed"), (check.skipped, "skipped"))
    words = [f"{number} {word}" for number, word in counts if number]
    return ", ".join(words) or check.summary[:60] or check.status


def count(number: int, noun: str) -> str:
    """Write a number with its noun."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
