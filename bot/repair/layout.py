"""Edits of what holds a file together: indentation, brackets, quotes, commas."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.repair.broken import Fault, Fix, Text

PAIRS = {"(": ")", "[": "]", "{": "}"}
TOKEN = re.compile(r"\w+|[^\w\s]|\s+")
WORD = re.compile(r"[^\W\d]\w*")


def indentation(text: Text, near: list[int], fault: Fault) -> Iterator[Fix]:
    """Bring a line to the depth of its neighbours, or its neighbours to another."""
    if "indent" not in fault.message and "tab" not in fault.message:
        return
    number = min(fault.line, len(text.lines) - 1)
    old = text.indent(number)
    before = next((n for n in near if n < number), None)
    known = [text.indent(n) for n in range(number - 1, -1, -1) if text.code(n).strip()]
    unit = next((x for x in reversed(known) if x), "    ")
    base = text.indent(before) if before is not None else ""
    opens = before is not None and text.code(before).endswith(":")
    if "expected an indented block" in fault.message:
        yield from _deeper(text, number, base + unit)
        yield text.insert(number, 0, f"{base}{unit}pass{_line_end(text)}", "indent")
        return
    if "expandtabs" not in old and "\t" in old:
        yield text.replace(number, 0, len(old), old.expandtabs(len(unit.expandtabs(8)) or 4), "indent")
    for other in range(number, max(-1, number - 8), -1):
        yield from _rounded(text, other, unit)
    choices = [base + unit, base] if opens else [base, base + unit, *known]
    for choice in dict.fromkeys(choices):
        if choice != old:
            yield text.replace(number, 0, len(old), choice, "indent")
    if before is not None:
        for choice in dict.fromkeys((old, *known)):
            yield text.replace(before, 0, len(base), choice, "indent")


def _rounded(text: Text, number: int, unit: str) -> Iterator[Fix]:
    """Bring a line to a whole number of steps, if it is at none."""
    width, step = len(text.indent(number)), len(unit)
    if set(text.indent(number)) == {" "} == set(unit) and width % step and text.code(number):
        for steps in (round(width / step), width // step, width // step + 1):
            yield text.replace(number, 0, width, " " * (steps * step), "indent")


def _deeper(text: Text, number: int, indent: str) -> Iterator[Fix]:
    """Indent one line, or it and all that follow at its depth or deeper."""
    old = text.indent(number)
    yield text.replace(number, 0, len(old), indent, "indent")
    end = number
    while end < len(text.lines) and (not text.lines[end].strip() or len(text.indent(end)) >= len(old)):
        end += 1
    while end > number + 1 and not text.lines[end - 1].strip():
        end -= 1
    block = "".join(indent + x[len(old) :] if x.strip() else x for x in text.lines[number:end])
    start = text.starts[number]
    yield Fix(start, start + sum(map(len, text.lines[number:end])), block, "indent")


def _line_end(text: Text) -> str:
    return "\r\n" if text.lines and text.lines[0].endswith("\r\n") else "\n"


def quotes(text: Text, number: int) -> Iterator[Fix]:
    """End a string, begin it, or exchange one of its quotes."""
    code = text.lines[number].rstrip()
    for quote in ("'", '"'):
        if code.count(quote) % 2:
            yield text.insert(number, len(code), quote, "quote")
            for place in reversed([m.start() for m in re.finditer(r"[)\]}:,]", code)]):
                yield text.insert(number, place, quote, "quote")
            for word in WORD.finditer(code):
                yield text.insert(number, word.start(), quote, "quote")
            yield from _other_quote(text, number, code, quote)


def _other_quote(text: Text, number: int, code: str, quote: str) -> Iterator[Fix]:
    other = "'" if quote == '"' else '"'
    for place in re.finditer(f"[{quote}{other}]", code):
        yield text.replace(number, place.start(), place.end(), other if place[0] == quote else quote, "quote")


def open_brackets(text: Text, line: int) -> list[tuple[int, int, str]]:
    """List the brackets that are open at the end of a line, outermost first; strings are passed over."""
    opened: list[tuple[int, int, str]] = []
    for number in range(min(line + 1, len(text.lines))):
        quote = ""
        code = text.code(number)
        for column, sign in enumerate(code):
            if quote:
                quote = "" if sign == quote else quote
            elif sign in "\"'":
                quote = sign
            elif sign in PAIRS:
                opened.append((number, column, sign))
            elif opened and sign in PAIRS.values() and PAIRS[opened[-1][2]] == sign:
                opened.pop()
    return opened


def brackets(text: Text, near: list[int], opened: list[tuple[int, int, str]]) -> Iterator[Fix]:
    """Close what is open, on its own line first; drop or exchange what closes nothing."""
    for number, column, sign in reversed(opened[-3:]):
        closer = PAIRS[sign]
        for line in dict.fromkeys((number, *near)):
            code = text.code(line)
            end = len(code) - 1 if code.endswith((":", ",")) else len(code)
            places = [end, len(code), *reversed([m.end() for m in TOKEN.finditer(code)])]
            for place in dict.fromkeys(places):
                if line > number or (line == number and place > column):
                    yield text.insert(line, place, closer, "bracket")
    for number in near[:2]:
        code = text.code(number)
        for found in re.finditer(r"[()\[\]{}]", code):
            yield text.replace(number, found.start(), found.end(), "", "bracket")
            for other in "()[]{}":
                yield text.replace(number, found.start(), found.end(), other, "bracket")
        for opener in PAIRS:
            for token in TOKEN.finditer(code):
                yield text.insert(number, token.start(), opener, "bracket")


def commas(text: Text, number: int) -> Iterator[Fix]:
    """Put a comma, a colon, an equals sign or a line end between two words."""
    code = text.code(number)
    yield text.insert(number, len(code), ",", "comma")
    for place in re.finditer(r"(?<=\w)(?=[(\[{])", code):
        yield text.insert(number, place.start(), "=", "equals")
    for gap in re.finditer(r"(?<=[\w)\]}'\"])\s+(?=[\w(\[{'\"])", code):
        yield text.insert(number, gap.start(), ",", "comma")
        yield text.insert(number, gap.start(), ":", "colon")
    for gap in re.finditer(r"(?<=\S)\s{2,}(?=\S)", code):
        yield text.insert(number, gap.start(), _line_end(text), "line")


def deletions(text: Text, number: int) -> Iterator[Fix]:
    """Leave out one word or sign."""
    code = text.code(number)
    for token in TOKEN.finditer(code):
        if token[0].strip():
            yield text.replace(number, token.start(), token.end(), "", "delete")
