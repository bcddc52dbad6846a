"""The one comment that tells how far an order has come; it is edited in place, and remembers what was tried."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from bot.core.account import live
from bot.core.escape import code, inline
from bot.core.plan import Design
from bot.core.publication.attention import holds
from bot.core.publication.history import remember, show_attempts
from bot.core.publication.marker import marker
from bot.core.publication.origin import tell_asker
from bot.core.publication.pull import show_attention, show_foot, show_said, tell_undelivered, tell_verdict
from bot.core.publication.sections import fold, join, quote_plain, show_ask, show_plan
from bot.core.publication.setting import Setting
from bot.core.publication.words import HEADLINES, asks, cases, count
from bot.core.report import CheckSummary, Report

ROOM = 4_000


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an order has come."""

    setting: Setting
    report: Report | None = None
    """None as long as there is none, or where no run was made."""
    said: str = ""
    """Why no run was made, or what a person should know beside its report."""
    reason: str = ""
    """A word for why no run was made."""
    plan: tuple[str, ...] = ()
    """What would be done, where only that was asked."""
    design: Design = field(default_factory=Design)
    """What that rests on."""
    undelivered: str = ""
    """Why there is no pull request although there is something to ask for."""
    compare: str = ""
    """Where a person can open it by hand."""


class Item(NamedTuple):
    """A line of the list, ticked when it is done."""

    done: bool
    text: str
    """Markdown."""


def progress_comment(progress: Progress) -> str:
    """Say how far an order has come, for the comment that is edited in place."""
    setting, report = progress.setting, progress.report
    attempts = remember(report, setting, "progress").attempts
    tried = show_attempts(attempts, setting.links) if len(attempts) > 1 else ""
    judged = report is not None and bool(live(report) or report.waits or asks(report))
    parts = (
        _headline(progress),
        "\n".join(f"- [{'x' if item.done else ' '}] {item.text}" for item in _items(progress)),
        show_attention(report, setting, brief=True) if report is not None and judged else "",
        quote_plain(progress.said),
        # What a run without a commit said last is all that there is to read of it
        show_said(report) if report is not None and not judged and not report.plan else "",
        _plan(progress),
        show_ask(report, setting.prefix) if report is not None else "",
        fold(f"All runs here ({len(attempts)})", tried),
        show_foot(report, setting) if report else _where(setting),
        marker(remember(report, setting, "progress")),
    )
    return join(parts) + "\n"


def _plan(progress: Progress) -> str:
    report = progress.report
    if progress.plan or report is None or live(report):
        return show_plan(progress.plan, progress.design, ROOM)
    return show_plan(report.plan, report.design, ROOM)


def _headline(progress: Progress) -> str:
    if progress.reason == "undone":
        return HEADLINES[progress.reason]
    if progress.report is not None:
        said = tell_verdict(progress.report, progress.setting)
        lost = bool(progress.undelivered) and not progress.setting.branch
        return said.replace("what the branch holds", "what the run made") if lost else said
    if progress.plan:
        return HEADLINES["planned"]
    if progress.said:
        return HEADLINES.get(progress.reason, "⚪ **Nothing was done.**")
    return "⏳ **At work.** This comment is edited when there is something to tell."


def _items(progress: Progress) -> Iterator[Item]:
    setting, report = progress.setting, progress.report
    yield Item(done=True, text=tell_asker(setting.trigger, setting.links))
    if (progress.said and report is None) or progress.plan:
        return
    if progress.reason == "undone" and report is not None:
        left = count(len(live(report)), "verified commit") if live(report) else "No commit"
        yield Item(done=True, text=f"Left of this run: {left.lower()}")
        yield from _pull(progress)
        return
    yield _base(report, setting)
    if report is None:
        yield from (Item(done=False, text=text) for text in ("Reproduced", "Mended", "Verified", "Pull request"))
        return
    yield _reproduced(report)
    yield _steps(report)
    yield from _again(setting)
    yield _verified(report, setting)
    yield from _pull(progress)


def _base(report: Report | None, setting: Setting) -> Item:
    name = code(setting.base.ref) if setting.base.ref else "The base"
    where = f" at {setting.links.commit(setting.base.then)}" if setting.base.then else ""
    if report is None or not report.baseline:
        return Item(done=False, text=f"{name}{where} judged")
    return Item(done=True, text=f"{name}{where} judged: {_counts(report.baseline)}")


def _counts(checks: tuple[CheckSummary, ...]) -> str:
    bad = [check for check in checks if check.status in ("failed", "errored")]
    if not bad:
        return "every check passes"
    shown = ", ".join(f"{code(check.name)} {inline(cases(check), 80)}" for check in bad[:4])
    return shown + (f" and {len(bad) - 4} more" if bad[4:] else "")


def _reproduced(report: Report) -> Item:
    proof = report.proof
    if proof.red:
        how = {"written": "by a new test", "reverted": "by a test that was adapted"}.get(proof.mode, "on the base")
        return Item(done=True, text=f"Reproduced: {count(len(proof.red), 'case')} red {how}")
    why = proof.reason.removeprefix("no reproduction: ")
    return Item(done=False, text=f"Not reproduced: {inline(why, 200) or 'nothing was red'}")


def _steps(report: Report) -> Item:
    made, dropped = len(live(report)), sum(not step.commit for step in report.steps)
    green = len(report.proof.green)
    passing = f", {count(green, 'case')} red → green" if green else ""
    back = f"; {count(dropped, 'attempt')} thrown away" if dropped else ""
    text = f"Mended in {count(made, 'verified commit')}{passing}{back}" if made else f"No change that holds{back}"
    return Item(done=bool(made), text=text)


def _again(setting: Setting) -> Iterator[Item]:
    base = setting.base
    if base.state == "rebased":
        where = f"{code(base.ref) if base.ref else 'the base'} at {setting.links.commit(base.now)}"
        yield Item(done=base.passes, text=f"Made again on {where}, to where that moved meanwhile, and judged there")


def _verified(report: Report, setting: Setting) -> Item:
    done = holds(report, setting)
    if report.outcome != "verified" or done:
        return Item(done=done, text="Verified" if done else "Not verified")
    return Item(done=False, text=f"Not verified where {code(setting.base.ref or 'the base')} stands by now")


def _pull(progress: Progress) -> Iterator[Item]:
    setting, report = progress.setting, progress.report
    assert report is not None, "asked for where there is one"
    if setting.pull:
        draft = "" if holds(report, setting) else ", as a draft"
        yield Item(done=True, text=f"Pull request {setting.links.number(setting.pull)}{draft}")
    elif live(report):
        yield Item(done=False, text=tell_undelivered(progress.undelivered, progress.compare, setting))


def _where(setting: Setting) -> str:
    return f"<sub>{setting.links.job(setting.job)}</sub>" if setting.job else ""
