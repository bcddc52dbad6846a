"""Where candidates are tried: in forks of a warm session, on the tests that fail and then on all."""

from __future__ import annotations

import os
import time
import types
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from bot.repair.worker.fork import send
from bot.repair.worker.items import run_item
from bot.repair.worker.live import Module
from bot.repair.worker.source import Edit
from bot.repair.worker.stream import Scored
from bot.repair.worker.warm import Session

SCREENING = 3
"""Failing tests that a candidate must pass before all are run."""
SMALLEST_LIMIT = 0.025
"""Seconds of processor time for a test of a candidate; what takes longer is tried again with more at the end."""
QUICK = 1.0
PATIENT = 4.0
"""Seconds of processor time for a test after the screening; the latter where it took long before."""
BEHIND = 5
LONG_SUITE = 0.25
"""Part of the time above which a run of all tests is too long for every survivor."""
Numbered = tuple[int, Scored]


class Version(NamedTuple):
    """One file as a candidate changes it, compiled."""

    module: Module
    edits: list[Edit]
    before: types.CodeType
    after: types.CodeType


def _swap(version: Version) -> bool:
    """Exchange the code of live functions; False where the top level of the module has to run again."""
    module, _, before, after = version
    return module.swappable(before, after) and bool(module.swap(before, after))


class Bed:
    """One warm session as candidates are tried in it; runs in forks, which it leaves as they are."""

    def __init__(self, session: Session, targets: Sequence[int]) -> None:
        self.session = session
        self.targets = list(targets)
        self.limit = max(SMALLEST_LIMIT, 10 * session.slowest)
        self.screening = self._quickest()

    def _quickest(self) -> list[int]:
        standings = self.session.standings
        return sorted(self.targets, key=lambda i: (standings[i].outcome == "timeout", standings[i].seconds))[:SCREENING]

    def load(self, candidates: Iterable[Scored]) -> None:
        """Look up the modules of candidates before a fork, so that it need not be done in each."""
        for scored in candidates:
            for path in scored.candidate.files:
                self._module(path)

    def _module(self, path: str) -> Module:
        module = self.session.module(path)
        assert module is not None, "candidates come from imported files"
        return module

    def _compile(self, scored: Scored) -> list[Version]:
        """Compile what a candidate changes. Raises SyntaxError, ValueError, RecursionError, MemoryError."""
        found = []
        for path, edits in scored.candidate.files.items():
            module = self._module(path)
            found.append(Version(module, edits, *module.compile(edits)))
        return found

    def wanted(self) -> list[int]:
        """List the tests that a candidate is confirmed on: all, or those of the failing files when that takes long."""
        standings = self.session.standings
        files = {self.session.items[i].location[0] for i in self.targets}
        known = [
            i for i in range(len(standings)) if standings[i].outcome not in ("unknown", "timeout") or i in self.targets
        ]
        total = sum(standings[i].seconds for i in known)
        if total < LONG_SUITE * self.session.job.seconds:
            return known
        return [i for i in known if self.session.items[i].location[0] in files]

    def screen(self, batch: list[Numbered], factor: int, pipe: int) -> None:
        """Try candidates one after another in this child, each from the original code."""
        os.nice(BEHIND)  # what was found already is judged first
        for number, scored in batch:
            try:
                versions = self._compile(scored)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
            send(pipe, b"%d B\n" % number)
            for touched in self.session.modules.values():
                if touched is not None:
                    touched.restore()
            word = self._judge(factor) if all(map(_swap, versions)) else self._judge_apart(versions, factor)
            send(pipe, b"%d %s\n" % (number, word))

    def _judge(self, factor: int) -> bytes:
        for i in self.screening:
            standing = self.session.standings[i]
            limit = max(self.limit, 3 * standing.seconds if standing.outcome == "failed" else 0.0) * factor
            outcome = run_item(self.session.items[i], limit, hooks=standing.hooks).outcome
            if outcome != "passed":
                return b"T" if outcome == "timeout" else b"F"
        return b"P"

    def _judge_apart(self, versions: list[Version], factor: int) -> bytes:
        """Judge in a child of the child what cannot be undone: running a module's top level again."""
        process = os.fork()
        if process == 0:
            code = 1
            try:
                for version in versions:
                    version.module.rerun_with(version.edits)
                code = {b"P": 0, b"T": 2}.get(self._judge(factor), 1)
            finally:
                os._exit(code)
        status = os.waitpid(process, 0)[1]
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1
        return {0: b"P", 2: b"T"}.get(code, b"F")

    def verify(self, scored: Scored, pipe: int) -> None:
        """Run all tests in their own order with one candidate in place."""
        for version in self._compile(scored):
            if not _swap(version):
                version.module.rerun_with(version.edits)
        targets, end = set(self.targets), time.monotonic() + max(5.0, self.session.job.left / 3)
        for i in self.wanted():
            standing = self.session.standings[i]
            if standing.outcome == "skipped" or time.monotonic() > end:
                continue
            limit = PATIENT if standing.outcome == "timeout" else max(QUICK, 10 * standing.seconds)
            run = run_item(self.session.items[i], limit, hooks=standing.hooks)
            if run.outcome != "passed" and (i in targets or standing.outcome == "passed"):
                send(pipe, b"F\n")
                return
        send(pipe, b"P\n")
