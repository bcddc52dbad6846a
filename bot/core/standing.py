"""What was said of what stands: folds that a run takes its decisions from, also after it was stopped and taken up."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from bot.core.change import ChangeSet
from bot.core.check import Verdict
from bot.core.event import (
    Acted,
    Baselined,
    Checking,
    Committed,
    Ended,
    Event,
    Proved,
    Redone,
    Resumed,
    Reviewed,
    RolledBack,
    Started,
    Undone,
    Verified,
)
from bot.core.lineage import follow
from bot.core.terms import Terms


def settle(events: Iterable[Event]) -> Sequence[Event]:
    """Leave out verdicts that a stop kept from having an effect: they are asked for again, and count once."""
    kept: list[Event] = []
    for event in events:
        if isinstance(event, Resumed):
            while kept and isinstance(kept[-1], Checking | Verified | Proved | Ended):
                kept.pop()
        kept.append(event)
    return kept


def terms(events: Iterable[Event]) -> Terms:
    """Return by what was judged last."""
    told = Terms()
    for event in events:
        match event:
            case Started():
                told = Terms.model_validate({name: getattr(event, name) for name in Terms.model_fields})
            case Resumed() if event.terms is not None:
                told = event.terms
            case Resumed():
                told = told.model_copy(update={"isolation": event.isolation, "version": event.version})
            case _:
                pass
    return told


def unreviewed(events: Sequence[Event]) -> str:
    """Say why what counts has to be judged again, where that was asked for and has not been done."""
    asked = [at for at, event in enumerate(events) if isinstance(event, Resumed) and event.anew]
    if not asked or _reviewed(events, asked[-1]) is not None:
        return ""
    last = events[asked[-1]]
    return last.anew if isinstance(last, Resumed) else ""


def refuted(events: Sequence[Event]) -> bool:
    """Say whether what counts did not hold when it was judged again."""
    reviewed = _reviewed(events)
    return reviewed is not None and bool(reviewed.step) and not reviewed.verdict.ok


def since(events: Sequence[Event]) -> Sequence[Event]:
    """Leave out what was said before all that counts had to be judged again."""
    later = takewhile(lambda event: not (isinstance(event, Resumed) and event.anew), reversed(events))
    return tuple(later)[::-1]


def _reviewed(events: Sequence[Event], after: int = 0) -> Reviewed | None:
    """Return what was said when all that counts was judged again, where it still counts."""
    live = {0, *(step.step for step in follow(events).live)}
    told = (event for event in reversed(events[after:]) if isinstance(event, Reviewed))
    last = next(told, None)
    return last if last is not None and last.step in live else None


def passed(events: Sequence[Event]) -> Iterator[Verified | Reviewed]:
    """Return what was said of each step that counts, oldest first; of those that were judged together, together."""
    reviewed = _reviewed(events)
    first = 0
    if reviewed is not None and reviewed.step:
        first = reviewed.step
        yield reviewed
    live = {step.step for step in follow(events).live if step.step > first}
    judged: Verified | None = None
    for event in events:
        if isinstance(event, Verified):
            judged = event
        elif isinstance(event, Committed) and event.step in live:
            assert judged is not None, "a commit follows the verdict on its tree"
            yield judged


def changes(events: Sequence[Event]) -> Iterator[ChangeSet]:
    """Return what each step that counts changed, oldest first."""
    return (judged.change for judged in passed(events))


def base(events: Sequence[Event]) -> Verdict:
    """Return what was said of the base last."""
    return next(event.verdict for event in reversed(events) if isinstance(event, Baselined))


def before(events: Sequence[Event]) -> Verdict:
    """Return the verdict on where the branch stands: the last step that counts, or the base."""
    last = base(events)
    for judged in passed(events):
        last = judged.verdict
    return last


def draft(events: Sequence[Event]) -> str:
    """Return the tree of files that no commit holds yet; empty when they are as at the last step that counts."""
    for event in reversed(events):
        match event:
            case Committed() | RolledBack() | Undone() | Redone():
                return ""
            case Acted() if event.tree:
                return event.tree
            case _:
                pass
    return ""
