"""The verification ladder's values, and what may be concluded from them."""

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, TypeAlias

from bot.core.task import Record


class Rung(StrEnum):
    """Cheapest first; a rung is climbed only when nothing below it got worse."""

    SYNTAX = "syntax"
    STATIC = "static"
    TYPES = "types"
    UNIT = "unit"
    INTEGRATION = "integration"
    BUILD = "build"

    @property
    def height(self) -> int:
        """Position on the ladder, from 0."""
        return list(Rung).index(self)


Reader: TypeAlias = Literal["syntax", "ruff", "ruff-format", "mypy", "pytest", "unittest", "lines", "exit"]
"""How the answer of a check is read: from its own structured report, from lines that name a place, from its exit code.

`exit` also reads the JUnit XML that the command writes, where one is declared.
"""

Cause: TypeAlias = Literal["", "network", "service", "disk", "memory", "missing"]
"""What outside of the tree kept a case from telling anything; empty when it is the tree that speaks."""

WORDS: Mapping[Cause, str] = {
    "network": "for want of a network",
    "service": "for want of a service",
    "disk": "as the disk would not take more",
    "memory": "for want of memory",
    "missing": "for want of something that is not installed",
}

Outcome: TypeAlias = Literal["passed", "failed", "error", "skipped", "xfailed", "xpassed"]
Status: TypeAlias = Literal["passed", "failed", "skipped", "errored"]
"""`errored`: the check could not be carried out or its evidence is incomplete; never a green word."""


class Check(Record):
    """A command that can tell whether a tree is good."""

    name: str
    rung: Rung
    argv: tuple[str, ...] = ()
    reader: Reader = "exit"
    timeout: float = 300.0
    """Seconds."""
    network: bool = False
    reason: str = ""
    """Why we believe that the project wants this check."""
    folder: str = ""
    """Of the package that it is run in, relative to the root; empty for the root itself."""
    needs: tuple[str, ...] = ()
    """What must be here for it to tell anything: a program, `python:MODULE`, or a path with a slash in it."""
    junit: str = ""
    """Where the command writes JUnit XML, relative to its folder."""
    environment: tuple[tuple[str, str], ...] = ()
    """Variables that the project's own command is given."""
    borrowed: str = ""
    """Where the tool is git agent's own and not what the project asks for: the versions of both."""
    targets: tuple[str, ...] = ()
    """Paths from the root that it is narrowed to; what a tree does not hold of them is not asked for there."""

    @property
    def spelled(self) -> str:
        """Return all of it in plain ASCII, the same for the same check, also where a path in it is no text."""
        return json.dumps(self.model_dump(mode="json"))


class CaseResult(Record):
    """What a check said of one test, or one finding of a static check."""

    id: str
    """A test's node id; for a finding `path::code::message`, which survives moved lines."""
    outcome: Outcome
    message: str = ""
    path: str = ""
    line: int = 0
    seconds: float = 0.0
    asks: str = ""
    """What a test asks, as a digest, where it stands in the same file as the code."""
    code: str = ""
    """Digest of a test function's own code, the same under any name; empty when unknown."""
    error: str = ""
    """Name of the exception that it ended with, such as AssertionError; empty when unknown."""
    cause: Cause = ""
    lacks: str = ""
    """The module or file that was looked for and not found."""

    @property
    def bad(self) -> bool:
        """Whether this case speaks against the tree."""
        return self.outcome in ("failed", "error")


class Flake(Record):
    """A case that did not always end the same way on one tree."""

    id: str
    passed: int
    failed: int

    @property
    def runs(self) -> int:
        """How often it was run."""
        return self.passed + self.failed


class CheckResult(Record):
    """What one check said of one tree."""

    check: str
    rung: Rung
    status: Status
    cases: tuple[CaseResult, ...] = ()
    summary: str = ""
    """One line for a person; for an errored check the reason."""
    output: str = ""
    """What the check printed: beginning, lines that look like errors, end; bounded, and never read for a verdict."""
    seconds: float = 0.0
    isolation: str = ""
    hit: tuple[str, ...] = ()
    """Limits that it ran into: memory, processor, processes, file size, open files, time, output, disk."""
    hidden: tuple[str, ...] = ()
    """Modules of the tree that stand in the way of others of the same name, such as an installed library."""
    rewritten: tuple[str, ...] = ()
    """Files of the tree that were written to while the check ran."""
    flakes: tuple[Flake, ...] = ()
    narrowed: bool = False
    """Whether only the cases nearest to a change were asked: those that are absent say nothing."""
    reused: bool = False
    """Whether this was said before, of the same tree in the same environment, and was not asked again."""
    imported: tuple[str, ...] = ()
    """Files of the tree that the tests imported."""
    empty: bool = False
    """Whether it is a suite that nobody declared, and there was not one test in it to be run."""

    @property
    def finds(self) -> bool:
        """Whether it gave evidence by reading and not by running: its cases are complaints."""
        return self.status == "failed" and self.rung.height < Rung.UNIT.height

    @property
    def bad(self) -> tuple[str, ...]:
        """Ids of the cases that speak against the tree."""
        return tuple(case.id for case in self.cases if case.bad)

    def count(self, *outcomes: Outcome) -> int:
        """Count the cases with one of these outcomes."""
        return sum(case.outcome in outcomes for case in self.cases)


class Comparison(Record):
    """Two results of the same checks side by side, case by case; every field holds case ids."""

    fixed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    """Passed before and does not pass now, or a new case that fails."""
    failing: tuple[str, ...] = ()
    """Failed before and still fails."""
    new: tuple[str, ...] = ()
    """Cases that pass and did not exist before."""
    removed: tuple[str, ...] = ()
    """Tests that existed before and are gone, or are now skipped or expected to fail."""
    flaky: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    """Tests that pass and ask something else than before, and files that were not rewritten before by the tests."""
    unjudged: tuple[str, ...] = ()
    """Checks that gave no evidence before and give none now, such as one whose tool is missing."""
    renamed: tuple[str, ...] = ()
    """Tests that are gone under this name and pass, with the same code, under another."""
    withdrawn: tuple[str, ...] = ()
    """Tests that are gone or silenced, and hold when they are asked as they were on the base."""
    prevented: tuple[str, ...] = ()
    """Passed before, and now kept from telling anything by something outside of the tree; no blame, and no green."""
    complained: tuple[str, ...] = ()
    """New findings of a tool in another version than the project's: no blame, and no green."""


class Verdict(Record):
    """What the ladder said of one tree, beside what it said of the tree before."""

    tree: str
    results: tuple[CheckResult, ...] = ()
    comparison: Comparison = Comparison()

    @property
    def telling(self) -> tuple[CheckResult, ...]:
        """Results of checks that had something to be asked; a suite that lost its last test is among them."""
        return tuple(r for r in self.results if not r.empty or r.check in self.comparison.broken)

    @property
    def green(self) -> bool:
        """Whether every check passed outright."""
        return bool(self.telling) and all(result.status == "passed" and not result.narrowed for result in self.telling)

    @property
    def sound(self) -> bool:
        """Whether everything that runs passed, and static checks find nothing but what they found before."""
        earlier = frozenset(self.comparison.failing)
        return bool(self.telling) and all(
            (result.status == "passed" and not result.narrowed) or (result.finds and earlier.issuperset(result.bad))
            for result in self.telling
        )

    @property
    def ok(self) -> bool:
        """Whether a step may be committed: every check that can gave evidence, and nothing got worse."""
        judged = [result for result in self.telling if result.check not in self.comparison.unjudged]
        told = all(result.status in ("passed", "failed") and not result.narrowed for result in judged)
        complete = bool(judged) and told
        spoken_against = self.comparison.broken or self.comparison.removed or self.comparison.prevented
        return complete and not spoken_against

    @property
    def bad(self) -> tuple[str, ...]:
        """Ids of the cases that speak against the tree."""
        return tuple(name for result in self.results for name in result.bad)

    @property
    def better(self) -> bool:
        """Whether there is something to show for the step: all passes, or something that failed or was not there."""
        return self.ok and (self.green or bool(self.comparison.fixed or self.comparison.new))

    def result(self, name: str) -> CheckResult | None:
        """Find what one check said."""
        return next((result for result in self.results if result.check == name), None)


def mended(before: Verdict, after: Verdict) -> tuple[str, ...]:
    """List the cases that spoke against one tree and do not against another: tests that pass, findings that are gone.

    A test that is missing, or does not always end the same way, proves nothing. A file whose tests could not be
    collected counts when some of them pass.
    """
    flaky = {*before.comparison.flaky, *after.comparison.flaky}
    passing = {case.id for result in after.results for case in result.cases if case.outcome == "passed"} - flaky
    # Where something got worse, a finding may be gone only because a file cannot be read any more
    telling = ("passed", "failed") if after.ok else ("passed",)
    clean = {result.check for result in after.results if result.status in telling}
    gone = {
        case.id
        for result in before.results
        if result.check in clean and result.rung.height < Rung.UNIT.height
        for case in result.cases
    }
    collected = {file_of(name) for name in passing if "::" in name}
    return tuple(case for case in before.bad if case not in after.bad and case in passing | gone | collected)


def file_of(name: str) -> str:
    """Return the file of a test id."""
    return name.partition("::")[0]


def function_of(name: str) -> str:
    """Strip a test id of its parameters."""
    return name.partition("[")[0]
