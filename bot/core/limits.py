"""Whether a run may go on, as a fold over what it has done."""

from collections.abc import Sequence

from bot.core.event import Committed, Event, Replied, RolledBack, Started
from bot.core.message import Usage
from bot.core.task import Limits


def exceeded(events: Sequence[Event], limits: Limits, now: float) -> str | None:
    """Name the first limit that leaves no room for another turn; `now` is in seconds since the epoch."""
    usage = spent(events)
    started = next((event.at for event in events if isinstance(event, Started)), now)
    used: tuple[tuple[str, float, float | None], ...] = (
        ("turns", sum(isinstance(event, Replied) for event in events), limits.turns),
        ("steps", sum(isinstance(event, Committed) for event in events), limits.steps),
        ("rollbacks", sum(isinstance(event, RolledBack) for event in events), limits.rollbacks),
        ("seconds", now - started, limits.seconds),
        ("tokens", usage.input + usage.output, limits.tokens),
        ("cost", usage.cost, limits.cost),
    )
    return next((name for name, amount, limit in used if limit is not None and amount >= limit), None)


def spent(events: Sequence[Event]) -> Usage:
    """Add up what the replies cost, those that could not be used included."""
    total = Usage()
    for event in events:
        if isinstance(event, Replied):
            total += event.reply.usage
    return total
