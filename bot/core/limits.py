"""Whether a run may go on, as a fold over what it has done."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.core.event import Committed, Event, Published, Redone, Resumed, RolledBack, Started, Undone
from bot.core.message import Usage
from bot.core.talk import Replied
from bot.core.task import Limits


def exceeded(events: Sequence[Event], limits: Limits, now: float) -> str | None:
    """Name the first limit that leaves no room for another turn; `now` is in seconds since the epoch."""
    usage = spent(events)
    used: tuple[tuple[str, float, float | None], ...] = (
        ("turns", sum(isinstance(event, Replied) for event in events), limits.turns),
        ("steps", sum(isinstance(event, Committed) for event in events), limits.steps),
        ("rollbacks", sum(isinstance(event, RolledBack) for event in events), limits.rollbacks),
        ("seconds", elapsed(events, now), limits.seconds),
        ("tokens", usage.input + usage.output, limits.tokens),
        ("cost", usage.cost, limits.cost),
    )
    return next((name for name, amount, limit in used if limit is not None and amount >= limit), None)


@dataclass(frozen=True, slots=True)
class Clock:
    """For how long a run worked, in seconds; the time between its stop and its going on does not count."""

    seconds: float = 0.0
    at: float | None = None

    def add(self, event: Event) -> "Clock":
        """Return the clock after an event."""
        match event:
            case Published() | Undone() | Redone():
                return self
            case Started() | Resumed():
                return Clock(self.seconds, event.at)
            case _:
                return self.until(event.at)

    def until(self, now: float) -> "Clock":
        """Return the clock at a moment at which the run works."""
        since = now if self.at is None else self.at
        return Clock(self.seconds + max(0.0, now - since), max(now, since))


def elapsed(events: Iterable[Event], now: float) -> float:
    """Return the seconds that a run has worked for, up to now."""
    clock = Clock()
    for event in events:
        clock = clock.add(event)
    return clock.until(now).seconds


def current(events: Sequence[Event], limits: Limits) -> Limits:
    """Return what a run may spend: what was given when it was last taken up again, else what it was given first."""
    return next((e.limits for e in reversed(events) if isinstance(e, Resumed) and e.limits is not None), limits)


def spent(events: Sequence[Event]) -> Usage:
    """Add up what the replies cost, those that could not be used included."""
    total = Usage()
    for event in events:
        if isinstance(event, Replied):
            total += event.reply.usage
    return total
