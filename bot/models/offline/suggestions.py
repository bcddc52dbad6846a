"""What a person should look at: changes that rules can name but that are not theirs to make."""

from collections.abc import Iterable
from typing import NamedTuple

MOST_SUGGESTED = 12
LONGEST = 300


class Suggestion(NamedTuple):
    """One thing worth a look: where it is, and in one line what it is and why it was not done."""

    path: str
    line: int
    """0 where the whole file is meant."""
    text: str


def tell(suggestions: Iterable[Suggestion]) -> str:
    """List suggestions for a person; empty when there are none."""
    rows = list(dict.fromkeys(_row(one) for one in suggestions))
    if not rows:
        return ""
    more = [f"- and {len(rows) - MOST_SUGGESTED} more"] if len(rows) > MOST_SUGGESTED else []
    return "\n".join(["Worth a look, not changed:", *rows[:MOST_SUGGESTED], *more])


def _row(one: Suggestion) -> str:
    where = ":".join(part for part in (one.path, str(one.line) if one.line else "") if part)
    text = " ".join(one.text.split())
    return f"- {where}: {text}"[:LONGEST] if where else f"- {text}"[:LONGEST]
