"""Failures told by their causes: each once, with how many more there are, in as many words as there is room for."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from bot.core.check import CaseResult, Rung
from bot.core.weight import weigh
from bot.verify.contrast import contrast
from bot.verify.place import one_line

Bad: TypeAlias = tuple[str, Rung, CaseResult]
"""The name and the rung of a check, and what it complains of."""

Group: TypeAlias = tuple[tuple[str, Rung], list[CaseResult]]
"""Failures that share a message, and the check that complains of them."""

ALIKE = 4
"""Names shown of cases that fail alike."""
PLACES = 6
"""Places shown of cases that fail alike elsewhere."""
LONGEST_CHECK = 120

_NUMBER = re.compile(r"0x[0-9a-fA-F]+|\d+")
_OBJECT = re.compile(r"<(?:[^<>]|<[^<>]*>)*>")


class Measure(NamedTuple):
    """How much is said of each failure."""

    message: int
    name: int
    merged: bool
    """Whether failures with one message are told together, wherever they arise."""
    each: int = 1
    """How many places are then told in full."""


FULL = Measure(360, 200, merged=False)
MEASURES = (
    FULL,
    Measure(220, 200, merged=False),
    *(Measure(220, 140, merged=True, each=each) for each in (24, 12, 6, 3, 1)),
    *(Measure(message, 140, merged=True) for message in (120, 60)),
)
"""Tried in this order until everything fits."""


class Line(NamedTuple):
    """One line, and how many failures it stands for."""

    text: str
    cases: int


@dataclass(slots=True)
class Room:
    """What may still be said."""

    tokens: int
    bytes: int
    lines: list[str] = field(default_factory=list)
    paid: tuple[int, int] = (0, 0)
    """Tokens and bytes of what was said."""

    def add(self, line: str) -> bool:
        """Say a line if there is room for it."""
        tokens, size = weigh(line), len(line.encode("utf-8", "replace")) + 1
        if tokens > self.tokens or size > self.bytes:
            return False
        self._pay(tokens, size)
        self.lines.append(line)
        return True

    def share(self, part: float) -> "Room":
        """Return a part of it as a room of its own, in which nothing was said."""
        return Room(int(self.tokens * part), int(self.bytes * part))

    def pay(self, other: "Room") -> None:
        """Leave room for what was said in a part of it."""
        self._pay(*other.paid)

    def take(self, other: "Room") -> None:
        """Say what was said in a part of it."""
        self.pay(other)
        self.lines += other.lines

    def _pay(self, tokens: int, size: int) -> None:
        self.tokens, self.bytes = self.tokens - tokens, self.bytes - size
        self.paid = self.paid[0] + tokens, self.paid[1] + size


class Kept(NamedTuple):
    """Room that is kept for saying how much was left out."""

    tokens: int
    bytes: int


COUNTING = Kept(70, 300)


def tell_causes(bad: Sequence[Bad], room: Room) -> Sequence[CaseResult]:
    """Tell failures in as many words as fit, those of each cause together; return those that nothing was said of."""
    for measure in MEASURES:
        trial = room.share(1)
        if all(trial.add(line.text) for line in _lines(bad, measure)):
            room.take(trial)
            return ()
    checks: dict[str, list[Bad]] = {}
    for each in bad:
        checks.setdefault(each[0], []).append(each)
    return _share(sorted(checks.values(), key=len), room) if len(checks) > 1 else _fill(bad, room)


def _share(checks: Sequence[Sequence[Bad]], room: Room) -> Sequence[CaseResult]:
    """Tell of each check what fits, beginning with that of the fewest failures: many of one hide none of another."""
    left: list[CaseResult] = []
    for count, bad in enumerate(checks):
        part = room.share(1 / (len(checks) - count))
        left += tell_causes(bad, part)
        room.take(part)
    return left


def _fill(bad: Sequence[Bad], room: Room) -> Sequence[CaseResult]:
    """Tell what fits of causes that are too many; return the rest."""
    left: list[CaseResult] = []
    most = Room(room.tokens - COUNTING.tokens, room.bytes - COUNTING.bytes)
    for check, cases in _varied(list(_groups(bad, merged=True))):
        told = 0
        for line in _group(check, cases, MEASURES[-1]):
            if left or not most.add(line.text):
                break
            told += line.cases
        left += cases[told:]
    room.take(most)
    return left


def tell_left(left: Sequence[CaseResult]) -> str:
    """Count failures that nothing was said of, by what they ended with and by where they are."""
    kinds = Counter(case.error or _error(case.message) for case in left)
    files = Counter(_short_path(case.path or case.id.partition("::")[0], 40) for case in left)
    facts = [f"{count} {name}" for name, count in kinds.most_common(4) if name]
    facts += [f"{count} in {name}" for name, count in files.most_common(4) if name]
    return f"MORE {len(left)} further failures are not shown" + (f": {'; '.join(facts)}" if facts else "")


def _error(message: str) -> str:
    found = re.match(r"[A-Za-z_][\w.]{0,60}(?=:|$)", message)
    return found.group() if found else ""


def _varied(groups: Sequence[Group]) -> Sequence[Group]:
    """Put the first of each kind of error in each file first: many of one kind hide none of another."""
    seen: Counter[tuple[str, str]] = Counter()
    rounds: list[int] = []
    for _, (first, *_rest) in groups:
        kind = first.error or _error(first.message), first.path
        rounds.append(seen[kind])
        seen[kind] += 1
    return [group for _, group in sorted(zip(rounds, groups, strict=True), key=lambda pair: pair[0])]


def _lines(bad: Sequence[Bad], measure: Measure) -> Iterator[Line]:
    for check, cases in _groups(bad, merged=measure.merged):
        yield from _group(check, cases, measure)


def _groups(bad: Sequence[Bad], *, merged: bool) -> Iterator[Group]:
    causes: dict[tuple[str, ...], Group] = {}
    for check, rung, case in bad:
        key = (check, _wording(case)) if merged else (check, *_cause(case))
        causes.setdefault(key, ((check, rung), []))[1].append(case)
    yield from causes.values()


def _wording(case: CaseResult) -> str:
    first = case.message.partition("\n")[0]
    # What a fixture is asked for by name is lacking for all who ask
    first = _OBJECT.sub("<>", first) if case.error == "FixtureLookupError" else first
    return _NUMBER.sub("#", first)


def _cause(case: CaseResult) -> tuple[str, ...]:
    """Reduce a failure to what repeated ones share; findings of static checks are each their own cause."""
    where = f"{case.path}:{case.line}" if case.path else ""
    return where, _wording(case), case.path if "::" not in case.id else ""


def _group(check: tuple[str, Rung], cases: Sequence[CaseResult], measure: Measure) -> Iterator[Line]:
    """Tell failures that share a message: those at one place together, a few places in full."""
    places: dict[tuple[str, ...], list[CaseResult]] = {}
    for case in cases:
        places.setdefault(_cause(case), []).append(case)
    alike = list(places.values())
    for first, *same in alike[: measure.each]:
        yield Line(_failed(check, first, measure), 1)
        if same:
            names = _some([name(case.id, measure.name) for case in same], ALIKE)
            yield Line(f"SAME {word_of(check[0])} {len(same)} more fail alike: {names}", len(same))
    if rest := [case for group in alike[measure.each :] for case in group]:
        names = _some(list(dict.fromkeys(_place(case, measure) for case in rest)), PLACES)
        yield Line(f"ALIKE {word_of(check[0])} {len(rest)} more elsewhere: {names}", len(rest))


def _some(names: Sequence[str], shown: int) -> str:
    return "; ".join(names[:shown]) + ("; …" if len(names) > shown else "")


def _failed(check: tuple[str, Rung], case: CaseResult, measure: Measure) -> str:
    # A finding is short, and what mends it by rule reads all of it
    finding = check[1].height < Rung.UNIT.height
    size = FULL if finding else measure
    message = contrast(case.message, size.message) or case.outcome
    return f"FAILED {word_of(check[0])} {name(case.id, size.name)} at {_place(case, size)}: {message}"


def _place(case: CaseResult, measure: Measure) -> str:
    return f"{_short_path(case.path, measure.name).replace(':', chr(92) + 'x3a') or '-'}:{case.line}"


def _short_path(path: str, longest: int) -> str:
    """Fit a path; of a long one the end, which names the file."""
    whole = one_line(path)
    return whole if len(whole) <= longest else f"…{whole[1 - longest :]}"


def name(case: str, longest: int = FULL.name) -> str:
    """Write an id on one line of bounded length."""
    return one_line(case, longest) or "-"


def word_of(check: str) -> str:
    """Write a check's name as one word."""
    return ("-".join(check.split()) or "-")[:LONGEST_CHECK]
