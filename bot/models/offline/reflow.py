"""Wraps comments that are longer than a line may be; nothing else of a file."""

import ast
import io
import re
import textwrap
import tokenize
from collections.abc import Iterable, Mapping

from bot.models.offline.source import LONGEST_TEXT, Mend, parse

MEASURE = re.compile(r"too long \((?P<has>\d{1,5}) > (?P<most>\d{1,4})(?: characters)?\)")
_HEAD = re.compile(r"(?P<mark>[ \t]*#+:?[ \t]*)(?P<bullet>(?:[-*+] +|\d{1,3}[.)] +)?)(?P<body>\S.*)")
_DIRECTIVE = re.compile(
    r"#!|#\s*(?:[\w.-]+\s*:\s*(?:ignore|off|on|skip|disable|enable|no\b|noqa)|noqa|nosec|type:|pragma|-\*-|vim?:|region"
    r"|endregion|%%|\+\+|--|==|\|)"
)
SHORTEST = 20
"""Characters of words that a line must have room for."""


def limit_of(message: str) -> int:
    """Read from a finding how long a line may be; 0 when it does not say."""
    found = MEASURE.search(message)
    return int(found["most"]) if found else 0


def wrap(text: str, lines: Mapping[int, int]) -> Mend | None:
    """Wrap the pure comments among the given lines, each to its own limit; None when there is none."""
    comments = _comments(text)
    rows = text.split("\n")
    changed = 0
    for number in sorted(lines, reverse=True):
        new = _wrapped(rows[number - 1], lines[number]) if number in comments else []
        if new:
            rows[number - 1 : number] = new
            changed += 1
    return Mend("\n".join(rows), "wrap a comment that is too long") if changed else None


def _comments(text: str) -> frozenset[int]:
    """Return the lines that hold a comment and nothing else."""
    if parse(text) is None or len(text) > LONGEST_TEXT:
        return frozenset()
    return frozenset(_pure(tokenize.generate_tokens(io.StringIO(text).readline)))


def _pure(tokens: Iterable[tokenize.TokenInfo]) -> Iterable[int]:
    return (t.start[0] for t in tokens if t.type == tokenize.COMMENT and not t.line[: t.start[1]].strip())


def _wrapped(row: str, limit: int) -> list[str]:
    """Return the lines of a wrapped comment; none when it is more than prose or cannot be made to fit."""
    found = _HEAD.fullmatch(row)
    if found is None or len(row) <= limit or _DIRECTIVE.match(row.strip()) or _is_code(found["body"]):
        return []
    first, later = found["mark"] + found["bullet"], found["mark"] + " " * len(found["bullet"])
    if limit - len(first.expandtabs()) < SHORTEST:
        return []
    wrapped = textwrap.wrap(
        found["body"], limit, initial_indent=first, subsequent_indent=later, break_long_words=False,
        break_on_hyphens=False, expand_tabs=False, replace_whitespace=False, drop_whitespace=True,
    )  # fmt: skip
    fits = len(wrapped) > 1 and all(len(line.expandtabs()) <= limit for line in wrapped)
    return wrapped if fits else []


def _is_code(body: str) -> bool:
    """Whether a comment is a line of code that somebody took out: broken in two it would be none any more."""
    try:
        tree = ast.parse(body.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return (
            body.rstrip().endswith(("(", "[", "{", ",", ":", "\\")) and re.match(r"[\w.]+\s*[(=\[]", body) is not None
        )
    return any(not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Name) for node in tree.body)
