"""Runs once more what is doubtful: what does not end the same way each time is neither broken nor fixed."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from bot.core.check import Check, CheckResult, Flake, Reader, Verdict, function_of
from bot.verify.compare import compare
from bot.verify.repeat import (
    LONGEST_REPEATED,
    MOST_REPEATED,
    STOPPED,
    fresh_files,
    functions_of,
    kept_tests,
    mended_tests,
    passing,
    relapse,
)

SUITES: frozenset[Reader] = frozenset({"pytest", "unittest"})
"""Readers of checks whose tests can be run one by one."""
MORE = 3
"""Runs by which it is counted how often a test passes that does not always."""
LONGEST_COUNTED = 30.0
"""Seconds for them."""

Ask: TypeAlias = Callable[[Sequence[str]], CheckResult]
"""Runs a check on its targets in a folder that is made anew."""


class Repeated(NamedTuple):
    """A result after its doubtful tests were run again."""

    result: CheckResult
    flaky: tuple[str, ...] = ()


class Asking(NamedTuple):
    """How a check is asked again, each time in a folder that is made anew."""

    targets: Ask
    without: Ask
    """Everything but these files."""


def repeat(asking: Asking, check: Check, before: Verdict | None, result: CheckResult) -> Repeated:
    """Run what decides something a second time, and what then differs a few times more."""
    if check.reader not in SUITES or result.status == "errored":
        return Repeated(result)
    doubtful = _doubtful(before, result)
    if len(doubtful) > MOST_REPEATED:
        doubtful = ()
    mended = mended_tests(before, result)
    fresh = fresh_files(before, result)
    if not (doubtful or mended or fresh):
        return Repeated(result)
    if fresh and result.seconds <= LONGEST_REPEATED:
        # What a new test file does when it is imported must not be what lets the earlier tests pass.
        again = asking.without(fresh)
        proved = kept_tests(before, result, again)
    else:
        again = asking.targets(functions_of((*doubtful, *mended)))
        proved = mended
    unstable = _unstable(doubtful, result, again) if again.status != "errored" else ()
    relapsed = frozenset(proved) - passing(again) - {*unstable}
    flaky = (*unstable, *sorted(relapsed & {*mended}))
    counted = result.model_copy(update={"flakes": _count(asking, flaky, (result, again))}) if flaky else result
    return Repeated(relapse(counted, relapsed, again), flaky)


def still_failing(asking: Asking, names: Sequence[str]) -> tuple[str, ...]:
    """Name those of some tests that do not pass when they are run again either."""
    again = asking.targets(functions_of(names))
    return tuple(name for name in names if name not in passing(again)) if again.status != "errored" else ()


def _count(asking: Asking, names: Sequence[str], seen: tuple[CheckResult, ...]) -> tuple[Flake, ...]:
    """Tell how often each of these tests passed; tests whose very names change cannot be counted."""
    runs, since = list(seen), time.monotonic()
    for _ in range(MORE):
        left = LONGEST_COUNTED - (time.monotonic() - since)
        if runs[-1].status == "errored" or runs[-1].seconds > left:
            break
        runs.append(asking.targets(functions_of(names)))
    told = [{case.id: case for case in run.cases} for run in runs]
    cases = {name: [found[name] for found in told if name in found] for name in dict.fromkeys(names)}
    flakes = (
        Flake(id=name, passed=sum(case.outcome == "passed" for case in of), failed=sum(case.bad for case in of))
        for name, of in cases.items()
    )
    return tuple(flake for flake in flakes if flake.runs > 1)


def _unstable(doubtful: Sequence[str], result: CheckResult, again: CheckResult) -> tuple[str, ...]:
    """Name the doubtful tests that answer differently, and those whose very names do."""
    first = {case.id: case.outcome for case in result.cases}
    second = {case.id: case.outcome for case in again.cases}
    asked = {function_of(name) for name in doubtful}
    unstable = {name for name in first if function_of(name) in asked and name not in second and "[" in name}
    renamed = {function_of(name) for name in unstable}
    changed = tuple(
        name for name in doubtful if first.get(name) in ("failed", "error") and second.get(name) == "passed"
    )
    gone = tuple(name for name in doubtful if name not in first and function_of(name) in renamed)
    return (*changed, *gone, *sorted(unstable))


def _doubtful(before: Verdict | None, result: CheckResult) -> tuple[str, ...]:
    """Name the tests whose outcome decides something: what fails on the base, what got worse afterwards."""
    if before is None:
        bad = (case for case in result.cases if case.bad and "::" in case.id)
        return tuple(case.id for case in bad if STOPPED not in case.message)
    comparison = compare(before, [result])
    functions = {function_of(case.id) for case in result.cases}
    renamed = tuple(name for name in comparison.removed if "[" in name and function_of(name) in functions)
    return tuple(name for name in (*comparison.broken, *comparison.prevented, *renamed) if "::" in name)
