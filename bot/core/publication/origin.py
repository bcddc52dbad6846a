"""What was asked, by whom and where: quoted from the event itself, and not from what a run says of it."""

from collections.abc import Iterator

from bot.core.account import live
from bot.core.escape import clip, code, inline
from bot.core.publication.attention import holds
from bot.core.publication.marker import bears
from bot.core.publication.setting import Links, Setting
from bot.core.report import Report
from bot.core.trigger.trigger import PAGED, Trigger
from bot.core.untrusted import clean

ROOM = 2_500
"""Characters of what is quoted."""
LINES = 8
"""Lines of an issue that are quoted; the rest is one click away."""
WIDTH = 300
"""Characters of a line of it."""
ORDER = 160
"""Characters of an order that are repeated."""


def show_origin(report: Report, setting: Setting) -> str:
    """Quote what was asked, say who asked, and close the issue where that is proved to be done."""
    quoted = "\n".join(clip(_quote(setting.trigger, report), ROOM))
    parts = (
        quoted,
        tell_asker(setting.trigger, setting.links),
        _tell_ground(report, setting),
        tell_issue(report, setting),
    )
    return "\n\n".join(filter(None, parts))


def _tell_ground(report: Report, setting: Setting) -> str:
    """Say which run was gone on from."""
    below = next((one.run for one in reversed(setting.earlier) if one.run and one.tip == report.base), "")
    if not below or below == report.run:
        return ""
    at = setting.links.commit(report.base)
    return f"Done on top of {at}, where run {code(below)} left this branch; what proves that is in its own record."


def _quote(trigger: Trigger, report: Report) -> Iterator[str]:
    if trigger.title and trigger.event in PAGED and not bears(trigger.body):
        # An empty word in bold would be a rule across the page
        yield f"> **{inline(trigger.title, WIDTH) or 'without a title'}**"
        yield from _lines(clean(trigger.body))
    elif trigger.spot is not None or bears(trigger.body):
        yield from _lines(clean(trigger.text))
    elif report.task.goal and trigger.event in ("workflow_dispatch", "desk"):
        yield from _lines(report.task.goal)


def _lines(text: str) -> Iterator[str]:
    every = [one for one in text.splitlines() if one.strip()]
    for one in every[:LINES]:
        yield ">"
        yield f"> {inline(one, WIDTH)}"
    if len(every) > LINES:
        yield ">"
        yield f"> …and {len(every) - LINES:,} more lines"


def tell_asker(trigger: Trigger, links: Links) -> str:
    """Say who asked, how and where."""
    who = code(trigger.author.login) if trigger.author and trigger.author.login else "somebody"
    where = f" on {links.number(trigger.number)}" if trigger.number else ""
    order = next((one.strip() for one in trigger.text.splitlines() if one.strip()), "")
    match trigger.event:
        case "issue_comment":
            return f"Asked by {who} in {links.page('a comment', trigger.url)}{where}: {code(order, ORDER)}"
        case "pull_request_review_comment":
            spot = f" about {code(trigger.spot.path)}" if trigger.spot else ""
            return f"Asked by {who} in {links.page('a review comment', trigger.url)}{spot}{where}: {code(order, ORDER)}"
        case "issues":
            sender = code(trigger.sender.login) if trigger.sender else who
            return f"Asked by {sender} with the label {code(trigger.label)}{where}."
        case "workflow_run":
            return _tell_run(trigger, links)
        case "workflow_dispatch" | "desk":
            about = f", about {links.number(trigger.number)}" if trigger.number else ""
            how = f"{'by hand' if trigger.event == 'workflow_dispatch' else 'on their own machine'}{about}"
            return f"Started by {who} {how}{f': {code(order, ORDER)}' if order else '.'}"
        case "schedule":
            return "Started by the schedule, to mend what the checks say is broken."


def _tell_run(trigger: Trigger, links: Links) -> str:
    run = trigger.run
    name = links.page(inline(run.name) or "a workflow", run.url) if run else "a workflow"
    where = f" at {links.commit(trigger.head.sha)}" if trigger.head.sha else ""
    return f"Started by CI: {name} failed on {code(trigger.head.ref or 'a branch')}{where}."


def tell_issue(report: Report, setting: Setting) -> str:
    """Close the issue, or say why merging leaves it open."""
    if not setting.issue:
        return ""
    if holds(report, setting) and live(report):
        return f"Fixes #{setting.issue}"
    return f"Merging this leaves #{setting.issue} open, since not all of it is verified."
