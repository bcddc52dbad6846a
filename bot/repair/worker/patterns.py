"""Templates: regular expressions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from bot.repair.worker.rules import cheap
from bot.repair.worker.source import Candidate
from bot.repair.worker.view import View

FUNCTIONS = frozenset({
    "compile", "match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer",
})  # fmt: skip
PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[:=!<P]?[=!]?|[*+?]\??|\{\d*,?\d*\}\??|.", re.DOTALL)
QUANTIFIERS = ("*", "+", "?", "*?", "+?", "??", "")
CLASSES = (
    ("a-z", "a-zA-Z"), ("A-Z", "a-zA-Z"), ("0-9", "0-9a-z"), ("a-zA-Z", "a-zA-Z0-9"), ("a-z", "a-z0-9"),
    ("a-zA-Z", "a-zA-Z_"), ("a-zA-Z0-9", "a-zA-Z0-9_"), ("a-z0-9", "a-z0-9_"),
)  # fmt: skip
ESCAPES = {
    r"\d": (r"\w", r"\D", "[0-9]"), r"\w": (r"\S", r"\W", r"\d"), r"\s": (r"\S", " ", r"\w"), r"\S": (r"\s", r"\w"),
    r"\b": (r"\B", ""), r"\D": (r"\d",), r"\W": (r"\w",), r"\B": (r"\b",),
}  # fmt: skip
OTHERS: dict[str, tuple[tuple[str, float], ...]] = {
    ".": ((r"\.", 0.4), (".*", 0.15), (r"[\s\S]", 0.1)), r"\.": ((".", 0.15),), "(": (("(?:", 0.2),),
    "(?:": (("(", 0.2),), "|": (("", 0.1),),
}  # fmt: skip
FLAGS = ("re.IGNORECASE", "re.DOTALL", "re.MULTILINE", "re.VERBOSE")


def pattern_of(view: View, node: ast.Constant) -> str | None:
    """Return the regular expression that a string constant is, or None if it is none."""
    parent = view.source.parent(node)
    if not isinstance(node.value, str) or not isinstance(parent, ast.Call) or node not in parent.args[:1]:
        return None
    function = parent.func
    ours = isinstance(function, ast.Attribute) and function.attr in FUNCTIONS
    return node.value if ours and "re" in view.text(function).split(".") else None


@cheap(ast.Constant)
def change_pattern(view: View, node: ast.Constant) -> Iterator[Candidate]:
    r"""`re.match('a+')` becomes `re.match('a*')`, `a+?`, `a+$`, `\.` for `.`, `[a-zA-Z]` for `[a-z]`."""
    old = pattern_of(view, node)
    if old is None or len(old) > 200:
        return
    for new, prior in dict(_variants(old)).items():
        try:
            re.compile(new)
        except (re.error, OverflowError):
            continue
        if new != old:
            yield view.replace(node, _literal(new, view.text(node)), "regex", prior)


def _literal(pattern: str, old: str) -> str:
    """Write a pattern as a raw string with the old quotes where that is possible."""
    quote = next((q for q in ('"""', "'''", '"', "'") if old.rstrip().endswith(q)), "'")
    raw = quote not in pattern and not pattern.endswith(("\\", quote[0])) and ("\n" not in pattern or len(quote) == 3)
    if not raw:
        return repr(pattern)
    return f"r{quote}{pattern}{quote}" if "\\" in pattern or old.startswith("r") else f"{quote}{pattern}{quote}"


def _variants(old: str) -> Iterator[tuple[str, float]]:
    if old.endswith("$"):
        yield old[:-1], 0.3
    else:
        yield old + "$", 0.3
    yield (old[1:], 0.3) if old.startswith("^") else ("^" + old, 0.25)
    parts = [(m.group(), m.start(), m.end()) for m in PART.finditer(old)]
    for part, start, end in parts:
        for new, prior in _replacements(part):
            yield old[:start] + new + old[end:], prior


def _replacements(part: str) -> Iterator[tuple[str, float]]:
    """List what may stand in place of one part of a pattern."""
    if part[0] in "*+?":
        yield from ((quantifier, 0.3) for quantifier in QUANTIFIERS)
    elif part[0] == "{":
        for number in re.findall(r"\d+", part):
            yield from ((part.replace(number, str(int(number) + step), 1), 0.25) for step in (-1, 1))
        yield from (("+", 0.15), ("*", 0.15))
    elif part[0] == "[" and len(part) > 2:
        yield from _classes(part)
    elif part in ESCAPES:
        yield from ((new, 0.3) for new in ESCAPES[part])
        yield from ((part + sign, 0.25) for sign in "+*?")
    elif part in OTHERS:
        yield from OTHERS[part]
    elif part.isalnum() or part in " -_,:;/":
        yield from ((part + sign, 0.12) for sign in "?*+")


def _classes(part: str) -> Iterator[tuple[str, float]]:
    yield ("[" + part[2:], 0.35) if part[1] == "^" else ("[^" + part[1:], 0.3)
    yield from ((part.replace(a, b, 1), 0.3) for a, b in CLASSES if a in part and b not in part)
    yield from ((f"{part[:-1]}{extra}]", 0.15) for extra in ("_", "-", ".", r"\s", "0-9") if extra not in part)
    yield from ((part + sign, 0.25) for sign in "+*?")


@cheap(ast.Call)
def add_flag(view: View, node: ast.Call) -> Iterator[Candidate]:
    """`re.compile(p)` becomes `re.compile(p, re.IGNORECASE)`."""
    function = view.text(node.func)
    if function.startswith("re.") and function[3:] in FUNCTIONS and "re." not in view.text(node)[len(function) :]:
        positional, named = view.arguments(node)
        for flag in FLAGS:
            given = [*positional, f"flags={flag}"] if function[3:] in ("sub", "subn", "split") else [*positional, flag]
            yield view.replace(node, f"{function}({', '.join([*given, *named])})", "add_flag", 0.25)
