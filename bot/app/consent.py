"""What a person says when they take a run up again: words for the model, or yes to what it waits for."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.allowance import approve, seal, waiting
from bot.core.event import Decided, Event, Paused
from bot.errors import UsageError


@dataclass(frozen=True, slots=True)
class Said:
    """What a person says."""

    words: str = ""
    """To the model, such as an answer."""
    approve: bool = False
    """Whether they allow what the run waits for: that, once, and nothing else."""
    who: str = ""
    """Login of the person, where that is known."""
    seal: str = ""
    """The seal of the questions that they have seen; empty for those that are open now."""


def grant(run: str, events: Sequence[Event], said: Said) -> tuple[Decided, ...]:
    """Answer the questions that a run waits with, where the person does. Raises UsageError when there are none."""
    if not said.approve:
        return ()
    asked = waiting(events)
    if not asked:
        raise UsageError(f"{run} waits for no approval", _hint(run, events))
    if said.seal and said.seal != seal(asked):
        text = f"{run} waits for something else by now: {'; '.join(each.decision.question.why for each in asked)}"
        raise UsageError(text, "look at that, then approve it")
    return approve(asked, said.who)


def _hint(run: str, events: Sequence[Event]) -> str:
    paused = next((event for event in reversed(events) if isinstance(event, Paused)), None)
    if paused is not None and paused in events[-2:]:
        return f'it asked something that wants words: git agent resume {run} --tell "…"'
    return f"git agent show {run} tells how it stands"
