"""A red CI run: what it says, whether the same is red here, and so whether there is anything to mend."""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeAlias

from bot.core.check import CheckResult, Verdict, file_of, function_of
from bot.core.hub import Annotation, Job, PullRequest
from bot.core.redact import Redactor
from bot.core.redness.jobs import RED
from bot.core.redness.log import LogReading, read_log
from bot.core.redness.reproduction import Reproduction, Word, hold
from bot.core.redness.telling import Here, relate, tell_ci, tell_reproduction
from bot.core.report import Report
from bot.core.trigger.diagnosis import Diagnosis, diagnose, task_goal
from bot.core.trigger.trigger import CiRun, Trigger
from bot.errors import ForgeDenied, ForgeError, ForgeNotFound
from bot.git.repository import Repository
from bot.git.store import open_store
from bot.tools.tool import Bench
from bot.verify.again import SUITES
from bot.verify.interpreter import Interpreter, libraries

MOST_JOBS = 12
"""Failed jobs whose logs are fetched; those of a matrix say much the same."""
AGAIN = 3
"""Runs of what passes here and failed in CI, to tell a flaky test from another machine."""
LONGEST_AGAIN = 30.0
"""Seconds that one of them may take for there to be another."""

_LIBRARY = re.compile(r"/python(\d\.\d{1,2})(?:/|$)")

Reason: TypeAlias = Word | Literal["infrastructure", "cancelled", "unreadable", "not-red"]


class Asked(Protocol):
    """What a forge is asked of a CI run."""

    def jobs(self, run: int, attempt: int) -> Sequence[Job]:
        """List the jobs of an attempt. Raises ForgeError."""
        ...

    def log(self, job: int) -> str | None:
        """Fetch the log of a job; None where it is gone. Raises ForgeError."""
        ...

    def annotations(self, check: int) -> Sequence[Annotation]:
        """List what is noted beside a job. Raises ForgeError."""
        ...


@dataclass(frozen=True, slots=True)
class Examination:
    """What is known of a red CI run before anything is run here."""

    diagnosis: Diagnosis
    goal: str = ""
    """The task, in words for a model."""
    reason: Reason | Literal[""] = ""
    """Why to stop before a run is made; empty to go on."""
    said: tuple[str, ...] = ()
    """What a person should know, in sentences."""
    merged: bool = False
    """Whether CI tested the commit merged into its base."""

    @property
    def goes_on(self) -> bool:
        """Whether a run may tell more."""
        return not self.reason

    def inquire(self, repository: Repository, base: str = "") -> "Inquiry":
        """Make what a run asks when its head was judged; `base` is a commit that is here, or empty for none."""
        return Inquiry(self, repository, base)


def examine(github: Asked, trigger: Trigger, redactor: Redactor | None = None) -> Examination:
    """Ask what failed in the CI run of an event. Raises ForgeError where the forge is at fault."""
    assert trigger.run is not None, "a finished CI run is what this is about"
    run, hide = trigger.run, redactor or Redactor(())
    try:
        jobs = github.jobs(run.id, run.attempt)
    except (ForgeDenied, ForgeNotFound) as error:
        return _unreadable(error)
    red = [job for job in jobs if job.conclusion in RED]
    logs = _read_logs(github, red[:MOST_JOBS], hide)
    silent = [job for job in red[:MOST_JOBS] if job.id not in logs.readings or not logs.readings[job.id].steps]
    notes = _read_notes(github, silent)
    diagnosis = diagnose(jobs, logs.readings, notes, hide)
    return _conclude(diagnosis, run, logs.trouble)


def find_base(trigger: Trigger, pull: PullRequest | None = None) -> str:
    """Name the branch that a red head is to be held against; empty for the default branch, which has none."""
    if pull is not None:
        return pull.base_ref
    return "" if trigger.head.ref == trigger.default_branch else trigger.default_branch


def _unreadable(error: ForgeError) -> Examination:
    said = ["the jobs of the CI run could not be read, so red CI is left alone", f"{error.message}"]
    if isinstance(error, ForgeDenied):
        said.append(f"give the workflow the permission `{error.permission or 'actions: read'}`")
    return Examination(Diagnosis("unknown", said[0]), reason="unreadable", said=tuple(said))


@dataclass(frozen=True, slots=True)
class _Logs:
    readings: Mapping[int, LogReading]
    trouble: str = ""
    """Why some could not be read."""


def _read_logs(github: Asked, jobs: Sequence[Job], redactor: Redactor) -> _Logs:
    readings: dict[int, LogReading] = {}
    trouble = ""
    for job in jobs:
        try:
            text = github.log(job.id)
        except ForgeError as error:
            trouble = error.message
            continue
        if text is None:
            trouble = trouble or "logs of CI are gone or not there yet"
        else:
            readings[job.id] = read_log(text, redactor)
    return _Logs(readings, trouble)


def _read_notes(github: Asked, jobs: Sequence[Job]) -> Mapping[int, Sequence[Annotation]]:
    notes: dict[int, Sequence[Annotation]] = {}
    for job in jobs:
        try:
            notes[job.id] = github.annotations(job.check) if job.check else ()
        except ForgeError:
            # The fallback of a fallback: what cannot be read is said to be so where the diagnosis is told
            continue
    return notes


def _conclude(diagnosis: Diagnosis, run: CiRun, trouble: str) -> Examination:
    said = [*tell_ci(diagnosis), *([f"some logs could not be read: {trouble}"] if trouble else [])]
    reason: Reason | Literal[""] = ""
    if run.conclusion == "startup_failure":
        reason = "infrastructure"
        said.append("the workflow itself could not be started: its file has to be looked at")
    elif not diagnosis.jobs and diagnosis.kind == "unknown":
        reason = "not-red"
        said.append("no job of the CI run failed")
    elif diagnosis.kind in ("infrastructure", "cancelled"):
        reason = diagnosis.kind
        said.append(f"nothing of this is the code's fault: {diagnosis.reason}")
    return Examination(
        diagnosis,
        goal=task_goal(diagnosis, run.name),
        reason=reason,
        said=tuple(said),
        merged=run.cause in ("pull_request", "merge_group"),
    )


@dataclass(slots=True)
class Inquiry:
    """Asked once by a run, when its head was judged and before any model is; keeps what it found."""

    examination: Examination
    repository: Repository
    base: str = ""
    found: Reproduction | None = field(default=None, init=False)
    """What became of CI's claims; None until the head was judged."""
    here: Here = field(default_factory=Here, init=False)

    def __call__(self, bench: Bench, verdict: Verdict) -> str:
        """Say why not to go on; empty to go on. Raises WorkspaceError."""
        self.here = Here(_version(bench.ladder.interpreter), sys.platform)
        found = hold(self.examination.diagnosis, bench.ladder.checks, verdict)
        if found.word == "not-reproduced":
            found = self._ask_again(found, bench, verdict)
        elif found.word == "reproduced" and self.base:
            found = self._ask_base(found, bench)
        self.found = found
        return "" if found.goes_on else "; ".join((*tell_ci(self.examination.diagnosis), self._told(found)))

    @property
    def reason(self) -> Reason | Literal[""]:
        """A word for why the run stopped; empty where it went on, or was never asked."""
        return "" if self.found is None or self.found.goes_on else self.found.word

    def tell(self, report: Report) -> tuple[str, ...]:
        """Say how CI's failure relates to what the run did."""
        if self.found is None:
            return self.examination.said
        if not self.found.goes_on:
            return (*self.examination.said, self._told(self.found))
        green = {*report.proof.green, *(case for step in report.steps if step.commit for case in step.fixed)}
        return relate(self.examination.diagnosis, self.found, green)

    def _told(self, found: Reproduction) -> str:
        return tell_reproduction(self.examination.diagnosis, found, self.here, merged=self.examination.merged)

    def _ask_again(self, found: Reproduction, bench: Bench, verdict: Verdict) -> Reproduction:
        """Run what CI names, and passed here, a few times more: what differs is flaky."""
        named = {claim.name for claim in found.missing if claim.fault == "tests" and claim.name}
        for check in bench.ladder.checks:
            result = verdict.result(check.name)
            passed = [case.id for case in result.cases if case.outcome == "passed"] if result is not None else []
            asked = [case for case in passed if any(case == name or case.endswith(f"/{name}") for name in named)]
            if check.reader not in SUITES or not asked:
                continue
            targets = tuple(dict.fromkeys(map(function_of, asked)))
            for _ in range(AGAIN):
                again = bench.ladder.ask(bench.workspace, verdict.tree, check, targets)
                self._settle(bench)
                failed = [case.id for case in again.cases if case.bad and case.id in asked]
                if failed:
                    return replace(found, word="flaky", red=tuple(failed))
                if again.status == "errored" or again.seconds > LONGEST_AGAIN:
                    break
        return found

    def _ask_base(self, found: Reproduction, bench: Bench) -> Reproduction:
        """Look whether what CI names fails on the base as well; then the head is not to blame."""
        base = self._start_of(bench.task.base)
        if not base:
            return found
        tree = open_store(self.repository).tree(base)
        red: set[str] = set()
        for check in bench.ladder.checks:
            cases = [pair.case.id for pair in found.pairs if pair.check == check.name]
            if cases:
                red |= _red(self._ask(bench, tree, check.name, cases))
        left = [case for case in found.cases if case not in red]
        return found if left else replace(found, word="red-before", detail=base[:10])

    def _ask(self, bench: Bench, tree: str, name: str, cases: Sequence[str]) -> CheckResult | None:
        """Run one check on the base: the files of these cases, as far as they are there."""
        check = next(check for check in bench.ladder.checks if check.name == name)
        targets: tuple[str, ...] = ()
        if check.reader in SUITES:
            files = dict.fromkeys(map(file_of, cases))
            targets = tuple(path for path in files if bench.workspace.read(tree, path) is not None)
            if not targets:
                return None
        result = bench.ladder.ask(bench.workspace, tree, check, targets)
        self._settle(bench)
        return result

    def _settle(self, bench: Bench) -> None:
        bench.unsettle()
        bench.workspace.guard()

    def _start_of(self, head: str) -> str:
        """Find the commit at which the head left its base; where history does not tell, the base as it is."""
        answer = self.repository.git.ask("merge-base", self.base, head)
        found = answer.output.decode("ascii", "replace").strip()
        start = self.base if answer.code or not found else found
        return "" if start == head else start


def _red(result: CheckResult | None) -> set[str]:
    return {case.id for case in result.cases if case.bad and not case.cause} if result is not None else set()


def _version(interpreter: Interpreter) -> str:
    """Tell the version of a Python by where it keeps its libraries."""
    named = (_LIBRARY.search(str(path)) for path in libraries(interpreter.path.parent.parent))
    return next((found[1] for found in named if found), "")
