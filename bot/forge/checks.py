"""What the checks of a run found, as a table on a terminal."""

from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bot.core.check import Status
from bot.core.publication.words import cases as count_cases
from bot.core.report import CheckSummary

GLYPHS: dict[Status, tuple[str, str]] = {
    "passed": ("✓", "green"),
    "failed": ("✗", "red"),
    "skipped": ("-", "dim"),
    "errored": ("!", "yellow"),
}

WIDE = 72
"""Columns from which on a table of checks has room for seconds and isolation."""


@dataclass(frozen=True, slots=True)
class CheckTable:
    """A table of checks, without what says least where there is little room."""

    before: tuple[CheckSummary, ...]
    after: tuple[CheckSummary, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield _checks(self.before, self.after, wide=options.max_width >= WIDE)


def _checks(before: tuple[CheckSummary, ...], after: tuple[CheckSummary, ...], *, wide: bool) -> RenderableType:
    table = Table(box=None, padding=(0, 2) if wide else (0, 1), show_edge=False)
    table.add_column("check", header_style="dim", no_wrap=True)
    for title in ("before", "after") if after else ("now",):
        table.add_column(title, header_style="dim")
    if wide:
        table.add_column("seconds", justify="right", header_style="dim")
        table.add_column("isolation", header_style="dim")
    then, now = {check.name: check for check in before}, {check.name: check for check in after}
    for name in dict.fromkeys((*then, *now)):
        shown = now.get(name) or then[name]
        found = [count(check[name]) if name in check else Text("-") for check in ((then, now) if after else (then,))]
        table.add_row(Text(name), *found, *((f"{shown.seconds:.1f}", shown.isolation) if wide else ()))
    return Padding(table, (0, 0, 0, 2))


def count(check: CheckSummary) -> Text:
    """Say in a few words what a check found."""
    hindered = check.status == "failed" and check.failed == check.prevented > 0
    glyph, style = GLYPHS["errored" if hindered else check.status]
    return Text(f"{glyph} {count_cases(check)}", style=style)


def brief(check: CheckSummary) -> Text:
    """Say with a sign and a number what a check found."""
    glyph, style = GLYPHS[check.status]
    number = check.failed or check.passed
    return Text(f"{glyph} {number}" if number else glyph, style=style)
