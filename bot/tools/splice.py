"""Applies hunks to the lines of a file: where they say, else where their lines are; a little tolerance, no guessing."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bot.errors import NoMatch, TooLarge
from bot.tools.hunks import Hunk

NEARBY = 60
"""Lines around the named one within which one of several equal places is chosen."""
MOST_COMPARED = 10_000_000
"""Places that all hunks of one file are compared with."""
FUZZ = 2
"""Unchanged lines at either end of a hunk that may be left out of account."""

Key: TypeAlias = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Spliced:
    """A file's new text, and what a model should know of how its hunks were placed."""

    body: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Spot:
    at: int
    skip: int = 0
    """Leading and trailing lines of the hunk that are not compared, nor changed."""
    drop: int = 0
    note: str = ""
    exact: bool = False
    """Whether the old lines are there to the letter, so that the new ones are meant to the letter too."""


@dataclass(frozen=True, slots=True)
class _Old:
    """The lines of a file before, without their line feeds."""

    lines: Sequence[str]
    usual: str
    """The carriage return of most line endings, if they have one."""
    whole: bool
    """Whether the last line is ended, too."""

    def returns(self, at: int) -> str:
        """Return the carriage return of a line's ending."""
        if not 0 <= at < len(self.lines) - (not self.whole):
            return self.usual
        return "\r" if self.lines[at].endswith("\r") else ""


def splice(body: str, hunks: Sequence[Hunk], name: str, ending: str) -> Spliced:
    """Apply all hunks to one text. Raises NoMatch."""
    lines = body.split("\n")
    final = lines.pop() if lines[-1] == "" else None
    out: list[str] = []
    notes: list[str] = []
    at = drift = 0
    dress, text = _dress(body, hunks), _Keyed(lines)
    bare = not any(line.endswith("\r") for hunk in hunks for _, line in hunk.lines)
    old = _Old(lines, usual="\r" if ending == "\r\n" else "", whole=final is not None)
    for number, hunk in enumerate(hunks, 1):
        spot = _locate(text, hunk, at, drift, f"{name}: hunk {number} of {len(hunks)}")
        out += lines[at : spot.at]
        changed, at = _changed(old, hunk, spot, _exactly if spot.exact else None if bare else dress)
        out += changed
        if hunk.start is not None:
            drift = spot.at - spot.skip - (hunk.start - 1 if hunk.old else hunk.start)
        notes += [f"hunk {number}: {spot.note}"] if spot.note else []
    out += lines[at:]
    last = _last(final, hunks[-1], at_end=at == len(lines), empty=not out)
    if bare and not last and at == len(lines) and hunks[-1].ends_new:
        out[-1] = out[-1].removesuffix("\r")
    return Spliced("\n".join(out) + last, tuple(notes))


def _last(final: str | None, hunk: Hunk, *, at_end: bool, empty: bool) -> str:
    """Return the newline at the end of the file, which only a hunk that reaches the end can add or take away."""
    if empty:
        return ""
    if at_end and any(hunk.bare):
        return "" if hunk.bare[1] else "\n"
    return "" if final is None else "\n"


def _dress(body: str, hunks: Sequence[Hunk]) -> Key:
    """Return how an added line gets the file's line endings when the patch, as a whole, has the other kind."""
    returns = [line.endswith("\r") for hunk in hunks for _, line in hunk.lines]
    if all(returns) and "\r\n" not in body and any(hunk.old for hunk in hunks):
        return _without_return
    return _exactly


def _changed(old: _Old, hunk: Hunk, spot: _Spot, dress: Key | None) -> tuple[list[str], int]:
    """Return the new lines of a hunk and the index after its old ones; an unchanged line stays as the file has it.

    Without `dress` a new line ends like the line that it replaces, or like the one above it.
    """
    out, first, at, fresh = list[str](), spot.at, spot.at, 0
    for sign, line in hunk.lines[spot.skip : len(hunk.lines) - spot.drop]:
        match sign:
            case "+" if dress is not None:
                out.append(dress(line))
            case "+":
                out.append(line)
                fresh += 1
            case "-":
                at += 1
            case _:
                _end_alike(out, fresh, old, range(first, at), first - 1)
                out.append(old.lines[at])
                at += 1
                first, fresh = at, 0
    _end_alike(out, fresh, old, range(first, at), first - 1 if hunk.old else -1)
    return out, at


def _end_alike(out: list[str], fresh: int, old: _Old, replaced: range, above: int) -> None:
    """Give the last lines the endings of those that they replace, or of the one above."""
    for number in range(fresh):
        at = replaced[min(number, len(replaced) - 1)] if replaced else above
        out[len(out) - fresh + number] += old.returns(at)


class _Keyed:
    """The lines of a text, compared in several ways by many hunks: each way is worked out once."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self._left = MOST_COMPARED
        self._keyed: dict[Key, tuple[list[str], dict[str, list[int]]]] = {}

    def hits(self, wanted: Sequence[str], key: Key, floor: int, expected: int | None) -> list[int]:
        """Find where some lines stand, no earlier than a floor; only where they are expected, if they are there.

        Raises TooLarge where there is no end of places to compare.
        """
        lines, places = self._by(key)
        if expected is not None and expected >= floor and lines[expected : expected + len(wanted)] == wanted:
            return [expected]
        starts = places.get(wanted[0], [])
        starts = starts[bisect_left(starts, floor) :]
        self._left -= len(starts)
        if self._left < 0:
            raise TooLarge("too many hunks fit at too many places: give right line numbers; nothing was changed")
        return [at for at in starts if lines[at : at + len(wanted)] == wanted]

    def _by(self, key: Key) -> tuple[list[str], dict[str, list[int]]]:
        if key not in self._keyed:
            lines = [key(line) for line in self.lines]
            places: dict[str, list[int]] = {}
            for at, line in enumerate(lines):
                places.setdefault(line, []).append(at)
            self._keyed[key] = lines, places
        return self._keyed[key]


def _locate(text: _Keyed, hunk: Hunk, floor: int, drift: int, what: str) -> _Spot:
    lines = text.lines
    if not hunk.old:
        return _Spot(max(floor, len(lines) if hunk.start is None else min(len(lines), hunk.start + drift)))
    expected = None if hunk.start is None else hunk.start - 1 + drift
    for skip, drop, key, how in _tolerances(hunk):
        wanted = [key(line) for line in hunk.old[skip : len(hunk.old) - drop]]
        hits = text.hits(wanted, key, floor, None if expected is None else expected + skip)
        at = _choose(hits, None if expected is None else expected + skip, what)
        if at is not None:
            moved = "" if expected in (None, at - skip) else f"found at line {at - skip + 1} instead of {hunk.start}"
            return _Spot(at, skip, drop, ", ".join(filter(None, (moved, how))), exact=key is _exactly)
    raise NoMatch(
        f"{what} does not apply: its lines are not in the file{_first_missing(lines, hunk)}; nothing was changed"
    )


def _tolerances(hunk: Hunk) -> list[tuple[int, int, Key, str]]:
    """List the ways to compare, strictest first."""
    leading = next((n for n, (sign, _) in enumerate(hunk.lines) if sign != " "), 0)
    trailing = next((n for n, (sign, _) in enumerate(reversed(hunk.lines)) if sign != " "), 0)
    ways: list[tuple[int, int, Key, str]] = [
        (0, 0, _exactly, ""),
        (0, 0, _without_return, ""),
        (0, 0, str.rstrip, "white space at line ends differs"),
    ]
    for fuzz in range(1, FUZZ + 1):
        skip, drop = min(fuzz, leading), min(fuzz, trailing)
        if (skip or drop) and len(hunk.old) - skip - drop > 0:
            ways.append((skip, drop, str.rstrip, f"{skip + drop} lines around it differ"))
    return ways


def _exactly(line: str) -> str:
    return line


def _without_return(line: str) -> str:
    return line.removesuffix("\r")


def _choose(hits: Sequence[int], expected: int | None, what: str) -> int | None:
    """Take the named place, the only one, or the clearly nearest. Raises NoMatch when there is no telling."""
    if len(hits) <= 1:
        return hits[0] if hits else None
    if expected is not None:
        ranked = sorted(hits, key=lambda at: abs(at - expected))
        near, next_near = (abs(at - expected) for at in ranked[:2])
        if near == 0 or (near < next_near and near <= NEARBY):
            return ranked[0]
    places = ", ".join(str(at + 1) for at in hits[:10])
    raise NoMatch(
        f"{what} fits at lines {places}: give right line numbers or more unchanged lines; nothing was changed"
    )


def _first_missing(lines: Sequence[str], hunk: Hunk) -> str:
    """Name a line of the hunk that the file does not have at all."""
    there = {line.strip() for line in lines}
    missing = next((line for line in hunk.old if line.strip() not in there), None)
    return f" (not there: {missing.strip()[:120]!r})" if missing is not None else " (in this order)"
