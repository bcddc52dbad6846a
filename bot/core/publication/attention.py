"""What of a run needs a person, before anything else is read."""

from collections.abc import Iterator

from bot.core.account import GRAVE, Point, account, findings, live
from bot.core.handover import Base
from bot.core.publication.marker import bears
from bot.core.publication.setting import SHORT, Setting
from bot.core.publication.words import asks, count
from bot.core.report import OutcomeWord, Report
from bot.core.trigger.trigger import Trigger
from bot.core.undecided import questions
from bot.core.untrusted import hides

HIDDEN = "the text of the task hides something that its page does not show: it was left out"
STRONGEST = "bubblewrap"


def attention(report: Report, setting: Setting) -> tuple[Point, ...]:
    """Say what a person has to look at: what only they can decide, then gravest first; nothing where all is clear."""
    found = (*_asked_for(report), *_grave(report), *_moved(setting.base), *_weak(report), *_around(report, setting))
    return (*_open(report), *sorted(found, key=lambda point: point.sign != "bad"))


def proved(report: Report, setting: Setting) -> tuple[Point, ...]:
    """Say what the evidence shows that nobody has to look at."""
    return (*(point for point in account(report) if point.sign in ("good", "note")), *_made_again(setting.base))


def holds(report: Report, setting: Setting) -> bool:
    """Tell whether a change is verified where it is to be merged, as far as that is known."""
    base = setting.base
    stands = base.state in ("same", "unknown") or (base.state == "rebased" and base.passes)
    return report.outcome == "verified" and stands


def tell_outcome(report: Report, setting: Setting) -> OutcomeWord:
    """Put the end of a run into a word that is true of where the change is to be merged."""
    return "partial" if report.outcome == "verified" and not holds(report, setting) else report.outcome


def _made_again(base: Base) -> Iterator[Point]:
    if base.state == "rebased" and base.passes:
        yield Point("good", f"{_moving(base)}; the steps were made and judged again on top of that, where all passes")
    if base.later:
        name, judged = base.ref or "the base", base.now if base.state == "rebased" else base.then
        text = f"{name} went on from {judged[:SHORT]} to {base.later[:SHORT]} before this was published"
        yield Point("note", f"{text}; the change can be merged there, where no check was run on it")


def _moving(base: Base) -> str:
    return f"{base.ref or 'the base'} moved from {base.then[:SHORT]} to {base.now[:SHORT]} meanwhile"


def _asked_for(report: Report) -> Iterator[Point]:
    """Say what the run waits for."""
    if report.waits:
        text = f"the run waits until {count(len(report.waits), 'thing')} that it wants to do is allowed"
        yield Point("bad", text, tuple(each.why for each in report.waits))
    elif asks(report):
        yield Point("bad", f"the run asks: {report.detail or 'what to do'}")


def _open(report: Report) -> Iterator[Point]:
    """Ask what the tests do not decide."""
    yield from (Point("doubt", said) for said in questions(report.findings))


def _grave(report: Report) -> Iterator[Point]:
    yield from (Point("bad", said.removeprefix(GRAVE)) for said in findings(report) if said.startswith(GRAVE))


def _moved(base: Base) -> Iterator[Point]:
    """Say what became of the branch that the change is for."""
    where = _moving(base)
    detail = f": {base.detail}" if base.detail else ""
    match base.state:
        case "conflicts":
            yield Point("bad", f"{where}, and the change conflicts with that{detail}")
        case "unverified":
            yield Point("bad", f"{where}, and on top of that the change is not verified{detail}")
        case "unknown":
            yield Point("doubt", f"where {base.ref or 'the base'} stands by now could not be asked{detail}")
        case "rebased" if not base.passes:
            yield Point("doubt", f"{where}; the steps were made and judged again on top of that{detail}")
        case "same" | "rebased":
            return


def _weak(report: Report) -> Iterator[Point]:
    """Say what the evidence lacks; how often nothing failed at first is no fault of a change by itself."""
    yield from (point for point in account(report) if point.sign in ("bad", "doubt"))


def _around(report: Report, setting: Setting) -> Iterator[Point]:
    if HIDDEN in report.notes or hidden(setting.trigger):
        yield Point("doubt", HIDDEN)
    if levels := weaker(report):
        yield Point("doubt", f"checks were isolated by {', '.join(levels)} only, which is weaker than {STRONGEST}")


def hidden(trigger: Trigger) -> bool:
    """Tell whether what was asked holds something that its page does not show."""
    return any(hides(text) for text in (trigger.title, trigger.body, trigger.text) if not bears(text))


def weaker(report: Report) -> tuple[str, ...]:
    """Name the levels of isolation, other than the strongest, that the last checks ran at."""
    steps = live(report)
    ran = steps[-1].checks if steps else report.baseline
    return tuple(dict.fromkeys(each.isolation for each in ran if each.isolation not in ("", STRONGEST)))
