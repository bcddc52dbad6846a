"""What a report says to a person at a terminal, in words: the first line, the last words, what to do next."""

import shlex
from collections.abc import Iterator, Mapping

from bot.core.publication.words import asks, tell_ending
from bot.core.report import OutcomeWord, Report
from bot.core.undecided import questions

STYLES: Mapping[OutcomeWord, tuple[str, str]] = {
    "verified": ("✓", "bold green"),
    "partial": ("●", "bold yellow"),
    "nothing": ("✓", "bold green"),
    "gave_up": ("✗", "bold red"),
    "failed": ("✗", "bold red"),
}

WAITING = ("●", "bold yellow")

SHORT = 60
"""Characters of a task that is still repeated in a command."""


def headline(report: Report) -> tuple[str, str, str]:
    """Return a sign, a style and the sentence that a report begins with."""
    glyph, style = STYLES[report.outcome]
    if report.outcome == "gave_up" and report.stop in ("interrupted", "needs_human"):
        glyph, style = WAITING
    if questions(report.findings):
        style = WAITING[1]
    ending = tell_ending(report)
    return glyph, style, f"{ending.word}: {ending.rest}"


def invite(report: Report) -> str:
    """Name the command that carries a plan out, or does what one was asked for."""
    if report.plan:
        return f"git agent fix --plan {report.run}"
    goal = " ".join(report.task.goal.split())
    if not goal:
        return "git agent fix"
    return f"git agent fix {shlex.quote(goal)}" if len(goal) <= SHORT else "git agent fix TASK"


def advise(report: Report, *, changed: bool) -> Iterator[tuple[str, str]]:
    """Say what can be done next: words, and the command."""
    limit = report.stop.removeprefix("limit:") if report.stop.startswith("limit:") else ""
    if changed:
        yield "Stage it" if report.task.source.kind == "hook" else "Take it", f"git agent accept {report.run}"
        yield "Prove it again", f"git agent verify {report.run}"
        if report.task.source.kind != "hook":
            yield "Go back a step", f"git agent undo {report.run}"
    elif report.outcome != "nothing" and report.baseline:
        yield "What was tried", f"git agent log {report.run}"
    if limit in ("turns", "steps", "seconds", "tokens", "cost"):
        yield "Allow more", f"git agent resume {report.run} --max-{limit} N"
    elif report.waits:
        yield "Allow it", f"git agent resume {report.run} --approve"
        yield "Or say what to do", f"git agent resume {report.run} --tell '…'"
    elif asks(report):
        yield "Answer", f"git agent resume {report.run} --tell '…'"
    elif limit == "loop":
        yield "Tell it more", f"git agent resume {report.run} --tell '…'"
    elif report.stop in ("interrupted", "denied", "model", "workspace"):
        yield "Go on", f"git agent resume {report.run}"
