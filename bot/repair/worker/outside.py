"""Searches where failing tests run the project in other processes, which see what stands on disk and nothing else.

Each candidate is written into a copy of the tree, so there are some hundred of them at best; the best come first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.repair.worker.bed import Bed
from bot.repair.worker.cold import Patch, Verdict, files_of
from bot.repair.worker.pool import Child, Pool
from bot.repair.worker.stream import Scored
from bot.repair.worker.warm import Session

LEAST_WALL = 2.0
WALL_SHARE = 4
"""Seconds by the clock for a test: so many, and so many times what it needed before anything was changed."""
SETTLE = 1.5
"""Seconds that the search goes on after the first candidate was confirmed."""


class Outside:
    """One search in which every candidate is run in a fresh process."""

    def __init__(self, session: Session, targets: Sequence[int], passing: set[str] | None = None) -> None:
        self.session = session
        self.job = session.job
        self.bed = Bed(session, targets)
        self.targets = {session.items[i].nodeid for i in targets}
        self.first = {session.items[i].nodeid for i in self.bed.screening}
        slowest = max(session.standings[i].seconds for i in self.bed.screening)
        self.wall = LEAST_WALL + WALL_SHARE * slowest
        self.passing = passing
        self.pool = Pool(self.job.workers + 1, (self.job.pipe,))
        self.promising: list[Scored] = []
        self.found: list[Scored] = []
        self.tried = 0
        self.since = 0.0

    def run(self, candidates: Iterator[Scored], seconds: float) -> str:
        """Search until there is a reason to stop, and return it."""
        end = self.job.spent + min(seconds, self.job.left)
        try:
            if self.passing is None:
                names = [self.session.items[i].nodeid for i in self.bed.wanted]
                self._start("reference", None, Patch(), names, ())
            while not self._over(end):
                self._fill(candidates)
                if not self.pool.children:
                    return "found" if self.found else "exhausted"
                for child, ended in self.pool.events():
                    if ended:
                        self._hear(child)
        finally:
            self.pool.close()
            self.job.tell("tried", count=self.tried)
        return "found" if self.found else "out of time"

    def _over(self, end: float) -> bool:
        if len(self.found) >= self.job.limit or self.job.spent > end:
            return True
        return bool(self.found) and self.job.spent > self.since + SETTLE

    def _fill(self, candidates: Iterator[Scored]) -> None:
        while self.pool.free:
            if self.promising and self.passing is not None:
                scored = self.promising.pop(0)
                names = [self.session.items[i].nodeid for i in self.bed.wanted]
                needed = sorted(self.targets | self.passing)
                self._start("confirm", scored, Patch(scored.candidate.edits), names, needed)
                continue
            scored_next = next(candidates, None)
            if scored_next is None:
                return
            self._start("screen", scored_next, Patch(scored_next.candidate.edits), self._leading(), sorted(self.first))
            self.tried += 1

    def _leading(self) -> list[str]:
        """Name the failing tests that are run first, with those that they cannot do without."""
        numbers = {i for i in self.bed.screening for i in (*self.session.preludes.get(i, ()), i)}
        return [self.session.items[i].nodeid for i in sorted(numbers)]

    def _start(self, kind: str, scored: Scored | None, patch: Patch, names: list[str], needed: Sequence[str]) -> None:
        wall = self.wall if kind == "screen" else 0.0
        task = {"files": files_of(names), "wanted": names, "needed": list(needed), "wall": wall}
        self.job.run_cold(self.pool, kind, scored, patch, task)

    def _hear(self, child: Child) -> None:
        scored, verdict = self.job.collect(child)
        passed = {name for name, outcome in verdict.outcomes.items() if outcome == "passed"}
        if child.kind == "reference":
            self.passing = passed
        elif child.kind == "screen":
            if verdict.complete and self.first <= passed:
                self.promising.append(scored)
                self.promising.sort(key=lambda one: -one.score)
        else:
            self._confirm(scored, verdict, passed)

    def _confirm(self, scored: Scored, verdict: Verdict, passed: set[str]) -> None:
        assert self.passing is not None, "nothing is confirmed before the reference"
        if verdict.complete and (self.targets | self.passing) <= passed:
            self.since = self.since or self.job.spent
            self.found.append(scored)
            self.job.propose(scored.candidate, scored.score)
