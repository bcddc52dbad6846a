"""The failed jobs of a CI run, read from their logs, or from what is noted beside them where a log is gone."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from bot.core.escape import line
from bot.core.hub import Annotation, Job, JobStep
from bot.core.redact import Redactor, defuse
from bot.core.redness.claim import Claim, Fault, tidy
from bot.core.redness.claims import read_claims
from bot.core.redness.log import Facts, LogReading, StepReading
from bot.core.redness.tools import read_tools
from bot.core.redness.trouble import Trouble, prepares, read_runner

Told: TypeAlias = Literal["log", "annotations", "nothing"]
"""Where a job's failures are known from."""

RED = frozenset({"failure", "timed_out", "startup_failure"})
_VARIANT = re.compile(r"(?P<stem>.{1,200}?) \((?P<variant>[^()]{1,200})\)$")
_EXIT = re.compile(r"Process completed with exit code (-?\d{1,10})")


@dataclass(frozen=True, slots=True)
class FailedStep:
    """A step that failed."""

    name: str
    exit_code: int | None = None
    claims: tuple[Claim, ...] = ()
    total: int = 0
    tools: tuple[str, ...] = ()
    trouble: Trouble | None = None
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class FailedJob:
    """A job that failed, with those that only differ from it by a matrix."""

    name: str
    variants: tuple[str, ...] = ()
    """Which of the matrix failed."""
    passed: tuple[str, ...] = ()
    """Which did not."""
    steps: tuple[FailedStep, ...] = ()
    told: Told = "nothing"
    facts: Facts = field(default_factory=Facts)
    trouble: Trouble | None = None

    @property
    def claims(self) -> Iterator[Claim]:
        """All that its tools said."""
        return (claim for step in self.steps for claim in step.claims)

    @property
    def text(self) -> str:
        """Which job this is, in words."""
        few = f" ({', '.join(self.variants[:6])}{', …' if self.variants[6:] else ''})" if self.variants else ""
        return f"{self.name}{few}"


def read_job(job: Job, reading: LogReading | None, annotations: Sequence[Annotation], redactor: Redactor) -> FailedJob:
    """Read one job from whatever there is of it."""
    failed = [step for step in job.steps if step.conclusion in RED]
    stem, variant = _part(job.name)
    told: Told = "nothing"
    steps: tuple[FailedStep, ...] = tuple(_named(step) for step in failed)
    if reading is not None and reading.steps:
        told, steps = "log", tuple(_from_log(reading, job, failed))
    elif annotations:
        told, steps = "annotations", (_from_annotations(annotations, failed, redactor),)
    trouble = reading.trouble if reading is not None else None
    said = [annotation.message for annotation in annotations]
    return FailedJob(
        name=stem,
        variants=(variant,) if variant else (),
        steps=steps,
        told=told,
        facts=reading.facts if reading is not None else Facts(),
        trouble=trouble or read_runner(said) or _ended(job),
    )


def _ended(job: Job) -> Trouble | None:
    if job.conclusion == "startup_failure":
        return Trouble("infrastructure", "the workflow could not be started")
    return Trouble("timeout", "it ran into its time limit") if job.conclusion == "timed_out" else None


def _part(name: str) -> tuple[str, str]:
    """Part the name of a job from its place in a matrix."""
    plain = defuse(line(name))
    match = _VARIANT.match(plain)
    return (match["stem"], match["variant"]) if match else (plain or "a job", "")


def _named(step: JobStep) -> FailedStep:
    """Tell of a step by nothing but its name."""
    name = defuse(line(step.name)) or f"step {step.number}"
    return FailedStep(name, tools=read_tools(name), trouble=_preparing(name))


def _preparing(name: str) -> Trouble | None:
    if not prepares(name):
        return None
    return Trouble("infrastructure", "a step failed that only makes the job ready, and runs no check")


def _from_log(reading: LogReading, job: Job, failed: Sequence[JobStep]) -> Iterator[FailedStep]:
    """Take the sections of a log that are about steps that failed, under the names of these."""
    names = [defuse(line(step.name)) for step in failed]
    # A step whose failure is let pass has an error in its log as well
    good = {step.name for step in job.steps if step.conclusion not in RED} - set(names)
    telling = [step for step in reading.steps if step.title not in good] or list(reading.steps)
    if len(telling) > len(failed) > 0:
        told = [step for step in telling if step.exit_code is not None or step.claims or step.trouble]
        telling = (told or telling)[-max(len(failed), 1) :] if not _nested(told) else told
    free = [name for name in names if name not in {step.title for step in telling}]
    for step in telling:
        name = step.title if step.title in names or not free else free.pop(0)
        yield _translate(step, name)


def _nested(steps: Sequence[StepReading]) -> bool:
    """Tell whether more than one section says something of the code, as where an action runs several scripts."""
    return sum(bool(step.claims) for step in steps) > 1


def _translate(step: StepReading, name: str) -> FailedStep:
    tools = tuple(dict.fromkeys((*step.tools, *read_tools(name))))
    trouble = step.trouble or (None if step.claims else _preparing(step.title) or _preparing(name))
    return FailedStep(name, step.exit_code, step.claims, step.total, tools, trouble, step.excerpt)


def _from_annotations(annotations: Sequence[Annotation], failed: Sequence[JobStep], redactor: Redactor) -> FailedStep:
    """Read what is noted beside a job, where its log is gone."""
    red = [annotation for annotation in annotations if annotation.level == "failure"]
    claims = dict.fromkeys(claim for annotation in red for claim in _noted(annotation, redactor))
    codes = [found for annotation in red if (found := _EXIT.search(annotation.message))]
    name = defuse(line(failed[0].name)) if failed else ""
    words = " ".join((name, *(annotation.title for annotation in red)))
    told = "\n".join(line(annotation.message, 240) for annotation in red[:12] if not _EXIT.search(annotation.message))
    return FailedStep(
        name=name or "a step",
        exit_code=int(codes[-1][1]) if codes else None,
        claims=tuple(claims),
        total=len(claims),
        tools=tuple(dict.fromkeys((*(claim.tool for claim in claims if claim.tool), *read_tools(words)))),
        trouble=None if claims else _preparing(name),
        excerpt=defuse(redactor.text(told))[:1_500],
    )


def _noted(annotation: Annotation, redactor: Redactor) -> Iterator[Claim]:
    """Read one note: as the tool printed it, or as a place of which something is said."""
    message = redactor.text(annotation.message[:4_000])
    claims, _ = read_claims([part[:2_000] for part in message.split("\n")])
    if claims:
        yield from (claim._replace(name=defuse(claim.name), said=defuse(claim.said)) for claim in claims)
    elif annotation.path and not annotation.path.startswith(".github") and not _EXIT.search(message):
        title = line(redactor.text(annotation.title), 120)
        tool = next(iter(read_tools(title.casefold())), "")
        path, said = line(tidy(annotation.path)), defuse(line(message))
        fault: Fault = "types" if tool in ("mypy", "pyright", "tsc") else "lint" if tool else "tests"
        yield Claim(tool, fault, defuse(title) if fault == "tests" else "", path, annotation.start, said)


def fold(found: Sequence[FailedJob], jobs: Sequence[Job]) -> Iterator[FailedJob]:
    """Put the jobs of a matrix together."""
    good = [_part(job.name) for job in jobs if job.conclusion == "success"]
    stems: dict[str, list[FailedJob]] = {}
    for job in found:
        stems.setdefault(job.name, []).append(job)
    for stem, same in stems.items():
        best = next((job for job in same if any(job.claims)), same[0])
        steps: dict[str, FailedStep] = {}
        for job in same:
            for step in job.steps:
                steps[step.name] = _join(steps.get(step.name), step)
        yield FailedJob(
            name=stem,
            variants=tuple(variant for job in same for variant in job.variants),
            passed=tuple(variant for name, variant in good if name == stem and variant),
            steps=tuple(steps.values()),
            told=best.told,
            facts=best.facts,
            trouble=same[0].trouble if all(job.trouble for job in same) else None,
        )


def _join(one: FailedStep | None, other: FailedStep) -> FailedStep:
    if one is None:
        return other
    claims = tuple(dict.fromkeys((*one.claims, *other.claims)))
    more = one.total - len(one.claims) + other.total - len(other.claims)
    return FailedStep(
        name=one.name,
        exit_code=one.exit_code if one.exit_code is not None else other.exit_code,
        claims=claims,
        total=len(claims) + max(more, 0),
        tools=tuple(dict.fromkeys((*one.tools, *other.tools))),
        # What keeps one of them from telling anything is no answer for the others
        trouble=one.trouble if one.trouble and other.trouble else None,
        excerpt=one.excerpt or other.excerpt,
    )
