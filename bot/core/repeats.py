"""Answers that were given before, shown as what differs: a file read again, the same call with the same answer.

What stands above is named and need not be said again, and everything can be made out from what is shown: `Reader.read`
does it. A file is shown so:

    src/a.py: lines 1-62 of 62
    [as shown above, lines 1-60 of 60, but for:]
        1│VERSION = 3
       12│import json
       13│import re
    [lines 14-62 are lines 12-60 there]

Rows give the lines as they are now, with the numbers that they have now. A range that only moved is named in brackets,
and all other lines are those of the same numbers there.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import NamedTuple

from bot.core.message import ToolCall

SAME = "[the same answer as to this call above]"
SHORTEST = 300
"""Characters of an answer from which on it is worth being shown shorter."""
SOON = 3
"""Answers within which a call that is made again asks for what it was shown shorter."""
REMEMBERED = 2
"""Whole answers for one file that a new one is compared with."""

_HEAD = re.compile(
    r"(?P<path>.+): (?P<label>lines (?P<first>[1-9]\d{0,9})-(?P<last>[1-9]\d{0,9}) of [1-9]\d{0,9})(?:, .*)?"
)
_ROW = re.compile(r" *(?P<number>\d{1,10})│(?P<text>.*)", re.DOTALL)
_AS = re.compile(r"\[as shown above, (?P<label>lines \d+-\d+ of \d+), (?:unchanged|but for:)\]")
_MOVED = re.compile(r"\[lines (?P<first>\d+)-(?P<last>\d+) are lines (?P<there>\d+)-\d+ there\]")
_GO_ON = "… go on with start="


class Page(NamedTuple):
    """A whole answer that shows lines of a file."""

    head: str
    path: str
    label: str
    first: int
    """Number of its first line."""
    lines: tuple[str, ...]
    rest: tuple[str, ...]
    """What is said below them."""

    @property
    def text(self) -> str:
        """The answer itself."""
        return "\n".join([self.head, *(row(self.first + at, line) for at, line in enumerate(self.lines)), *self.rest])


class Piece(NamedTuple):
    """Neighbouring lines of a page that are those of another one, or that are new."""

    first: int
    lines: Sequence[str]
    there: int = 0
    """Number of the first of them there; 0 for new ones."""

    def told(self) -> Iterator[str]:
        """Write them down, in the shorter of two ways where they only moved."""
        if self.there == self.first:
            return
        rows = [row(self.first + at, line) for at, line in enumerate(self.lines)]
        last = len(self.lines) - 1
        moved = f"[lines {self.first}-{self.first + last} are lines {self.there}-{self.there + last} there]"
        yield from [moved] if self.there and len(moved) < sum(map(len, rows)) else rows


def row(number: int, line: str) -> str:
    """Show a line after its number and a bar."""
    return f"{number:>5}│{line}"


def page(answer: str) -> Page | None:
    """Read an answer that shows lines of a file, and nothing but whole ones; None for any other."""
    head, *below = answer.split("\n")
    found = _HEAD.fullmatch(head)
    if found is None:
        return None
    first, count = int(found["first"]), int(found["last"]) - int(found["first"]) + 1
    rows, rest = below[:count], below[count:]
    lines = tuple(line.partition("│")[2] for line in rows)
    made = Page(head, found["path"], found["label"], first, lines, tuple(rest))
    whole = len(rows) == count and (not rest or (len(rest) == 1 and rest[0].startswith(_GO_ON)))
    return made if whole and made.text == answer else None


@dataclass(slots=True)
class _Above:
    """The whole answers that stand above."""

    pages: dict[str, dict[str, Page]] = field(default_factory=dict)
    """By path and range, the latest last."""
    answers: dict[str, str] = field(default_factory=dict)
    """By call."""

    def keep(self, key: str, answer: str, shown: Page | None) -> None:
        if shown is not None:
            labels = self.pages.setdefault(shown.path, {})
            labels.pop(shown.label, None)
            labels[shown.label] = shown
        elif len(answer) > SHORTEST:
            self.answers[key] = answer


@dataclass(slots=True)
class Writer:
    """Shows answers in their order, shorter where they were shown before."""

    _above: _Above = field(default_factory=_Above)
    _count: int = 0
    _short: dict[str, tuple[int, str]] = field(default_factory=dict)
    """What was shown shorter last, and when: by path or by call."""

    def write(self, call: ToolCall, answer: str) -> str:
        """Return what is shown of an answer to a call."""
        self._count += 1
        key, shown = _key(call), page(answer) if call.name == "read_file" else None
        name = shown.path if shown is not None else key
        short = self._shorten(key, answer, shown) if len(answer) > SHORTEST else None
        at, before = self._short.get(name, (-SOON, ""))
        if short is None or (before == answer and self._count - at <= SOON):
            self._short.pop(name, None)
            self._above.keep(key, answer, shown)
            return answer
        self._short[name] = self._count, answer
        return short

    def _shorten(self, key: str, answer: str, shown: Page | None) -> str | None:
        if shown is None:
            return SAME if self._above.answers.get(key) == answer else None
        known = [*self._above.pages.get(shown.path, {}).values()][: -REMEMBERED - 1 : -1]
        found = (short for old in known if (short := _compare(old, shown)) is not None)
        short = min(found, key=len, default=None)
        if short is None or len(short) * 2 > len(answer):
            return None
        # It must never be told otherwise than it is
        return short if _expand(short, self._above) == answer else None


@dataclass(slots=True)
class Reader:
    """Makes whole answers again of what was shown, in the same order."""

    _above: _Above = field(default_factory=_Above)

    def read(self, call: ToolCall, text: str) -> str:
        """Return the answer that is shown as this text."""
        key = _key(call)
        if text == SAME:
            return self._above.answers.get(key, text)
        if call.name == "read_file" and (whole := _expand(text, self._above)) is not None:
            return whole
        self._above.keep(key, text, page(text) if call.name == "read_file" else None)
        return text


def _key(call: ToolCall) -> str:
    return f"{call.name} {json.dumps(call.arguments, sort_keys=True)} {call.raw}"


def _compare(old: Page, new: Page) -> str | None:
    """Tell a page by what differs from another one; None where they have too little in common."""
    known = set(old.lines)
    if sum(len(line) + 1 for line in new.lines if line in known) * 2 < sum(len(line) + 1 for line in new.lines):
        return None
    told = [line for piece in _pieces(old, new) for line in piece.told()]
    how = "but for:" if told else "unchanged"
    return "\n".join([new.head, f"[as shown above, {old.label}, {how}]", *told, *new.rest])


def _pieces(old: Page, new: Page) -> Iterator[Piece]:
    """Part a page into lines that another one has, and others."""
    start = _common(old.lines, new.lines) if old.first == new.first else 0
    end = _common(old.lines[start:][::-1], new.lines[start:][::-1])
    yield Piece(new.first, new.lines[:start], old.first)
    before, after = old.lines[start : len(old.lines) - end], new.lines[start : len(new.lines) - end]
    there, here = old.first + start, new.first + start
    # Where nothing is left on one side there is nothing to look for
    matcher = SequenceMatcher(None, before, after, autojunk=False) if before and after else None
    for kind, first, _, start_here, end_here in matcher.get_opcodes() if matcher else ():
        lines = after[start_here:end_here]
        yield Piece(here + start_here, lines, there + first if kind == "equal" else 0)
    if matcher is None:
        yield Piece(here, after)
    tail = len(new.lines) - end
    yield Piece(new.first + tail, new.lines[tail:], old.first + len(old.lines) - end)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the lines that two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (first, second) in pairs if first != second), min(len(one), len(other)))


def _expand(text: str, above: _Above) -> str | None:
    """Make a page whole again; None for what is not shown shorter, or shorter than something that is not there."""
    head, _, below = text.partition("\n")
    second, *told = below.split("\n")
    found, named = _HEAD.fullmatch(head), _AS.fullmatch(second)
    old = above.pages.get(found["path"], {}).get(named["label"]) if found and named else None
    if found is None or old is None:
        return None
    there = {old.first + at: line for at, line in enumerate(old.lines)}
    now = there | dict(_told(told, there))
    first = int(found["first"])
    last = min(int(found["last"]), first + len(now))
    lines = tuple(now.get(number, "") for number in range(first, last + 1))
    rest = tuple(line for line in told[-1:] if line.startswith(_GO_ON))
    return Page(head, old.path, found["label"], first, lines, rest).text


def _told(lines: Sequence[str], there: Mapping[int, str]) -> Iterator[tuple[int, str]]:
    """Read lines with their numbers out of what is told of a page, given those of the page that it is compared with."""
    for line in lines:
        shown, moved = _ROW.fullmatch(line), _MOVED.fullmatch(line)
        if shown is not None:
            yield int(shown["number"]), shown["text"]
        elif moved is not None:
            first, back = int(moved["first"]), int(moved["there"]) - int(moved["first"])
            last = min(int(moved["last"]), first + len(there))
            yield from ((number, there.get(number + back, "")) for number in range(first, last + 1))
