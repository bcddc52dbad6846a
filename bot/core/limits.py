"""Whether a run may go on, as a fold over what it has done."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bot.core.event import Committed, Ended, Event, Published, Redone, Resumed, RolledBack, Started, Undone
from bot.core.message import Usage
from bot.core.talk import Planned, Replied, Retried
from bot.core.task import Limits

_FREE = Usage()


@dataclass(frozen=True, slots=True)
class Clock:
    """For how long a run worked, in seconds; the time between its stop and its going on does not count."""

    seconds: float = 0.0
    at: float | None = None

    def add(self, event: Event) -> "Clock":
        """Return the clock after an event."""
        match event:
            case Published() | Undone() | Redone() | Planned(by="person"):
                return self
            case Started() | Resumed():
                return Clock(self.seconds, event.at)
            case _:
                return self.until(event.at)

    def until(self, now: float) -> "Clock":
        """Return the clock at a moment at which the run works."""
        since = now if self.at is None else self.at
        return Clock(self.seconds + max(0.0, now - since), max(now, since))


@dataclass(slots=True)
class Meter:
    """What a run has used of each thing that may be limited, event by event."""

    turns: int = 0
    steps: int = 0
    rollbacks: int = 0
    usage: Usage = _FREE
    clock: Clock = field(default_factory=Clock)

    def add(self, event: Event) -> None:
        """Count an event."""
        self.clock = self.clock.add(event)
        match event:
            case Replied():
                self.turns += 1
            case Committed():
                self.steps += 1
            case RolledBack():
                self.rollbacks += 1
            case _:
                pass
        cost = cost_of(event)
        if cost is not _FREE:
            self.usage += cost

    def elapsed(self, now: float) -> float:
        """Return the seconds that the run has worked for, up to now."""
        return self.clock.until(now).seconds

    def exceeded(self, limits: Limits, now: float) -> str | None:
        """Name the first limit that leaves no room for another request; `now` is in seconds since the epoch."""
        used: tuple[tuple[str, float, float | None], ...] = (
            ("turns", self.turns, limits.turns),
            ("steps", self.steps, limits.steps),
            ("rollbacks", self.rollbacks, limits.rollbacks),
            ("seconds", self.elapsed(now), limits.seconds),
            ("tokens", self.usage.input + self.usage.output, limits.tokens),
            ("cost", self.usage.cost, limits.cost),
        )
        return next((name for name, amount, limit in used if limit is not None and amount >= limit), None)


def read(events: Iterable[Event]) -> Meter:
    """Count what a run has used so far."""
    meter = Meter()
    for event in events:
        meter.add(event)
    return meter


def exceeded(events: Iterable[Event], limits: Limits, now: float) -> str | None:
    """Name the first limit that leaves no room for another request; `now` is in seconds since the epoch."""
    return read(events).exceeded(limits, now)


def current(events: Sequence[Event], limits: Limits) -> Limits:
    """Return what a run may spend: what was given when it was last taken up again, else what it was given first."""
    return next((e.limits for e in reversed(events) if isinstance(e, Resumed) and e.limits is not None), limits)


def cost_of(event: Event) -> Usage:
    """Return what the request cost that an event tells of, whether its reply could be used, or came at all."""
    match event:
        case Replied():
            return event.reply.usage
        case Retried() | Ended():
            return event.usage
        case _:
            return _FREE
