"""Two edits at once: of single ones that mend some of the failing tests, those that go together."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from bot.repair.worker.bed import Numbered
from bot.repair.worker.source import Candidate
from bot.repair.worker.stream import Scored

KEPT = 1500
"""Candidates that are looked at again for how many tests each mends."""
BATCH = 100
NEAR = 70
"""Edits that mend something and are tried with each other."""
ALIKE = 4
"""Edits of one place that mend the same tests."""
LEADERS = 10
PARTNERS = 300
"""Edits that mend nothing on their own and are tried with each of the best ones that do."""
WORTH = 0.3
FIRST_NUMBER = 1 << 40
"""What numbers of pairs begin with, so that they are those of no other candidate."""


class Pairs:
    """Keeps what was tried in vain, marks what each of it mends, and puts two together."""

    def __init__(self) -> None:
        self.kept: dict[int, Scored] = {}
        self.marks: dict[int, int] = {}
        self.batches: list[list[Numbered]] = []
        """What is still to be marked."""
        self.end = 0.0
        """When no more time is spent on that."""
        self.begun = False
        self.ended = False

    def keep(self, number: int, scored: Scored) -> None:
        """Remember a candidate that failed."""
        if len(self.kept) < KEPT and not self.begun:
            self.kept[number] = scored

    def begin(self, end: float) -> None:
        """Keep nothing more, and lay out what is to be marked until some time."""
        self.begun, self.end = True, end
        rest = iter(sorted(self.kept.items()))
        self.batches = list(iter(lambda: list(itertools.islice(rest, BATCH)), []))

    def hear(self, lines: Iterable[bytes]) -> None:
        """Note which tests candidates mend: in each line the number of one and a set of bits."""
        for line in lines:
            number, mended = map(int, line.split())
            if mended and number in self.kept:
                self.marks[number] = mended

    def join(self) -> Iterator[Numbered]:
        """Return, once, pairs to be tried, best first."""
        self.ended = True
        near = self._nearest()
        pairs: dict[tuple[int, int], tuple[int, float]] = {}
        for one, other in itertools.combinations(near, 2):
            both = self.marks[one] | self.marks[other]
            if both not in (self.marks[one], self.marks[other]):
                pairs[one, other] = (bin(both).count("1"), self._score(one, other))
        ranked = sorted(pairs, key=lambda pair: (-pairs[pair][0], -pairs[pair][1]))
        plain = [number for number in sorted(self.kept) if number not in self.marks][:PARTNERS]
        with_plain = itertools.product(near[:LEADERS], plain)
        others = sorted(with_plain, key=lambda pair: -self._score(*pair))
        count = itertools.count(FIRST_NUMBER)
        for one, other in [*ranked, *others]:
            joined = join(self.kept[one].candidate, self.kept[other].candidate)
            if joined is not None:
                yield next(count), Scored(self._score(one, other), joined)

    def _score(self, one: int, other: int) -> float:
        return WORTH * min(self.kept[one].score, self.kept[other].score)

    def _nearest(self) -> list[int]:
        """List the candidates that mend most, no more than a few of each place and each set of tests."""
        ranked = sorted(self.marks, key=lambda n: (-bin(self.marks[n]).count("1"), -self.kept[n].score))
        alike: dict[tuple[object, ...], int] = {}
        found = []
        for number in ranked:
            edit = self.kept[number].candidate.edit
            place = (edit.path, edit.start, edit.end, self.marks[number])
            alike[place] = alike.get(place, 0) + 1
            if alike[place] <= ALIKE:
                found.append(number)
        return found[:NEAR]


def join(one: Candidate, other: Candidate) -> Candidate | None:
    """Make one candidate of two, if they keep out of each other's way."""
    for a, b in itertools.product(one.edits, other.edits):
        if a.path == b.path and a.start <= b.end and b.start <= a.end:
            return None
    first, *rest = sorted((*one.edits, *other.edits), key=lambda e: (e.path, e.start))
    template = one.template if one.template == other.template else f"{one.template}+{other.template}"
    return Candidate(first, template, min(one.prior, other.prior) * WORTH, one.line, tuple(rest))


def alternate(*sources: Iterator[Numbered]) -> Iterator[Numbered]:
    """Take from each source in turn, as long as it lasts."""
    left = list(sources)
    while left:
        taken = [(source, next(source, None)) for source in left]
        left = [source for source, numbered in taken if numbered is not None]
        yield from (numbered for _, numbered in taken if numbered is not None)
