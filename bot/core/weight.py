"""How many tokens a text may come to, counted so that no tokenizer in use is likely to find more."""

import re
from typing import NamedTuple

_PIECE = re.compile(
    r" ?(?P<word>[A-Z]?[a-z]+|[A-Z]+)|(?P<space>\s+)|(?P<wide>[\u0800-\uffff])|(?P<vast>[\U00010000-\U0010ffff])"
    r"|(?P<high>[\x80-\u07ff])|(?P<other> ?[\x00-\x7f])",
)
_UNSPEAKABLE = re.compile(r"[^aeiouyAEIOUY]{4}|[aeiouAEIOU]{4}|(.)\1\1|.{20}")
"""No language has such words, so no tokenizer knows them: they are cut into pairs of letters."""
_BLOB = re.compile(r"[A-Za-z0-9+/=]{16,}")
_MIXED = re.compile(r"(?=.*[A-Z])(?=.*[a-z]).*\d", re.DOTALL)
"""Encoded data has letters of both kinds and digits in one word."""


class _Price(NamedTuple):
    letter: float = 0.25
    noise: float = 0.6
    """A letter of a word that is none, or of encoded data."""
    wide: float = 2.6
    vast: float = 4.0
    high: float = 1.7


PRICE = _Price()
"""Highest found with three vocabularies in use, for random text of each kind."""


def weigh(text: str) -> int:
    """Count the tokens of a text, rather too many than too few."""
    blobs = sum(len(blob) for blob in _BLOB.findall(text) if _MIXED.match(blob))
    total = 0.25 * blobs
    for found in _PIECE.finditer(text):
        kind = found.lastgroup
        if kind == "word":
            word = found["word"]
            price = PRICE.noise if _UNSPEAKABLE.search(word) else PRICE.letter
            total += max(1.0, price * len(word))
        elif kind in ("space", "other"):
            total += 1.0
        else:
            total += PRICE.wide if kind == "wide" else PRICE.vast if kind == "vast" else PRICE.high
    return int(total) + 1
