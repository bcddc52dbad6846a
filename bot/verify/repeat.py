"""What a second run of the same tests on the same tree says of the first."""

from collections.abc import Iterable, Iterator

from bot.core.check import CaseResult, CheckResult, Verdict, file_of, function_of
from bot.verify.compare import compare

MOST_REPEATED = 40
"""Tests that are run a second time to tell flaky from broken; with more, something else is wrong."""
LONGEST_REPEATED = 120.0
"""Seconds of a suite that is run a second time as a whole."""
STOPPED = "of processor time, so it was stopped"
"""What the clock says of a test that never ended; asking again would take as long, for the same answer."""
RELAPSED = "passed at first, and not when it was run again on the same tree"


def passing(result: CheckResult) -> frozenset[str]:
    """Name the tests that passed, in a result that is evidence."""
    return frozenset(case.id for case in result.cases if case.outcome == "passed" and result.status != "errored")


def mended_tests(before: Verdict | None, result: CheckResult) -> tuple[str, ...]:
    """Name tests that pass now and did not, or not always, or could not be collected; a few stand for many."""
    if before is None:
        return ()
    comparison = compare(before, [result])
    known = {file_of(case.id) for case in _earlier(before, result)}
    names = (*comparison.fixed, *comparison.flaky, *(name for name in comparison.new if file_of(name) in known))
    good = passing(result)
    return tuple(name for name in names if name in good and "::" in name)[:MOST_REPEATED]


def kept_tests(before: Verdict | None, result: CheckResult, again: CheckResult) -> tuple[str, ...]:
    """Name tests of the base that pass now; cases that have another name each time they are run are left aside."""
    known, told = {case.id for case in _earlier(before, result)}, {case.id for case in again.cases}
    functions = {function_of(name) for name in told - {case.id for case in result.cases}}
    kept = (name for name in passing(result) if name in known)
    return tuple(name for name in kept if name in told or "[" not in name or function_of(name) not in functions)


def fresh_files(before: Verdict | None, result: CheckResult) -> tuple[str, ...]:
    """Name files that hold tests now and were not there on the base, when the base had tests of its own."""
    known = {file_of(case.id) for case in _earlier(before, result)}
    found = dict.fromkeys(file_of(case.id) for case in result.cases if "::" in case.id)
    return tuple(path for path in found if path not in known) if known else ()


def relapse(result: CheckResult, names: frozenset[str], again: CheckResult) -> CheckResult:
    """Let a test that passed only the first time count as failed, by what it said the second time."""
    if not names:
        return result
    said = {case.id: case.message for case in again.cases if case.bad}
    cases = tuple(
        case.model_copy(update={"outcome": "failed", "message": f"{RELAPSED}: {said.get(case.id, again.summary)}"})
        if case.id in names
        else case
        for case in result.cases
    )
    summary = f"{result.summary}; {len(names)} of them only once"
    return result.model_copy(update={"cases": cases, "status": "failed", "summary": summary})


def functions_of(names: Iterable[str]) -> tuple[str, ...]:
    """Name the functions of some tests once each."""
    return tuple(dict.fromkeys(map(function_of, names)))


def _earlier(before: Verdict | None, result: CheckResult) -> Iterator[CaseResult]:
    earlier = before.result(result.check) if before is not None else None
    yield from earlier.cases if earlier is not None else ()
