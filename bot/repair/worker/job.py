"""What the worker is asked, what it knows at any time, and how it answers."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Collection
from pathlib import Path
from time import monotonic
from typing import Any

from bot.repair.worker.cold import Patch, Verdict, read
from bot.repair.worker.fork import send
from bot.repair.worker.nursery import Nursery, preload
from bot.repair.worker.past import Past
from bot.repair.worker.pool import Child, Pool
from bot.repair.worker.source import Candidate
from bot.repair.worker.tree import Tree

FEWEST = 10
"""Candidates that are confirmed before the best are chosen."""


KEPT = 0.25
"""Part of the time that is kept for looking back where the last changes are known."""
LEAST = 2.0
"""Seconds for a candidate, also when there are too many for the time."""


class Job:
    """One request, its time, its folder for copies, and the pipe for its answers."""

    def __init__(self, text: str, pipe: int) -> None:
        asked: dict[str, Any] = json.loads(text)
        self.asked = asked
        self.mode: str = asked["mode"]
        self.tests: list[str] = asked.get("tests", [])
        self.seconds: float = asked.get("seconds", 60.0)
        # The first ones to be confirmed are not the best ones: which comes first is a matter of chance
        self.limit: int = max(FEWEST, asked.get("limit", 5))
        self.most: int = asked.get("most", 200_000)
        """Candidates that may be tried."""
        self.contained: bool = asked.get("contained", False)
        """Whether a sandbox keeps all that runs here from the files of the person."""
        self.pipe = pipe
        self.tree = Tree(Path.cwd())
        self.past = Past(self.tree, asked.get("past", {}))
        self.kept = KEPT * self.seconds if self.past else 0.0
        """Seconds that are left for what comes after the search."""
        self.proposed = 0
        self.begun = monotonic()
        self.workers = max(1, min(4, len(os.sched_getaffinity(0))))
        self.scratch = Path(tempfile.mkdtemp(prefix="git-agent-repair-"))
        self.copies = 0
        preload(self.tree)
        self.nursery = Nursery(self.tree, pipe)

    @property
    def spent(self) -> float:
        """Seconds since the job began."""
        return monotonic() - self.begun

    @property
    def left(self) -> float:
        """Seconds that remain."""
        return self.seconds - self.spent - self.kept

    def tell(self, kind: str, **values: object) -> None:
        """Answer with one line."""
        send(self.pipe, json.dumps({"kind": kind, **values}).encode() + b"\n")

    def leave(self, word: str, tests: Collection[str], why: str = "") -> None:
        """Tell of tests that do not count."""
        if tests:
            self.tell("standing", word=word, tests=sorted(tests)[:50], why=why)

    def propose(self, candidate: Candidate, score: float, rank: int = 0, alike: int = 1) -> None:
        """Tell a candidate that was confirmed, and again with its rank when that is known."""
        self.proposed += 1
        self.tell(
            "candidate", path=candidate.edit.path, edits=[[*edit] for edit in candidate.edits],
            template=candidate.template, line=candidate.line, score=score,
            seconds=round(self.spent, 3), rank=rank, alike=alike,
        )  # fmt: skip

    def run_cold(
        self, pool: Pool, kind: str, payload: object, patch: Patch, task: dict[str, Any], share: float | None = None
    ) -> None:
        """Run pytest in a fresh process on a patched copy of the tree, in no more than a share of the time."""
        self.copies += 1
        folder = self.scratch / str(self.copies) / self.tree.root.name
        here, there = str(self.tree.root), str(folder)
        # Some tests are called after the files that they read
        names = {word: [name.replace(here, there) for name in task[word]] for word in ("wanted", "needed")}
        request = {**task, **names, "folder": there, "patch": patch._asdict()}
        patience = max(5.0, self.left) if share is None else max(LEAST, share)
        try:
            pool.start_elsewhere(kind, (payload, folder), self.nursery, request, patience)
        except OSError:  # a candidate killed the process that the others come from
            self.nursery.close()
            self.nursery = Nursery(self.tree, self.pipe)
            pool.start_elsewhere(kind, (payload, folder), self.nursery, request, patience)
        if share is not None:
            pool.newest.end = pool.newest.deadline

    def collect(self, child: Child) -> tuple[Any, Verdict]:
        """Read what a cold process told, and remove its copy of the tree."""
        payload, folder = child.payload
        shutil.rmtree(folder.parent, ignore_errors=True)
        verdict = read(child.data)
        here, there = str(self.tree.root), str(folder)
        outcomes = {name.replace(there, here): outcome for name, outcome in verdict.outcomes.items()}
        messages = {
            name.replace(there, here): message.replace(f"{there}/", "") for name, message in verdict.messages.items()
        }
        return payload, verdict._replace(outcomes=outcomes, messages=messages)

    def close(self) -> None:
        """Remove what the job left behind."""
        self.nursery.close()
        shutil.rmtree(self.scratch, ignore_errors=True)
