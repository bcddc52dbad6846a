"""Tells a proof to a person."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bot.app.proving.target import SHORT
from bot.app.proving.values import Judged, Outcome, Proved, ProvedCommit
from bot.core.check import WORDS as CAUSES
from bot.core.check import CaseResult, Rung, Verdict
from bot.core.escape import line
from bot.core.proof import Proof
from bot.core.publication.words import spell
from bot.core.report import CheckSummary
from bot.forge.checks import brief

SHOWN = 10
"""Points of one kind that are told; all are in the output for programs."""
NARROWEST = 24
"""Columns for the subject, below which commits stand under each other rather than in a table."""
GAP = 2
INDENT = SHORT + GAP
LONGEST = 300
MESSAGE = 200

WORDS: dict[Outcome, tuple[str, str, str]] = {
    "holds": ("✓", "holds", "green"),
    "needs_person": ("●", "needs a person", "yellow"),
    "fails": ("✗", "does not hold", "red"),
}
MODES = {"reproduction": "reproduced", "written": "written", "reverted": "reverted"}


class Point(NamedTuple):
    """One thing to know of a commit."""

    mark: str
    style: str
    text: str


def present(judged: Judged, console: Console) -> None:
    """Print a proof."""
    proved = judged.proved
    if proved.target:
        console.print(Text(line(proved.target), style="bold"))
    for note in proved.notes:
        console.print(_row(Point("•", "dim", note)))
    room = console.width - console.measure(_table(proved)).maximum - GAP
    for part in [_table(proved, room)] if room >= NARROWEST else _blocks(proved, console.width):
        console.print(part)
    for result in judged.base.results:
        if result.status == "errored":
            console.print(_row(Point("!", "yellow", f"no evidence from {result.check} on the base: {result.summary}")))
    results = [result for verdict in (judged.base, *judged.verdicts) for result in verdict.results]
    if known := sum(result.reused for result in results):
        told = f"{known} of {len(results)} answers were known from before: the same tree in the same environment"
        console.print(_row(Point("•", "dim", told)))
    for commit, verdict in zip(proved.commits, judged.verdicts, strict=True):
        last = commit is proved.commits[-1]
        points = [*points_of(commit, verdict), *(_left(verdict) if commit.ok and last else ())]
        if points:
            console.print(Text.assemble("\n", (commit.commit[:SHORT], "bold"), "  ", line(commit.subject)))
        for point in points:
            console.print(_row(point))
    console.print(conclude(proved))


def _table(proved: Proved, subjects: int = 0) -> Table:
    """Lay commits out in rows, with this many columns for subjects; without, to see how much room those have."""
    table = Table(box=None, padding=(0, GAP, 0, 0), show_edge=False, header_style="dim")
    table.add_column("commit", no_wrap=True)
    if subjects:
        table.add_column("subject", no_wrap=True, overflow="ellipsis", max_width=subjects)
    for title in (*titles(proved), "trailers", "red→green", ""):
        table.add_column(title, no_wrap=True)
    if proved.base:
        start = [Text("(base)", style="dim")] if subjects else []
        table.add_row(proved.base[:SHORT], *start, *_cells(proved, proved.base_checks), "", "", "")
    for commit in proved.commits:
        _, word, style = WORDS[commit.outcome]
        subject = [Text(line(commit.subject))] if subjects else []
        cells = _cells(proved, commit.checks)
        table.add_row(
            commit.commit[:SHORT], *subject, *cells, _claim(commit), _mode(commit.proof), Text(word, style=style)
        )
    return table


def titles(proved: Proved) -> tuple[str, ...]:
    """Name the checks of a proof, each once."""
    every = (proved.base_checks, *(commit.checks for commit in proved.commits))
    return tuple(dict.fromkeys(check.name for checks in every for check in checks))


def _cells(proved: Proved, checks: Sequence[CheckSummary]) -> list[Text]:
    found = {check.name: brief(check) for check in checks}
    return [found.get(title, Text()) for title in titles(proved)]


def _claim(commit: ProvedCommit) -> Text:
    return Text(commit.claim, style={"differs": "red", "none": "dim"}.get(commit.claim, ""))


def _mode(proof: Proof) -> Text:
    if proof.mode == "none":
        return Text("none", style="dim")
    return Text(f"{len(proof.green)} {MODES[proof.mode]}", style="green")


def _blocks(proved: Proved, width: int) -> Iterator[RenderableType]:
    """Lay commits out under each other, for a narrow terminal or many checks."""
    if proved.base:
        yield Text.assemble(proved.base[:SHORT], ("  (base)", "dim"))
        yield _checks(proved.base_checks, [], width)
    for commit in proved.commits:
        _, word, style = WORDS[commit.outcome]
        head = Text.assemble(commit.commit[:SHORT], "  ", (word, style), "  ", line(commit.subject))
        head.no_wrap, head.overflow = True, "ellipsis"
        yield head
        rest = [Text.assemble(("trailers ", "dim"), _claim(commit))]
        rest.append(Text.assemble(("red→green ", "dim"), _mode(commit.proof)))
        yield _checks(commit.checks, rest, width)


def _checks(checks: Sequence[CheckSummary], rest: Sequence[Text], width: int) -> RenderableType:
    """List checks in lines that are folded between two of them."""
    lines = [Text()]
    for shown in (*(Text.assemble((f"{check.name} ", "dim"), brief(check)) for check in checks), *rest):
        if lines[-1].cell_len and lines[-1].cell_len + GAP + shown.cell_len > width - INDENT:
            lines.append(Text())
        lines[-1].append(" " * GAP if lines[-1].cell_len else "").append_text(shown)
    return Padding(Text("\n").join(lines), (0, 0, 0, INDENT))


def points_of(commit: ProvedCommit, verdict: Verdict) -> Iterator[Point]:
    """Say what a person should know of a commit."""
    compared, cases = verdict.comparison, {case.id: case for result in verdict.results for case in result.cases}
    if not commit.ok:
        errored = [result for result in verdict.results if result.status == "errored"]
        names = {result.check for result in errored} - {*compared.unjudged}
        yield from (
            Point("!", "yellow", f"no evidence from {r.check}: {r.summary}") for r in errored if r.check in names
        )
        worse = [name for name in compared.broken if name not in names]
        yield from _some("✗", "red", [_told(name, cases.get(name)) for name in worse])
        yield from _some("✗", "red", [f"gone, skipped or expected to fail: {spell(name)}" for name in compared.removed])
        kept = [f"could not be told, for a cause outside of the tree: {spell(name)}" for name in compared.prevented]
        yield from _some("!", "yellow", kept)
    if commit.claim == "differs":
        yield from (Point("✗", "red", text) for text in commit.contradiction)
    yield from (Point("→", "cyan", missing.text) for missing in commit.uncommitted)
    yield from _some("●", "yellow", [f"needs a person: {doubt}" for doubt in commit.doubts])
    yield from _some("•", "dim", commit.notes)
    if commit.ok and commit.proof.mode == "none" and commit.proof.reason:
        yield Point("•", "dim", f"no red→green: {commit.proof.reason}")


def _left(verdict: Verdict) -> Iterator[Point]:
    """Name the tests that fail at the tip as they did before, which is why not all is green."""
    known = {*verdict.comparison.failing}
    tests = (result for result in verdict.results if result.rung.height >= Rung.UNIT.height)
    cases = [case for result in tests for case in result.cases if case.bad and case.id in known]
    yield from _some("•", "dim", [f"fails as before{_why(case)}: {_told(case.id, case)}" for case in cases])


def _why(case: CaseResult) -> str:
    return f", {CAUSES[case.cause]}" if case.cause else ""


def _some(mark: str, style: str, texts: Sequence[str]) -> Iterator[Point]:
    yield from (Point(mark, style, text) for text in texts[:SHOWN])
    if len(texts) > SHOWN:
        yield Point("", "dim", f"… and {len(texts) - SHOWN} more")


def _told(name: str, case: CaseResult | None) -> str:
    """Say where and how a case fails."""
    shown = spell(name)
    if case is None:
        return shown
    if shown != name:
        return shown.replace(f"{case.path}: ", f"{case.path}:{case.line}: ", 1) if case.line else shown
    where = f" ({case.path}:{case.line})" if case.path and case.line else ""
    first = line(case.message.partition("\n")[0], MESSAGE)
    return f"{shown}{where}: {first or case.outcome}"


def _row(point: Point) -> RenderableType:
    """Lay out a point, its further lines below its first."""
    row = Table.grid(padding=(0, 1))
    row.add_column(no_wrap=True)
    row.add_column(overflow="fold")
    row.add_row(Text(f"  {point.mark}", style=point.style), Text(line(point.text, LONGEST)))
    return row


def conclude(proved: Proved) -> Text:
    """Say what a proof comes to, in a sentence."""
    if not all(commit.ok for commit in proved.commits):
        return Text("\n✗ not proved: a commit makes a check worse, or a check gave no evidence", style="bold red")
    if any(commit.claim == "differs" for commit in proved.commits):
        text = (
            "\n✗ not proved: a commit says something else of its checks (one that was declared, another environment?)"
        )
        return Text(text, style="bold red")
    if not proved.ok:
        text = "\n● not proved by the checks alone: a person has to judge, for the reasons above"
        return Text(text, style="bold yellow")
    if proved.green:
        idle = any(check.status == "errored" for check in proved.commits[-1].checks)
        which = "every check that has something to ask" if idle else "every check"
        return Text(f"\n✓ proved: {which} passes at the tip", style="bold green")
    if proved.sound:
        text = "\n✓ proved: every test passes at the tip; what linters and types complain of was so before"
        return Text(text, style="bold green")
    return Text("\n● not proved: nothing got worse, but not every check passes at the tip", style="bold yellow")
