"""What the loop does about a model that does not answer: a table, not code."""

from typing import Literal, NamedTuple


class Remedy(NamedTuple):
    """What to do about one kind of model error, and how often in a row."""

    action: Literal["retry", "stop"]
    bound: int
    """Errors of this kind in a row after which the run stops."""
    wait: float
    """Seconds before the first repetition; doubles each time."""


REMEDIES: dict[str, Remedy] = {
    "unavailable": Remedy("retry", 5, 1.0),
    "malformed": Remedy("retry", 3, 0.0),
    "overflow": Remedy("stop", 1, 0.0),
    "rejected": Remedy("stop", 1, 0.0),
    "model": Remedy("stop", 1, 0.0),
}

LONGEST_WAIT = 60.0
"""Seconds; a service that asks for more is treated as down."""


def remedy(kind: str, repeated: int, asked: float | None, jitter: float) -> float | None:
    """Say how many seconds to wait before asking again, or None to stop.

    `repeated` counts the errors in a row, this one included; `jitter` lies in 0..1.
    """
    plan = REMEDIES.get(kind, REMEDIES["model"])
    if plan.action == "stop" or repeated >= plan.bound:
        return None
    if asked is not None:
        return max(0.0, asked) if asked <= LONGEST_WAIT else None
    return min(LONGEST_WAIT, plan.wait * 2.0 ** (repeated - 1) * (1 + jitter / 4))
