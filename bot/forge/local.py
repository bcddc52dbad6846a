"""The forge of someone who has no forge: the report goes to a terminal."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bot.core.account import FOLDED, SHOWN, Detail, Point, Sign, account, failing, findings, live, reds
from bot.core.check import Rung
from bot.core.escape import line
from bot.core.money import show_dollars
from bot.core.proof import Proof
from bot.core.publication.words import quote, spell
from bot.core.report import Report, Step
from bot.core.task import Source
from bot.core.undecided import questions
from bot.errors import ForgeError
from bot.forge.checks import CheckTable
from bot.forge.words import advise, headline, invite

SIGNS: dict[Sign, tuple[str, str]] = {
    "good": ("✓", "green"),
    "bad": ("✗", "red"),
    "doubt": ("●", "yellow"),
    "note": ("•", "dim"),
}

FINDINGS = 12
"""Findings that are shown; the rest stand in the full report."""

DIFF_LINES = 60
"""Lines of one step's diff that are shown; the rest is one command away."""

DETAIL = 2000
"""Characters of the model's last words that are shown."""


@dataclass(frozen=True, slots=True)
class LocalForge:
    """Writes for a person what a pull request would say."""

    console: Console

    def brief(self, source: Source) -> str:
        """Refuse: a desk has no issues. Raises ForgeError."""
        raise ForgeError(f"{source.kind} {source.ref}: there is no forge here to read it from")

    def publish(self, report: Report) -> str:
        """Print the report."""
        self.console.print(present(report))
        return report.branch

    def say(self, source: Source, text: str) -> None:
        """Print a text."""
        self.console.print(Text(text))


def present(report: Report) -> RenderableType:
    """Lay a report out for a terminal."""
    return Group(*(_intentions(report) if report.planning else _sections(report)))


def present_plan(report: Report) -> RenderableType:
    """Lay out what would be done."""
    return Group(*_intentions(report))


def _sections(report: Report) -> Iterator[RenderableType]:
    glyph, style, sentence = headline(report)
    yield Text()
    yield Text(f"{glyph} {sentence}", style=style)
    yield from (_item("?", asked) for asked in questions(report.findings))
    if said := quote(report, DETAIL):
        yield Padding(Text(said, style="italic"), (0, 0, 0, 2))
    for asked in report.waits:
        yield _item("?", asked.why)
        yield Padding(coloured(asked.shown, limit=DIFF_LINES), (0, 0, 0, 4))
    steps = live(report)
    if points := account(report):
        yield Text("\nProof", style="bold")
        yield _points(points, report.proof)
    elif report.proof.red:
        yield Text("\nWhat is wrong", style="bold")
        yield _bullets(report.proof.red, still=failing(report))
    if report.steps:
        yield Text("\nWhat changed", style="bold")
        width = max(len(str(step.number)) for step in report.steps)
        for step in report.steps:
            yield from _step(step, width)
    if report.plan and report.unfinished:
        yield from _course(report)
    if report.baseline:
        yield Text("\nChecks", style="bold")
        yield CheckTable(report.baseline, steps[-1].checks if steps else ())
    yield from _notes(report)
    yield from _next(report, changed=bool(steps))


def _intentions(report: Report) -> Iterator[RenderableType]:
    yield Text()
    if not report.plan:
        glyph, style, sentence = headline(report)
        yield Text(f"{glyph} {sentence}", style=style)
        yield Padding(Text(quote(report, DETAIL)), (0, 0, 0, 2))
    else:
        yield Text.assemble(("The plan; nothing was changed", "bold"), (f"  run {report.run}", "dim"))
        for number, step in enumerate(report.plan, 1):
            yield _item(f"{number}.", step)
        for title, told in report.design.points():
            yield Text(f"\n{title}", style="bold")
            yield from (_item("•", one) for one in told)
    if report.proof.red:
        yield Text("\nWhat is wrong", style="bold")
        yield _bullets(report.proof.red, still=set(report.proof.red))
    if report.baseline:
        yield Text("\nChecks", style="bold")
        yield CheckTable(report.baseline, ())
    yield from _notes(report)
    yield from _onward(report)


def _onward(report: Report) -> Iterator[RenderableType]:
    """Say what can be done with a plan, or for one that did not come to be."""
    if report.usage.input + report.usage.output:
        yield Text(f"\n{_cost(report)}", style="dim")
    if (report.plan or report.proof.red) and report.baseline:
        yield Text.assemble("\nDo it:           ", (invite(report), "bold cyan"))
    if report.plan:
        yield Text.assemble("Change it first: ", (f"git agent plan --edit {report.run}", "bold cyan"))
    if report.planning and report.stop != "done":
        for words, command in advise(report, changed=False):
            yield Text.assemble(f"{words + ':':<17}", (command, "bold cyan"))


def _course(report: Report) -> Iterator[RenderableType]:
    """Say what was done of a plan, and what remains."""
    yield Text(f"\nThe plan, {report.plan_done} of {len(report.plan)} done", style="bold")
    for number, step in enumerate(report.plan, 1):
        yield _item("✓" if number <= report.plan_done else "·", f"{number}. {step}")


def _bullets(red: tuple[str, ...], still: Collection[str], shown: int = 10) -> RenderableType:
    """List cases; `still` holds those that fail at the end."""
    rows = Table.grid(padding=(0, 1))
    rows.add_column(no_wrap=True)
    rows.add_column(overflow="fold")
    for case in red[:shown]:
        glyph = Text("  ✗", style="red") if case in still else Text("  ✓", style="green")
        rows.add_row(glyph, Text(spell(case)))
    if len(red) > shown:
        rows.add_row("", Text(f"… and {len(red) - shown} more", style="dim"))
    return rows


def _points(points: Sequence[Point], proof: Proof) -> RenderableType:
    """Lay out what is proved and what is not, with what each point rests on below it."""
    rows = Table.grid(padding=(0, 1))
    rows.add_column(no_wrap=True)
    rows.add_column(overflow="fold")
    for number, point in enumerate(points):
        glyph, style = SIGNS[point.sign]
        rows.add_row(Text(f"  {glyph}", style=style), Text(point.text, style=style if point.sign == "bad" else ""))
        details = list(reds(proof)) if not number else [Detail(one) for one in point.details]
        for detail in details[:SHOWN]:
            rows.add_row("", Padding(Text(spell(line(detail.id))), (0, 0, 0, 2)))
            if detail.how:
                rows.add_row("", Padding(Text(line(detail.how), style="dim"), (0, 0, 0, 4)))
        if len(details) > SHOWN:
            rows.add_row("", Text(f"  … and {len(details) - SHOWN} more", style="dim"))
    return rows


def _item(mark: str, text: str) -> RenderableType:
    """Lay out a point of a list, its further lines below its first."""
    row = Table.grid(padding=(0, 1))
    row.add_column(no_wrap=True)
    row.add_column(overflow="fold")
    row.add_row(Text(f"  {mark}"), Text(text))
    return row


def _step(step: Step, width: int) -> Iterator[RenderableType]:
    """Tell of a step, with the number by which `undo` and `diff` know it."""
    added, removed = sum(f.added for f in step.files), sum(f.removed for f in step.files)
    head, what = Text(f"  {step.number or '':>{width}}  "), Text()
    head.append(step.commit[:10] if step.commit else "rolled back", style="yellow" if step.commit else "red")
    subject = step.subject if step.commit else step.subject.removeprefix("rolled back: ")
    what.append(subject, style="strike" if step.undone else "bold")
    what.append(f"  +{added}", style="green").append(" ").append(f"-{removed}", style="red")
    if step.undone:
        what.append("  undone", style="dim")
    row = Table.grid(padding=(0, 2))
    row.add_column(no_wrap=True)
    row.add_column(overflow="fold")
    row.add_row(head, what)
    yield row
    if step.commit and not step.undone:
        yield Padding(coloured(step.patch), (0, 0, 0, width + 4))


def coloured(patch: str, limit: int | None = DIFF_LINES) -> Text:
    """Colour a unified diff, cut at `limit` lines."""
    lines = list(_styled(patch))
    text = Text(no_wrap=True, overflow="ellipsis")
    for shown, style in lines[:limit]:
        text.append(f"{shown}\n", style=style)
    if limit is not None and len(lines) > limit:
        text.append(f"… {len(lines) - limit} more lines\n", style="dim")
    text.rstrip()
    return text


def _styled(patch: str) -> Iterator[tuple[str, str]]:
    """Yield each line of a diff with its style; of what git writes above a file's hunks, what a person needs."""
    above = True
    for row in patch.removesuffix("\n").split("\n"):
        if row.startswith("diff --git "):
            above = True
            yield _name(row.removeprefix("diff --git ")), "bold"
        elif row.startswith("@@"):
            above = False
            yield row, "cyan"
        elif not above:
            yield row, {"+": "green", "-": "red"}.get(row[:1], "")
        elif row and not row.startswith(("index ", "--- ", "+++ ")):
            yield row, "dim"


def _name(both: str) -> str:
    """Read the path from `a/path b/path`, which may hold blanks."""
    old, new = both[: len(both) // 2], both[len(both) // 2 + 1 :]
    same = old.replace("a/", "", 1) == new.replace("b/", "", 1)
    return new.replace("b/", "", 1) if same else both


def _notes(report: Report) -> Iterator[RenderableType]:
    found = findings(report)
    if report.proof.red and not live(report):
        # What fails on the base stands above, case by case
        found = tuple(finding for finding in found if not finding.startswith(FOLDED[0]))
    lines = [*found[:FINDINGS], *report.notes]
    if len(found) > FINDINGS:
        lines.insert(FINDINGS, f"… and {len(found) - FINDINGS} more findings")
    if report.proof.reason and report.steps and not live(report):
        lines.append(report.proof.reason)
    untested = report.baseline and all(check.rung.height < Rung.UNIT.height for check in report.baseline)
    if untested and report.task.source.kind == "hook":
        lines.append("no test was asked: when you commit again, those that the change reaches are")
    elif untested:
        lines.append("no test was found: nothing here says what the code does")
    if lines:
        yield Text("\nWhat you should know", style="bold")
        yield from (_item("•", one) for one in lines)


def _cost(report: Report) -> str:
    spent = report.usage
    price = show_dollars(spent.cost) if spent.priced else f"{show_dollars(spent.cost)} and more, price unknown"
    money = price if spent.priced or spent.cost else "price unknown"
    tokens = f", {spent.input + spent.output:,} tokens, {money}" if spent.input + spent.output else ""
    return f"{report.model}, turns: {spent.turns}, calls: {spent.calls}, {spent.seconds:.1f} s{tokens}"


def _next(report: Report, *, changed: bool) -> Iterator[RenderableType]:
    yield Text(f"\n{_cost(report)}", style="dim")
    if changed:
        # What mends a refused commit is no branch to merge: it is for the commit that comes
        hooked = report.task.source.kind == "hook"
        what = ("For     ", (line(report.task.title), "bold")) if hooked else ("Branch  ", (report.branch, "bold"))
        yield Text.assemble(*what, f"  ({report.base[:10]} → {report.tip[:10]})")
    if report.pr:
        yield Text.assemble("Pull request  ", (line(report.pr), "bold"))
    for words, command in advise(report, changed=changed):
        yield Text.assemble(f"{words + ':':<16}", (command, "bold cyan"))
