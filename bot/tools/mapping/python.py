"""Definitions of a Python file without its syntax tree: to make one takes fifteen times as long, and memory."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from bot.tools.symbols import Symbol

LONGEST_HEAD = 2000
"""Characters of a signature that are looked at."""
WIDTH = 200
"""Characters of it, and of a dotted name, that are kept."""

# Possessive throughout: what was passed over is never tried again, so that no text takes longer than its length
_TRIPLE = (
    r"\"\"\"[^\\\"]*+(?:(?:\\.|\"(?!\"\"))[^\\\"]*+)*+(?:\"\"\"|\\?\Z)"
    r"|'''[^\\']*+(?:(?:\\.|'(?!''))[^\\']*+)*+(?:'''|\\?\Z)"
)
_SINGLE = r"\"[^\\\"\n]*+(?:\\.[^\\\"\n]*+)*+\"?|'[^\\'\n]*+(?:\\.[^\\'\n]*+)*+'?"
_TEXT = rf"[^'\"#\n]++|{_TRIPLE}|{_SINGLE}|#[^\n]*+"
"""Anything but the end of a line."""
_MARK = re.compile(
    rf"(?:{_TEXT}|\n(?![ \t\f]*+(?:(?:async|def|class)\b|@\w)|\w))*+"
    r"(?:\n(?P<indent>[ \t\f]*+)"
    r"(?:(?:async[ \t]++)?(?:def|class)[ \t]++(?P<name>\w++)"
    r"|(?P<decorator>@)|(?P<value>\w++)[ \t]*+(?::[^\n=]*+)?=(?!=)|(?=\w))|\n|.|\Z)",
    re.DOTALL,
)
_PLAIN = re.compile(r"[ \t]*+(?:\([^()\[\]{}:\"'#\\]*+\))?[ \t]*+(?:->[ \t]*+[\w.]++[ \t]*+)?(?=:)")
_PIECE = re.compile(
    rf"{_TRIPLE}|{_SINGLE}|(?P<comment>#[^\n]*+)|(?P<open>[(\[{{])|(?P<close>[)\]}}])|(?P<end>[:\n])", re.DOTALL
)

_SPACED = re.compile(r",? ?([)\]}])")


class _Mark(NamedTuple):
    """A line at which a definition begins, or must have ended."""

    start: int
    """In the text."""
    line: int
    indent: int
    name: str
    head: str
    """Empty for anything else than a class or function."""
    decorates: bool
    end: int
    """Of the name of what begins there."""


class _Open(NamedTuple):
    """A definition whose end is not known yet."""

    place: int
    """Among what was found."""
    mark: _Mark
    seen: int
    """How far its block was looked through for its end."""


def scan(source: str) -> tuple[Symbol, ...]:
    """List classes and functions of a Python file, and the values at its outermost level, in their order.

    It is what symbols.of_python tells but for values of classes, as long as nobody made the code to be misread; and
    it is told where the code does not parse.
    """
    text = f"\n{source}"
    found: list[Symbol] = []
    open_: list[_Open] = []
    decorated: _Mark | None = None
    for mark in _marks(text):
        if mark.decorates:
            decorated = decorated if decorated and decorated.indent == mark.indent else mark
            continue
        begun = decorated if mark.head and decorated and decorated.indent == mark.indent else mark
        decorated = None
        if open_ and mark.head and begun.indent > open_[-1].mark.indent:
            _look_back(text, found, open_, begun)
        _close(text, found, open_, begun)
        prefix = f"{found[open_[-1].place].name}." if open_ else ""
        if mark.head:
            found.append(Symbol((prefix + mark.name)[-WIDTH:], begun.line, begun.line, mark.head, len(open_)))
            open_.append(_Open(len(found) - 1, begun, mark.end))
        elif mark.name:
            found.append(Symbol(mark.name, mark.line, mark.line, mark.name, 0))
    return tuple(found)


def _marks(text: str) -> Iterator[_Mark]:
    line, at = 0, 0
    for match in _MARK.finditer(text):
        if match["indent"] is None:
            continue
        start = match.start("indent")
        line += text.count("\n", at, start)
        at = start
        name, indent = match["name"], len(match["indent"].expandtabs(8))
        if name or match["decorator"] or not indent:
            head = _head(text, start + len(match["indent"]), match.end()) if name else ""
            yield _Mark(start, line, indent, name or match["value"] or "", head, bool(match["decorator"]), match.end())
    yield _Mark(len(text), 0, 0, "", "", decorates=False, end=0)


@lru_cache(maxsize=64)
def _leaving(indent: int) -> re.Pattern[str]:
    """Match up to a line of code that begins no further right."""
    return re.compile(rf"(?:{_TEXT}|\n(?![ \t]{{0,{indent}}}[^\W\d]))*+\n", re.DOTALL)


def _look_back(text: str, found: list[Symbol], open_: list[_Open], mark: _Mark) -> None:
    """End a function that was left before something that is indented further, such as in a branch of its class."""
    last = open_[-1]
    if found[last.place].text.startswith("class"):
        return
    if _leaving(last.mark.indent).match(text, last.seen, mark.start):
        _close(text, found, open_, mark._replace(indent=last.mark.indent))
    else:
        open_[-1] = last._replace(seen=mark.start)


def _close(text: str, found: list[Symbol], open_: list[_Open], mark: _Mark) -> None:
    """End the definitions that a line at this indentation does not belong to."""
    while open_ and open_[-1].mark.indent >= mark.indent:
        place, begun, _ = open_.pop()
        lines = text[begun.start : mark.start].rstrip().count("\n")
        found[place] = found[place]._replace(end=begun.line + lines)


def _head(text: str, start: int, end: int) -> str:
    """Return a definition up to its body, on one line, without comments."""
    plain = _PLAIN.match(text, end, start + LONGEST_HEAD)
    if plain and "\n" not in (head := text[start : plain.end()]):
        return head[:WIDTH]
    whole = " ".join("".join(_pieces(text, start, end)).split())
    return _SPACED.sub(r"\1", whole.replace("( ", "("))[:WIDTH]


def _pieces(text: str, start: int, end: int) -> Iterator[str]:
    at, depth = start, 0
    for match in _PIECE.finditer(text, end, start + LONGEST_HEAD):
        if match["comment"]:
            yield text[at : match.start()]
            at = match.end()
        elif match["end"] and not depth:
            yield text[at : match.start()]
            return
        depth += bool(match["open"]) - bool(match["close"])
    yield text[at : start + WIDTH]
