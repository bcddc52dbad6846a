"""Small edits that make a file compile again; pure, and free of anything that is not in the standard library."""

from __future__ import annotations

import difflib
import io
import keyword
import re
from collections.abc import Iterator

from bot.repair.broken import Fault, Fix, Text, find_fault
from bot.repair.layout import brackets, commas, deletions, indentation, open_brackets, quotes

HEADERS = re.compile(r"\s*(?:async\s+)?(if|elif|else|for|while|def|class|try|except|finally|with|match|case|lambda)\b")
CONDITION = re.compile(r"\s*(if|elif|while|return|assert)\b")
SINGLE_EQUALS = re.compile(r"(?<![=!<>:+\-*/%&|^@])=(?!=)")
PRINTED = re.compile(r"^(\s*)print\s+(?!\()(.+?)\s*$")
OLD_EXCEPT = re.compile(r"^(\s*except\s+)([\w.]+|\([^)]*\))\s*,\s*(\w+)\s*:")
FOREIGN = (
    ("&&", " and "),
    ("||", " or "),
    ("else if", "elif"),
    ("++", " += 1"),
    ("--", " -= 1"),
    ("<>", "!="),
    ("===", "=="),
)
BROKEN_OFF = re.compile(r"(unterminated|EOL while|EOF while)")
TRIES = 600
"""Edits that are compiled at most."""
WORD = re.compile(r"[^\W\d]\w*")


def mend(source: str, max_candidates: int = 10) -> list[Fix]:
    """List small edits after which a source compiles, likeliest first; none if it compiles as it is."""
    fault = find_fault(source)
    if fault is None:
        return []
    lines = tuple(io.StringIO(source, newline=""))
    starts, position = [], 0
    for line in lines:
        starts.append(position)
        position += len(line)
    found: list[Fix] = []
    seen: set[str] = {source}
    for fix in _propose(Text(lines, tuple(starts)), fault):
        fixed = fix.apply(source)
        if fixed in seen:
            continue
        seen.add(fixed)
        if find_fault(fixed) is None:
            found.append(fix)
        if len(found) >= max_candidates or len(seen) > TRIES:
            break
    return found


def _propose(text: Text, fault: Fault) -> Iterator[Fix]:
    near = _neighbours(text, fault.line)
    for number in near:
        yield from _missing_colon(text, number)
    for number in near[:2]:
        yield from _outdated(text, number)
    for number in near[:2]:
        yield from _equals(text, number)
    yield from _misspelt(text, near, fault)
    yield from indentation(text, near, fault)
    if BROKEN_OFF.search(fault.message):
        for number in near[:2]:
            yield from quotes(text, number)
    opened = open_brackets(text, fault.line)
    yield from brackets(text, near, opened)
    for number in near:
        yield from commas(text, number)
    for number in near[:2]:
        yield from quotes(text, number)
        yield from deletions(text, number)


def _neighbours(text: Text, line: int) -> list[int]:
    """List the faulty line and the lines with code before it, nearest first."""
    line = min(line, len(text.lines) - 1)
    before = [n for n in range(line - 1, -1, -1) if text.code(n).strip()][:3]
    return [line, *before] if text.code(line).strip() else before


def _missing_colon(text: Text, number: int) -> Iterator[Fix]:
    code = text.code(number)
    if HEADERS.match(code) and not code.endswith(":"):
        end = len(code) - 1 if code[-1] in ";," else len(code)
        yield text.replace(number, end, len(code), ":", "colon")
        for place in re.finditer(r"[\w)\]]\s+(?=return|raise|pass|break|continue)", code):
            yield text.insert(number, place.start() + 1, ":", "colon")


def _outdated(text: Text, number: int) -> Iterator[Fix]:
    """Correct statements of Python 2 and operators of other languages."""
    code = text.code(number)
    printed, caught = PRINTED.match(code), OLD_EXCEPT.match(code)
    if printed:
        yield text.replace(number, 0, len(code), f"{printed[1]}print({printed[2].rstrip(',')})", "print")
    if caught:
        yield text.replace(number, 0, caught.end(), f"{caught[1]}{caught[2]} as {caught[3]}:", "except")
    for wrong, right in FOREIGN:
        start = code.find(wrong)
        if start >= 0:
            end = start + len(wrong)
            lead = start - 1 if right.startswith(" ") and code[start - 1] == " " else start
            tail = end + 1 if right.endswith(" ") and code[end : end + 1] == " " else end
            yield text.replace(number, lead, tail, right, "operator")
    unequal = re.search(r"!(?!=)", code)
    if unequal:
        yield text.replace(number, unequal.start(), unequal.end(), "!=", "operator")
    negated = re.search(r"!(?!=)\s*(?=[\w(])", code)
    if negated:
        yield text.replace(number, negated.start(), negated.end(), "not ", "operator")


def _equals(text: Text, number: int) -> Iterator[Fix]:
    code = text.code(number)
    places = [m.start() for m in SINGLE_EQUALS.finditer(code)]
    if CONDITION.match(code) or "==" in code or " if " in code:
        for place in places:
            yield text.replace(number, place, place + 1, "==", "equals")
    for double in re.finditer(r"==|:=", code):
        yield text.replace(number, double.start(), double.end(), "=", "equals")


def _misspelt(text: Text, near: list[int], fault: Fault) -> Iterator[Fix]:
    for number in near[:2]:
        words = sorted(WORD.finditer(text.code(number)), key=lambda m: abs(m.start() - fault.column))
        for word in words[:6]:
            if not keyword.iskeyword(word[0]):
                for close in difflib.get_close_matches(word[0], keyword.kwlist, 4, 0.6):
                    yield text.replace(number, word.start(), word.end(), close, "keyword")
                for place in _joined(word[0]):
                    yield text.insert(number, word.start() + place, " ", "space")


def _joined(word: str) -> Iterator[int]:
    """Find where a keyword and another word grew together."""
    for known in keyword.kwlist:
        if word.startswith(known):
            yield len(known)
        if word.endswith(known):
            yield len(word) - len(known)
