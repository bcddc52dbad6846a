"""A source that does not compile: where, and as lines that can be edited."""

from __future__ import annotations

import warnings
from typing import NamedTuple


class Fix(NamedTuple):
    """Other text for a span of characters, after which the file compiles."""

    start: int
    end: int
    text: str
    kind: str

    def apply(self, source: str) -> str:
        """Carry the edit out."""
        return source[: self.start] + self.text + source[self.end :]


class Fault(NamedTuple):
    """Where a file does not compile."""

    line: int
    """Counted from 0."""
    column: int
    message: str


class Text(NamedTuple):
    """A source as lines, with the offset at which each begins."""

    lines: tuple[str, ...]
    starts: tuple[int, ...]

    def code(self, number: int) -> str:
        """Return a line without its comment, its line end and white space at its end."""
        return _uncommented(self.lines[number]).rstrip()

    def insert(self, number: int, column: int, text: str, kind: str) -> Fix:
        """Add text to a line."""
        place = self.starts[number] + column
        return Fix(place, place, text, kind)

    def replace(self, number: int, start: int, end: int, text: str, kind: str) -> Fix:
        """Replace part of a line."""
        return Fix(self.starts[number] + start, self.starts[number] + end, text, kind)

    def indent(self, number: int) -> str:
        """Return the white space at the beginning of a line."""
        line = self.lines[number]
        return line[: len(line) - len(line.lstrip())]


def find_fault(source: str) -> Fault | None:
    """Compile a source; None if it compiles."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source.encode(), "<source>", "exec", dont_inherit=True)
    except SyntaxError as error:
        return Fault(max(0, (error.lineno or 1) - 1), max(0, (error.offset or 1) - 1), str(error.msg))
    except (ValueError, OverflowError, RecursionError, MemoryError) as error:
        return Fault(0, 0, str(error))
    return None


def _uncommented(line: str) -> str:
    quote = ""
    for index, sign in enumerate(line):
        if quote:
            quote = "" if sign == quote and line[index - 1] != "\\" else quote
        elif sign in "\"'":
            quote = sign
        elif sign == "#":
            return line[:index]
    return line
