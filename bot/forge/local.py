"""The forge of someone who has no forge: the report goes to a terminal."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bot.core.check import Status
from bot.core.report import CheckSummary, OutcomeWord, Report, Step
from bot.core.task import Source
from bot.errors import ForgeError

STYLES: dict[OutcomeWord, tuple[str, str, str]] = {
    "verified": ("✓", "bold green", "verified: every check passed on exactly these commits, in a clean tree"),
    "partial": (
        "●",
        "bold yellow",
        "partial: the commits made nothing worse, but not everything passes or a person must look",
    ),
    "nothing": ("✓", "bold green", "nothing to do: every check passes"),
    "gave_up": ("✗", "bold red", "gave up: no verified change"),
    "failed": ("✗", "bold red", "failed: the run could not be carried out"),
}

GLYPHS: dict[Status, tuple[str, str]] = {
    "passed": ("✓", "green"),
    "failed": ("✗", "red"),
    "skipped": ("-", "dim"),
    "errored": ("!", "yellow"),
}

FINDINGS = 12
"""Findings that are shown; the rest stand in the full report."""

DIFF_LINES = 60
"""Lines of one step's diff that are shown; the rest is one command away."""


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
    return Group(*_sections(report))


def _sections(report: Report) -> Iterator[RenderableType]:
    glyph, style, sentence = STYLES[report.outcome]
    yield Text()
    yield Text(f"{glyph} {sentence}", style=style)
    if report.detail:
        yield Padding(Text(report.detail[:1200]), (0, 0, 0, 2))
    if report.proof.red:
        yield Text("\nWhat was wrong", style="bold")
        yield _bullets(report.proof.red, set(report.proof.green))
    live = [step for step in report.steps if step.commit and not step.undone]
    if report.steps:
        yield Text("\nWhat changed", style="bold")
        for step in report.steps:
            yield from _step(step)
    if report.baseline:
        yield Text("\nChecks", style="bold")
        yield _checks(report.baseline, live[-1].checks if live else ())
    yield from _notes(report)
    yield from _next(report, changed=bool(live))


def _bullets(red: tuple[str, ...], green: set[str], shown: int = 10) -> RenderableType:
    lines = Text()
    for case in red[:shown]:
        fixed = case in green
        lines.append("  ✓ " if fixed else "  ✗ ", style="green" if fixed else "red")
        lines.append(f"{case}\n")
    if len(red) > shown:
        lines.append(f"  … and {len(red) - shown} more\n", style="dim")
    lines.rstrip()
    return lines


def _step(step: Step) -> Iterator[RenderableType]:
    added, removed = sum(f.added for f in step.files), sum(f.removed for f in step.files)
    head = Text("  ")
    head.append(step.commit[:10] if step.commit else "rolled back", style="yellow" if step.commit else "red")
    subject = step.subject if step.commit else step.subject.removeprefix("rolled back: ")
    head.append(f"  {subject}  ", style="strike" if step.undone else "bold")
    head.append(f"+{added}", style="green").append(" ").append(f"-{removed}", style="red")
    yield head
    if step.commit and not step.undone:
        yield Padding(coloured(step.patch), (0, 0, 0, 4))


def coloured(patch: str, limit: int = DIFF_LINES) -> Text:
    """Colour a unified diff, cut at `limit` lines."""
    lines = [line for line in patch.splitlines() if not line.startswith(("diff --git", "index ", "--- "))]
    text = Text(no_wrap=True, overflow="ellipsis")
    for line in lines[:limit]:
        style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
        text.append(f"{line}\n", style="bold" if line.startswith("+++") else style)
    if len(lines) > limit:
        text.append(f"… {len(lines) - limit} more lines\n", style="dim")
    text.rstrip()
    return text


def _checks(before: tuple[CheckSummary, ...], after: tuple[CheckSummary, ...]) -> RenderableType:
    table = Table(box=None, padding=(0, 2), show_edge=False)
    for title, justify in (("check", "left"), ("before", "left"), ("after", "left"), ("seconds", "right")):
        table.add_column(title, justify=justify, header_style="dim")  # type: ignore[arg-type]
    table.add_column("isolation", header_style="dim")
    results = {check.name: check for check in after}
    for check in before:
        now = results.get(check.name)
        shown = now or check
        table.add_row(
            check.name, count(check), count(now) if now else Text("-"), f"{shown.seconds:.1f}", shown.isolation
        )
    return Padding(table, (0, 0, 0, 2))


def count(check: CheckSummary) -> Text:
    """Say in a few words what a check found."""
    glyph, style = GLYPHS[check.status]
    words = [f"{check.failed} failed"] if check.failed else []
    words += [f"{check.passed} passed"] if check.passed else []
    words += [f"{check.skipped} skipped"] if check.skipped else []
    return Text(f"{glyph} {', '.join(words) or check.summary[:60] or check.status}", style=style)


def brief(check: CheckSummary) -> Text:
    """Say with a sign and a number what a check found."""
    glyph, style = GLYPHS[check.status]
    number = check.failed or check.passed
    return Text(f"{glyph} {number}" if number else glyph, style=style)


def _notes(report: Report) -> Iterator[RenderableType]:
    lines = [*report.findings[:FINDINGS], *report.notes]
    if report.proof.reason and report.steps:
        lines.append(report.proof.reason)
    if len(report.findings) > FINDINGS:
        lines.append(f"… and {len(report.findings) - FINDINGS} more findings")
    if lines:
        yield Text("\nWhat you should know", style="bold")
        yield Text("\n".join(f"  • {line}" for line in lines))


def _next(report: Report, *, changed: bool) -> Iterator[RenderableType]:
    spent = report.usage
    tokens = f", {spent.input + spent.output} tokens, ${spent.cost:.4f}" if spent.input + spent.output else ""
    yield Text(
        f"\n{report.model}, {spent.turns} turns, {spent.calls} calls, {spent.seconds:.1f} s{tokens}", style="dim"
    )
    if not changed:
        if report.outcome != "nothing":
            yield Text.assemble("Read what was tried:  ", (f"git agent show {report.run}", "bold cyan"))
        return
    yield Text.assemble("Branch  ", (report.branch, "bold"), f"  ({report.base[:10]} → {report.tip[:10]})")
    for words, command in (
        ("Take it", f"git agent accept {report.run}"),
        ("Prove it again", f"git agent verify {report.run}"),
        ("Go back a step", f"git agent undo {report.run}"),
    ):
        yield Text.assemble(f"{words + ':':<16}", (command, "bold cyan"))
