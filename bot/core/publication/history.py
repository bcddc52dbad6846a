"""What was tried at a place so far."""

from datetime import UTC, datetime

from bot.core.escape import code, inline, table
from bot.core.publication.attention import tell_outcome
from bot.core.publication.marker import Attempt, Kind, State
from bot.core.publication.sections import fold
from bot.core.publication.setting import Links, Setting
from bot.core.report import Report

ROOM = 3_000


def remember(report: Report | None, setting: Setting, kind: Kind) -> State:
    """Add what was just tried to what is remembered."""
    kept = setting.known if setting.known.pull and not setting.pull else None
    return State(
        kind=kind,
        issue=setting.issue,
        branch=kept.branch if kept else _fit(setting.branch),
        pull=kept.pull if kept else setting.pull,
        cause=setting.trigger.cause,
        attempts=(*setting.earlier, _attempt(report, setting)),
    )


def _attempt(report: Report | None, setting: Setting) -> Attempt:
    known = {"job": setting.job[:40], "verb": setting.verb[:20], "at": max(0.0, setting.at), "head": setting.base.then}
    if report is None:
        return _tolerate(known)
    tip = setting.tip or report.tip
    run = {"run": report.run[:80], "head": report.base, "tip": tip, "outcome": tell_outcome(report, setting)}
    return _tolerate({**known, **run})


def _tolerate(known: dict[str, object]) -> Attempt:
    fitting = Attempt.model_validate({})
    for name, value in known.items():
        try:
            fitting = Attempt.model_validate(fitting.model_dump() | {name: value})
        except ValueError:
            continue
    return fitting


def _fit(branch: str) -> str:
    return branch if len(branch) <= 200 else ""  # noqa: PLR2004 - as long as a marker takes


def show_earlier(setting: Setting) -> str:
    """List what was tried before, behind a line."""
    rows = show_attempts(setting.earlier, setting.links)
    return fold(f"Earlier runs here ({len(setting.earlier)})", rows) if rows else ""


def show_attempts(attempts: tuple[Attempt, ...], links: Links, room: int = ROOM) -> str:
    """List attempts, newest first."""
    rows = [_row(attempt, links) for attempt in reversed(attempts)]
    return table(("when", "order", "run", "began at", "ended", "job"), rows, "runs", room) if rows else ""


def _row(attempt: Attempt, links: Links) -> tuple[str, ...]:
    return (
        tell_time(attempt.at),
        code(attempt.verb) if attempt.verb else "",
        code(attempt.run) if attempt.run else "",
        links.commit(attempt.head) if attempt.head else "",
        inline(attempt.outcome.replace("_", " ")),
        links.job(attempt.job) if attempt.job else "",
    )


def tell_time(at: float) -> str:
    """Write a time for people anywhere; empty where there is none."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC" if at else ""
