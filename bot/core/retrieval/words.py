"""Names and prose taken apart into terms, so that `HTTPRetries` and `retry_http` are about the same things."""

import re
from functools import lru_cache

LONGEST = 80
"""Characters of a word that are looked at."""
SHORTEST = 3
"""Characters of a part of a name that says something by itself."""

WORD = re.compile(r"[^\W\d]\w*")
"""A name or a word of prose."""
_CAPITAL, _SMALL = "A-Z\u00c0-\u00d6\u00d8-\u00de", "a-z\u00df-\u00f6\u00f8-\u00ff"
_PART = re.compile(rf"[{_CAPITAL}]+(?![{_SMALL}])|[{_CAPITAL}]?[{_SMALL}]+|[0-9]+|[^\W\d_{_CAPITAL}{_SMALL}]+")

STOP = frozenset(
    WORD.findall(
        "a all also an and any are as at be been but by can could did do does for from get gets had has have how i if"
        " in into is it its just like may me more my no not of on only or our out should so some than that the their"
        " them then there these they this to us was we were what when where which while who why will with would you"
        " your bug bugs close closes fail fails failed fix fixed fixes incorrect instead issue issues problem pull"
        " request see wrong wrongly def self return import none true false"
    )
)
"""Words that stand in every issue, or in every file."""


def find_words(text: str) -> list[str]:
    """List the names and words of a text as they stand there."""
    return WORD.findall(text)


@lru_cache(maxsize=1 << 17)
def split(word: str) -> tuple[str, ...]:
    """Return the terms that a name or word stands for: itself, and its parts where it has several; each once."""
    short = word[:LONGEST]
    whole = short.lower()
    plain = "_" not in whole
    terms = [] if whole in STOP or len(whole) < SHORTEST - 1 else [stem(whole) if plain else whole]
    if not (plain and short.islower() and short.isascii()):
        parts = (part.lower() for part in _PART.findall(short))
        terms += [stem(part) for part in parts if part != whole and len(part) >= SHORTEST and part not in STOP]
    return tuple(dict.fromkeys(terms))


def stem(word: str) -> str:
    """Return a word in small letters as it is when there is one of it."""
    if len(word) <= SHORTEST or word[-1] != "s" or word[-2] in "sui":
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > len("ties") else word[:-1]
    return word[:-2] if word.endswith("sses") else word[:-1]


def root(term: str) -> str:
    """Return what stands, in small letters, in every word that stands for a term."""
    return term[:-1] if term[-1] == "y" and len(term) > SHORTEST else term
