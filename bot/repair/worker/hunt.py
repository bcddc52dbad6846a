"""Screens candidates in warm forks, verifies survivors in a clean one, and confirms them cold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bot.repair.worker.bed import Bed, Numbered
from bot.repair.worker.cold import Patch, Verdict, files_of
from bot.repair.worker.pairs import Pairs, alternate
from bot.repair.worker.pool import Child, Pool
from bot.repair.worker.stream import Scored
from bot.repair.worker.supply import Supply
from bot.repair.worker.warm import Session

SCREENING = ("screen", "slow", "rescreen")
OTHERS = 120
"""Candidates that are tried after the first one was confirmed, so that a slow machine finds the same ones."""
MARKING = 0.15
"""Part of the time that may be spent on looking what single edits mend."""
SINGLE = 500
"""Edits that are tried singly before two are put together."""
SECOND_CHANCE = 12
CONFIRMED_AGAIN = 4
"""Candidates that are confirmed a second time where the first time failed."""
TELLING = 0.2
"""Seconds between two words on how far the search is."""
CLEARLY_WORSE = 0.3
"""Candidates that are expected to be worse than the best confirmed one by this factor are not waited for."""


class Hunt:
    """One search over one stream of candidates."""

    def __init__(self, session: Session, targets: Sequence[int], passing: set[str] | None = None) -> None:
        self.session = session
        self.job = session.job
        self.targets = list(targets)
        self.names = {session.items[i].nodeid for i in targets}
        self.bed = Bed(session, targets)
        self.supply = Supply(iter(()), self.bed.holds, self.bed.needs_rerun)
        # One more than there are processors: a cold process spends much of its time waiting for the disk.
        self.pool = Pool(self.job.workers + 1, (self.job.pipe,))
        self.batches: list[list[Numbered]] = []
        self.survivors: list[Numbered] = []
        self.verified: list[Numbered] = []
        self.late: list[Numbered] = []
        self.passing = passing
        """What passes in a fresh process before anything is changed; None until that is known."""
        self.unjudged: list[tuple[Numbered, Verdict]] = []
        """Confirmations that came before the reference."""
        self.tried = 0
        self.found: list[Scored] = []
        self.first = 0.0
        self.enough = 0
        self.surprises: set[int] = set()
        self.pairs = Pairs()
        self.failures: dict[int, set[str]] = {}
        """What failed when candidates were confirmed for the first time."""
        self.doubtful: list[Scored] = []
        """Candidates that failed where a failure is no proof."""
        self.told = 0.0
        """When it was last told how far the search is."""

    def run(self, candidates: Iterator[Scored]) -> str:
        """Search until there is a reason to stop, and return it."""
        self.supply.candidates = enumerate(candidates)
        try:
            while True:
                reason = self._over()
                if reason:
                    return reason
                self._fill()
                self._tell_progress()
                if not self.pool.children:
                    return "found" if self.found else "out of candidates" if self.spent else "exhausted"
                for child, ended in self.pool.events():
                    if child.kind == "mark":
                        self.pairs.hear(child.lines())
                    else:
                        self._hear(child, ended=ended)
        finally:
            self.pool.close()

    @property
    def spent(self) -> bool:
        """Whether as many candidates were tried as may be."""
        return self.tried >= self.job.most

    @property
    def doubts(self) -> list[Scored]:
        """Candidates that only a fresh process can judge."""
        return [*self.doubtful, *self.supply.elsewhere]

    def _tell_progress(self) -> None:
        if self.job.spent < self.told + TELLING:
            return
        self.told = self.job.spent
        screened = [child.payload[0][1] for child in self.pool.children.values() if child.kind in SCREENING]
        best = max(screened, key=lambda s: s.score).candidate if screened else None
        path, line = (best.edit.path, best.line) if best else ("", 0)
        left = round(max(0.0, self.job.left), 1)
        self.job.tell("progress", tried=self.tried, path=path, line=line, left=left, found=len(self.found))

    def _over(self) -> str:
        if self.surprises:
            return "surprise"
        if len(self.found) >= self.job.limit:
            return "found"
        if self.job.left <= 0:
            return "found" if self.found else "out of time"
        if self.found:
            settle = min(1.0, max(0.3, self.first * 0.25))
            waiting = self.pool.count("confirm", "verify") or self.survivors or self.verified
            more = waiting or self.tried < self.enough
            if self.job.spent > self.first + settle and (not more or self.job.spent > self.first + 6 * settle):
                return "found"
        return ""

    def _fill(self) -> None:
        while self.pool.free:
            if self.verified and self.pool.count("confirm") < self.job.workers:
                self._start_confirmation(self.verified.pop(0))
            elif self.survivors:
                self._start_verification(self.survivors.pop(0))
            elif self._occupied() or not self._start_next():
                return

    def _occupied(self) -> bool:
        """Whether better candidates than any that could be screened now need all processors."""
        busy = self.pool.count("verify", "confirm"), self.pool.count("screen", "slow", "mark")
        return max(busy) >= self.job.workers

    def _start_next(self) -> bool:
        if self.spent:
            return False
        if self.batches:
            self._start_screening(self.batches.pop(0))
            return True
        if self._pair_up():
            return True
        if not self.pool.count("slow") and (batch := self.supply.draw_slow()):
            self._start_screening(batch, "slow")
            return True
        batch = self.supply.draw()
        best = max((s.score for s in self.found), default=0.0)
        if batch and batch[0][1].score < CLEARLY_WORSE * best:
            self.supply.close(CLEARLY_WORSE * best)
            self.supply.exhausted, batch = True, []
        if batch:
            self._start_screening(batch)
        elif self.late and not self.pool.count("screen", "slow") and not self.found:
            self._start_screening(self.late[:20], "rescreen")
            del self.late[:20]
        else:
            return bool(self.supply.waiting) and not self.pool.count("slow")
        return True

    def _pair_up(self) -> bool:
        """Look for two edits when single ones were tried in vain, or for half of the time."""
        enough = self.job.left < self.job.seconds / 2 and len(self.pairs.kept) >= SINGLE
        if self.found or self.pairs.ended or not (self.supply.exhausted or enough):
            return False
        if not self.pairs.begun:
            self.pairs.begin(self.job.spent + MARKING * self.job.seconds)
        left = self.pairs.end - self.job.spent
        if self.pairs.batches and left > 0:
            batch = self.pairs.batches.pop(0)
            self.bed.load(scored for _, scored in batch)
            self.pool.start("mark", batch, lambda pipe: self.bed.mark(batch, pipe, left), left + 20)
            return True
        if not self.pool.count("mark", "verify", "confirm"):
            self.supply.put_before(alternate(self.pairs.join(), self.supply.candidates))
        return False

    def _start_screening(self, batch: list[Numbered], kind: str = "screen") -> None:
        self.bed.load(scored for _, scored in batch)
        factor = SECOND_CHANCE if kind == "rescreen" else 1
        patience = 20 + 48 * self.bed.limit * factor
        self.pool.start(kind, batch, lambda pipe: self.bed.screen(batch, factor, pipe), patience)

    def _start_verification(self, numbered: Numbered) -> None:
        self.pool.start("verify", numbered, lambda pipe: self.bed.verify(numbered[1], pipe), max(10.0, self.job.left))

    def _cold(self, kind: str, payload: Any, patch: Patch, names: list[str], needed: list[str]) -> None:
        task = {"files": files_of(names), "wanted": names, "needed": needed}
        self.job.run_cold(self.pool, kind, payload, patch, task)

    def start_reference(self) -> None:
        """Let a fresh process say how the tests stand; those that ran out of time are left out."""
        names = [
            self.session.items[i].nodeid for i in self.bed.wanted if self.session.standings[i].outcome != "timeout"
        ]
        if names:
            self._cold("reference", None, Patch(), names, [])
        else:
            self.passing = set()

    def _start_confirmation(self, numbered: Numbered) -> None:
        names = [self.session.items[i].nodeid for i in self.bed.wanted]
        needed = sorted(self.names | (self.passing or set()))
        self._cold("confirm", numbered, Patch(numbered[1].candidate.edits), names, needed)

    def _hear(self, child: Child, *, ended: bool) -> None:
        if child.kind in SCREENING:
            self._hear_screening(child, ended=ended)
        elif ended and child.kind == "verify":
            if child.data.strip() == b"P":
                self.verified.append(child.payload)
                self.verified.sort(key=lambda n: -n[1].score)
            elif child.data.strip() == b"D":
                self.doubtful.append(child.payload[1])
        elif ended:
            payload, verdict = self.job.collect(child)
            if child.kind == "reference":
                self._refer(verdict)
            else:
                self.unjudged.append((payload, verdict))
            if self.passing is not None:
                for numbered, early in self.unjudged:
                    self._confirm(numbered, early)
                self.unjudged.clear()

    def _hear_screening(self, child: Child, *, ended: bool) -> None:
        known = dict(child.payload)
        for line in child.lines():
            number, word = int(line.split()[0]), line.split()[1]
            if word == b"P":
                self.survivors.append((number, known[number]))
                self.survivors.sort(key=lambda n: -n[1].score)
            elif word == b"T" and child.kind != "rescreen":
                self.late.append((number, known[number]))
            elif word == b"F":
                self.pairs.keep(number, known[number])
            elif word == b"D":
                self.doubtful.append(known[number])
            elif word == b"X" and not self.bed.apart:
                self.bed.apart = True
                self.batches.append(child.payload)
            self.tried += word == b"B"
        if ended and child.code != 0:
            begun = [int(line.split()[0]) for line in child.data.splitlines()]
            rest = [n for n in child.payload if not begun or n[0] > begun[-1]]
            if rest and (begun or len(rest) < len(child.payload)):
                self.batches.append(rest)

    def _ask_again(self, numbered: Numbered, verdict: Verdict) -> None:
        """Confirm what passed all tests here once more: one that differs between equal runs proves nothing."""
        failed = {name for name, outcome in verdict.outcomes.items() if outcome == "failed"}
        if failed and numbered[0] not in self.failures and len(self.failures) < CONFIRMED_AGAIN:
            self.failures[numbered[0]] = failed
            self.verified.append(numbered)

    def _refer(self, verdict: Verdict) -> None:
        self.passing = {name for name, outcome in verdict.outcomes.items() if outcome == "passed"}
        self.surprises = {i for i in self.targets if self.session.items[i].nodeid in self.passing}
        warm = {self.session.items[i].nodeid for i in self.session.having("failed")} & self.passing
        self.job.leave("left", warm, "it fails in the warm run only")

    def _confirm(self, numbered: Numbered, verdict: Verdict) -> None:
        assert self.passing is not None
        passed = {name for name, outcome in verdict.outcomes.items() if outcome == "passed"}
        if not verdict.complete or not (self.names | self.passing) <= passed:
            self._ask_again(numbered, verdict)
            return
        unstable = self.failures.get(numbered[0], set()) & passed
        self.passing -= unstable - self.names
        self.job.leave("flaky", unstable)
        if not self.found:
            self.first = self.job.spent
            self.enough = self.tried + OTHERS
        scored = numbered[1]
        self.found.append(scored)
        self.job.propose(scored.candidate, scored.score)
