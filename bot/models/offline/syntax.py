"""Mends simple syntax errors: small edits near the reported line, kept only when the whole text then compiles."""

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from bot.models.offline import lines as line_rules
from bot.models.offline.source import LONGEST_LINE, LONGEST_TEXT, Mend, Piece, indent_of, scan

MOST_CHARACTERS = 4_000_000
"""Characters parsed in one search; what is slow on one machine stays the same search on every other."""
MOST_FAULTS = 6
MOST_MENDS = 6

CONFLICT = re.compile(r"^(?:<{7} |={7}$|>{7} )", re.MULTILINE)
TRIPLE = re.compile(r"\"\"\"|'''")
PYTHON2: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^(\s*)print\s*>>\s*([\w.]+)\s*,\s*([^#;]+?)\s*$"), r"\1print(\3, file=\2)"),
    (re.compile(r"^(\s*)print\s+([^\s=(.,:][^#;]*?)\s*,\s*$"), r'\1print(\2, end=" ")'),
    (re.compile(r"^(\s*)print\s+(?![=.,:])([^#;]+?)(\s*#[^\"']*)?\s*$"), r"\1print(\2)\3"),
    (re.compile(r"^(\s*)print\s*$"), r"\1print()"),
    (re.compile(r"(:\s+)print\s+([^\s=(.,:][^#;]*?)\s*$"), r"\1print(\2)"),
    (re.compile(r"^(\s*except\s+[\w.]+|\s*except\s*\([\w., ]+\))\s*,\s*(\w+)\s*:"), r"\1 as \2:"),
    (re.compile(r"^(\s*raise\s+[\w.]+)\s*,\s*([^,#]+?)\s*$"), r"\1(\2)"),
    (re.compile(r"^(\s*)exec\s+([^\s(=][^#]*?)\s*$"), r"\1exec(\2)"),
)
"""Whole lines of Python 2."""
TOKENS2: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("op", re.compile(r"<>"), "!="),
    ("number", re.compile(r"0([0-7]+)[lL]?"), r"0o\1"),
    ("number", re.compile(r"(\d+)[lL]"), r"\1"),
    ("string", re.compile(r"[uU][rR](.*)", re.DOTALL), r"r\1"),
    ("open", re.compile(r"[uU][rR](.*)", re.DOTALL), r"r\1"),
)
"""Tokens of Python 2, by the kind that they are."""

Draft: TypeAlias = tuple[str, str]
"""A whole new text and what was done."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Where a text stops being Python."""

    line: int
    message: str


@dataclass(slots=True)
class Purse:
    """How much may still be parsed."""

    left: int = MOST_CHARACTERS

    def check(self, text: str) -> Fault | None:
        """Parse a text and pay for it."""
        self.left -= len(text)
        return fault(text)


def fault(text: str) -> Fault | None:
    """Say where a text stops being Python; None when it is Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<candidate>", "exec", dont_inherit=True)
    except SyntaxError as error:
        return Fault(error.lineno or 1, error.msg)
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        return Fault(1, str(error))
    return None


def conflicted(text: str) -> bool:
    """Whether a merge left its markers; which side is right is not a matter of syntax."""
    return len(CONFLICT.findall(text)) >= 2  # noqa: PLR2004 - an opening and a closing one


@lru_cache(maxsize=64)
def mend(text: str, line: int = 0, message: str = "") -> tuple[Mend, ...]:
    """Find texts that compile, the likeliest first; `line` and `message` are what the check reported."""
    if len(text) > LONGEST_TEXT or conflicted(text):
        return ()
    found = fault(text)
    if found is None:
        return ()
    purse = Purse()
    return _search(text, Fault(line, message) if line and not found.message else found, purse, MOST_FAULTS)


def _search(text: str, found: Fault, purse: Purse, depth: int) -> tuple[Mend, ...]:
    """Collect texts that compile; without any, go on from those in which the fault moved down the file."""
    whole: dict[str, Mend] = {}
    further: list[tuple[Draft, Fault]] = []
    for new, what in drafts(text, found):
        if purse.left < 0 or len(whole) >= MOST_MENDS:
            break
        if new in whole or new == text:
            continue
        left = purse.check(new)
        if left is None:
            whole[new] = Mend(new, what)
            purse.left = min(purse.left, MOST_CHARACTERS // 4)
        elif left.line > found.line:
            further.append(((new, what), left))
    if whole or depth <= 1:
        return tuple(whole.values())
    further.sort(key=lambda each: each[1].line <= found.line + 1)
    return next(filter(None, (_onward(draft, left, purse, depth) for draft, left in further[:3])), ())


def _onward(draft: Draft, left: Fault, purse: Purse, depth: int) -> tuple[Mend, ...]:
    new, what = draft
    return tuple(Mend(mend.text, _both(what, mend.what)) for mend in _search(new, left, purse, depth - 1))


def _both(first: str, second: str) -> str:
    return "; ".join(dict.fromkeys([*first.split("; "), *second.split("; ")]))


def drafts(text: str, found: Fault) -> Iterator[Draft]:
    """Give whole texts to try, the likeliest first."""
    rows = text.split("\n")
    at = min(max(found.line - 1, 0), len(rows) - 1)
    for fits, rule in WHOLE:
        if fits.search(found.message):
            yield from rule(rows, at)
    window = [index for index in (at, *_before(rows, at), at + 1) if index < len(rows)]
    for rule_of_line in _ordered(found.message):
        for index in window:
            for row, what in rule_of_line(rows[index]):
                yield _with(rows, index, row), what
    for rule in (*(rule for _, rule in WHOLE), _close_later):
        yield from rule(rows, at)


def _before(rows: list[str], at: int) -> list[int]:
    """Return the two lines of code above a line."""
    return [index for index in range(at - 1, max(-1, at - 8), -1) if rows[index].strip()][:2]


def _with(rows: list[str], index: int, row: str) -> str:
    return "\n".join([*rows[:index], row, *rows[index + 1 :]])


HINTS: tuple[tuple[re.Pattern[str], tuple[Callable[[str], Iterator[line_rules.Variant]], ...]], ...] = (
    (re.compile(r"expected ':'"), (line_rules.colon,)),
    (re.compile(r"instead of '='|cannot assign"), (line_rules.comparison,)),
    (re.compile(r"unterminated (?:f-)?string|EOL while scanning"), (line_rules.quote,)),
    (re.compile(r"was never closed|unexpected EOF|does not match"), (line_rules.closing,)),
    (re.compile(r"unmatched"), (line_rules.opening,)),
    (re.compile(r"forgot a comma"), (line_rules.keyword, line_rules.comma)),
)


def _ordered(message: str) -> tuple[Callable[[str], Iterator[line_rules.Variant]], ...]:
    """Put the rules that the message speaks of first."""
    first = [rule for pattern, rules in HINTS if pattern.search(message) for rule in rules]
    return tuple(dict.fromkeys([*first, *line_rules.RULES]))


def _translate(rows: list[str], _at: int) -> Iterator[Draft]:
    """Translate Python 2 all over the file, but for what is text."""
    what = "translate Python 2 to Python 3"
    changed = [row if quoted else _translated(row) for row, quoted in zip(rows, _quoted(rows), strict=True)]
    yield "\n".join(changed), what


def _quoted(rows: list[str]) -> Iterator[bool]:
    """Tell for each line whether it begins within a text of several lines."""
    mark = ""
    for row in rows:
        yield bool(mark)
        for found in TRIPLE.finditer(re.sub(r"#[^\"']*$", "", row)):
            mark = "" if mark == found.group() else mark or found.group()


def _translated(row: str) -> str:
    if len(row) > LONGEST_LINE:
        return row
    for pattern, replacement in PYTHON2:
        row = pattern.sub(replacement, row)
    return "".join(map(_translated_token, scan(row)))


def _translated_token(piece: Piece) -> str:
    for sort, pattern, replacement in TOKENS2:
        if piece.sort == sort and pattern.fullmatch(piece.text):
            return pattern.sub(replacement, piece.text)
    return piece.text


def _reindent(rows: list[str], at: int) -> Iterator[Draft]:
    """Give a line, or it and its block, an indentation that one of its neighbours has."""
    above = [rows[index] for index in range(at - 1, max(-1, at - 40), -1) if rows[index].strip()]
    levels = list(dict.fromkeys(indent_of(row) for row in above))
    if above and above[0].rstrip().endswith(":"):
        levels.insert(0, indent_of(above[0]) + _unit(rows))
    for level in levels[:8]:
        old = indent_of(rows[at])
        if level == old:
            continue
        yield _with(rows, at, level + rows[at].lstrip()), "mend the indentation"
        block = _block(rows, at)
        moved = [level + row[len(old) :] if row.strip() else row for row in rows[at:block]]
        yield "\n".join([*rows[:at], *moved, *rows[block:]]), "mend the indentation"


def _block(rows: list[str], at: int) -> int:
    """Return where the lines end that are indented at least as a line is."""
    old = indent_of(rows[at])
    end = at + 1
    while end < len(rows) and (not rows[end].strip() or rows[end].startswith(old)) and (old or rows[end].strip()):
        end += 1
    return end


def _unit(rows: list[str]) -> str:
    """Return one level of indentation as this file writes it."""
    used = [indent_of(row) for row in rows if row[:1].isspace() and row.strip()]
    return min(used, key=len) if used else "    "


def _untab(rows: list[str], _at: int) -> Iterator[Draft]:
    """Indent with spaces only."""
    for width in (4, 8):
        yield (
            "\n".join(indent_of(row).expandtabs(width) + row[len(indent_of(row)) :] for row in rows),
            "indent with spaces only",
        )


def _close_later(rows: list[str], at: int) -> Iterator[Draft]:
    """Close a bracket at the end of a later line, or in a line of its own."""
    for opener in reversed([piece.text for piece in scan(rows[at]) if piece.text in line_rules.CLOSERS][-2:]):
        closer = line_rules.CLOSERS[opener]
        for index in range(at + 1, min(len(rows), at + 40)):
            row = rows[index].rstrip()
            if not row:
                continue
            yield _with(rows, index, indent_of(rows[at]) + closer + "\n" + rows[index]), "close the bracket"
            for stem, tail in ((row, ""), (row[:-1], row[-1])):
                yield _with(rows, index, stem + closer + tail), "close the bracket"


def _close_text(rows: list[str], at: int) -> Iterator[Draft]:
    """Make the quotes of a triple-quoted string whole, or close it."""
    for mark in ('"', "'"):
        for index in range(max(0, at - 3), min(len(rows), at + 30)):
            whole = re.sub(rf"(?<!{mark}){mark}{{2}}(?!{mark})|(?<!{mark}){mark}$", mark * 3, rows[index])
            if whole != rows[index]:
                yield _with(rows, index, whole), "close the string"
    for index in range(at, min(len(rows), at + 60)):
        for mark in ('"""', "'''"):
            if any(mark in rows[i] for i in range(at, index + 1)):
                yield _with(rows, index, rows[index].rstrip() + mark), "close the string"


WHOLE: tuple[tuple[re.Pattern[str], Callable[[list[str], int], Iterator[Draft]]], ...] = (
    (re.compile(r"call to 'print'|call to 'exec'|multiple exception types|leading zeros|invalid decimal"), _translate),
    (re.compile(r"expected an indented block|unexpected indent|unindent does not match"), _reindent),
    (re.compile(r"[Tt]abs"), _untab),
    (re.compile(r"triple-quoted"), _close_text),
)
