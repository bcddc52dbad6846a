"""What a report says to a person, in words: the first line, the cases, what to do next."""

import shlex
from collections.abc import Iterator, Mapping

from bot.core.account import tolerated, weakness
from bot.core.report import CheckSummary, OutcomeWord, Report

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
    return glyph, style, _sentence(report)


def _sentence(report: Report) -> str:
    match report.outcome:
        case "verified":
            wanted = ", ".join(report.task.acceptance)
            left = ", ".join(tolerated(report))
            what = f"the required checks ({wanted}) pass" if wanted else "every check passes"
            if left and not wanted:
                what = f"every test passes, and static checks ({left}) find only what they found on the base,"
            return f"verified: {what} on exactly what the branch holds, in a clean checkout"
        case "partial":
            return f"partial: no commit made a check worse, but {_lack(report)}"
        case "nothing":
            return f"nothing to do: every check passes ({', '.join(check.name for check in report.baseline)})"
        case "gave_up":
            return _surrender(report)
        case "failed":
            return "failed: the run could not be carried out"


def _lack(report: Report) -> str:
    if report.stop == "interrupted":
        return "the run was interrupted"
    if report.stop == "denied":
        return "a person stopped the run"
    if report.stop.startswith("limit:"):
        return f"the limit on {report.stop.removeprefix('limit:')} was reached"
    if report.stop != "done":
        return f"the run ended early ({report.stop})"
    if any(finding.startswith("needs a person") for finding in report.findings):
        return "what the evidence rests on was changed, so you have to look"
    return "not every check passes"


def _surrender(report: Report) -> str:
    if report.stop == "interrupted":
        return "interrupted: no verified change"
    if report.stop == "needs_human":
        return "waits for you: no verified change"
    if report.stop == "denied":
        return "stopped by a person: no verified change"
    if report.stop.startswith("limit:"):
        return f"gave up: no verified change within the limit on {report.stop.removeprefix('limit:')}"
    return "gave up: no verified change"


def quote(report: Report, room: int) -> str:
    """Return the last words of a run, without what the report lists anyway."""
    if report.stop.startswith("limit:") or report.stop == "interrupted" or report.outcome == "nothing":
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
    code, colons, message = rest.partition("::")
    # Names in Python hold no blanks, so only parameters, in brackets, may bring one into the id of a test
    is_finding = bool(colons) and " " in message.partition("[")[0]
    return f"{path}: {message} ({code})" if is_finding else case


def cases(check: CheckSummary) -> str:
    """Count the cases of a check in words; where there is but an exit code, say its own summary."""
    if weakness(check) and check.passed + check.failed == 1:
        return check.summary.partition(";")[0]
    failed = check.failed - check.prevented
    counts = ((failed, "failed"), (check.prevented, "not judged"), (check.passed, "passed"), (check.skipped, "skipped"))
    words = [f"{number} {word}" for number, word in counts if number]
    return ", ".join(words) or check.summary[:60] or check.status


def invite(report: Report) -> str:
    """Name the command that carries a plan out."""
    goal = " ".join(report.task.goal.split())
    if not goal:
        return "git agent fix"
    return f"git agent fix {shlex.quote(goal)}" if len(goal) <= SHORT else "git agent fix TASK"


def advise(report: Report, *, changed: bool) -> Iterator[tuple[str, str]]:
    """Say what can be done next: words, and the command."""
    limit = report.stop.removeprefix("limit:") if report.stop.startswith("limit:") else ""
    if changed:
        yield "Take it", f"git agent accept {report.run}"
        yield "Prove it again", f"git agent verify {report.run}"
        yield "Go back a step", f"git agent undo {report.run}"
    elif report.outcome != "nothing" and report.baseline:
        yield "What was tried", f"git agent log {report.run}"
    if limit in ("turns", "steps", "seconds", "tokens", "cost"):
        yield "Allow more", f"git agent resume {report.run} --max-{limit} N"
    elif report.stop == "needs_human" and report.usage.turns:
        yield "Answer", f"git agent resume {report.run} --tell '…'"
    elif report.stop in ("interrupted", "denied", "model", "workspace"):
        yield "Go on", f"git agent resume {report.run}"
