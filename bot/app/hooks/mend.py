"""Mends the commit that a hook refuses, on a branch of its own, and offers or stages what came of it."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TextIO

from rich.text import Text

from bot.app import consoles
from bot.app.hooks import telling
from bot.app.hooks.deadline import Clock, limited
from bot.app.hooks.given import Given
from bot.app.hooks.sealing import seal_verified
from bot.app.hooks.taking import note_staged
from bot.app.perform import Around, perform
from bot.core.check import Check
from bot.core.hook import Form
from bot.core.report import Report
from bot.core.task import Mode, Request, Source, Task
from bot.core.trailers import SNAPSHOT
from bot.errors import AgentError
from bot.git.audit import changes
from bot.git.candidate import find_candidate
from bot.git.listing import list_changes
from bot.git.orders import find_orders
from bot.git.repository import Repository
from bot.git.staging import find_obstacles, stage
from bot.git.store import open_store
from bot.trace.murmur import Murmur
from bot.verify.fast.narrow import choose
from bot.verify.fast.sift import Sieve

AGAIN: dict[Form, str] = {
    "index": " && git commit",
    "all": " && git commit -a",
    "paths": "   # then the same commit again",
}
WORDS = "the commit that a hook refused"
LATE = 1.5
"""Part of its time after which a run that does not end by itself is ended."""


def mend(given: Given, sieve: Sieve, checks: Sequence[Check]) -> Sequence[Text] | None:
    """Look for a mended commit and return what to tell of it; None where it was staged as a person wished.

    `checks` are all that could be asked of the commit.
    """
    clock = Clock()
    report: Report | None = None
    try:
        with limited(given.desk.settings.hook_seconds * LATE, clock):
            report = _run(given, sieve)
    except AgentError as error:
        return (Text(f"{telling.OURS}not mended: {error.message}", style="yellow"),)
    except KeyboardInterrupt:
        if not clock.over:
            raise
    if report is None or report.stop == "interrupted":
        if not clock.over:
            raise KeyboardInterrupt
        return (telling.tell_late(given.desk.settings.hook_seconds),)
    if report.outcome != "verified" or not report.steps:
        return tuple(telling.tell_in_vain(report))
    repository = given.desk.repository
    change = changes(repository, report.base, report.tip)
    empty = change.tree == given.candidate.base
    if _is_judged(given, sieve, checks, change.paths):
        mended = given.candidate._replace(tree=change.tree)
        seal_verified(repository, given.bay, mended, checks=checks, begun=given.begun)
    told = tuple(telling.tell_mended(report, given.bay.redactor.text(change.patch), empty=empty))
    if given.desk.settings.hook_fix == "stage" and not empty and (terminal := given.terminal()) is not None:
        with terminal:
            return _stage(given, report, told, terminal)
    return (*told, telling.tell_taking(report.run, "" if empty else AGAIN[given.candidate.form]))


def _run(given: Given, sieve: Sieve) -> Report:
    """Carry out an ordinary run that starts from the refused commit, which no branch holds."""
    desk, candidate = given.desk, given.candidate
    settings = desk.settings
    parents = (candidate.head, *candidate.others) if candidate.head else ()
    base = open_store(desk.repository).commit(candidate.tree, parents, f"{WORDS}\n\n{SNAPSHOT}: yes\n")
    task = Task(
        source=Source(kind="hook", ref="pre-commit"),
        base=base,
        since=candidate.head,
        scope=settings.scope,
        protected=(*settings.protect, *find_orders(desk.repository)),
        limits=settings.limits().model_copy(update={"seconds": settings.hook_seconds}),
    )
    mode = Mode(forge="none", consent="no", model=settings.hook_model)
    bay = replace(given.bay, only=sieve.asked, aside=frozenset(sieve.sifted.old))
    around = Around(bay, Murmur(consoles.progress()))
    report = perform(replace(desk, base=base), Request(task=task, mode=mode), around=around)
    _drop_branch(desk.repository, report)
    return report


def _is_judged(given: Given, sieve: Sieve, checks: Sequence[Check], mended: Sequence[str]) -> bool:
    """Say whether the run asked of the mended commit all that a hook would ask of it."""
    candidate, results = given.candidate, sieve.sifted.verdict.results
    last = max((check.rung.height for check in choose(checks, given.desk.settings.hook_rung)), default=0)
    # What fails on a lower rung kept those above from being asked
    whole = all(result.rung.height == last for result in results if result.status != "passed")
    again = {result.check for result in results} <= {check.name for check in sieve.asked}
    told = {file.path for file in list_changes(given.desk.repository, candidate.base, candidate.tree)}
    return whole and again and not sieve.sifted.unjudged and {*mended} <= told


def _drop_branch(repository: Repository, report: Report) -> None:
    """Take the branch away: its commits are kept by the run's record, and nobody asked for one more branch."""
    if report.branch:
        with suppress(AgentError):
            open_store(repository).delete_ref(f"refs/heads/{report.branch}", report.tip)


def _stage(given: Given, report: Report, told: Sequence[Text], terminal: TextIO) -> Sequence[Text] | None:
    """Ask whether to stage what mends it, and do so where it touches nothing else of the person's."""
    repository, candidate = given.desk.repository, given.candidate
    after = open_store(repository).tree(report.tip)
    in_the_way = find_obstacles(repository, candidate.tree, after, given.hooked)
    taking = telling.tell_taking(report.run, AGAIN[candidate.form])
    if in_the_way:
        return (*told, telling.tell_obstacles(in_the_way), taking)
    if not _agrees(told, terminal):
        return (taking,)
    stage(repository, candidate.tree, after, given.hooked)
    if find_candidate(repository, given.hooked).tree != after:
        return (Text(f"{telling.OURS}what is staged is not what was verified: look at it, then commit again"),)
    note_staged(repository, report.run)
    return None


def _agrees(told: Sequence[Text], terminal: TextIO) -> bool:
    """Show what would be staged, and ask; nobody's silence is a no."""
    console = consoles.progress()
    for line in told:
        console.print(line, soft_wrap=True)
    console.print("stage this, and commit it? [y/N] ", end="", markup=False)
    return terminal.readline().strip().lower() in ("y", "yes")
