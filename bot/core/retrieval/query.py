"""What a text asks for: its terms by weight, and the names that it has exactly."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bot.core.retrieval.words import SHORTEST, STOP, split

LONGEST = 40_000
"""Characters of a text that are read from its beginning, and half as many from its end."""
PROSE, CODE = 0.25, 0.5
"""Weights of what stands below the first line, which says what it is all about."""
MOST = 64
"""Terms that are looked for."""

_TITLE = re.compile(r"^(?:Issue|Pull request) #\d+:[^\n]*", re.MULTILINE)
_FENCED = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n(.*?)(?:^[ \t]*\1|\Z)|`([^`\n]+)`", re.MULTILINE | re.DOTALL)
_DOTTED = re.compile(r"[^\W\d]\w*+(?:\.[^\W\d]\w*+)*+(?P<called>\()?")


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for."""

    terms: Mapping[str, float] = field(default_factory=dict)
    """Each with its weight, the weightiest first."""
    names: Mapping[str, float] = field(default_factory=dict)
    """Dotted or plain names that look like code, as they are written."""


def bound(text: str) -> str:
    """Return as much of a text as is read, in the usual spelling of its characters."""
    kept = text if len(text) <= 2 * LONGEST else f"{text[:LONGEST]}\n{text[-LONGEST // 2 :]}"
    if kept.isascii() or unicodedata.is_normalized("NFKC", kept):
        return kept
    return unicodedata.normalize("NFKC", kept)[: 2 * LONGEST]


def read_query(text: str) -> Query:
    """Read what a person wrote: the first line, or the title of an issue, counts most, and code more than prose."""
    title, rest = _split_title(bound(text).strip())
    weights, names = dict[str, float](), dict[str, float]()
    _add(title, 1.0, 1.0, weights, names)
    code = [found[2] or found[3] or "" for found in _FENCED.finditer(rest)]
    for part in code:
        _add(part, CODE, CODE, weights, names)
    _add(_FENCED.sub(" ", rest), PROSE, CODE, weights, names)
    return _make(weights, names)


def read_code(text: str) -> Query:
    """Read code in which every name counts the same."""
    weights, names = dict[str, float](), dict[str, float]()
    _add(bound(text), 1.0, 1.0, weights, names)
    return _make(weights, names)


def join(first: Query, second: Query, weight: float) -> Query:
    """Look for what two queries look for; those of the second count this much."""
    weights, names = dict(first.terms), dict(first.names)
    for told, into in ((second.terms, weights), (second.names, names)):
        for key, each in told.items():
            into[key] = max(into.get(key, 0.0), each * weight)
    return _make(weights, names)


def _make(weights: Mapping[str, float], names: Mapping[str, float]) -> Query:
    # Of equal weight the longer ones: they are rarer
    kept = sorted(weights, key=lambda term: (-weights[term], -min(len(term), 12), term))[:MOST]
    exact = sorted(names, key=lambda name: (-names[name], -min(len(name), 12), name))[:MOST]
    return Query({term: weights[term] for term in kept}, {name: names[name] for name in exact})


def _split_title(text: str) -> tuple[str, str]:
    """Split a text into what says in short what is wanted, and the rest."""
    first, _, rest = text.partition("\n")
    found = _TITLE.search(rest)
    return (f"{first}\n{found[0]}", rest[: found.start()] + rest[found.end() :]) if found else (first, rest)


def _add(text: str, plain: float, odd: float, weights: dict[str, float], names: dict[str, float]) -> None:
    for word, weight in _weigh(text, plain, odd, names):
        for term in split(word):
            weights[term] = max(weights.get(term, 0.0), weight)


def _weigh(text: str, plain: float, odd: float, names: dict[str, float]) -> Iterator[tuple[str, float]]:
    """Yield the words of a text with their weights, and note which of them look like names."""
    for found in _DOTTED.finditer(text):
        dotted = found[0].removesuffix("(")
        parts = dotted.split(".")
        strange = found["called"] is not None or len(parts) > 1 or is_name(dotted)
        yield from ((part, odd if strange else plain) for part in parts)
        if strange and len(dotted) >= SHORTEST and dotted.lower() not in STOP:
            names[dotted] = max(names.get(dotted, 0.0), odd)


def is_name(word: str) -> bool:
    """Tell whether a word is written as no word of prose is."""
    return "_" in word.strip("_") or not (word.islower() or word[1:].islower() or len(word) == 1) or not word.isalpha()
