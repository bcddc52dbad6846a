"""What failed in a CI run, folded from its jobs, their logs and their annotations; all of it is CI's word."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bot.core.escape import line
from bot.core.hub import Annotation, Job
from bot.core.redact import Redactor
from bot.core.redness.claim import Claim, Fault
from bot.core.redness.jobs import RED, FailedJob, FailedStep, fold, read_job
from bot.core.redness.log import LogReading
from bot.core.redness.trouble import Trouble

Kind: TypeAlias = Literal["tests", "lint", "types", "build", "infrastructure", "cancelled", "unknown"]

ORDER: tuple[Fault, ...] = ("build", "tests", "types", "lint")
"""What stands in the way of the others comes first."""
MOST_NAMED = 10
"""Cases that a text names."""
MOST_JOBS = 30


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What CI says that is wrong."""

    kind: Kind
    reason: str
    """Why it is of that kind, in words."""
    jobs: tuple[FailedJob, ...] = ()

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All that the tools of all jobs said, each once."""
        return tuple(dict.fromkeys(claim for job in self.jobs for claim in job.claims))

    @property
    def tools(self) -> tuple[str, ...]:
        """What the failed steps ran, as checks are called."""
        named = (tool for job in self.jobs for step in job.steps for tool in step.tools)
        return tuple(dict.fromkeys((*(claim.tool for claim in self.claims if claim.tool), *named)))

    @property
    def stops(self) -> bool:
        """Whether nothing of this can be mended in the code."""
        return self.kind in ("infrastructure", "cancelled")


def diagnose(
    jobs: Sequence[Job],
    readings: Mapping[int, LogReading],
    annotations: Mapping[int, Sequence[Annotation]],
    redactor: Redactor | None = None,
) -> Diagnosis:
    """Fold the jobs of a run; readings and annotations are found by a job's id, and may lack any of them."""
    hide = redactor or Redactor(())
    red = [job for job in jobs if job.conclusion in RED][:MOST_JOBS]
    if not red:
        gone = any(job.conclusion == "cancelled" for job in jobs)
        return Diagnosis("cancelled" if gone else "unknown", "it was cancelled" if gone else "no job of it failed")
    found = [read_job(job, readings.get(job.id), annotations.get(job.id, ()), hide) for job in red]
    folded = tuple(fold(found, jobs))
    return Diagnosis(*_classify(folded), folded)


def _classify(jobs: Sequence[FailedJob]) -> tuple[Kind, str]:
    """Say what kind of failure it is: what was said of the code weighs more than what ended a job."""
    faults = {claim.fault for job in jobs for claim in job.claims}
    first = next((fault for fault in ORDER if fault in faults), None)
    if first is not None:
        tools = dict.fromkeys(claim.tool for job in jobs for claim in job.claims if claim.fault == first and claim.tool)
        return first, f"{', '.join(tools) or 'a note of CI'} says so"
    troubles = [_excuse(job) for job in jobs]
    known = [trouble for trouble in troubles if trouble is not None]
    hard = [trouble for trouble in known if trouble.kind != "timeout"]
    if len(hard) == len(jobs):
        outside = [trouble for trouble in hard if trouble.kind == "infrastructure"]
        return ("infrastructure", outside[0].reason) if outside else ("cancelled", hard[0].reason)
    if any(trouble.kind == "timeout" for trouble in known):
        return "unknown", "it ran into its time limit"
    if all(job.told == "nothing" for job in jobs):
        return "unknown", "neither log nor annotations of the failed jobs could be read"
    return "unknown", "nothing in what CI printed is the word of a tool that we know"


def _excuse(job: FailedJob) -> Trouble | None:
    """Return what ended a job from outside, where that goes for all of its steps."""
    if job.trouble is not None:
        return job.trouble
    each = [step.trouble for step in job.steps]
    return each[0] if each and all(each) else None


def task_goal(diagnosis: Diagnosis, workflow: str = "") -> str:
    """Put the task into words for a model: ours first, then CI's, bounded and marked as such."""
    name = f' "{line(workflow, 80)}"' if workflow else ""
    parts = [f"CI{name} is red on this commit. Fix what it says, in the code; leave what the checks ask as it is."]
    parts += [_tell_job(job) for job in diagnosis.jobs[:5]]
    named = [*dict.fromkeys(f"- {line(claim.text, 200)}" for claim in diagnosis.claims if claim.name or claim.said)]
    if named:
        more = [f"- and {len(named) - MOST_NAMED} more"] if named[MOST_NAMED:] else []
        parts.append("\n".join(("What fails, in CI's words:", *named[:MOST_NAMED], *more)))
    elif quoted := next(_quotes(diagnosis.jobs), ""):
        parts.append(f"The end of what it printed, in CI's words:\n{quoted}")
    return "\n\n".join(parts)


def _tell_job(job: FailedJob) -> str:
    steps = [f'"{line(step.name, 120)}"{_code(step)}' for step in job.steps[:3]]
    return f'Job "{line(job.text, 120)}"' + (f", step {', '.join(steps)}" if steps else "") + " failed."


def _code(step: FailedStep) -> str:
    return f" (exit code {step.exit_code})" if step.exit_code is not None else ""


def _quotes(jobs: Iterable[FailedJob]) -> Iterator[str]:
    for job in jobs:
        for step in job.steps:
            if step.excerpt:
                yield "\n".join(f"| {text}" for text in step.excerpt[-800:].split("\n"))
