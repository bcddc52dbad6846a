"""What was said of what stands: folds that a run takes its decisions from, also after it was stopped and taken up."""

from collections.abc import Iterable, Iterator, Sequence

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
    RolledBack,
    Undone,
    Verified,
)
from bot.core.lineage import follow


def settle(events: Iterable[Event]) -> Sequence[Event]:
    """Leave out verdicts that a stop kept from having an effect: they are asked for again, and count once."""
    kept: list[Event] = []
    for event in events:
        if isinstance(event, Resumed):
            while kept and isinstance(kept[-1], Checking | Verified | Proved | Ended):
                kept.pop()
        kept.append(event)
    return kept


def passed(events: Sequence[Event]) -> Iterator[Verified]:
    """Return what was said of each step that counts, oldest first."""
    live = {step.step for step in follow(events).live}
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


def before(events: Sequence[Event]) -> Verdict:
    """Return the verdict on where the branch stands: the last step that counts, or the base."""
    last = next((event.verdict for event in events if isinstance(event, Baselined)), None)
    for judged in passed(events):
        last = judged.verdict
    assert last is not None, "the base is judged first"
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
