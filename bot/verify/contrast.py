"""What an assertion wanted and what it got, in few words, however long the values are."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bot.verify.place import one_line

AROUND = 12
"""Characters that are shown before the first difference."""
SOURCE = 120
"""Characters of the line of source."""
TRIES = 8

_NOISE = re.compile(
    r"Skipping \d+ identical |Omitting \d+ identical |Use -v |Diff is \d+ characters long|\.\.\.Full output truncated"
    r"|comparison failed$|Drill down into |\?|$"
)
_FULL = re.compile(r"(?:Full diff|Common items)\b.*")
_ANNOUNCING = re.compile(
    r"Differing (?:items|attributes):$|First differing element |First extra element "
    r"|(?:Left|Right|First|Second) contains \d+ (?:more|additional)"
    r"|Extra items in the (?:left|right) set:$"
)
_SIGNED = re.compile(r"[-+]( |$)")
_OPERATOR = re.compile(r" (?:==|!=) ")


class Pair(NamedTuple):
    """Two values that should have been alike."""

    left: str
    right: str


def contrast(message: str, room: int) -> str:
    """Write a failure's message on one line of bounded length: what was compared first, the line of source last."""
    body, mark, source = message.rpartition("\n> ")
    if not mark:
        body, source = message, ""
    lines = [line.strip() for line in body.split("\n")]
    told = " ".join(_told(lines, min(50, room // 4))) if _compares(lines) else body
    shown = one_line(source, min(SOURCE, room // 3)) if source else ""
    left = room - len(shown) - 3 if shown else room
    return f"{one_line(told, left)} > {shown}" if shown else one_line(told, room)


def _compares(lines: Sequence[str]) -> bool:
    """Tell whether a message is one of a comparison, as pytest and unittest write them."""
    asserts = lines[0].startswith(("AssertionError", "assert "))
    return asserts and any(_OPERATOR.search(line) for line in lines)


def _told(lines: Sequence[str], width: int) -> Iterator[str]:
    head = next((number for number, line in enumerate(lines) if _OPERATOR.search(line)), 0)
    yield from lines[:head]
    yield _short(lines[head], width)
    details = list(_details(lines[head + 1 :], width)) or list(_changed(lines[head + 1 :], lines[head]))
    yield from (detail if detail.startswith("+") else f"| {detail}" for detail in details)


def _short(line: str, width: int) -> str:
    """Cut a long comparison to where its sides part."""
    if len(line) <= 3 * width + 10:
        return line
    pair, before, operator = _split(line)
    if pair is None:
        return line
    left, right = part(pair, width)
    return f"{before}{left}{operator}{right}"


def _split(line: str) -> tuple[Pair | None, str, str]:
    """Part a comparison at its operator: the one that leaves the sides most alike in length."""
    verb = re.match(r"(?:\w+: )?(?:assert |\w+ differ: )?", line)
    before = verb.group() if verb else ""
    rest = line[len(before) :]
    found = [match for match, _ in zip(_OPERATOR.finditer(rest), range(TRIES), strict=False)]
    if not found:
        return None, before, ""
    middle = min(found, key=lambda match: abs(match.start() - (len(rest) - match.end())))
    return Pair(rest[: middle.start()], rest[middle.end() :]), before, middle.group()


def part(pair: Pair, width: int = 50) -> Pair:
    """Show two values around their first difference."""
    alike = next((n for n, (a, b) in enumerate(zip(*pair, strict=False)) if a != b), min(map(len, pair)))
    start = max(0, alike - AROUND)
    return Pair(*(_window(value, start, width) for value in pair))


def _window(value: str, start: int, width: int) -> str:
    if len(value) <= width:
        return value
    return ("…" if start else "") + value[start : start + width] + ("…" if len(value) > start + width else "")


def _details(lines: Sequence[str], width: int) -> Iterator[str]:
    """Keep what names the difference; a full listing of both sides says it again."""
    announced: list[str] = []
    wanted = 0
    for line in lines:
        if _FULL.match(line):
            break
        if wanted and line:
            announced.append(_short(line, width))
            wanted -= 1
            if not wanted:
                yield " ".join(announced)
        elif _ANNOUNCING.match(line):
            announced, wanted = [line], 2 if line.startswith("First differing") else 1
        elif _speaks(line):
            yield _short(line, width)


def _speaks(line: str) -> bool:
    """Tell a sentence about the difference from a line that both sides have."""
    if _NOISE.match(line):
        return False
    if line.startswith(("At index ", "+  where", "+  and", "Obtained:", "Expected:")):
        return True
    return not _SIGNED.match(line) and (_OPERATOR.search(line) is not None or " contains " in line)


def _changed(lines: Sequence[str], head: str) -> Iterator[str]:
    """Tell the first lines that differ; pytest marks what it got with a plus, unittest with a minus."""
    minus = next((line[2:] for line in lines if line.startswith("- ")), None)
    plus = next((line[2:] for line in lines if line.startswith("+ ")), None)
    left, right = (plus, minus) if "assert " in head else (minus, plus)
    got, wanted = part(Pair(left or "", right or ""))
    if left is not None and right is not None:
        if left not in head or right not in head:
            yield f"left {got!r}, right {wanted!r}"
    elif left is not None:
        yield f"only left {got!r}"
    elif right is not None:
        yield f"only right {wanted!r}"
