"""Traces failing tests, and passing ones to set against them, in a child of the warm session."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bot.repair.worker.roll import mark
from bot.repair.worker.spectra import Line, Tracer, causes, crash_of, difference_of

if TYPE_CHECKING:
    from bot.repair.worker.warm import Session

MOST_BEFORE = 40
"""Tests of the same file that are run before one which cannot do without them."""
CANARIES = 2
QUICK = 0.02
"""Seconds for a test that is run after each batch of candidates."""


class Trail:
    """What was seen along the way."""

    def __init__(self, session: Session, notes: Path) -> None:
        self.session = session
        self.tracer = Tracer(session.job.tree, notes)
        self.preludes: dict[int, list[int]] = {}
        self.crashes: list[tuple[object, ...]] = []
        self.differences: list[tuple[str, str]] = []
        self.elsewhere: list[int] = []
        self.sound: list[int] = []

    def follow(self, failing: Sequence[int], passing: Sequence[int]) -> tuple[object, ...]:
        """Trace tests one by one; returns plain values: a spectrum, and what the session wants to know besides."""
        tree, known = self.session.job.tree, set(sys.modules)
        lines: list[set[Line]] = []
        for number, i in enumerate([*failing, *passing]):
            fails = number < len(failing)
            covered, error = self._in_place(i) if fails else self._trace(i)
            lines.append(covered)
            if self.tracer.outcome == "passed" and not self.session.standings[i].hooks:
                self.sound.append(i)
            if fails and self.tracer.elsewhere:
                self.elsewhere.append(number)
            for cause in causes(error):
                crash, difference = crash_of(cause, tree) if fails else None, difference_of(cause)
                self.crashes += [tuple(crash)] if crash is not None else []
                self.differences += [difference] if difference is not None else []
        loaded = [name for name in sorted(set(sys.modules) - known) if self._own(name)]
        canaries = [i for i in self.sound if self.session.standings[i].seconds < QUICK][:CANARIES]
        spectrum = lines[: len(failing)], lines[len(failing) :], self.tracer.variables, self.crashes, self.differences
        return (*spectrum, self.elsewhere, self.preludes, canaries, loaded)

    def _trace(self, i: int) -> tuple[set[Line], BaseException | None]:
        standing = self.session.standings[i]
        limit, wall = max(0.25, 10 * self.session.slowest), 3 * standing.seconds + 1
        return self.tracer.trace(self.session.items[i], limit, hooks=standing.hooks, wall=wall)

    def _in_place(self, i: int) -> tuple[set[Line], BaseException | None]:
        """Trace one test, and where it fails in another way than in its place, once more after those before it."""
        items, standings = self.session.items, self.session.standings
        covered, error = self._trace(i)
        if standings[i].outcome != "failed" or mark(error, items[i]) == standings[i].mark:
            return covered, error
        before = [j for j in range(i) if items[j].location[0] == items[i].location[0]]
        prelude = [j for j in before if standings[j].outcome in ("passed", "failed")][-MOST_BEFORE:]
        if not prelude:
            return covered, error
        self.preludes[i] = prelude
        self.session.lead_up(self.preludes, i)
        return self._trace(i)

    def _own(self, name: str) -> bool:
        file = getattr(sys.modules.get(name), "__file__", None)
        return isinstance(file, str) and self.session.job.tree.own(file) is not None and not name.endswith("__main__")
