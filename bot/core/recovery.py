"""What the loop does about a model that does not answer: a table, not code."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

Action: TypeAlias = Literal["retry", "compress", "stop"]


class Remedy(NamedTuple):
    """What to do about one kind of model error, and how often in a row."""

    action: Action
    bound: int
    """Errors of this kind in a row after which the run stops."""
    wait: float = 0.0
    """Seconds before the first repetition; doubles each time."""


REMEDIES: dict[str, Remedy] = {
    "unreachable": Remedy("retry", 5, 1.0),
    "timeout": Remedy("retry", 3, 1.0),
    "limited": Remedy("retry", 8, 2.0),
    "overloaded": Remedy("retry", 6, 2.0),
    "unavailable": Remedy("retry", 5, 1.0),
    "cut": Remedy("retry", 3, 0.5),
    "stalled": Remedy("retry", 2, 0.5),
    "malformed": Remedy("retry", 3, 0.5),
    # Each of them is shorter than the one before
    "overflow": Remedy("compress", 4),
    "credentials": Remedy("stop", 1),
    "quota": Remedy("stop", 1),
    "unknown_model": Remedy("stop", 1),
    "refused": Remedy("stop", 1),
    "rejected": Remedy("stop", 1),
    "model": Remedy("stop", 1),
}

ALTOGETHER = 10
"""Errors in a row, of whatever kinds, after which the run stops."""
LONGEST_WAIT = 60.0
"""Seconds that are waited of our own accord."""
LONGEST_ASKED = 300.0
"""Seconds; a service that asks for more is treated as down."""


class Response(NamedTuple):
    """What is done about an error."""

    action: Action
    wait: float = 0.0
    """Seconds before the model is asked again."""
    why: str = ""
    """Why the model is not asked again."""


def respond(kinds: Sequence[str], asked: float | None, jitter: float) -> Response:
    """Say what to do about the last of some errors in a row.

    `asked` are the seconds that the service wants us to wait, if it said so; `jitter` lies in 0..1.
    """
    kind = kinds[-1]
    plan = REMEDIES.get(kind, REMEDIES["model"])
    repeated = sum(each == kind for each in kinds)
    if plan.action == "stop":
        return Response("stop")
    if repeated >= plan.bound or len(kinds) >= ALTOGETHER:
        times = f"{len(kinds)} times in a row" if repeated < len(kinds) else f"{repeated} times"
        return Response("stop", why=f"asked {times} in vain")
    if plan.action == "retry" and asked is not None:
        # Not a number is not less than anything
        if asked <= LONGEST_ASKED:
            return Response("retry", max(0.0, asked))
        return Response("stop", why=f"it asks to wait {asked:.0f} s; no more than {LONGEST_ASKED:.0f} are waited")
    return Response(plan.action, min(LONGEST_WAIT, plan.wait * 2.0 ** (repeated - 1) * (1 + jitter / 4)))
