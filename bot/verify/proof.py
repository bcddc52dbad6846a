"""Shows what a whole change proves: tests that fail without it, and tests of the base that still hold with it."""

import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, TypeAlias

from bot.core.change import FileChange
from bot.core.check import CaseResult, Check, CheckResult, Rung, Verdict, file_of, mended
from bot.core.evidence import is_test
from bot.core.proof import Audit, Proof, ProofMode, Red
from bot.errors import Unprepared
from bot.protocols import Cleaner
from bot.verify.audit import Auditor
from bot.verify.contrast import contrast
from bot.verify.ladder import Ladder
from bot.verify.place import errored, one_line
from bot.verify.support import find_evidence, tests_of

ABSENCES = frozenset(
    {
        *("AttributeError", "FixtureLookupError", "ImportError", "ModuleNotFoundError", "NameError"),
        *("NotImplementedError", "SyntaxError", "TypeError", "UnboundLocalError"),
    }
)
"""Names of exceptions that a test may raise only because what it asks for is not there yet."""
MOST_SHOWN = 20
MESSAGE = 300
SAID = 200
"""Characters of how one case failed."""

Proving: TypeAlias = Generator[Check, None, "Proven"]


class Proven(NamedTuple):
    """What a change proves, and what it did to the evidence."""

    proof: Proof
    audit: Audit


@dataclass(frozen=True, slots=True)
class Prover:
    """Runs what it takes to hold a whole change against its base."""

    ladder: Ladder
    cleaner: Cleaner

    def prove(self, before: Verdict, after: Verdict, files: Sequence[FileChange], reported: str = "") -> Proving:
        """Yield each check before it runs; `reported` is the text in which an exception may have been named."""
        tests = self._only_tests()
        evidence = find_evidence(files, before, after, partial(self.cleaner.read, before.tree))
        audit = yield from Auditor(tests, self.cleaner, before, after).look(files)
        proof = yield from _Reversal(tests, self.cleaner, before, after, reported).prove(evidence, audit)
        return Proven(proof, audit)

    def _only_tests(self) -> Ladder:
        """Leave out what finds faults without running anything, and what only builds."""
        rungs = (Rung.UNIT, Rung.INTEGRATION)
        return replace(self.ladder, checks=tuple(check for check in self.ladder.checks if check.rung in rungs))


@dataclass(frozen=True, slots=True)
class _Reversal:
    """Takes everything but the tests out of a change, and looks what then fails."""

    ladder: Ladder
    cleaner: Cleaner
    before: Verdict
    after: Verdict
    reported: str

    def prove(self, evidence: Sequence[FileChange], audit: Audit) -> Generator[Check, None, Proof]:
        red = self.before.bad
        green = tuple(case for case in mended(self.before, self.after) if not self._bent(case, evidence, audit))
        if green:
            shown = (case for result in self.before.results for case in result.cases if case.id in set(green))
            return Proof(red=red, green=green, mode="reproduction", shown=_shown(shown))
        asked = self._asked(evidence)
        if not asked:
            return Proof(red=red, reason=self._nothing_new(evidence))
        paths = [file.path for file in evidence]
        reverted = self.cleaner.compose(self.before.tree, self.after.tree, paths)
        if reverted == self.after.tree:
            return Proof(red=red, reason="the change is nothing but tests")
        return (yield from self._run(reverted, asked, red))

    def _bent(self, case: str, evidence: Sequence[FileChange], audit: Audit) -> bool:
        """Tell whether a case may pass only because the change did something to it."""
        return case in audit.unkept or (bool(audit.reason) and file_of(case) in {file.path for file in evidence})

    def _asked(self, evidence: Sequence[FileChange]) -> tuple[CaseResult, ...]:
        """Name the tests in changed files that pass with the change."""
        paths = {file.path for file in evidence if file.kind != "deleted"}
        return tuple(case for case in tests_of(self.after) if case.outcome == "passed" and file_of(case.id) in paths)

    def _nothing_new(self, evidence: Sequence[FileChange]) -> str:
        silent = any(result.status == "errored" for result in self.before.results)
        good = "nothing failed on the base" if silent else "every check passed on the base"
        start = "nothing that failed on the base passes now" if self.before.bad else good
        tests = any(is_test(file.path) and file.kind != "deleted" for file in evidence)
        return f"{start}, and {'no test of the files that were changed passes' if tests else 'no test was added'}"

    def _run(self, tree: str, asked: Sequence[CaseResult], red: tuple[str, ...]) -> Generator[Check, None, Proof]:
        failing: list[CaseResult] = []
        reasons: list[str] = []
        for check in self.ladder.checks:
            wanted = {case.id for case in self._of(check, asked)}
            if not wanted:
                continue
            yield check
            first, again = (self._once(check, tree, wanted) for _ in range(2))
            reasons += [_unproving(first)]
            bad = {case.id for case in again.cases if case.bad}
            failing += [case for case in first.cases if case.bad and case.id in wanted & bad]
        proving = [case for case in failing if self._counts(case)]
        if not proving:
            return Proof(red=red, reason=_why(failing) or next(filter(None, reasons), "the tests pass without it, too"))
        names = tuple(case.id for case in proving)
        return Proof(red=(*red, *names), green=names, mode=self._mode(names), shown=_shown(proving))

    def _of(self, check: Check, asked: Sequence[CaseResult]) -> Iterator[CaseResult]:
        result = self.after.result(check.name)
        names = {case.id for case in result.cases} if result is not None else set()
        return (case for case in asked if case.id in names)

    def _once(self, check: Check, tree: str, wanted: set[str]) -> CheckResult:
        try:
            with self.ladder.ready(self.cleaner).clean(tree) as root:
                return self.ladder.run(check, root, tuple(sorted({file_of(name) for name in wanted})))
        except Unprepared as error:
            return errored(check, f"the tree cannot be prepared: {error.message}")

    def _counts(self, case: CaseResult) -> bool:
        """Tell whether a failure says that something is wrong, rather than that something is not there yet."""
        if not case.error or case.error == "NotImplementedError":
            return False
        reported = re.search(rf"\b{re.escape(case.error)}\b", self.reported) is not None
        by_the_code = bool(case.path) and not is_test(case.path)
        return reported or by_the_code or case.error not in ABSENCES

    def _mode(self, names: Sequence[str]) -> ProofMode:
        known = {case.id for case in tests_of(self.before)}
        return "reverted" if all(name in known for name in names) else "written"


def _shown(cases: Iterator[CaseResult] | Sequence[CaseResult]) -> tuple[Red, ...]:
    told = [Red(id=case.id, error=case.error, message=contrast(case.message, SAID)) for case in cases]
    return tuple(told[:MOST_SHOWN])


def _unproving(result: CheckResult) -> str:
    """Say why a run without the change shows nothing, where that is so."""
    uncollected = next((case for case in result.cases if case.bad and "::" not in case.id), None)
    if uncollected is not None:
        why = one_line(uncollected.message.partition("\n")[0], MESSAGE)
        return f"without the change the tests cannot even be collected ({why}), which only shows that something is new"
    return f"the tests could not be run without the change: {result.summary}" if result.status == "errored" else ""


def _why(failing: Sequence[CaseResult]) -> str:
    if not failing:
        return ""
    kinds = ", ".join(sorted({case.error or "no exception that is known" for case in failing}))
    return f"without the change the tests fail only with {kinds}, which does not show that anything was wrong"
