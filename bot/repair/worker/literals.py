"""Templates: constants and wrappers that turn what failing tests got into what they expected."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator

from bot.repair.worker.rules import cheap
from bot.repair.worker.source import Candidate
from bot.repair.worker.view import View

PLACEHOLDER = re.compile(r"\{[^}]*\}|%[a-z]")
PAIRS = 6
LONGEST = 80
KEYS = 6
"""Keys of a dictionary, that were not expected, that are held against those that were."""
NUMBERS = 6
"""Numbers, or words, of the failing tests that a constant is replaced by."""


def mend_literals(view: View) -> Iterator[Candidate]:
    """Change string constants of a file so that what a failing test got turns into what it expected."""
    pairs = differing_strings(view)
    for node in ast.walk(view.source.tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or not node.value:
            continue
        if view.source.formatted(node) or isinstance(view.source.parent(node), ast.Expr):
            continue
        pieces = (
            [p for p in PLACEHOLDER.split(node.value) if p.strip()] if PLACEHOLDER.search(node.value) else [node.value]
        )
        for piece in pieces:
            for new in _turned(piece, pairs):
                prior = 0.9 if len(piece) > 2 else 0.5
                yield view.replace(node, view.spell(node.value.replace(piece, new, 1)), "const_diff", prior)


def differing_strings(view: View) -> list[tuple[str, str]]:
    """List strings that differ at the same place of what was got and what was expected."""
    found = dict.fromkeys(p for actual, expected in view.facts.differences for p in _pairs(actual, expected))
    pairs = list(found)[:PAIRS]
    return pairs + [(expected, actual) for actual, expected in pairs]


def _pairs(actual: object, expected: object, depth: int = 4) -> Iterator[tuple[str, str]]:
    """List the strings at the same place of two values that differ."""
    if isinstance(actual, str) and isinstance(expected, str):
        if actual != expected:
            yield actual, expected
    elif depth and isinstance(actual, (list, tuple)) and isinstance(expected, (list, tuple)):
        for one, other in zip(actual, expected):
            yield from _pairs(one, other, depth - 1)
    elif depth and isinstance(actual, dict) and isinstance(expected, dict):
        for name in actual.keys() & expected.keys():
            yield from _pairs(actual[name], expected[name], depth - 1)
        gone = [name for name in actual if name not in expected]
        for name in (name for name in expected if name not in actual and len(gone) <= KEYS):
            for other in gone:
                if actual[other] == expected[name]:
                    yield from _pairs(other, name, depth - 1)


def _turned(piece: str, pairs: list[tuple[str, str]]) -> Iterator[str]:
    for actual, expected in pairs:
        start = actual.find(piece)
        while start >= 0:
            before, after = actual[:start], actual[start + len(piece) :]
            fits = (
                expected.startswith(before) and expected.endswith(after) and len(expected) >= len(before) + len(after)
            )
            if fits:
                new = expected[len(before) : len(expected) - len(after)]
                if len(new) < LONGEST and "{" not in new:
                    yield new
            start = actual.find(piece, start + 1)


def additions(view: View) -> list[str]:
    """List the strings that would have to be put in at one place of what was got."""
    found: dict[str, None] = {}
    for actual, expected in differing_strings(view)[:PAIRS]:
        start = next((i for i, (a, b) in enumerate(zip(actual, expected)) if a != b), min(len(actual), len(expected)))
        if actual[start:] == "" or expected.endswith(actual[start:]):
            new = expected[start : len(expected) - len(actual) + start]
            if 0 < len(new) < LONGEST:
                found[new] = None
    return list(found)[:4]


@cheap(ast.BinOp)
def put_between(view: View, node: ast.BinOp) -> Iterator[Candidate]:
    """`a + b` becomes `a + '.' + b` where only the dot is missing in what was got."""
    if isinstance(node.op, ast.Add) and (view.types(node) & {"str"} or not view.types(node)):
        for text in additions(view):
            new = f"{view.side(node.left)} + {text!r} + {view.side(node.right)}"
            yield view.replace(node, view.enclose(node, new), "put_text", 0.7)


@cheap(ast.Return, ast.Assign)
def put_around(view: View, node: ast.Return | ast.Assign) -> Iterator[Candidate]:
    """`return a` becomes `return a + '.'` or `return '-' + a`."""
    if node.value is not None and "str" in view.types(node.value):
        value = view.operand(node.value)
        for text in additions(view):
            yield view.replace(node.value, f"{value} + {text!r}", "put_text", 0.45)
            yield view.replace(node.value, f"{text!r} + {value}", "put_text", 0.45)


@cheap(ast.JoinedStr)
def change_format(view: View, node: ast.JoinedStr) -> Iterator[Candidate]:
    """The plain text of an f-string becomes what was expected."""
    text, pairs = view.text(node), differing_strings(view)
    if "{{" in text or not pairs or not text.startswith(('f"', "f'")):
        return
    position = 0
    for gap in [*re.finditer(r"\{[^{}]*\}", text), None]:
        start, end = (len(text) - 1, len(text)) if gap is None else gap.span()
        piece = text[max(position, 2) : start]
        for new in [*(_turned(piece, pairs) if piece else ()), *(piece + extra for extra in additions(view))]:
            if not set(new) & set("{}\\\n'\""):
                yield view.replace(node, text[: max(position, 2)] + new + text[start:], "const_diff", 0.6)
        position = end


@cheap(ast.Constant)
def speak_tests(view: View, node: ast.Constant) -> Iterator[Candidate]:
    """A constant becomes one that failing tests speak of: `'colour'` for `'color'`, `'['` for `'('`."""
    if isinstance(view.source.parent(node), ast.Expr) or isinstance(node.value, (bool, type(None), bytes)):
        return
    words = [word for word in view.facts.vocabulary if isinstance(word, str)]
    if isinstance(node.value, str):
        old = node.value
        if len(old) >= 3 and old not in words:
            close = difflib.get_close_matches(old, words, 3, 0.7)
            yield from (view.replace(node, view.spell(word), "const_seen", 0.7) for word in close)
            if isinstance(view.source.parent(node), ast.Compare):
                rest = [word for word in words if word not in close and len(word) < LONGEST]
                yield from (view.replace(node, view.spell(word), "const_seen", 0.35) for word in rest[:NUMBERS])
        if len(old) == 1 and not old.isalnum():
            signs = dict.fromkeys(c for word in words for c in word if not c.isalnum() and c != old)
            yield from (view.replace(node, view.spell(sign), "const_seen", 0.3) for sign in list(signs)[:8])
        if 1 < len(old) < LONGEST and old.isalpha():
            cases = [old + other for other in (old.upper(), old.lower(), old.swapcase()) if other != old]
            yield from (view.replace(node, view.spell(text), "const_str", 0.3) for text in cases)
    elif isinstance(view.source.parent(node), ast.Compare):
        numbers = [n for n in view.facts.vocabulary if type(n) in (int, float) and n != node.value]
        for number in numbers[:NUMBERS]:
            yield view.replace(node, repr(number), "const_seen", 0.15)


@cheap(ast.Constant)
def format_string(view: View, node: ast.Constant) -> Iterator[Candidate]:
    """`"{name} is"` becomes `f"{name} is"`."""
    if not isinstance(node.value, str) or isinstance(view.source.parent(node), (ast.Attribute, ast.Expr)):
        return
    names = re.findall(r"\{([^\W\d]\w*)[^{}]*\}", node.value)
    text = view.text(node)
    if names and text[0] in "'\"" and set(names) <= {v.name for v in view.scope(node)}:
        yield view.replace(node, "f" + text, "f_string", 0.7)
