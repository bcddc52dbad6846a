"""What was allowed in a run so far, as a fold: for the rest of it, for one step, or for one call."""

from collections.abc import Sequence

from bot.core.approval import Decision, Question, find_grant
from bot.core.event import Committed, Decided, Event, Redone, Replied, Resumed, RolledBack, Undone

BOUNDS = (Committed, RolledBack, Undone, Redone)
"""What ends a step."""


def find_answer(events: Sequence[Event], question: Question, call_id: str, *, whole: bool) -> Decision | None:
    """Find an answer that was given before and still holds.

    What was allowed once holds for the very same question: a second time in the same step where it is about the
    `whole` change, else only for the same call. What was refused is not asked again before the step or the process
    ends.
    """
    grant = find_grant((event.decision for event in events if isinstance(event, Decided)), question)
    if grant is not None:
        return grant
    resumed = replied = False
    for event in reversed(since_step(events)):
        resumed = resumed or isinstance(event, Resumed)
        replied = replied or isinstance(event, Replied)
        if isinstance(event, Decided) and event.decision.question == question:
            here = whole or (event.call_id == call_id and not replied)
            if (event.decision.allowed and here) or (event.decision.answer == "deny" and not resumed):
                return event.decision
    return None


def since_step(events: Sequence[Event]) -> Sequence[Event]:
    """Leave out what happened before the present step."""
    ends = (at for at in range(len(events) - 1, -1, -1) if isinstance(events[at], BOUNDS))
    return events[next(ends, -1) + 1 :]
