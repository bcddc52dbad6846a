"""Which definitions of a file a query is most likely about, and on which line they begin."""

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from bot.core.retrieval.query import bound
from bot.core.retrieval.words import WORD, split

OWN = 2.0
"""What it counts that a term stands in a definition's own name."""
ABOVE = 0.5
"""The same of the names of what is around it."""
EXACT = 3.0
"""What it counts, in the most telling terms, that its name is written in the query as it is."""
LONG = 40
"""Lines from which on a definition has its terms by chance."""
SATURATED = 1.0
"""How often a term stands in a definition until more of it counts half."""


class Definition(NamedTuple):
    """A class, a function or a value."""

    name: str
    """Dotted, from the outermost one."""
    line: int
    end: int


class Spot(NamedTuple):
    """A definition, and how much of the query is in it."""

    definition: Definition
    value: float
    terms: tuple[str, ...]
    """Terms that stand in it."""
    named: bool
    """Whether the query has its name."""


def find_spots(
    text: str,
    definitions: Sequence[Definition],
    words: Mapping[str, Sequence[str]],
    worth: Mapping[str, float],
    names: Iterable[str],
) -> tuple[Spot, ...]:
    """Rate the definitions of a file, the likeliest first.

    `words` has the terms that words stand for, `worth` what each says; `names` are looked for in full.
    """
    found, extents = _count(text, definitions, words)
    exact: dict[str, list[str]] = {}
    for name in names:
        exact.setdefault(name.rpartition(".")[2], []).append(name)
    spots = []
    for number, each in enumerate(definitions):
        terms = found.get(number, {})
        known = is_named(each, exact.get(each.name.rpartition(".")[2], ()))
        value = _rate(each, terms, extents.get(number, 1), worth)
        if value or known:
            spots.append(
                Spot(each, value + (EXACT * max(worth.values(), default=1.0) if known else 0.0), tuple(terms), known)
            )
    return tuple(sorted(spots, key=lambda spot: (-round(spot.value, 9), spot.definition.line, spot.definition.name)))


def is_named(definition: Definition, names: Iterable[str]) -> bool:
    """Tell whether one of some dotted names is that of a definition, as far as it goes."""
    return any(f".{definition.name}".endswith(f".{name}") for name in names)


def enclosing(definitions: Iterable[Definition], line: int) -> Definition | None:
    """Return the innermost definition around a line."""
    around = [each for each in definitions if each.line <= line <= each.end]
    return max(around, key=lambda each: (each.line, -each.end), default=None)


def _count(
    text: str, definitions: Sequence[Definition], words: Mapping[str, Sequence[str]]
) -> tuple[dict[int, dict[str, int]], dict[int, int]]:
    """Count the terms in the lines of each definition that are of no other one in it, and those lines."""
    breaks = [found.start() for found in _BREAK.finditer(text)]
    owners = _own(definitions, len(breaks) + 1)
    counts: dict[int, dict[str, int]] = {}
    for found in WORD.finditer(text):
        terms = words.get(found[0])
        if terms is not None:
            row = counts.setdefault(owners[bisect_left(breaks, found.start())], {})
            for term in terms:
                row[term] = row.get(term, 0) + 1
    return counts, Counter(owners)


def _own(definitions: Sequence[Definition], lines: int) -> list[int]:
    """Return to which definition each line belongs, the innermost; -1 for none."""
    owners = [-1] * lines
    order = sorted(range(len(definitions)), key=lambda n: (definitions[n].line, -definitions[n].end))
    for number in order:
        first, last = definitions[number].line - 1, min(definitions[number].end, lines)
        if first < last:
            owners[first:last] = [number] * (last - first)
    return owners


def _rate(definition: Definition, found: Mapping[str, int], lines: int, worth: Mapping[str, float]) -> float:
    above, _, last = definition.name.rpartition(".")
    norm = SATURATED * (0.25 + 0.75 * lines / LONG)
    value = math.fsum(worth.get(term, 0.0) * times / (times + norm) for term, times in found.items())
    value += OWN * math.fsum(worth.get(term, 0.0) for term in split(last))
    return value + ABOVE * math.fsum(worth.get(term, 0.0) for part in above.split(".") for term in split(part))


def find_places(text: str, phrases: Iterable[str]) -> dict[str, int]:
    """Return which phrases stand in a text as they are, and on which line each does first."""
    found = {phrase: text.find(phrase) for phrase in phrases}
    return {phrase: text.count("\n", 0, at) + 1 for phrase, at in found.items() if at >= 0}


_BREAK = re.compile("\n")
_QUOTED = re.compile(
    r"\"([^\"\n]{8,200})\"|'([^'\n]{8,200})'|`([^`\n]{8,200})`"
    r"|(?:Error|Exception|Warning): ([^\n]{8,200})",
)
_VARIES = re.compile(r"['\"`<>{}\[\]()=:%]|\b\d[\w.]*|\s{2,}")
LEAST = 10
"""Characters of a phrase that stands nowhere by chance."""


def find_phrases(text: str) -> tuple[str, ...]:
    """List what a text quotes, such as messages of errors, in pieces without what such a message is filled with."""
    quoted = (next(filter(None, found.groups()), "") for found in _QUOTED.finditer(bound(text)))
    pieces = (piece.strip(" ,.;!?") for each in quoted for piece in _VARIES.split(each))
    return tuple(dict.fromkeys(piece for piece in pieces if len(piece) >= LEAST and " " in piece))[:40]
