"""Repairs what breaks before a single test is collected; each candidate is tried in a fresh process."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from bot.repair.broken import find_fault
from bot.repair.syntax import mend
from bot.repair.worker.cold import Patch, Verdict, files_of
from bot.repair.worker.facts import NO_FACTS, Crash
from bot.repair.worker.faults import mend_faults
from bot.repair.worker.job import Job
from bot.repair.worker.moved import RENAMED
from bot.repair.worker.pool import Pool
from bot.repair.worker.recall import recall
from bot.repair.worker.rules import CHEAP
from bot.repair.worker.source import Candidate, Edit, Source
from bot.repair.worker.stream import propose
from bot.repair.worker.view import View
from bot.repair.worker.warm import Session

SYNTAX_CANDIDATES = 40
PIECES = 30
"""Pieces of what stood there before the last changes."""
ORDINARY = 40
"""Candidates of the ordinary templates for a line that breaks at import."""


def mend_imports(session: Session) -> str:
    """Search candidates for the lines at which the collection broke."""
    job = session.job
    crashes = list(dict.fromkeys(session.crashes()))
    if not crashes:
        crashes = list(_unreadable(job))
    pieces = recall(job.past, {(c.path, c.line): 1.0 for c in crashes}, crashes, lambda _: True)[:PIECES]
    if not crashes and not pieces:
        return "tests could not be collected, for a reason outside of the files that may be repaired"
    job.tell("suspects", lines=[[c.path, c.line, 1.0] for c in crashes])
    if job.mode == "locate":
        return "located"
    known = (c for crash in crashes for c in _candidates(job, crash))
    candidates = list({c.edits: c for c in (*(piece.candidate for piece in pieces), *known)}.values())
    candidates.sort(key=lambda c: -c.prior)
    return _Search(job, candidates).run()


def _unreadable(job: Job) -> Iterator[Crash]:
    """Find files that are not Python."""
    for path in job.tree.modules():
        try:
            fault = find_fault(job.tree.read(path).decode())
        except (OSError, UnicodeDecodeError):
            continue
        if fault is not None:
            yield Crash(path, fault.line + 1, "SyntaxError", fault.message)


def _candidates(job: Job, crash: Crash) -> Iterator[Candidate]:
    content = job.tree.read(crash.path)
    if crash.name in ("SyntaxError", "IndentationError", "TabError"):
        try:
            text = content.decode()
        except UnicodeDecodeError:
            return
        for rank, fix in enumerate(mend(text, SYNTAX_CANDIDATES)):
            start = len(text[: fix.start].encode())
            end = start + len(text[fix.start : fix.end].encode())
            yield Candidate(Edit(crash.path, start, end, fix.text), f"syntax_{fix.kind}", 1.0 - rank / 100, crash.line)
        return
    try:
        source = Source(crash.path, content)
    except (SyntaxError, ValueError):
        return
    view = View(source, NO_FACTS._replace(crashes=(crash,)))
    yield from mend_faults(view)
    nodes: list[ast.AST] = []
    for statement in source.statements:
        if crash.line in source.header(statement):
            nodes += [statement, *source.expressions(statement)]
    ordinary = sorted(propose(view, nodes, CHEAP), key=lambda c: -c.prior)
    for candidate in ordinary[:ORDINARY]:
        yield candidate._replace(prior=candidate.prior * 0.3)


class _Search:
    """Runs candidates cold, the unpatched tree first, and tells those that mend the most."""

    def __init__(self, job: Job, candidates: list[Candidate]) -> None:
        self.job = job
        self.todo: list[Candidate | None] = [None, *candidates]
        self.pool = Pool(job.workers, (job.pipe,))
        self.before: Verdict | None = None
        self.waiting: list[tuple[Candidate, Verdict]] = []
        self.found = 0
        self.first = 0.0
        self.tried = 0
        self.sure = False
        """Whether what was found follows a name that the last changes moved: what else passes says the same."""

    def run(self) -> str:
        """Search until there is a reason to stop, and return it."""
        try:
            while self.todo or self.pool.children:
                if self.job.left <= 0:
                    return "found" if self.found else "out of time"
                if self.sure or self.found >= self.job.limit or (self.found and self.job.spent > self.first + 1.5):
                    return "found"
                self._fill()
                for child, ended in self.pool.events():
                    if ended and not self.sure:
                        self._hear(*self.job.collect(child))
            return "found" if self.found else "exhausted"
        finally:
            self.pool.close()
            self.job.tell("tried", count=self.tried)

    def _fill(self) -> None:
        while self.todo and self.pool.free:
            candidate = self.todo.pop(0)
            patch = Patch() if candidate is None else Patch(candidate.edits)
            task: dict[str, Any] = {"files": files_of(self.job.tests), "wanted": [], "needed": []}
            self.job.run_cold(self.pool, "cold", candidate, patch, task)
            self.tried += candidate is not None

    def _hear(self, candidate: Candidate | None, verdict: Verdict) -> None:
        if candidate is None:
            self.before = verdict
            for early in self.waiting:
                self._judge(*early)
        elif self.before is None:
            self.waiting.append((candidate, verdict))
        else:
            self._judge(candidate, verdict)

    def _judge(self, candidate: Candidate, verdict: Verdict) -> None:
        """Accept what lets more be collected, breaks nothing and, if tests were named, makes them pass."""
        assert self.before is not None
        if not verdict.complete or not verdict.outcomes:
            return
        tests = self.job.tests
        mine = {n: o for n, o in verdict.outcomes.items() if _asked(n, tests)}
        if not mine or (tests and any(o == "failed" for o in mine.values())):
            return
        passed = {n for n, o in verdict.outcomes.items() if o == "passed"}
        kept = {n for n, o in self.before.outcomes.items() if o == "passed"} <= passed
        fewer = verdict.broken < self.before.broken or not self.before.complete
        fresh = [o for n, o in verdict.outcomes.items() if n not in self.before.outcomes]
        if kept and fewer and not verdict.broken - self.before.broken and fresh and "failed" not in fresh:
            self.first = self.first or self.job.spent
            self.found += 1
            self.job.propose(candidate, candidate.prior)
            self.sure = self.sure or candidate.template == RENAMED


def _asked(name: str, tests: list[str]) -> bool:
    return not tests or any(name == t or name.startswith((f"{t}::", f"{t}[")) for t in tests)
