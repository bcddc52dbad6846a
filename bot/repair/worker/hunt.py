"""Screens candidates in warm forks, verifies survivors in a clean one, and confirms them cold."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from bot.repair.worker.cold import Patch, Verdict, files_of
from bot.repair.worker.fork import send
from bot.repair.worker.items import run_item
from bot.repair.worker.live import Module
from bot.repair.worker.pool import Child, Pool
from bot.repair.worker.stream import Scored
from bot.repair.worker.warm import Session

FIRST_BATCH = 24
BATCH = 60
OTHERS = 120
"""Candidates that are tried after the first one was confirmed, so that a slow machine finds the same ones."""
SCREENING = 3
"""Failing tests that a candidate must pass before all are run."""
SMALLEST_LIMIT = 0.025
"""Seconds of processor time for a test of a candidate; what takes longer is tried again with more at the end."""
SECOND_CHANCE = 12
QUICK = 1.0
PATIENT = 4.0
"""Seconds of processor time for a test after the screening; the latter where it took long before."""
CLEARLY_WORSE = 0.3
"""Candidates that are expected to be worse than the best confirmed one by this factor are not waited for."""
LONG_SUITE = 0.25
"""Part of the time above which a run of all tests is too long for every survivor."""
Numbered = tuple[int, Scored]


class Hunt:
    """One search over one stream of candidates."""

    def __init__(self, session: Session, targets: Sequence[int], passing: set[str] | None = None) -> None:
        self.session = session
        self.job = session.job
        self.targets = list(targets)
        self.names = {session.items[i].nodeid for i in targets}
        self.candidates: Iterator[Numbered] = iter(())
        # One more than there are processors: a cold process spends much of its time waiting for the disk.
        self.pool = Pool(self.job.workers + 1, (self.job.pipe,))
        self.limit = max(SMALLEST_LIMIT, 10 * session.slowest)
        self.screening = self._quickest()
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
        self.exhausted = False
        self.size = FIRST_BATCH
        self.surprises: set[int] = set()

    def _quickest(self) -> list[int]:
        standings = self.session.standings
        return sorted(self.targets, key=lambda i: (standings[i].outcome == "timeout", standings[i].seconds))[:SCREENING]

    def run(self, candidates: Iterator[Scored]) -> str:
        """Search until there is a reason to stop, and return it."""
        self.candidates = enumerate(candidates)
        try:
            while True:
                reason = self._over()
                if reason:
                    return reason
                self._fill()
                if not self.pool.children:
                    return "found" if self.found else "exhausted"
                for child, ended in self.pool.events():
                    self._hear(child, ended=ended)
        finally:
            self.pool.close()

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
        return self.pool.count("verify", "confirm") >= self.job.workers or self.pool.count("screen") >= self.job.workers

    def _start_next(self) -> bool:
        if self.batches:
            self._start_screening(self.batches.pop(0), 1)
            return True
        batch = [] if self.exhausted else list(islice(self.candidates, self.size))
        self.size = BATCH
        best = max((s.score for s in self.found), default=0.0)
        if batch and batch[0][1].score < CLEARLY_WORSE * best:
            batch = []
        self.exhausted = not batch
        if batch:
            self._start_screening(batch, 1)
        elif self.late and not self.pool.count("screen") and not self.found:
            self._start_screening(self.late[:20], SECOND_CHANCE)
            del self.late[:20]
        else:
            return False
        return True

    def _module(self, scored: Scored) -> Module:
        module = self.session.module(scored.candidate.edit.path)
        assert module is not None, "candidates come from imported files"
        return module

    def _start_screening(self, batch: list[Numbered], factor: int) -> None:
        for _, scored in batch:
            self._module(scored)
        patience = 20 + 48 * self.limit * factor
        self.pool.start(
            "screen" if factor == 1 else "rescreen", batch, lambda pipe: self._screen(batch, factor, pipe), patience
        )

    def _start_verification(self, numbered: Numbered) -> None:
        self.pool.start("verify", numbered, lambda pipe: self._verify(numbered[1], pipe), max(10.0, self.job.left))

    def _cold(self, kind: str, payload: Any, patch: Patch, names: list[str], needed: list[str]) -> None:
        task = {"files": files_of(names), "wanted": names, "needed": needed}
        self.job.run_cold(self.pool, kind, payload, patch, task)

    def _wanted(self) -> list[int]:
        """List the tests that a candidate is confirmed on: all, or those of the failing files when that takes long."""
        standings = self.session.standings
        files = {self.session.items[i].location[0] for i in self.targets}
        known = [
            i for i in range(len(standings)) if standings[i].outcome not in ("unknown", "timeout") or i in self.targets
        ]
        total = sum(standings[i].seconds for i in known)
        if total < LONG_SUITE * self.job.seconds:
            return known
        return [i for i in known if self.session.items[i].location[0] in files]

    def start_reference(self) -> None:
        """Let a fresh process say how the tests stand; those that ran out of time are left out."""
        names = [self.session.items[i].nodeid for i in self._wanted() if self.session.standings[i].outcome != "timeout"]
        if names:
            self._cold("reference", None, Patch(), names, [])
        else:
            self.passing = set()

    def _start_confirmation(self, numbered: Numbered) -> None:
        names = [self.session.items[i].nodeid for i in self._wanted()]
        needed = sorted(self.names | (self.passing or set()))
        self._cold("confirm", numbered, Patch((numbered[1].candidate.edit,)), names, needed)

    def _hear(self, child: Child, *, ended: bool) -> None:
        if child.kind in ("screen", "rescreen"):
            self._hear_screening(child, ended=ended)
        elif ended and child.kind == "verify":
            if child.data.strip() == b"P":
                self.verified.append(child.payload)
                self.verified.sort(key=lambda n: -n[1].score)
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
            elif word == b"T" and child.kind == "screen":
                self.late.append((number, known[number]))
            self.tried += word == b"B"
        if ended and child.code != 0:
            begun = [int(line.split()[0]) for line in child.data.splitlines()]
            rest = [n for n in child.payload if not begun or n[0] > begun[-1]]
            if rest and (begun or len(rest) < len(child.payload)):
                self.batches.append(rest)

    def _refer(self, verdict: Verdict) -> None:
        self.passing = {name for name, outcome in verdict.outcomes.items() if outcome == "passed"}
        self.surprises = {i for i in self.targets if self.session.items[i].nodeid in self.passing}

    def _confirm(self, numbered: Numbered, verdict: Verdict) -> None:
        assert self.passing is not None
        passed = {name for name, outcome in verdict.outcomes.items() if outcome == "passed"}
        if not verdict.complete or not (self.names | self.passing) <= passed:
            return
        if not self.found:
            self.first = self.job.spent
            self.enough = self.tried + OTHERS
        scored = numbered[1]
        self.found.append(scored)
        edit, candidate = scored.candidate.edit, scored.candidate
        self.job.tell(
            "candidate", path=edit.path, start=edit.start, end=edit.end, text=edit.text,
            template=candidate.template, line=candidate.line, score=scored.score,
        )  # fmt: skip

    def _screen(self, batch: list[Numbered], factor: int, pipe: int) -> None:
        """Try candidates one after another in this child, each from the original code."""
        for number, scored in batch:
            module, edit = self._module(scored), scored.candidate.edit
            try:
                before, after = module.compile(edit)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
            send(pipe, b"%d B\n" % number)
            for touched in self.session.modules.values():
                if touched is not None:
                    touched.restore()
            if module.swappable(before, after) and module.swap(before, after):
                word = self._judge(factor)
            else:
                word = self._judge_apart(module, scored, factor)
            send(pipe, b"%d %s\n" % (number, word))

    def _judge(self, factor: int) -> bytes:
        for i in self.screening:
            standing = self.session.standings[i]
            limit = max(self.limit, 3 * standing.seconds if standing.outcome == "failed" else 0.0) * factor
            outcome = run_item(self.session.items[i], limit, hooks=standing.hooks).outcome
            if outcome != "passed":
                return b"T" if outcome == "timeout" else b"F"
        return b"P"

    def _judge_apart(self, module: Module, scored: Scored, factor: int) -> bytes:
        """Judge in a child of the child what cannot be undone: running a module's top level again."""
        process = os.fork()
        if process == 0:
            code = 1
            try:
                module.rerun_with(scored.candidate.edit)
                code = {b"P": 0, b"T": 2}.get(self._judge(factor), 1)
            finally:
                os._exit(code)
        status = os.waitpid(process, 0)[1]
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1
        return {0: b"P", 2: b"T"}.get(code, b"F")

    def _verify(self, scored: Scored, pipe: int) -> None:
        """Run all tests in their own order with one candidate in place."""
        module, edit = self._module(scored), scored.candidate.edit
        before, after = module.compile(edit)
        if not (module.swappable(before, after) and module.swap(before, after)):
            module.rerun_with(edit)
        targets, end = set(self.targets), time.monotonic() + max(5.0, self.job.left / 3)
        for i in self._wanted():
            standing = self.session.standings[i]
            if standing.outcome == "skipped" or time.monotonic() > end:
                continue
            limit = PATIENT if standing.outcome == "timeout" else max(QUICK, 10 * standing.seconds)
            run = run_item(self.session.items[i], limit, hooks=standing.hooks)
            if run.outcome != "passed" and (i in targets or standing.outcome == "passed"):
                send(pipe, b"F\n")
                return
        send(pipe, b"P\n")
