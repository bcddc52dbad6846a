"""The pull request of a run: a title from a template, and a body made of evidence."""

from bot.core.account import live
from bot.core.escape import code, inline, line, size
from bot.core.publication.again import show_again
from bot.core.publication.attention import attention, holds, proved
from bot.core.publication.history import remember, show_earlier
from bot.core.publication.marker import marker
from bot.core.publication.origin import show_origin
from bot.core.publication.sections import (
    fold,
    join,
    quote_plain,
    show_changed,
    show_checks,
    show_cost,
    show_course,
    show_diffs,
    show_doubts,
    show_points,
    show_reds,
    show_steps,
)
from bot.core.publication.setting import SHORT, Setting
from bot.core.publication.statement import show_statement
from bot.core.publication.words import count, quote, tell_ending
from bot.core.report import OutcomeWord, Report
from bot.core.trailers import LONGEST_SUBJECT, write_subject
from bot.core.undecided import questions

LONGEST = 65_000
"""Characters, as `escape.size` counts them; GitHub takes 65,536."""
SAID = 2_000
"""Characters of the last words of a run."""
FOLLOW: tuple[tuple[str, str], ...] = (
    ("fix …", "the words behind it are the next task, done on top of this branch"),
    ("retry", "tries again, from where the base stands now"),
    ("undo", "takes back the last step; `undo 2` takes back that one and all after it"),
    ("status", "says what was tried and what is left; `help` tells the rest"),
)
"""What can be ordered under a pull request."""
SIGNS: dict[OutcomeWord, str] = {"verified": "✅", "nothing": "✅", "partial": "⚠️", "gave_up": "❌", "failed": "❌"}
ENDS = {"waits for you": "⏸️", "left alone": "⚪", "interrupted": "⏹️"}
"""Signs of ends that are nobody's failure."""
WHY_NO_CI = (
    "**CI has not started by itself.** The branch was pushed with the job's own `GITHUB_TOKEN`, and GitHub starts no "
    "workflow for what that token does. Close and reopen this pull request, or run the workflow by hand on the branch "
    "if it has `workflow_dispatch`. With the token of a GitHub App, CI starts by itself."
)


def pull_title(report: Report, setting: Setting) -> str:
    """Name what was done, in words that order nothing."""
    steps, otherwise = live(report), write_subject(f"git agent: run {report.run}", "git agent")
    if len(steps) == 1:
        return write_subject(steps[0].subject, otherwise)
    if setting.issue and setting.trigger.title:
        return write_subject(f"fix: {setting.trigger.title}", otherwise)
    if report.proof.green:
        return f"fix: {count(len(report.proof.green), 'failing case')} in {count(len(steps), 'step')}"
    rest = f" (and {count(len(steps) - 1, 'more step')})" if steps else ""
    subject = write_subject(steps[0].subject if steps else "", otherwise)
    return line(subject, LONGEST_SUBJECT - len(rest)) + rest


def pull_body(report: Report, setting: Setting, said: str = "") -> str:
    """Say what needs a person, what was asked and done, and what proves it; bounded, and cut at line ends.

    `said` is what a person should know beside the report.
    """
    hidden = marker(remember(report, setting, "pull"))
    asked = part("Asked", join((show_origin(report, setting), quote_plain(said))))
    before = (*show_top(report, setting), asked, *show_change(report))
    evidence = show_evidence(report, setting)
    early = report.plan and report.unfinished
    remains = part("What remains", show_course(report)) if early else ""
    after = (remains, part("What next", _next(report, setting)), show_foot(report, setting), hidden)
    room = LONGEST - sum(size(each) + 2 for each in (*before, *evidence, *after))
    return join((*before, *evidence[:2], show_diffs(report, room), *evidence[2:], *after)) + "\n"


def note_undone(body: str, said: str) -> str:
    """Say above what a pull request says that something of it was taken back since."""
    return f"> [!NOTE]\n> **Changed since:** {inline(said, 300)}\n\n{body}"


def part(title: str, body: str) -> str:
    """Put a title above a part of a page, if there is one."""
    return f"### {title}\n\n{body}" if body else ""


def show_top(report: Report, setting: Setting) -> tuple[str, str]:
    """Show what a person has to look at, and how the run ended."""
    return show_attention(report, setting), show_verdict(report, setting)


def show_change(report: Report) -> tuple[str, str]:
    """Show what was red and is green, and the files that were changed."""
    return part("Failed before, passes now", show_reds(report)), part("Changed", show_changed(report))


def show_evidence(report: Report, setting: Setting) -> tuple[str, ...]:
    """Show what the checks said, of which steps, and how to have them say it again."""
    machine = show_statement(report, setting.checks) if live(report) else ""
    return (
        part("Checks", show_checks(report, setting.checks)),
        join((part("Steps", show_steps(report, setting.links)), show_said(report))),
        part("Prove it again", show_again(report, setting) if live(report) else ""),
        fold("The same for programs", machine),
        part("Not verified", show_doubts(report)),
        show_earlier(setting),
    )


def show_said(report: Report) -> str:
    """Quote the last words of the run, which prove nothing."""
    words = quote_plain(quote(report, SAID), 2 * SAID)
    return f"What the run said last, which is no evidence:\n\n{words}" if words else ""


def show_attention(report: Report, setting: Setting, *, brief: bool = False) -> str:
    """Frame what a person has to look at, in brief without what it rests on; nothing where there is nothing."""
    found = attention(report, setting)
    points = [point._replace(sign="note", details=() if brief else point.details) for point in found]
    if not points:
        return ""
    kind = "CAUTION" if any(point.sign == "bad" for point in found) else "WARNING"
    lines = (f"[!{kind}]", "**Look at this first**", "", *show_points(points).split("\n"))
    return "\n".join(f"> {text}".rstrip() for text in lines)


def show_verdict(report: Report, setting: Setting) -> str:
    """Say how the run ended, and what its evidence shows."""
    points = [point._replace(details=()) for point in proved(report, setting)]
    return join((tell_verdict(report, setting), show_points(points, 3_000)))


def tell_verdict(report: Report, setting: Setting) -> str:
    """Say in a sentence how the run ended; what is verified elsewhere than where it is to be merged is said to be."""
    word, rest = tell_ending(report)
    sign = ENDS.get(word, SIGNS["partial" if questions(report.findings) else report.outcome])
    if report.outcome == "verified" and setting.base.state not in ("same", "unknown"):
        word = word if holds(report, setting) else f"verified on {setting.base.then[:SHORT]} only"
        sign = sign if holds(report, setting) else SIGNS["partial"]
        rest = rest.replace("what the branch holds", f"what the run made on {setting.base.then[:SHORT]}")
    return f"{sign} **{inline(word.capitalize())}.** {inline(rest[:1].upper() + rest[1:], 300)}."


def tell_undelivered(why: str, compare: str, setting: Setting) -> str:
    """Say why there is no pull request, where the commits are, and how a person opens it."""
    reason = f": {inline(why, 300)}" if why else ""
    kept = setting.links.page(code(setting.artifact), setting.artifact_url) if setting.artifact else ""
    where = (
        f"on {setting.links.branch(setting.branch)}" if setting.branch else f"in the artifact {kept}" if kept else ""
    )
    at = f"; the commits are {where}" if where else ""
    by_hand = setting.links.page("open it by hand", compare) if compare else ""
    return f"No pull request{reason}{at}" + (f"; {by_hand}" if by_hand else "")


def _next(report: Report, setting: Setting) -> str:
    if setting.trigger.event == "desk":
        commands = ", ".join(code(f"git agent {verb} {report.run}") for verb in ("undo", "resume", "publish"))
        made = f"Whoever made this changes it where it was made, and publishes it again: {commands}."
        return join((WHY_NO_CI if setting.pusher == "job" else "", made))
    orders = "\n".join(f"- {code(f'{setting.prefix} {words}')} {does}" for words, does in FOLLOW)
    said = f"A comment here that begins with one of these is an order, from anybody who may write:\n\n{orders}"
    return join((WHY_NO_CI if setting.pusher == "job" else "", said))


def show_foot(report: Report, setting: Setting) -> str:
    """Say what the run took, and where all of it is kept."""
    kept = f"run {code(report.run)}"
    if setting.job:
        kept += f" of {setting.links.job(setting.job)}"
    if setting.artifact:
        kept += f", kept as {setting.links.page(code(setting.artifact), setting.artifact_url)}"
    return f"<sub>{show_cost(report)} · {kept}</sub>"
