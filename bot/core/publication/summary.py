"""What the page of a job says of it."""

from bot.core.account import live
from bot.core.escape import inline, size
from bot.core.publication.origin import tell_asker
from bot.core.publication.pull import part, show_change, show_evidence, show_foot, show_top
from bot.core.publication.sections import join, quote_plain, show_ask, show_course, show_diffs
from bot.core.publication.setting import Setting
from bot.core.publication.words import HEADLINES
from bot.core.report import Report

LONGEST = 60_000
"""Characters; GitHub takes a mebibyte of a step."""


def job_summary(report: Report, setting: Setting, said: str = "", trouble: str = "") -> str:
    """Say how a run ended and what proves it, for the page of the job.

    `said` is what a person should know beside the report, `trouble` in Markdown what could not be delivered.
    """
    asked = part("Asked", tell_asker(setting.trigger, setting.links))
    plan = part("Plan", show_course(report)) if not live(report) or report.unfinished else ""
    ask = show_ask(report, setting.prefix)
    told = (f"⚠️ {trouble}." if trouble else "", quote_plain(said), ask)
    before = (*show_top(report, setting), *told, asked, plan, *show_change(report))
    evidence = show_evidence(report, setting)
    foot = (_where(setting), show_foot(report, setting))
    room = LONGEST - sum(size(each) + 2 for each in (*before, *evidence, *foot))
    return join((*before, *evidence[:2], show_diffs(report, room), *evidence[2:], *foot)) + "\n"


def _where(setting: Setting) -> str:
    if setting.pull:
        return f"Pull request {setting.links.number(setting.pull)}"
    return f"The commits are on {setting.links.branch(setting.branch)}." if setting.branch else ""


def refusal_summary(reason: str, said: str, setting: Setting, plan: str = "") -> str:
    """Say why nothing was done, or what would be (Markdown), for the page of the job; `reason` is a word for it."""
    asked = tell_asker(setting.trigger, setting.links)
    head = HEADLINES.get(reason, f"⚪ **Nothing was done** ({inline(reason)}).")
    return join((head, quote_plain(said), plan, asked)) + "\n"
