"""Candidates in batches: those that are tried in no time, and apart from them those that take long."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Callable

from bot.repair.worker.bed import Numbered
from bot.repair.worker.stream import Scored

FIRST_BATCH = 24
BATCH = 60
SLOW_BATCH = 8


class Supply:
    """A stream of candidates, best first, as it is handed out."""

    def __init__(
        self, candidates: Iterator[Numbered], here: Callable[[Scored], bool], slow: Callable[[Scored], bool]
    ) -> None:
        self.candidates = candidates
        self.here = here
        """Whether a candidate can be tried in this process."""
        self.slow = slow
        """Whether a candidate needs a process of its own."""
        self.waiting: list[Numbered] = []
        """Slow ones."""
        self.elsewhere: list[Scored] = []
        """Those that only other processes run."""
        self.size = FIRST_BATCH
        self.exhausted = False

    def draw(self) -> list[Numbered]:
        """Take the next quick ones."""
        batch: list[Numbered] = []
        for numbered in () if self.exhausted else self.candidates:
            if not self.here(numbered[1]):
                self.elsewhere.append(numbered[1])
            elif self.slow(numbered[1]):
                self.waiting.append(numbered)
            else:
                batch.append(numbered)
            if len(batch) == self.size or len(self.waiting) >= BATCH:
                break
        else:
            self.exhausted = True
        self.size = BATCH
        return batch

    def draw_slow(self) -> list[Numbered]:
        """Take slow ones, once there are enough or there will be no more."""
        if len(self.waiting) < SLOW_BATCH and not self.exhausted:
            return []
        batch, self.waiting = self.waiting[:SLOW_BATCH], self.waiting[SLOW_BATCH:]
        return batch

    def close(self, least: float) -> None:
        """Hand out nothing that is expected to be worth less."""
        self.waiting = [numbered for numbered in self.waiting if numbered[1].score >= least]

    def put_before(self, candidates: Iterator[Numbered]) -> None:
        """Go on with other candidates."""
        self.candidates = candidates
        self.exhausted = False
