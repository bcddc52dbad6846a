"""Finds the text that an edit names: exactly, else by whole lines that differ in outer white space only."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from heapq import nlargest
from itertools import accumulate
from math import gcd

from bot.errors import NoMatch

GUTTER = re.compile(r"^ *\d+│", re.MULTILINE)
"""Line numbers as read_file shows them."""
PLACES = 10
CANDIDATES = 3
MOST_LINES = 20_000
"""Lines of a file in which the nearest text is looked for."""
SHORT = 160
"""Characters up to which a text is compared by letters with every place, else by words with the likely ones."""
LIKELY = 20
MOST_TOKENS = 300
LEAST = 0.5
"""Likeness below which a place is not worth showing."""

_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"\w+|[^\w ]")


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text, and what is to stand there."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class Found:
    """Where to replace, and what a model should know of how that was found."""

    spans: tuple[Span, ...]
    note: str = ""


def find(body: str, old: str, new: str, count: int, path: str) -> Found:
    """Find what is to be replaced in a plain text. Raises NoMatch."""
    pattern = (
        re.escape(old) if count > 1 else f"(?={re.escape(old)})"
    )  # places that overlap are two places to choose from
    starts = [found.start() for found in re.finditer(pattern, body)]
    if len(starts) == count:
        return Found(tuple(Span(start, start + len(old), new) for start in starts))
    if starts:
        lines = ", ".join(str(line_at(body, start)) for start in starts[:PLACES]) + ", …" * (len(starts) > PLACES)
        many = (
            f"give more context, or count={len(starts)} to replace all" if len(starts) > count else f"not {count} times"
        )
        raise NoMatch(f"found {len(starts)} times in {path}, at lines {lines}; {many}")
    numbered = _without_gutter(old)
    if numbered is not None:
        found = find(body, numbered, _without_gutter(new) or new, count, path)
        return Found(found.spans, "line numbers were taken off; " + found.note)
    loose = _by_lines(body, old, new) if count == 1 else None
    if loose is not None:
        return loose
    raise NoMatch(f"the text is not in {path}{_nearest(body, old)}")


def line_at(body: str, offset: int) -> int:
    """Return the number of the line that an offset lies on."""
    return body.count("\n", 0, offset) + 1


def _without_gutter(text: str) -> str | None:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not lines or not all(GUTTER.match(line) for line in lines):
        return None
    return GUTTER.sub("", text)


def _by_lines(body: str, old: str, new: str) -> Found | None:
    """Find the only run of whole lines that equals the wanted one but for white space at their ends."""
    wanted = old.removesuffix("\n").split("\n")
    stripped = [line.strip() for line in wanted]
    if not any(stripped):
        return None
    lines = body.split("\n")
    bare = [line.strip() for line in lines]
    size = len(wanted)
    first = stripped[0]
    hits = [at for at, line in enumerate(bare) if line == first and bare[at : at + size] == stripped]
    if len(hits) != 1:
        return None
    at = hits[0]
    shifted = _shift(wanted, lines[at : at + size], new.removesuffix("\n") if old.endswith("\n") else new)
    if shifted is None:
        return None
    start = sum(len(line) + 1 for line in lines[:at])
    end = start + sum(len(line) + 1 for line in lines[at : at + size]) - 1
    return Found((Span(start, end, shifted),), "matched but for outer white space; the file's indentation is kept")


def _shift(wanted: Sequence[str], actual: Sequence[str], new: str) -> str | None:
    """Indent new text as much more or less as the file's lines are; None when that is not one and the same shift."""
    pairs = [(_indent(a), _indent(b)) for a, b in zip(wanted, actual, strict=True) if a.strip()]
    more = {b[: len(b) - len(a)] if b.endswith(a) else None for a, b in pairs}
    less = {a[: len(a) - len(b)] if a.endswith(b) else None for a, b in pairs}
    lines = new.split("\n")
    if len(more) == 1 and (extra := next(iter(more))) is not None:
        return "\n".join(extra + line if line.strip() else line for line in lines)
    if (
        len(less) == 1
        and (surplus := next(iter(less))) is not None
        and all(line.startswith(surplus) or not line.strip() for line in lines)
    ):
        return "\n".join(line.removeprefix(surplus) for line in lines)
    return _scale(pairs, lines)


def _scale(pairs: Sequence[tuple[str, str]], lines: Sequence[str]) -> str | None:
    """Indent new text in the file's own units, tabs for spaces or four of them for two; None when that does not fit."""
    given = _unit([*(a for a, _ in pairs), *(_indent(line) for line in lines if line.strip())])
    own = _unit([b for _, b in pairs])
    own = own[:1] if own.startswith("\t") else own
    if not given or not own:
        return None
    # Of one depth alone it cannot be said how much a level is: where it can be as deep as in the file, it is
    units = [size for size in (len(given), len(given) // 2, len(given) // 4) if size and len(given) % size == 0]
    shifts = {size: {len(b) // len(own) - len(a) // size for a, b in pairs} for size in units}
    size = next((size for size in units if shifts[size] == {0}), len(given))
    levels = [len(_indent(line)) // size + min(shifts[size]) for line in lines if line.strip()]
    if len(shifts[size]) != 1 or min(levels, default=0) < 0:
        return None
    depth = iter(levels)
    return "\n".join(own * next(depth) + line.lstrip() if line.strip() else line for line in lines)


def _unit(indents: Sequence[str]) -> str:
    """Return what all indents are multiples of, so many blanks or tabs; nothing when both occur, or none."""
    kinds = set("".join(indents))
    return kinds.pop() * gcd(*map(len, indents)) if len(kinds) == 1 and kinds <= {" ", "\t"} else ""


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _nearest(body: str, old: str) -> str:
    """Describe the places that are most like the wanted text."""
    wanted = old.removesuffix("\n").split("\n")
    lines = body.split("\n")[:MOST_LINES]
    ranked = _ranked(lines, wanted)
    if not ranked:
        return " and nothing there is like it"
    best = ranked[0][1]
    others = ", ".join(f"{at + 1} ({ratio:.0%} alike)" for ratio, at in ranked[1:] if abs(at - best) >= len(wanted))
    actual = lines[best : best + len(wanted)]
    difference = list(unified_diff(wanted, actual, lineterm="", n=1))[3:23]
    shown = "\n".join(line[:200] for line in difference) or "  (the same but for blank lines)"
    also = f"; also line {others}" if others else ""
    head = f"; nearest at lines {best + 1}-{best + len(actual)} ({ranked[0][0]:.0%} alike){also}"
    return f"{head}. There the file has + where you gave -:\n{shown}"


def _ranked(lines: Sequence[str], wanted: Sequence[str]) -> list[tuple[float, int]]:
    """Return the windows of lines that are most like the wanted ones, as (likeness, index), best first."""
    text = "\n".join(wanted)
    starts = range(max(1, len(lines) - len(wanted) + 1))
    short = len(text) <= SHORT
    likely = starts if short else _likely(lines, wanted, starts)
    matcher: SequenceMatcher[str] = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(text if short else _tokens(text))
    ranked: list[tuple[float, int]] = []
    floor = LEAST
    for at in likely:
        window = "\n".join(lines[at : at + len(wanted)])
        matcher.set_seq1(window[: 3 * SHORT] if short else _tokens(window))
        if matcher.real_quick_ratio() <= floor or matcher.quick_ratio() <= floor:
            continue
        ranked = sorted([*ranked, (matcher.ratio(), at)], key=lambda pair: (-pair[0], pair[1]))[:CANDIDATES]
        floor = max(floor, ranked[-1][0] if len(ranked) == CANDIDATES else floor)
    return [pair for pair in ranked if pair[0] > LEAST]


def _likely(lines: Sequence[str], wanted: Sequence[str], starts: range) -> list[int]:
    """Return the windows that share the most words with the wanted lines: to compare all can take minutes."""
    words = {word for line in wanted for word in _WORD.findall(line)}
    shared = [0, *accumulate(len(words.intersection(_WORD.findall(line[:1000]))) for line in lines)]
    size = len(wanted)
    return nlargest(LIKELY, starts, key=lambda at: shared[min(at + size, len(lines))] - shared[at])


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)[:MOST_TOKENS]
