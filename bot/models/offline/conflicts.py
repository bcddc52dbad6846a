"""Conflict markers that were committed: where they are, and which side is the newer one where history tells."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from bot.models.offline.suggestions import Suggestion

START = re.compile(r"<{7}(?: (?P<label>.*))?$")
BASE = re.compile(r"\|{7}(?: .*)?$")
MIDDLE = re.compile(r"={7}$")
END = re.compile(r">{7}(?: (?P<label>.*))?$")
AROUND = 3
"""Lines before and after a conflict by which its place is known in another text."""
LONGEST_LABEL = 60
MOST = 10


class Conflict(NamedTuple):
    """One place where two sides stand."""

    line: int
    """Where it begins, counted from 1."""
    end: int
    """Its last line."""
    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    base: tuple[str, ...] | None
    """What both sides started from, where the markers tell it."""
    labels: tuple[str, str]


def find(text: str) -> tuple[Conflict, ...]:
    """Find conflicts whose markers are complete and in order."""
    found: list[Conflict] = []
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        conflict = _read(lines, at) if START.match(lines[at]) else None
        if conflict is not None:
            found.append(conflict)
        at = conflict.end if conflict is not None else at + 1
    return tuple(found)


def _read(lines: Sequence[str], start: int) -> Conflict | None:
    """Read the conflict that begins at an index; None when it is none."""
    marks: dict[str, int] = {}
    for at in range(start + 1, len(lines)):
        if START.match(lines[at]):
            return None
        if BASE.match(lines[at]) and not marks:
            marks["base"] = at
        elif MIDDLE.match(lines[at]) and "middle" not in marks:
            marks["middle"] = at
        elif END.match(lines[at]):
            return _made(lines, start, at, marks)
    return None


def _made(lines: Sequence[str], start: int, end: int, marks: dict[str, int]) -> Conflict | None:
    if "middle" not in marks:
        return None
    split = marks.get("base", marks["middle"])
    base = tuple(lines[split + 1 : marks["middle"]]) if "base" in marks else None
    labels = _label(START, lines[start], "the first side"), _label(END, lines[end], "the second side")
    ours, theirs = tuple(lines[start + 1 : split]), tuple(lines[marks["middle"] + 1 : end])
    return Conflict(start + 1, end + 1, ours, theirs, base, labels)


def _label(pattern: re.Pattern[str], line: str, otherwise: str) -> str:
    found = pattern.match(line)
    label = (found["label"] or "").strip()[:LONGEST_LABEL] if found else ""
    return f"`{label}`" if label else otherwise


def advise(path: str, text: str, base: str = "") -> tuple[Suggestion, ...]:
    """Say of each conflict what can be known; `base` is the file as both sides had it, empty when that is not known."""
    lines, known = text.split("\n"), base.split("\n") if base else []
    return tuple(Suggestion(path, one.line, _advice(one, lines, known)) for one in find(text)[:MOST])


def _advice(conflict: Conflict, lines: Sequence[str], base: Sequence[str]) -> str:
    first, second = conflict.labels
    head = "conflict markers were left in the file"
    if conflict.ours == conflict.theirs:
        return f"{head}: both sides are the same, keep one of them"
    ours, theirs = (_is_old(conflict, side, lines, base) for side in (conflict.ours, conflict.theirs))
    if ours and not theirs:
        return f"{head}: {first} has what both sides started from, so {second} is the change: keep that side"
    if theirs and not ours:
        return f"{head}: {second} has what both sides started from, so {first} is the change: keep that side"
    return f"{head}: which of {first} and {second} is right, a person has to decide"


def _is_old(conflict: Conflict, side: Sequence[str], lines: Sequence[str], base: Sequence[str]) -> bool:
    """Whether a side is what both sides started from."""
    if conflict.base is not None:
        return tuple(side) == conflict.base
    before = lines[max(0, conflict.line - 1 - AROUND) : conflict.line - 1]
    after = lines[conflict.end : conflict.end + AROUND]
    whole = [*before, *side, *after]
    return bool(whole) and any(list(base[at : at + len(whole)]) == whole for at in range(len(base)))
