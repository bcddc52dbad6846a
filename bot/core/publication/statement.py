"""What a run proves, for programs: the same as the page says, as one JSON object in it."""

import json
from typing import Literal

from bot.core.account import live
from bot.core.check import Check, Status
from bot.core.escape import fence, line, size
from bot.core.proof import ProofMode
from bot.core.publication.sections import tell_command
from bot.core.report import CheckSummary, OutcomeWord, Report
from bot.core.task import Record

LONGEST = 8_000
"""Characters of the object; lists are halved until it fits, and say how much is missing."""
MOST = 64
"""Entries of a list."""


class Tree(Record):
    """A commit and the tree that it was judged by."""

    step: int
    commit: str
    tree: str


class Case(Record):
    """A case, and how it ended without the change and with it."""

    id: str
    red: bool
    green: bool
    error: str = ""


class Counts(Record):
    """What a check counted."""

    status: Status
    passed: int
    failed: int
    skipped: int
    seconds: float
    isolation: str


class Compared(Record):
    """What a check said before and after."""

    name: str
    command: str = ""
    base: Counts | None = None
    result: Counts | None = None


class Statement(Record):
    """All that is claimed to be proved."""

    version: Literal[1] = 1
    run: str
    outcome: OutcomeWord
    base: str
    tip: str
    mode: ProofMode
    """Where the red comes from."""
    trees: tuple[Tree, ...] = ()
    cases: tuple[Case, ...] = ()
    checks: tuple[Compared, ...] = ()
    left_out: int = 0
    """Entries of the lists that did not fit."""


def state(report: Report, declared: tuple[Check, ...] = ()) -> Statement:
    """Put what a run proves into one value."""
    shown = {red.id: red.error for red in report.proof.shown}
    green = frozenset(report.proof.green)
    reds = tuple(dict.fromkeys((*report.proof.green, *report.proof.red)))
    return Statement(
        run=line(report.run),
        outcome=report.outcome,
        base=line(report.base),
        tip=line(report.tip),
        mode=report.proof.mode,
        trees=tuple(Tree(step=each.number, commit=line(each.commit), tree=line(each.tree)) for each in live(report)),
        cases=tuple(
            Case(id=line(case, 300), red=True, green=case in green, error=line(shown.get(case, ""))) for case in reds
        ),
        checks=tuple(_compare(report, declared)),
    )


def _compare(report: Report, declared: tuple[Check, ...]) -> list[Compared]:
    steps = live(report)
    now = {check.name: check for check in (steps[-1].checks if steps else ())}
    then = {check.name: check for check in report.baseline}
    commands = {check.name: tell_command(check) for check in declared}
    return [
        Compared(
            name=line(name),
            command=line(commands.get(name, ""), 300),
            base=_count(then.get(name)),
            result=_count(now.get(name)),
        )
        for name in dict.fromkeys((*then, *now))
    ]


def _count(check: CheckSummary | None) -> Counts | None:
    if check is None:
        return None
    return Counts(
        status=check.status,
        passed=check.passed,
        failed=check.failed,
        skipped=check.skipped,
        seconds=check.seconds,
        isolation=line(check.isolation),
    )


def show_statement(report: Report, declared: tuple[Check, ...] = (), room: int = LONGEST) -> str:
    """Write what a run proves as a block of JSON that stays valid however much had to be left out."""
    whole, most = state(report, declared), MOST
    block = _write(_cut(whole, most))
    while size(block) > room and most:
        most //= 2
        block = _write(_cut(whole, most))
    return block if size(block) <= room else ""


def _cut(whole: Statement, most: int) -> Statement:
    # The last trees are those that count
    lists = {"trees": whole.trees[-most:] if most else (), "cases": whole.cases[:most], "checks": whole.checks[:most]}
    every = len(whole.trees) + len(whole.cases) + len(whole.checks)
    return whole.model_copy(update={**lists, "left_out": every - sum(map(len, lists.values()))})


def _write(statement: Statement) -> str:
    rows = (f"  {json.dumps(name)}: {_value(value)}" for name, value in statement.model_dump(mode="json").items())
    return fence("{\n" + ",\n".join(rows) + "\n}", "json")


def _value(value: object) -> str:
    """Write a value on one line, and a list with an entry a line."""
    if not isinstance(value, list) or not value:
        return json.dumps(value)
    return "[\n" + ",\n".join(f"    {json.dumps(each)}" for each in value) + "\n  ]"
