"""Finds the fewest of the last changes that have to be taken back, and says where they are not to blame at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.repair.worker.cold import Patch, Verdict, files_of
from bot.repair.worker.job import Job
from bot.repair.worker.past import changed_lines
from bot.repair.worker.pool import Pool

SINGLES = 8
"""Changes that are tried one by one, the most suspicious first."""
SCORE = 0.01
"""Below that of any other candidate: it may take back what somebody wanted."""
AGAIN = 2
"""Further runs of tests that failed and now pass, to see whether they always do."""


def look_back(job: Job, failing: Sequence[str], reason: str) -> str:
    """Examine the last changes where nothing else was found; returns why the search ended."""
    job.kept = 0.0
    if job.mode != "search" or job.proposed or job.left <= 0:
        return reason
    names = list(failing) or job.tests
    return _Reverts(job, names).run(reason) if names else reason


class _Reverts:
    """One examination."""

    def __init__(self, job: Job, names: list[str]) -> None:
        self.job = job
        self.names = names
        self.units = sorted(job.past.units(), key=self._suspicion)
        self.known: dict[frozenset[int], bool] = {}
        self.now: Verdict | None = None

    def _suspicion(self, unit: Patch) -> float:
        scores, read = self.job.past.scores, self.job.tree.read
        lines = [(e.path, line) for e in unit.edits for line in changed_lines(read(e.path), e)]
        return -max((scores.get(line, 0.0) for line in lines), default=0.0)

    def run(self, reason: str) -> str:
        """Look whether the failing tests fail at all, whether they did before, and what is to blame if not."""
        everything = frozenset(range(len(self.units)))
        self.now, *others = self._cold([Patch(), self._patch(everything)][: 1 + bool(everything)])
        if self.now is None or not self.now.complete:
            return reason
        if self._good(self.now):
            return self._ask_again(reason)
        before = others[0] if others else None
        if before is None:
            return reason
        failed = [name for name in self._mine(before) if before.outcomes[name] == "failed"]
        if before.complete and failed and not before.broken:
            self.job.tell("standing", word="before", tests=failed[:50])
            return reason
        found = self._single() or (self._shrink(everything) if self._good(before) else None)
        return "found" if found and self._confirm(found) else reason

    def _ask_again(self, reason: str) -> str:
        """Run tests again that failed before and pass now."""
        runs = self._cold([Patch()] * AGAIN, [name for name in self.names if "::" in name])
        flips = {name for run in runs if run for name in self._mine(run) if run.outcomes[name] == "failed"}
        if flips:
            self.job.tell("standing", word="flaky", tests=sorted(flips)[:50])
        return reason

    def _single(self) -> frozenset[int] | None:
        return self._first([frozenset((n,)) for n in range(min(len(self.units), SINGLES))], whole=True)

    def _shrink(self, units: frozenset[int]) -> frozenset[int] | None:
        """Halve the changes again and again, as far as the failing tests keep passing without them."""
        parts = 2
        while len(units) > 1 and self.job.left > 0:
            size = -(-len(units) // parts)
            ordered = sorted(units)
            chunks = [frozenset(ordered[i : i + size]) for i in range(0, len(ordered), size)]
            less = self._first(chunks) or (
                self._first([units - chunk for chunk in chunks]) if len(chunks) > 2 else None
            )
            if less is not None:
                units, parts = less, 2 if less in chunks else max(2, parts - 1)
            elif size == 1:
                break
            else:
                parts = min(len(units), 2 * parts)
        return units

    def _first(self, sets: Sequence[frozenset[int]], *, whole: bool = False) -> frozenset[int] | None:
        """Return the first of some sets whose reversal lets the failing tests pass, and with `whole` breaks none."""
        at = 0
        while at < len(sets) and self.job.left > 0:
            some = sets[at : at + self.job.workers]
            at += len(some)
            fresh = [one for one in some if one not in self.known]
            for one, verdict in zip(fresh, self._cold([self._patch(one) for one in fresh])):
                self.known[one] = verdict is not None and self._good(verdict) and not (whole and self._broken(verdict))
            for one in some:
                if self.known[one]:
                    return one
        return None

    def _confirm(self, chosen: frozenset[int]) -> bool:
        """Run all tests with and without the changes once more, and tell them if all is as it was."""
        patch = self._patch(chosen)
        again, verdict = self._cold([Patch(), patch], [])
        if again is None or verdict is None or not (again.complete and self._good(verdict)):
            return False
        if self._good(again):
            self.job.tell("standing", word="flaky", tests=self._mine(again)[:50])
            return False
        if not _passing(again) <= _passing(verdict) or verdict.broken - again.broken:
            return False
        self._propose(patch)
        return True

    def _propose(self, patch: Patch) -> None:
        edits = [[*edit] for edit in patch.edits]
        first = patch.edits[0] if patch.edits else None
        path = first.path if first else next(iter((*(name for name, _ in patch.created), *patch.deleted)))
        line = changed_lines(self.job.tree.read(path), first)[0] if first else 1
        self.job.tell(
            "candidate", path=path, edits=edits, created=[[*pair] for pair in patch.created], deleted=[*patch.deleted],
            template="revert", line=line, score=SCORE, seconds=round(self.job.spent, 3),
        )  # fmt: skip

    def _patch(self, chosen: frozenset[int]) -> Patch:
        units = [self.units[n] for n in sorted(chosen)]
        return Patch(
            tuple(edit for unit in units for edit in unit.edits),
            tuple(pair for unit in units for pair in unit.created),
            tuple(path for unit in units for path in unit.deleted),
        )

    def _mine(self, verdict: Verdict) -> list[str]:
        """List the tests that are to pass, as far as they were run."""
        marks = tuple(f"{name}{end}" for name in self.names for end in ("::", "["))
        return [name for name in verdict.outcomes if name in self.names or name.startswith(marks)]

    def _good(self, verdict: Verdict) -> bool:
        mine = self._mine(verdict)
        there = all(any(n == name or n.startswith((f"{name}::", f"{name}[")) for n in mine) for name in self.names)
        return verdict.complete and there and all(verdict.outcomes[name] != "failed" for name in mine)

    def _broken(self, verdict: Verdict) -> bool:
        assert self.now is not None
        return not _passing(self.now) <= _passing(verdict)

    def _cold(self, patches: Sequence[Patch], names: Sequence[str] | None = None) -> list[Verdict | None]:
        """Run the files of the failing tests, or those of others, or all, on patched copies side by side."""
        files = files_of(self.names if names is None else names)
        task: dict[str, Any] = {"files": files, "wanted": [], "needed": []}
        found: list[Verdict | None] = [None] * len(patches)
        pool = Pool(self.job.workers, (self.job.pipe,))
        todo = list(enumerate(patches))
        try:
            while (todo or pool.children) and self.job.left > 0:
                while todo and pool.free:
                    number, patch = todo.pop(0)
                    self.job.run_cold(pool, "revert", number, patch, task, self.job.left)
                for child, ended in pool.events():
                    if ended:
                        number, verdict = self.job.collect(child)
                        found[number] = verdict
        finally:
            pool.close()
        return found


def _passing(verdict: Verdict) -> set[str]:
    return {name for name, outcome in verdict.outcomes.items() if outcome == "passed"}
