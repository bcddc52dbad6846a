"""What was allowed in a run so far, as a fold: for the rest of it, for one step, or for one call."""

import re
from collections.abc import Sequence
from hashlib import sha256

from bot.core.approval import Decision, Question, find_grant
from bot.core.event import Acted, Committed, Decided, Event, Redone, Resumed, RolledBack, Undone
from bot.core.talk import Replied, Told

SEAL = re.compile(r"(?P<seal>[0-9a-f]{10})(?:\s+|$)")
"""How words begin that name the questions which they allow."""
BOUNDS = (Committed, RolledBack, Undone, Redone)
"""What ends a step."""


def find_answer(
    events: Sequence[Event], question: Question, call_id: str, *, whole: bool, tree: str = ""
) -> Decision | None:
    """Find an answer that was given before and still holds.

    What was allowed once holds for the very same question: a second time in the same step where it is about the
    `whole` change, else only for the same call. What was refused is not asked again before the step or the process
    ends. An answer that was given later, to a question that had to wait, holds for the files that it was about: `tree`.
    """
    grant = find_grant((event.decision for event in events if isinstance(event, Decided)), question)
    if grant is not None:
        return grant
    resumed = replied = False
    for event in reversed(since_step(events)):
        resumed = resumed or isinstance(event, Resumed)
        replied = replied or isinstance(event, Replied)
        if isinstance(event, Decided) and _answers(event.decision, question, tree):
            here = whole or (event.call_id == call_id and not replied)
            if (event.decision.allowed and here) or (event.decision.answer == "deny" and not resumed):
                return event.decision
    return None


def _answers(decision: Decision, question: Question, tree: str) -> bool:
    return decision.question == question and decision.tree in ("", tree)


def since_step(events: Sequence[Event]) -> Sequence[Event]:
    """Leave out what happened before the present step."""
    ends = (at for at in range(len(events) - 1, -1, -1) if isinstance(events[at], BOUNDS))
    return events[next(ends, -1) + 1 :]


def waiting(events: Sequence[Event]) -> tuple[Decided, ...]:
    """Return the questions that a run ended with, and that nobody answered since; none where it ended otherwise."""
    found: list[Decided] = []
    for event in reversed(events):
        if isinstance(event, (*BOUNDS, Acted, Replied, Resumed, Told)):
            break
        if isinstance(event, Decided) and event.decision.answer == "wait":
            found.append(event)
    return tuple(reversed(found))


def approve(asked: Sequence[Decided], who: str = "") -> tuple[Decided, ...]:
    """Answer exactly these questions with the yes of a person, for once and for the files that they were about."""
    said = {"answer": "once", "by": "person", "who": who}
    return tuple(each.model_copy(update={"decision": each.decision.model_copy(update=said)}) for each in asked)


def seal(asked: Sequence[Decided]) -> str:
    """Name questions that wait, their files and what is shown of them, by a few letters; empty for none."""
    told = "\n".join(f"{each.call_id} {each.decision.model_dump_json()}" for each in asked)
    return sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:10] if asked else ""
