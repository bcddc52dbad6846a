"""Climbs the ladder of checks on one clean tree."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from bot.core.check import Check, CheckResult, Comparison, Reader, Rung, Verdict
from bot.core.redact import Redactor
from bot.errors import SandboxUnavailable
from bot.protocols import Cleaner, Executor
from bot.verify import findings, plain, suite, syntax
from bot.verify.compare import compare, got_worse, without
from bot.verify.interpreter import Interpreter
from bot.verify.place import Place, errored
from bot.verify.recorded import recorded
from bot.verify.repeat import (
    LONGEST_REPEATED,
    MOST_REPEATED,
    STOPPED,
    fresh_files,
    function_of,
    kept_tests,
    mended_tests,
    passing,
    relapse,
)

READERS: Mapping[Reader, Callable[[Check, Place, Sequence[str]], CheckResult]] = {
    "syntax": syntax.run,
    "ruff": findings.ruff,
    "ruff-format": findings.ruff_format,
    "mypy": findings.mypy,
    "pytest": suite.run,
    "exit": plain.run,
}


class Repeated(NamedTuple):
    """A result after its doubtful tests were run again."""

    result: CheckResult
    flaky: tuple[str, ...] = ()


def _leave() -> None:
    """Take a folder as it is."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """The checks of one project and what runs them."""

    checks: tuple[Check, ...]
    executor: Executor
    interpreter: Interpreter
    redactor: Redactor = field(default_factory=lambda: Redactor(()))

    def judge(self, cleaner: Cleaner, tree: str, before: Verdict | None) -> Generator[Check, None, Verdict]:
        """Climb in a folder that holds exactly this tree, and that is made anew before anything is run again."""

        def renew() -> None:
            with cleaner.clean(tree):
                pass

        with cleaner.clean(tree) as root:
            return (yield from self.climb(root, tree, before, renew))

    def climb(
        self, root: Path, tree: str, before: Verdict | None = None, renew: Callable[[], None] = _leave
    ) -> Generator[Check, None, Verdict]:
        """Judge the folder `root`, which holds exactly `tree`: yields each check before it runs, returns the verdict.

        Without `before` (the baseline) every rung is run; with it the climb stops after the first rung on which
        something got worse, and the checks above are `skipped`. `renew` makes the folder hold exactly `tree` again.
        """
        results: list[CheckResult] = []
        flaky: list[str] = []
        blocked: Rung | None = None
        for rung, checks in groupby(
            sorted(self.checks, key=lambda check: check.rung.height), key=lambda check: check.rung
        ):
            for check in checks:
                if blocked is not None:
                    results.append(_skipped(check, blocked))
                    continue
                yield check
                first = self.run(check, root)
                again = self._repeat(check, root, before, first, renew)
                flaky += again.flaky
                results.append(again.result)
            if blocked is None and before is not None and got_worse(without(compare(before, results), flaky)):
                blocked = rung
        return Verdict(tree=tree, results=tuple(results), comparison=without(compare(before, results), flaky))

    def run(self, check: Check, root: Path, targets: Sequence[str] = ()) -> CheckResult:
        """Run one check on a folder; `targets` narrows it to paths or test ids."""
        refused = next((target for target in targets if target.startswith("-") or "\0" in target or not target), None)
        if refused is not None:
            return errored(check, f"a target is a path or a test id, not {refused!r}")
        return self._read(check, root, targets)

    def _read(self, check: Check, root: Path, targets: Sequence[str]) -> CheckResult:
        try:
            result = READERS[check.reader](check, Place(root, self.executor, self.interpreter), targets)
        except SandboxUnavailable as error:
            return errored(check, error.message)
        return recorded(result, self.redactor)

    def _repeat(
        self, check: Check, root: Path, before: Verdict | None, result: CheckResult, renew: Callable[[], None]
    ) -> Repeated:
        """Run what is doubtful once more: what does not end the same way is neither broken nor fixed."""
        if check.reader != "pytest" or result.status == "errored":
            return Repeated(result)
        doubtful = _doubtful(before, result)
        if len(doubtful) > MOST_REPEATED:
            doubtful = ()
        mended = mended_tests(before, result)
        fresh = fresh_files(before, result)
        if not (doubtful or mended or fresh):
            return Repeated(result)
        renew()
        if fresh and result.seconds <= LONGEST_REPEATED:
            # What a new test file does when it is imported must not be what lets the earlier tests pass.
            again = self._read(check, root, [f"--ignore={path}" for path in fresh])
            proved = kept_tests(before, result)
        else:
            again = self.run(check, root, tuple(dict.fromkeys(map(function_of, (*doubtful, *mended)))))
            proved = mended
        flaky = _unstable(doubtful, result, again) if again.status != "errored" else ()
        relapsed = frozenset(proved) - passing(again) - {*flaky}
        return Repeated(relapse(result, relapsed, again), (*flaky, *sorted(relapsed & {*mended})))


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
    comparison: Comparison = compare(before, [result])
    functions = {function_of(case.id) for case in result.cases}
    renamed = tuple(name for name in comparison.removed if "[" in name and function_of(name) in functions)
    return tuple(name for name in (*comparison.broken, *renamed) if "::" in name)


def _skipped(check: Check, blocked: Rung) -> CheckResult:
    return CheckResult(
        check=check.name,
        rung=check.rung,
        status="skipped",
        summary=f"not run: something got worse on the rung {blocked}",
    )
