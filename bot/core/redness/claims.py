"""Reads what the tools of a CI job say that failed, from what they printed."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from bot.core.redness import languages, python
from bot.core.redness.claim import Claim, Lines

MOST = 200
"""Claims of one step that are kept."""

Recogniser: TypeAlias = Callable[[Lines], Iterator[Claim]]
RECOGNISERS: tuple[Recogniser, ...] = (*python.ALL, *languages.ALL)


def read_claims(lines: Lines) -> tuple[tuple[Claim, ...], int]:
    """Read what every tool that we know said in these lines; return the first ones, and how many there were."""
    found = dict.fromkeys(claim for recognise in RECOGNISERS for claim in recognise(lines))
    named = {(claim.tool, claim.fault) for claim in found if claim.name}
    # That something failed says nothing more where it was said what
    telling = [claim for claim in found if claim.name or (claim.tool, claim.fault) not in named]
    return tuple(telling[:MOST]), len(telling)
