"""Which lines of much text say what no other line says: an address, a name, an error, not one of a thousand alike."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.core.telling import LOOKED_AT, is_telling

TELLING = 0.25
"""What it counts that a line looks like an error."""
RARE = 3
"""Words of a line that speak for it, the rarest ones."""
COMMONEST = 0.02
"""The share of lines from which on a shape is one that all have."""

_WORD = re.compile(r"[^\W\d_]{2,}|\d+")
_LONG = re.compile(r"\w{24,}")
WORDLIKE = 60
"""Letters and digits of a name that somebody may have given."""
_VARYING = re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-f]{7,}\b|\d+")


@dataclass(slots=True)
class Rarity:
    """Counts words and shapes of lines, and then tells how rare a line is among them."""

    lines: int = 0
    _shapes: Counter[str] = field(default_factory=Counter)
    _words: Counter[str] = field(default_factory=Counter)

    def add(self, lines: Iterable[str]) -> None:
        """Count lines; each wording of one call once."""
        for line in dict.fromkeys(map(_look, lines)):
            self.lines += 1
            self._shapes[_VARYING.sub("#", line)] += 1
            self._words.update(_words(line))

    def rate(self, line: str) -> float:
        """Say how rare a line is, from 0 for one that says nothing to 1 and what an error counts."""
        looked = _look(line)
        words = _words(looked)
        if not words or not self.lines:
            return 0.0
        most = math.log(self.lines + 1)
        rarest = sorted((self._idf(self._words[word]) for word in words), reverse=True)[:RARE]
        shape = self._shapes[_VARYING.sub("#", looked)]
        if shape > max(RARE, COMMONEST * self.lines):
            return 0.0
        told = (sum(rarest) / RARE + self._idf(shape)) / (2 * most)
        return told + TELLING * is_telling(looked)

    def _idf(self, count: int) -> float:
        return math.log((self.lines + 1) / max(1, count))


def _look(line: str) -> str:
    return line.strip()[:LOOKED_AT]


def _words(line: str) -> set[str]:
    return set(_WORD.findall(_LONG.sub(_leave_out, line).casefold()))


def _leave_out(found: re.Match[str]) -> str:
    """Leave hashes, keys and encoded data out: they are rare by nature, and mean nothing to a reader."""
    data = len(found[0]) > WORDLIKE or any(map(str.isdigit, found[0]))
    return " " if data else found[0]
