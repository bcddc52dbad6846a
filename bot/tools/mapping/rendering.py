"""The map as a model reads it: the files that bear most, each with the heads of what is leaned on."""

import re
from collections.abc import Iterator, Mapping, Sequence
from heapq import nlargest
from operator import itemgetter

from bot.core.paths import is_sensitive
from bot.tools.mapping.ranking import Ranked
from bot.tools.mapping.tags import Tags, last
from bot.tools.symbols import Symbol

HEADS = 5
"""Definitions of one file that are shown."""
FAINT = 0.1
"""Of what bears most in a file, the part below which a definition is not shown."""
WIDTH = 100
"""Characters of a line."""
LEAST, MOST, EACH = 300, 3600, 30
"""Characters of a map: at least, at most, and for each source file of the project."""

_INDENT = "  "


def room_for(files: int) -> int:
    """Return how many characters the map of so many source files is worth."""
    return min(MOST, max(LEAST, EACH * files))


def render(ranked: Sequence[Ranked], tags: Mapping[str, Tags], most: int) -> str:
    """Write the map in at most so many characters; the same files always give the same text."""
    kept: list[str] = []
    left = most
    for line in _lines(ranked, tags):
        left -= len(line) + 1
        if left < -1:
            break
        kept.append(line)
    while kept and not kept[-1].startswith(_INDENT):
        kept.pop()
    return "\n".join(kept)


def _lines(ranked: Sequence[Ranked], tags: Mapping[str, Tags]) -> Iterator[str]:
    for each in ranked:
        shown = list(_shown(each, tags[each.path]))
        if shown and len(each.path) <= WIDTH and not is_sensitive(each.path, ()):
            yield each.path
            yield from (f"{_INDENT}{_cut(_head(symbol))}" for symbol in shown)


def _shown(each: Ranked, tags: Tags) -> Iterator[Symbol]:
    """Pick the definitions of a file that bear most, in the order in which they stand there."""
    best = nlargest(HEADS, each.names.items(), key=itemgetter(1))
    names = {name for name, share in best if share >= FAINT * best[0][1]}
    for symbol in tags.definitions:
        # What is there twice, such as a getter and its setter, is shown once
        if symbol.name in names:
            names.remove(symbol.name)
            yield symbol


def _head(symbol: Symbol) -> str:
    """Return a head that says what it is inside of."""
    if not symbol.depth:
        return symbol.text
    return re.sub(rf"(?<![\w.]){re.escape(last(symbol.name))}(?!\w)", lambda _: symbol.name, symbol.text, count=1)


def _cut(text: str) -> str:
    return text if len(text) < WIDTH else f"{text[: WIDTH - 1]}…"
