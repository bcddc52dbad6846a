"""The worker's modes: locate, search, try patches, and one cold run."""

from __future__ import annotations

import json
import os
import tempfile
import traceback
from pathlib import Path
from typing import Any, NoReturn

from bot.repair.worker import cold, guard
from bot.repair.worker.facts import Crash
from bot.repair.worker.hunt import Hunt
from bot.repair.worker.imports import mend_imports
from bot.repair.worker.job import Job
from bot.repair.worker.outside import Outside
from bot.repair.worker.reach import Reach
from bot.repair.worker.recall import join, recall
from bot.repair.worker.reverts import look_back
from bot.repair.worker.spectra import Line, Spectrum, suspicion
from bot.repair.worker.stream import FILES, Stream
from bot.repair.worker.trials import try_all
from bot.repair.worker.view import View
from bot.repair.worker.vote import settle
from bot.repair.worker.warm import Session

DOUBTFUL = 0.6
"""Part of the remaining time for candidates that failed where a failure is no proof."""
SHOWN = 200
"""Suspicious lines that are told."""


def main(text: str) -> None:
    """Carry out a job and end the process."""
    pipe = int(os.environ.pop("GIT_AGENT_REPORT_FD"))
    os.set_inheritable(pipe, False)  # noqa: FBT003 - the parameter has no name
    if json.loads(text)["mode"] == "cold":
        cold.run(json.loads(text), pipe)
        return
    _keep_inside(json.loads(text))
    job = Job(text, pipe)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    try:
        _finish(job, try_all(job) if job.mode == "trial" else _analyse(job))
    finally:
        job.close()


def _keep_inside(asked: dict[str, Any]) -> None:
    """Let nothing outside of the copy of the tree and of the folders for this run be changed, where no sandbox does."""
    if not asked.get("contained", False):
        guard.confine([str(Path.cwd()), tempfile.gettempdir(), str(Path.home())])


def _finish(job: Job, reason: str) -> NoReturn:
    """Tell the end, and end: threads, exit handlers and plugins of the project must not keep this process."""
    job.close()
    job.tell("end", reason=reason, seconds=round(job.spent, 3))
    os._exit(0)


def _analyse(job: Job) -> str:
    """Let pytest collect the tests, and go on from inside of it."""
    cold.enter(Path.cwd())
    session = Session(job, _begin)
    code = session.open()
    if session.missed:
        code = session.open(session.missed)
    if not session.errors:
        return f"pytest could not collect the tests (exit code {code})"
    return look_back(job, (), mend_imports(session))


def _begin(session: Session) -> None:
    """Use what was collected, unless the tests stand in files that only are collected when they are named."""
    job = session.job
    if job.tests and not session.missed and not session.errors and not session.number(job.tests):
        session.missed = [file for file in cold.files_of(job.tests) if (job.tree.root / file).is_file()]
        if session.missed:
            return
    _finish(job, _told(session))


def _told(session: Session) -> str:
    try:
        failing: list[str] = []
        return look_back(session.job, failing, _use(session, failing))
    except Exception as error:  # noqa: BLE001 - pytest would swallow it, and it would pass for a fault of the project
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"the search failed by a fault of its own: {type(error).__name__}: {error} ({last.name}:{last.lineno})"


def _use(session: Session, failing: list[str]) -> str:
    """Search, and note which tests it is about."""
    job = session.job
    wanted = session.number(job.tests)
    if job.tests and not wanted:
        return mend_imports(session) if session.errors else "no test of that name was collected"
    session.stand()
    targets = [i for i in session.having("failed", "timeout") if not job.tests or i in wanted]
    if targets:
        failing += (session.items[i].nodeid for i in targets)
        return _repair(session, targets)
    if session.errors:
        return mend_imports(session)
    if any(session.standings[i].outcome == "unknown" for i in wanted):
        return "out of time: the given tests did not come to an end"
    if not job.tests and "unknown" in {standing.outcome for standing in session.standings}:
        return "nothing failed in the time that there was for running the tests"
    return "the given tests pass" if job.tests else "nothing failed"


def _repair(session: Session, targets: list[int]) -> str:
    job = session.job
    hunt = Hunt(session, targets)
    if job.mode == "search":
        hunt.start_reference()
    failing, passing = session.sample(targets)
    spectrum = session.trace(failing, passing)
    if spectrum is None:
        return "the failing tests could not be traced"
    scores = job.past.boost(Reach(job.tree).widen(suspicion(spectrum), session.functions(failing)))
    _tell_suspects(job, scores)
    if job.mode == "locate":
        return "located"
    if not scores:
        return "the failing tests pass no line of the project, in their own process or in those that they start"
    watched = (
        failing[:4] + [i for i in passing if session.items[i].location[0] == session.items[failing[0]].location[0]][:6]
    )
    return _search(hunt, scores, spectrum, watched)


def _search(hunt: Hunt, scores: dict[Line, float], spectrum: Spectrum, watched: list[int]) -> str:
    session = hunt.session
    views: dict[str, View | None] = {}

    def look(path: str) -> View | None:
        if path not in views:
            views[path] = session.look(path, watched, spectrum)
        return views[path]

    session.watch(
        list(dict.fromkeys(path for path, _ in sorted(scores, key=lambda line: -scores[line])))[:FILES], watched
    )
    crashes = [Crash(*crash) for crash in spectrum.crashes]
    pieces = recall(session.job.past, scores, crashes, lambda path: session.module(path) is not None)
    if session.foreign >= set(hunt.targets):
        hunt.pool.close()
        return Outside(session, hunt.targets).run(join(pieces, Stream(scores, look)), session.job.left)
    while True:
        reason = hunt.run(join(pieces, Stream(scores, look)))
        session.job.tell("tried", count=hunt.tried)
        if reason != "surprise":
            settle(session, hunt.targets, hunt.found)
            if reason == "exhausted" and hunt.doubts:
                again = iter(sorted(hunt.doubts, key=lambda scored: -scored.score))
                return Outside(session, hunt.targets, hunt.passing).run(again, session.job.left * DOUBTFUL)
            return reason
        # These pass in a fresh process: what they say here is worth nothing.
        targets = [i for i in hunt.targets if i not in hunt.surprises]
        if not targets:
            return "the failing tests pass in a fresh process"
        hunt = Hunt(session, targets, hunt.passing)


def _tell_suspects(job: Job, scores: dict[Line, float]) -> None:
    ranked = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    job.tell("suspects", lines=[[path, line, round(min(score, 1.0), 4)] for (path, line), score in ranked[:SHOWN]])
