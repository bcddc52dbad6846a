"""Which known name a misspelt one was meant to be."""

import difflib
from collections.abc import Iterable

CLOSE = 0.8
SHORTEST = 3


def nearest(wanted: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return the known names that are close enough, the closest first; of equally close ones none is likelier."""
    scored = sorted(
        ((_closeness(wanted, name), name) for name in set(known) if name != wanted and len(name) >= SHORTEST - 1),
        key=lambda pair: (-pair[0], pair[1]),
    )
    return tuple(name for score, name in scored if score >= CLOSE)[:4]


def _closeness(wanted: str, name: str) -> float:
    """Score two names from 0 to 1; one slip of the fingers is always close, whatever the length."""
    if abs(len(wanted) - len(name)) > max(3, len(wanted) // 3):
        return 0.0
    ratio = difflib.SequenceMatcher(None, wanted, name, autojunk=False).ratio()
    if min(len(wanted), len(name)) >= SHORTEST and slipped(wanted, name):
        return max(ratio, 0.85)
    if _plain(wanted) == _plain(name):
        return max(ratio, 0.95)
    return ratio


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def slipped(one: str, other: str) -> bool:
    """Whether a single missing, extra, wrong or swapped character makes the difference."""
    if len(one) > len(other):
        one, other = other, one
    first = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
    if len(one) == len(other):
        swapped = (
            one[first + 1 : first + 2] == other[first : first + 1]
            and one[first : first + 1] == other[first + 1 : first + 2]
        )
        return one[first + 1 :] == other[first + 1 :] or (swapped and one[first + 2 :] == other[first + 2 :])
    return len(one) + 1 == len(other) and one[first:] == other[first + 1 :]
