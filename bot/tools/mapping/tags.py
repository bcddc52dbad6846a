"""What is known of one source file: what it defines and which names it mentions; and how that is kept."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from bot.tools.definitions import DEEPEST
from bot.tools.symbols import Symbol

FORMAT = "1"
"""Changes whenever the same content would give other tags."""
MOST_WORDS = 8000
"""Distinct names of one file that are counted."""
LONGEST_WORD = 40
"""Characters of a name; what is longer is data."""
MOST_DEFINITIONS = 2000
MOST_OFTEN = 90
"""From here on a name counts as mentioned no more often."""

_ZERO = 32
_TAB = "\t"
_ROW = 4
"""Parts of a line that tells of a definition."""
_NUMBER = re.compile(r"[0-9]{1,9}")
_NUMBERS = bytes(max(0, sign - _ZERO) for sign in range(256))
"""What the signs stand for."""


@dataclass(frozen=True)
class Tags:
    """Definitions and mentions of one file, as they are kept; taken apart only as far as anybody asks."""

    defined: str = ""
    """Dotted names of definitions, with tabs between."""
    mentioned: str = ""
    """Names, each once, with spaces between."""
    counts: str = ""
    """How often each is mentioned, as one character."""
    rows: str = ""
    """Of each definition: first line, last line, depth and head, with tabs between; one a line."""

    @property
    def names(self) -> tuple[str, ...]:
        """The dotted names of what it defines, in their order."""
        return tuple(self.defined.split(_TAB)) if self.defined else ()

    @property
    def words(self) -> tuple[str, ...]:
        """The names that it mentions anywhere, comments and strings included; each once."""
        return tuple(self.mentioned.split(" ")) if self.mentioned else ()

    @property
    def times(self) -> bytes:
        """How often it mentions each of its words, in their order."""
        return self.counts.encode("ascii", "replace").translate(_NUMBERS)

    @cached_property
    def definitions(self) -> tuple[Symbol, ...]:
        """All that it defines, in their order."""
        return tuple(_symbols(self.names, self.rows))

    def pack(self) -> bytes:
        """Write it down."""
        return f"{self.defined}\n{self.mentioned}\n{self.counts}\n{self.rows}".encode("utf-8", "replace")


def make_tags(definitions: Iterable[Symbol], words: Mapping[str, int]) -> Tags:
    """Make the tags of a file."""
    kept = [(_flat(symbol.name), symbol) for symbol in definitions if symbol.name.strip()][:MOST_DEFINITIONS]
    counted = [(word, times) for word, times in words.items() if len(word) <= LONGEST_WORD][:MOST_WORDS]
    rows = (f"{s.line}\t{s.end}\t{s.depth}\t{_flat(s.text)}" for _, s in kept)
    signs = "".join(chr(_ZERO + min(times, MOST_OFTEN)) for _, times in counted)
    return Tags(_TAB.join(name for name, _ in kept), " ".join(word for word, _ in counted), signs, "\n".join(rows))


def unpack(data: bytes) -> Tags | None:
    """Read what was written down; None for anything else, which anybody may have put there."""
    try:
        names, words, counts, rows = data.decode().split("\n", 3)
    except ValueError:
        return None
    mentioned = words.count(" ") + 1 if words else 0
    if mentioned != len(counts) or not counts.isascii() or (counts and min(counts) < chr(_ZERO)):
        return None
    if (names.count(_TAB) + 1 if names else 0) != (rows.count("\n") + 1 if rows else 0):
        return None
    return Tags(names, words, counts, rows)


def last(name: str) -> str:
    """Return the last part of a dotted name, by which others mention it."""
    return name.rpartition(".")[2]


def count(words: Iterable[str]) -> Mapping[str, int]:
    """Count names, in the order in which they first occur."""
    return Counter(words)


def _symbols(names: tuple[str, ...], rows: str) -> Iterator[Symbol]:
    for name, row in zip(names, rows.split("\n"), strict=False):
        parts = row.split(_TAB, _ROW - 1)
        numbers = parts[: _ROW - 1]
        if len(parts) == _ROW and all(map(_NUMBER.fullmatch, numbers)):
            line, end, depth = map(int, numbers)
            yield Symbol(name, max(1, line), max(1, line, end), parts[-1], min(depth, DEEPEST))


def _flat(text: str) -> str:
    plain = text if text.isascii() else text.encode("utf-8", "replace").decode()
    return " ".join(plain.split())
