"""Climbs the ladder of checks on one clean tree."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from bot.core.check import Check, CheckResult, Comparison, Reader, Rung, Verdict
from bot.core.redact import Redactor
from bot.errors import SandboxUnavailable
from bot.protocols import Executor
from bot.verify import findings, plain, suite, syntax
from bot.verify.compare import compare, got_worse, without
from bot.verify.interpreter import Interpreter
from bot.verify.place import Place, errored
from bot.verify.recorded import recorded

READERS: Mapping[Reader, Callable[[Check, Place, Sequence[str]], CheckResult]] = {
    "syntax": syntax.run,
    "ruff": findings.ruff,
    "ruff-format": findings.ruff_format,
    "mypy": findings.mypy,
    "pytest": suite.run,
    "exit": plain.run,
}
MOST_REPEATED = 40
"""Tests that are run a second time to tell flaky from broken; with more, something else is wrong."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """The checks of one project and what runs them."""

    checks: tuple[Check, ...]
    executor: Executor
    interpreter: Interpreter
    redactor: Redactor = field(default_factory=lambda: Redactor(()))

    def climb(self, root: Path, tree: str, before: Verdict | None = None) -> Generator[Check, None, Verdict]:
        """Judge the folder `root`, which holds exactly `tree`: yields each check before it runs, returns the verdict.

        Without `before` (the baseline) every rung is run; with it the climb stops after the first rung on which
        something got worse, and the checks above are `skipped`.
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
                results.append(self.run(check, root))
                flaky += self._flaky(check, root, before, results[-1])
            if blocked is None and before is not None and got_worse(without(compare(before, results), flaky)):
                blocked = rung
        return Verdict(tree=tree, results=tuple(results), comparison=without(compare(before, results), flaky))

    def run(self, check: Check, root: Path, targets: Sequence[str] = ()) -> CheckResult:
        """Run one check on a folder; `targets` narrows it to paths or test ids."""
        refused = next((target for target in targets if target.startswith("-") or "\0" in target or not target), None)
        if refused is not None:
            return errored(check, f"a target is a path or a test id, not {refused!r}")
        try:
            result = READERS[check.reader](check, Place(root, self.executor, self.interpreter), targets)
        except SandboxUnavailable as error:
            return errored(check, error.message)
        return recorded(result, self.redactor)

    def _flaky(self, check: Check, root: Path, before: Verdict | None, result: CheckResult) -> tuple[str, ...]:
        """Run doubtful tests once more on the same tree and name those that answer differently."""
        doubtful = _doubtful(check, before, result)
        if not doubtful or len(doubtful) > MOST_REPEATED:
            return ()
        again = self.run(check, root, tuple(dict.fromkeys(_function(name) for name in doubtful)))
        if again.status == "errored":
            return ()
        first = {case.id: case.outcome for case in result.cases}
        second = {case.id: case.outcome for case in again.cases}
        asked = {_function(name) for name in doubtful}
        unstable = {name for name in first if _function(name) in asked and name not in second and "[" in name}
        renamed = {_function(name) for name in unstable}
        changed = tuple(
            name for name in doubtful if first.get(name) in ("failed", "error") and second.get(name) == "passed"
        )
        gone = tuple(name for name in doubtful if name not in first and _function(name) in renamed)
        return (*changed, *gone, *sorted(unstable))


def _doubtful(check: Check, before: Verdict | None, result: CheckResult) -> tuple[str, ...]:
    """Name the tests whose outcome decides something: what fails on the base, what got worse afterwards."""
    if check.reader != "pytest" or result.status == "errored":
        return ()
    if before is None:
        return tuple(case.id for case in result.cases if case.bad and "::" in case.id)
    comparison: Comparison = compare(before, [result])
    functions = {_function(case.id) for case in result.cases}
    renamed = tuple(name for name in comparison.removed if "[" in name and _function(name) in functions)
    return tuple(name for name in (*comparison.broken, *renamed) if "::" in name)


def _function(name: str) -> str:
    """Strip a test id of its parameters."""
    return name.partition("[")[0]


def _skipped(check: Check, blocked: Rung) -> CheckResult:
    return CheckResult(
        check=check.name,
        rung=check.rung,
        status="skipped",
        summary=f"not run: something got worse on the rung {blocked}",
    )
