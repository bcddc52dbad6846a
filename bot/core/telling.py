"""Which lines of a long output tell what is wrong, and how they are kept when the rest is not."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

TELLING = re.compile(
    r"\b(error|exception|traceback|fail(?:ed|ure|ures|s)?|fatal|panic|assert\w*|undefined|denied|refused)\b"
    r"|\w(?:Error|Exception|Warning)\b|^E\s|^\S+:\d+(?::\d+)?: ",
    re.IGNORECASE,
)
WIDTH = 400
"""Characters of one line that are kept."""
LOOKED_AT = 2000
"""Characters of a line that are looked at."""
NUMBERED = 10
"""Bytes that a line takes beside its text."""
_NUMBER = re.compile(r"0x[0-9a-fA-F]+|\d+")


class Said(NamedTuple):
    """A line that looks like an error."""

    number: int
    """Counted from 1."""
    text: str
    more: int = 0
    """How many lines differ from it in their numbers only, and are not kept."""

    def __str__(self) -> str:
        return f"{self.text}  (and {self.more} alike)" if self.more else self.text


class Parts(NamedTuple):
    """What is kept of a long output."""

    head: Sequence[str]
    middle: int
    """How many lines lie between the head and the tail."""
    said: Sequence[Said]
    """Those of them that look like errors; numbers count from the beginning of the output."""
    left: int
    """How many more look like errors, and like none of those."""
    tail: Sequence[str]


def is_telling(line: str) -> bool:
    """Tell whether a line looks like an error."""
    return TELLING.search(line[:LOOKED_AT]) is not None


def weight(line: str) -> int:
    """Count the bytes of a line with its end."""
    return len(line.encode("utf-8", "replace")) + 1


def clip_line(line: str, width: int = WIDTH) -> str:
    """Cut a long line so that what looks like an error stays."""
    if len(line) <= width:
        return line
    hit = TELLING.search(line[:100_000])
    start = max(0, hit.start() - width // 2) if hit and hit.start() > width // 2 else 0
    mark = "… " if start else ""
    return f"{mark}{line[start : start + width]} … ({len(line)} characters)"


@dataclass(slots=True)
class Pick:
    """Collects the lines that look like errors: each wording once; when there are too many, one of each shape first."""

    room: int
    """Bytes that may be kept."""
    width: int = WIDTH
    number: int = 0
    left: int = 0
    """Telling lines of a new shape for which there was no room."""
    _wordings: dict[str, Said] = field(default_factory=dict)
    _shapes: dict[str, Said] = field(default_factory=dict)
    """The first line of each shape."""
    _counts: dict[str, int] = field(default_factory=dict)
    """How many lines of a shape were said; beyond the wordings kept, equal ones count as often as they are said."""
    _full: bool = False
    _wordy: int = 0
    _shapely: int = 0

    def add(self, line: str) -> None:
        """Look at the next line."""
        self.number += 1
        wording = line.strip()
        if wording in self._wordings or not is_telling(line):
            return
        said = Said(self.number, clip_line(wording, self.width))
        cost = weight(said.text) + NUMBERED
        shape = _shape(wording)
        if shape in self._shapes:
            self._counts[shape] += 1
        elif self._shapely + cost <= self.room:
            self._shapes[shape], self._counts[shape] = said, 1
            self._shapely += cost
        else:
            self.left += 1
        if self._wordy + cost <= self.room:
            self._wordings[wording] = said
            self._wordy += cost
        else:
            self._full = True

    def said(self) -> list[Said]:
        """Return what is kept, in the order in which it was said."""
        if not self._full:
            return list(self._wordings.values())
        kept = {shape: [first] for shape, first in self._shapes.items()}
        room = self.room - self._shapely - NUMBERED * len(kept)
        for wording, said in self._wordings.items():
            cost = weight(said.text) + NUMBERED
            alike = kept.get(_shape(wording), [said])
            if said not in alike and cost <= room:
                alike.append(said)
                room -= cost
        told = ([found[0]._replace(more=self._counts[shape] - len(found)), *found[1:]] for shape, found in kept.items())
        return sorted(chain.from_iterable(told))


def pick(lines: Iterable[str], room: int, width: int = WIDTH) -> Pick:
    """Collect the lines that look like errors."""
    found = Pick(room, width)
    for line in lines:
        found.add(line)
    return found


def part(lines: Sequence[str], room: int) -> Parts:
    """Keep the lines that look like errors, and as much of the beginning and the end as there is room for then."""
    width = min(WIDTH, max(40, room // 8))
    wanted = pick(lines, room * 3 // 4, width)
    spare = room - sum(weight(str(said)) + NUMBERED for said in wanted.said())
    head = take(lines, spare // 2, width)
    tail = take(lines[len(head) :][::-1], spare - sum(map(weight, head)), width)[::-1]
    end = len(lines) - len(tail)
    said = [one for one in wanted.said() if len(head) < one.number <= end or one.more]
    return Parts(head, end - len(head), said, wanted.left, tail)


def take(lines: Sequence[str], room: int, width: int = WIDTH) -> list[str]:
    """Return the leading lines that fit."""
    taken: list[str] = []
    for line in lines:
        cut = clip_line(line, width)
        room -= weight(cut)
        if room < 0:
            break
        taken.append(cut)
    return taken


def squeeze(text: str, room: int) -> str:
    """Fit an output into so many bytes: its beginning, the lines that look like errors, and its end."""
    if weight(text) <= room:
        return text
    kept = part(text.split("\n"), max(0, room - 200))
    note = f"[… {kept.middle} lines left out{'; those of them that look like errors:]' if kept.said else ']'}"
    left = [f"[… and {kept.left} more that look like errors]"] if kept.left else ["[…]"] if kept.said else []
    return "\n".join([*kept.head, note, *map(str, kept.said), *left, *kept.tail])


def _shape(wording: str) -> str:
    return _NUMBER.sub("#", wording[:LOOKED_AT])
