"""What a person is told of a red CI run: what failed there, whether it fails here, and what became of it."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from bot.core.escape import line
from bot.core.redness.claim import Claim
from bot.core.redness.jobs import FailedJob, FailedStep
from bot.core.redness.reproduction import Reproduction
from bot.core.trigger.diagnosis import Diagnosis

FEW = 3
"""Names that a sentence holds."""
MOST_JOBS = 5


class Here(NamedTuple):
    """Where the head was judged by us."""

    python: str = ""
    system: str = ""


def tell_ci(diagnosis: Diagnosis) -> tuple[str, ...]:
    """Tell what CI says, one sentence for a job."""
    told = [_job(job) for job in diagnosis.jobs[:MOST_JOBS]]
    more = len(diagnosis.jobs) - MOST_JOBS
    return (*told, *((f"CI: and {more} more jobs failed",) if more > 0 else ()))


def _job(job: FailedJob) -> str:
    parts = [f"job {line(job.text, 120)}", *(_step(step) for step in job.steps[:FEW])]
    if job.trouble is not None and not any(job.claims):
        parts.append(job.trouble.reason)
    source = {
        "log": "",
        "annotations": " (its log could not be read: this is from what CI noted beside it)",
        "nothing": " (neither its log nor notes of CI could be read)",
    }
    return f"CI: {', '.join(parts)}{source[job.told]}"


def _step(step: FailedStep) -> str:
    words = f'step "{line(step.name, 120)}" failed'
    if step.exit_code is not None:
        words += f" with exit code {step.exit_code}"
    named = [claim for claim in step.claims if claim.name]
    if named:
        words += f", {_count(step.total, 'case')}: {some([claim.text for claim in named], step.total)}"
    if step.trouble is not None:
        words += f": {step.trouble.reason}"
    return words


def some(names: Sequence[str], total: int = 0) -> str:
    """Name a few, and count the rest."""
    shown = [line(name, 120) for name in dict.fromkeys(names)]
    more = max(total, len(shown)) - min(FEW, len(shown))
    return ", ".join(shown[:FEW]) + (f" and {more} more" if more > 0 else "")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def tell_reproduction(diagnosis: Diagnosis, found: Reproduction, here: Here, *, merged: bool = False) -> str:
    """Say whether what CI names fails on the same commit here, and what that means.

    `merged` is whether CI tested the commit merged into its base, as it does for pull requests.
    """
    names = some(found.cases or found.red)
    words = {
        "reproduced": f"reproduced here on the same commit: {names}{_missing(found)}",
        "unattributed": f"CI does not tell what failed; on the same commit this fails here: {names}. "
        "Whether it is the same is not known",
        "flaky": f"flaky: it passes and fails here on the same commit: {names}",
        "red-before": f"red before: it fails on the base {found.detail} as well: {names}",
        "prevented": f"could not be judged here, {found.detail}: {names}",
        "unjudged": f"could not be judged here: {found.detail}",
    }
    if found.word in words:
        return words[found.word]
    named, reason = _named(found.missing), f" ({found.detail})" if found.detail else ""
    if found.word == "other":
        return f"could not reproduce what CI names{named}{reason}; something else fails here: {names}"
    unlike = "; ".join(differences(diagnosis, here, merged=merged))
    told = f". What is not alike: {unlike}" if unlike else ""
    return f"could not reproduce: nothing that CI names{named} fails here on the same commit{reason}{told}"


def _missing(found: Reproduction) -> str:
    return f"; not here: {some([claim.text for claim in found.missing])}" if found.missing else ""


def _named(claims: Sequence[Claim]) -> str:
    names = [claim.text for claim in claims if claim.name]
    return f" ({some(names)})" if names else ""


def differences(diagnosis: Diagnosis, here: Here, *, merged: bool) -> Iterator[str]:
    """List what is known to be otherwise here than where CI ran."""
    for job in diagnosis.jobs[:MOST_JOBS]:
        name = line(job.name, 60)
        there = job.facts
        if there.python and here.python and _minor(there.python) != _minor(here.python):
            yield f"job {name} ran Python {there.python}, here it is {here.python}"
        if there.image and not (here.system == "linux" and there.image.startswith("ubuntu")):
            yield f"job {name} ran on {there.image}, here it is {here.system}"
        if there.services:
            yield f"job {name} had the services {', '.join(there.services)}, here are none"
        if job.passed:
            yield f"job {name} passed for {some(job.passed)}, and failed for {some(job.variants)}"
    if merged:
        yield "CI tested the commit merged into its base, here it was judged by itself"


def _minor(version: str) -> tuple[str, ...]:
    return tuple(version.split(".")[:2])


def relate(diagnosis: Diagnosis, found: Reproduction, green: Collection[str]) -> tuple[str, ...]:
    """Say how CI's failure relates to what a run proved.

    `green` are the cases that failed on the head and pass on the tip.
    """
    told = tell_ci(diagnosis)
    if not found.goes_on:
        return told
    cases = found.cases or found.red
    if found.word == "unattributed":
        failed = f"CI does not tell what failed; {_count(len(cases), 'case')} failed here on the head"
    else:
        failed = f"{_all(len(cases))} failed here on the head as well"
    mended = [case for case in cases if case in green]
    left = [case for case in cases if case not in green]
    after = f"{_all(len(cases))} pass{'es' if len(cases) == 1 else ''} on the tip"
    if left:
        after = f"{len(mended)} of {len(cases)} pass on the tip; not yet: {some(left)}"
    more = [claim.text for claim in found.missing]
    missing = f"; CI names more that does not fail here: {some(more)}" if more else ""
    return (*told, f"{failed}; {after}{missing}")


def _all(number: int) -> str:
    return {1: "it", 2: "both"}.get(number, f"all {number}")
