"""What a run did, as a value."""

from typing import Literal, TypeAlias

from bot.core.approval import Decision, Question
from bot.core.change import FileChange
from bot.core.check import CheckResult, Flake, Rung, Status
from bot.core.plan import Design
from bot.core.proof import Audit, Proof
from bot.core.task import Record, Task

OutcomeWord: TypeAlias = Literal["verified", "partial", "nothing", "gave_up", "failed"]


class CheckSummary(Record):
    """A check's result without its cases."""

    name: str
    rung: Rung
    status: Status
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    isolation: str = ""
    summary: str = ""
    prevented: int = 0
    """Cases that something outside of the tree kept from telling anything; they count as failed as well."""
    flakes: tuple[Flake, ...] = ()
    narrowed: bool = False
    reused: bool = False


class Step(Record):
    """A verified commit, or an attempt that was rolled back."""

    subject: str
    number: int = 0
    """By which a person calls it, counted from 1 over all that were ever committed; 0 for one that was not."""
    commit: str = ""
    """Empty when the step was rolled back."""
    tree: str = ""
    checks: tuple[CheckSummary, ...] = ()
    fixed: tuple[str, ...] = ()
    files: tuple[FileChange, ...] = ()
    patch: str = ""
    kept: str = ""
    """Where the rejected tree of a rolled back step can be read."""
    undone: bool = False
    allowed: tuple[Decision, ...] = ()
    """What had to be allowed for it, without what was shown to decide."""


class Spent(Record):
    """What the run cost."""

    turns: int = 0
    calls: int = 0
    input: int = 0
    output: int = 0
    cached: int = 0
    cost: float = 0.0
    """US dollars, unanswered requests included; of some tokens it is not known where `priced` is False."""
    priced: bool = True
    seconds: float = 0.0


ABOUT_MODEL = "model: "
"""How a note begins that is about the model of a run; where it is asked is nobody's business on a page."""


class Report(Record):
    """What a run did, for a person and for `--json`."""

    run: str
    branch: str
    base: str
    tip: str
    """The commit that the branch stands at."""
    outcome: OutcomeWord
    stop: str
    detail: str = ""
    task: Task
    model: str = ""
    python: str = ""
    plan: tuple[str, ...] = ()
    design: Design = Design()
    """What the plan rests on."""
    plan_done: int = 0
    """How many steps of the plan are done, counted by verified commits."""
    planning: bool = False
    """Whether only a plan was asked for."""
    steps: tuple[Step, ...] = ()
    baseline: tuple[CheckSummary, ...] = ()
    proof: Proof = Proof()
    audit: Audit = Audit()
    findings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    usage: Spent = Spent()
    pr: str = ""
    waits: tuple[Question, ...] = ()
    """What the run ended with, and goes on from as soon as a person allows it."""
    seal: str = ""
    """By which a person says that they have seen just that; see allowance.seal."""

    @property
    def unfinished(self) -> bool:
        """Whether something may remain of what was to be done."""
        return self.stop != "done" or self.outcome in ("gave_up", "failed")

    @property
    def exit_code(self) -> int:
        """0 when verified or nothing to do, 130 when interrupted, else 1."""
        if self.stop == "interrupted":
            return 130
        return 0 if self.outcome in ("verified", "nothing") else 1


def summarize_check(result: CheckResult) -> CheckSummary:
    """Drop the cases of a result, keep their counts."""
    return CheckSummary(
        name=result.check,
        rung=result.rung,
        status=result.status,
        passed=result.count("passed", "xfailed"),
        failed=result.count("failed", "error"),
        skipped=result.count("skipped"),
        seconds=round(result.seconds, 3),
        isolation=result.isolation,
        summary=result.summary,
        prevented=sum(case.bad and bool(case.cause) for case in result.cases),
        flakes=result.flakes,
        narrowed=result.narrowed,
        reused=result.reused,
    )
