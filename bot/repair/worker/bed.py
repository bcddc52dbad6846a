"""Where candidates are tried: in forks of a warm session, on the tests that fail and then on all."""

from __future__ import annotations

import os
import types
from collections.abc import Iterable, Sequence
from functools import cached_property
from time import monotonic
from typing import NamedTuple

from bot.repair.worker.fork import reap, send, waited
from bot.repair.worker.items import WALL, run_item
from bot.repair.worker.live import Module
from bot.repair.worker.source import Edit
from bot.repair.worker.stream import Scored
from bot.repair.worker.warm import Session

SCREENING = 3
"""Failing tests that a candidate must pass before all are run."""
MARKED = 16
"""Failing tests that are run to see what a candidate mends."""
SMALLEST_LIMIT = 0.025
"""Seconds of processor time for a test of a candidate; what takes longer is tried again with more at the end."""
QUICK = 1.0
PATIENT = 4.0
"""Seconds of processor time for a test after the screening; the latter where it took long before."""
BEHIND = 5
LEAST = 1.0
SHARE = 0.05
"""Seconds that the tests may take on which a candidate is confirmed, and which part of the time that is."""
SPOILT = 71
"""Exit code of a child that should not go on."""
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


def _put(versions: Sequence[Version]) -> bool:
    """Put versions in place for good; tells whether nothing but code of functions was exchanged."""
    live = True
    for version in versions:
        if not _swap(version):
            live = False
            version.module.rerun_with(version.edits)
    return live


class Bed:
    """One warm session as candidates are tried in it; runs in forks, which it leaves as they are."""

    def __init__(self, session: Session, targets: Sequence[int]) -> None:
        self.session = session
        self.targets = list(targets)
        self.limit = max(SMALLEST_LIMIT, 10 * session.usual(targets))
        self.apart = False
        """Whether each candidate needs a process of its own, as they leave something behind."""

    @cached_property
    def screening(self) -> list[int]:
        """The failing tests that candidates are tried on first, quickest first."""
        standings = self.session.standings
        here = [i for i in self.targets if i not in self.session.foreign] or self.targets
        return sorted(here, key=lambda i: (standings[i].outcome == "timeout", standings[i].seconds))[:SCREENING]

    def load(self, candidates: Iterable[Scored]) -> None:
        """Look up the modules of candidates, and what they hold, before a fork, so that it need not be done in each."""
        _ = self.session.state
        for scored in candidates:
            for path in scored.candidate.files:
                self._module(path)

    def holds(self, scored: Scored) -> bool:
        """Whether all that a candidate changes was imported here; other processes may run more."""
        return all(self.session.module(path) is not None for path in scored.candidate.files)

    def needs_rerun(self, scored: Scored) -> bool:
        """Whether more than the code of functions changes, so that a module's top level has to run again."""
        for path, edits in scored.candidate.files.items():
            source = self._module(path).source
            if not all(source.within_function(edit.start, edit.end) for edit in edits):
                return True
        return False

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

    @cached_property
    def wanted(self) -> list[int]:
        """The tests that a candidate is confirmed on, in their order: the failing ones, and others for a while.

        Those of the same files come first, and the quick ones; what is kept is run on all of them in the end.
        """
        standings, items = self.session.standings, self.session.items
        files = {items[i].location[0] for i in self.targets}
        known = [
            i for i, s in enumerate(standings) if s.outcome not in ("unknown", "timeout") and i not in self.targets
        ]
        known.sort(key=lambda i: (i in self.session.foreign, items[i].location[0] not in files, standings[i].seconds))
        chosen, left = set(self.targets), max(LEAST, SHARE * self.session.job.seconds)
        for i in known:
            left -= standings[i].seconds
            if left < 0:
                break
            chosen.add(i)
        return sorted(chosen)

    def screen(self, batch: list[Numbered], factor: int, pipe: int) -> None:
        """Try candidates one after another in this child, each from the original code."""
        os.nice(BEHIND)  # what was found already is judged first
        for number, scored in batch:
            try:
                versions = self._compile(scored)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
            send(pipe, b"%d B\n" % number)
            self.restore()
            together = not self.apart and all(map(_swap, versions))
            word = self._judge(factor) if together else self._judge_apart(versions, factor)
            send(pipe, b"%d %s\n" % (number, word))
            if waited():  # a lock may be held that nobody gives back: what is left is tried in another child
                os._exit(SPOILT)
        if not self.apart and not self._sound():
            send(pipe, b"%d X\n" % batch[-1][0])

    def _sound(self) -> bool:
        """Whether tests that pass still do: else something that candidates left could not be undone."""
        self.restore()
        return all(run_item(self.session.items[i], QUICK).outcome == "passed" for i in self.session.canaries)

    def _judge(self, factor: int) -> bytes:
        for i in self.screening:
            standing = self.session.standings[i]
            limit = max(self.limit, 3 * standing.seconds if standing.outcome == "failed" else 0.0) * factor
            self.session.lead_up(self.session.preludes, i)
            wall = WALL + 3 * standing.seconds * factor
            outcome = run_item(self.session.items[i], limit, hooks=standing.hooks, wall=wall).outcome
            if outcome != "passed":
                return b"T" if outcome == "timeout" else b"F"
        return b"P"

    def mark(self, batch: list[Numbered], pipe: int, seconds: float) -> None:
        """Tell of each candidate which failing tests it mends, as far as the time allows."""
        chosen = sorted(self.targets, key=lambda i: self.session.standings[i].seconds)[:MARKED]
        end = monotonic() + seconds
        for number, scored in batch:
            if monotonic() > end:
                return
            self.restore()
            mended = 0
            if self.swap_in(scored):
                for place, i in enumerate(chosen):
                    run = run_item(self.session.items[i], self.limit, hooks=self.session.standings[i].hooks)
                    mended |= (run.outcome == "passed") << place
                    if run.outcome == "timeout":
                        break
            send(pipe, b"%d %d\n" % (number, mended))

    def _judge_apart(self, versions: list[Version], factor: int) -> bytes:
        """Judge in a child of the child what cannot be undone, such as running a module's top level again.

        What fails after that is in doubt: not all that was made of the old top level can be found.
        """
        process = os.fork()
        if process == 0:
            code = 1
            try:
                live = _put(versions)
                code = {b"P": 0, b"T": 2}.get(self._judge(factor), 3 if live else 1)
            finally:
                os._exit(code)
        status = reap(process)
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1
        return {0: b"P", 2: b"T", 3: b"F"}.get(code, b"D")

    def swap_in(self, scored: Scored) -> bool:
        """Put a candidate in place so that it can be taken back; False where that cannot be done."""
        return all(map(_swap, self._compile(scored)))

    def restore(self) -> None:
        """Give all functions their own code back, and what belongs to the modules to them."""
        self.session.state.restore()
        for touched in self.session.modules.values():
            if touched is not None:
                touched.restore()

    def try_on(self, scored: Scored) -> bool:
        """Put a candidate in place for good; tells whether nothing but code of functions was exchanged."""
        return _put(self._compile(scored))

    def verify(self, scored: Scored, pipe: int) -> None:
        """Run all tests in their own order with one candidate in place."""
        live = self.try_on(scored)
        targets, end = set(self.targets), monotonic() + max(5.0, self.session.job.left / 3)
        for i in self.wanted:
            standing = self.session.standings[i]
            # What runs in other processes is only seen when the candidate is confirmed
            if standing.outcome == "skipped" or i in self.session.foreign or monotonic() > end:
                continue
            limit = PATIENT if standing.outcome == "timeout" else max(QUICK, 10 * standing.seconds)
            run = run_item(self.session.items[i], limit, hooks=standing.hooks)
            if run.outcome != "passed" and (i in targets or standing.outcome == "passed"):
                send(pipe, b"F\n" if live else b"D\n")
                return
        send(pipe, b"P\n")
