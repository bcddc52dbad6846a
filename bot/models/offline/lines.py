"""Small changes to one line that does not parse; each rule yields new lines, the likeliest first."""

import difflib
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TypeAlias

from bot.models.offline.source import Piece, code_end, scan

Variant: TypeAlias = tuple[str, str]
"""A new line and what was done to it."""

CLOSERS = {"(": ")", "[": "]", "{": "}"}
OPENERS = {closer: opener for opener, closer in CLOSERS.items()}

BLOCK = re.compile(r"\s*(?:async\s+)?(?:def|class|if|elif|else|for|while|try|except|finally|with|match|case)\b")
CONDITION = re.compile(r"\s*(?:if|elif|while|assert|return)\b|.*\b(?:if|and|or|not)\b")
KEYWORDS = (
    "def", "class", "if", "elif", "else", "for", "while", "try", "except", "finally", "with", "return", "import",
    "from", "yield", "raise", "assert", "lambda", "pass", "break", "continue", "global", "nonlocal", "async",
    "await", "del",
)  # fmt: skip
INNER_KEYWORDS = ("in", "is", "not", "and", "or", "as", "import", "if", "else", "for", "lambda")
FOREIGN: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"^(\s*)else\s+if\b"), r"\1elif", "write `elif`"),
    (re.compile(r"^(\s*)(?:elseif|elsif)\b"), r"\1elif", "write `elif`"),
    (re.compile(r"^(\s*)(?:function|func|fn|fun)\s+(?=\w+\s*\()"), r"\1def ", "write `def`"),
    (re.compile(r"\s*&&\s*"), " and ", "write `and`"),
    (re.compile(r"\s*\|\|\s*"), " or ", "write `or`"),
    (re.compile(r"!(?!=)\s*(?=[\w(])"), "not ", "write `not`"),
    (re.compile(r"^(\s*)([\w.]+)\s*\+\+\s*$"), r"\1\2 += 1", "write `+= 1`"),
    (re.compile(r"^(\s*)([\w.]+)\s*--\s*$"), r"\1\2 -= 1", "write `-= 1`"),
    (re.compile(r"(?<![=!<>:])===(?!=)"), "==", "write `==`"),
    (re.compile(r"!=="), "!=", "write `!=`"),
    (re.compile(r"=>"), ">=", "write `>=`"),
    (re.compile(r"=<"), "<=", "write `<=`"),
    (re.compile(r"^(\s*catch)\b"), "except", "write `except`"),
)


def colon(line: str) -> Iterator[Variant]:
    """End a block's header with a colon."""
    end = code_end(line)
    if BLOCK.match(line) and not line[:end].endswith(":"):
        if line[:end].endswith((";", ",", ".")):
            yield line[: end - 1] + ":" + line[end:], "add the missing colon"
        yield line[:end] + ":" + line[end:], "add the missing colon"
    header = re.match(r"(\s*(?:else|try|finally))(\s+\S)", line)
    if header:
        yield line[: header.end(1)] + ":" + line[header.end(1) :], "add the missing colon"


def comparison(line: str) -> Iterator[Variant]:
    """Compare where a condition assigns."""
    if CONDITION.match(line):
        for piece in scan(line):
            if piece.sort == "op" and piece.text == "=":
                yield line[: piece.start] + "==" + line[piece.end :], "compare with `==`"


def keyword(line: str) -> Iterator[Variant]:
    """Spell a keyword right."""
    names = [piece for piece in scan(line) if piece.sort == "name"]
    for number, piece in enumerate(names[:30]):
        wanted = KEYWORDS if number == 0 else INNER_KEYWORDS
        if piece.text in wanted:
            continue
        for near in near_words(piece.text, wanted):
            yield line[: piece.start] + near + line[piece.end :], f"write `{near}`"


def near_words(word: str, wanted: tuple[str, ...]) -> list[str]:
    """Return the words that a slip of the fingers turns into this one."""
    near = difflib.get_close_matches(word.lower(), wanted, n=2, cutoff=0.7)
    swapped = [other for other in wanted if sorted(other) == sorted(word.lower())]
    return list(dict.fromkeys([*swapped, *near]))


def foreign(line: str) -> Iterator[Variant]:
    """Translate what other languages write."""
    for pattern, replacement, what in FOREIGN:
        changed = pattern.sub(replacement, line)
        if changed != line:
            yield changed, what


def quote(line: str) -> Iterator[Variant]:
    """Close a string that the line leaves open."""
    opened = [piece for piece in scan(line) if piece.sort == "open"]
    if not opened:
        return
    piece = opened[0]
    mark = piece.text.lstrip("rbfuRBFU")[0]
    for at in _ends(line, piece.start + 2):
        yield line[:at] + mark + line[at:], "close the string"
    yield line[: piece.start] + line[piece.start :].replace(mark, "", 1), "remove a stray quote"
    for before in (p for p in scan(line) if p.sort == "name"):
        yield line[: before.start] + mark + line[before.start :], "open the string"


def _ends(line: str, first: int) -> Iterator[int]:
    """Give the columns where a string may end: before trailing punctuation, then from the right to the left."""
    whole = len(line.rstrip())
    tail = len(line.rstrip().rstrip(")]},:; "))
    yield from dict.fromkeys((tail, whole, *range(whole, max(first, whole - 120), -1)))


def _brackets(line: str) -> tuple[list[Piece], list[Piece]]:
    """Return the brackets of a line that are not closed in it, and those that were not opened in it."""
    opened: list[Piece] = []
    stray: list[Piece] = []
    for piece in scan(line):
        if piece.sort == "op" and piece.text in CLOSERS:
            opened.append(piece)
        elif piece.sort == "op" and piece.text in OPENERS:
            if opened and CLOSERS[opened[-1].text] == piece.text:
                opened.pop()
            else:
                stray.append(piece)
    return opened, stray


def closing(line: str) -> Iterator[Variant]:
    """Close a bracket that the line leaves open."""
    opened, stray = _brackets(line)
    for bracket in stray:
        if opened:
            yield _put(line, bracket.start, CLOSERS[opened[-1].text]), "close the bracket"
            yield line[: bracket.start] + CLOSERS[opened[-1].text] + line[bracket.end :], "match the brackets"
    if not opened:
        return
    closers = "".join(CLOSERS[piece.text] for piece in reversed(opened))
    for at in _boundaries(line, opened[-1].end):
        yield _put(line, at, closers), "close the bracket"
        if len(closers) > 1:
            yield _put(line, at, closers[0]), "close the bracket"


def opening(line: str) -> Iterator[Variant]:
    """Mend a closing bracket that nothing opens: drop it, or open it."""
    _, stray = _brackets(line)
    for bracket in stray[:4]:
        yield line[: bracket.start] + line[bracket.end :], "remove a stray bracket"
        for piece in reversed([p for p in scan(line) if p.end <= bracket.start and p.sort not in ("space", "comment")]):
            yield _put(line, piece.start, OPENERS[bracket.text]), "open the bracket"
            if piece.sort == "name":
                yield _put(line, piece.end, OPENERS[bracket.text]), "open the bracket"


def _put(line: str, at: int, text: str) -> str:
    return line[:at] + text + line[at:]


def _boundaries(line: str, first: int) -> Iterator[int]:
    """Give the ends of tokens, from the right to the left; before a final colon or comma first."""
    end = code_end(line)
    if line[:end].endswith((":", ",")):
        yield end - 1
    yield from (piece.end for piece in reversed(scan(line)) if first <= piece.end <= end and piece.sort != "space")


def comma(line: str) -> Iterator[Variant]:
    """Put a comma between two things that stand side by side."""
    pieces = [piece for piece in scan(line) if piece.sort not in ("space", "comment")]
    for left, right in pairwise(pieces):
        if _ends_operand(left) and _starts_operand(right):
            yield _put(line, left.end, ","), "add the missing comma"
    if pieces and _ends_operand(pieces[-1]):
        yield _put(line, pieces[-1].end, ","), "add the missing comma"


def _ends_operand(piece: Piece) -> bool:
    return piece.sort in ("name", "number", "string") or piece.text in OPENERS


def _starts_operand(piece: Piece) -> bool:
    return piece.sort in ("name", "number", "string") or piece.text in ("{", "[", "(")


def dropping(line: str) -> Iterator[Variant]:
    """Drop one punctuation mark that does not belong."""
    for piece in reversed(scan(line)):
        if piece.sort == "op":
            yield line[: piece.start] + line[piece.end :], f"remove a stray `{piece.text}`"


def dot(line: str) -> Iterator[Variant]:
    """Put a dot, an equals sign or a colon between two things that stand side by side."""
    pieces = [piece for piece in scan(line) if piece.sort not in ("space", "comment")]
    for left, right in pairwise(pieces):
        if _ends_operand(left) and _starts_operand(right):
            for mark, name in ((" =", "equals sign"), (":", "colon"), (".", "dot")):
                gap = line[left.end : right.start] if mark != "." else ""
                yield line[: left.end] + mark + gap + line[right.start :], f"add the missing {name}"


RULES: tuple[Callable[[str], Iterator[Variant]], ...] = (
    colon, comparison, foreign, keyword, quote, closing, opening, comma, dropping, dot,
)  # fmt: skip
