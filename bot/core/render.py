"""The report of a run as Markdown, as its record keeps it: what was asked and done, and what proves it."""

from bot.core.account import account, live, reds
from bot.core.escape import clip, code, fence, inline, size
from bot.core.publication.sections import (
    SECTION,
    join,
    quote_plain,
    show_changed,
    show_checks,
    show_cost,
    show_course,
    show_diffs,
    show_doubts,
    show_points,
    show_questions,
    show_reds,
    show_steps,
    show_waits,
)
from bot.core.publication.words import quote, tell_ending
from bot.core.report import Report
from bot.core.trailers import Claim, commit_message, parse_trailers, state_checks

__all__ = ["Claim", "commit_message", "markdown", "parse_trailers", "state_checks"]

LONGEST = 60_000
"""Characters, as `escape.size` counts them."""
DETAIL = 2_000
"""Characters of the last words of a run."""


def markdown(report: Report) -> str:
    """Tell what was asked, what changed, what proves it and what does not; bounded, and cut at line ends."""
    open_ends = _part("Answer before you merge", show_questions(report))
    before = (_headline(report), open_ends, _part("Waits for approval", _waits(report)), _part("Asked", _asked(report)))
    change = (_part("Changed", show_changed(report)),)
    after = (
        _part("Checks", show_checks(report)),
        _part("Proof", _proof(report)),
        _part("Not verified", show_doubts(report, grave=True)),
        _part("Plan", show_course(report)),
        _part("Steps", show_steps(report)),
        _part("Cost", show_cost(report)),
        _part("Run again", _again(report)),
    )
    room = LONGEST - sum(size(part) + 2 for part in (*before, *change, *after))
    return join((*before, *change, show_diffs(report, room), *after)) + "\n"


def _part(title: str, body: str) -> str:
    return f"### {title}\n\n{body}" if body else ""


def _headline(report: Report) -> str:
    word, rest = tell_ending(report)
    sentence = f"**{inline(word.capitalize())}.** {inline(rest[:1].upper() + rest[1:], 300)}."
    return join((sentence, quote_plain(quote(report, DETAIL), 2 * DETAIL)))


def _waits(report: Report) -> str:
    return show_waits(report, f"git agent resume {report.run} --approve")


def _asked(report: Report) -> str:
    goal, source = report.task.goal.strip(), report.task.source
    if not goal:
        return "To mend what the checks say is broken."
    quoted = "\n".join(clip((f"> {inline(text, 500)}".rstrip() for text in goal.splitlines()), SECTION))
    who = f" by {code(source.author)}" if source.author else ""
    closes = source.kind == "issue" and report.outcome == "verified" and source.ref.isdecimal() and source.ref.isascii()
    whence = "" if source.kind == "local" else f"From {source.kind}{who}."
    return join((quoted, whence, f"Fixes #{source.ref}" if closes else ""))


def _proof(report: Report) -> str:
    points = account(report)
    if not points:
        return f"None: {inline(report.proof.reason) or 'no run gave any'}."
    if not reds(report.proof):
        return show_points(points)
    return join((show_points(points[:1]), show_reds(report), show_points(points[1:])))


def _again(report: Report) -> str:
    if report.planning:
        return fence(f"git agent fix --plan {report.run}", "sh") if report.plan else ""
    undo = [f"git agent undo {report.run}"] if live(report) else []
    return fence("\n".join((f"git agent verify {report.run}", f"git agent show {report.run}", *undo)), "sh")
