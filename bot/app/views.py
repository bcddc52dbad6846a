"""What a person can look at: runs, their reports, their diffs."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

from rich.table import Table
from rich.text import Text

from bot.app import consoles
from bot.app.listing import RunLine, RunList, list_lines
from bot.core import escape
from bot.core.redact import sanitize
from bot.core.report import Report
from bot.core.summary import summarize
from bot.errors import UsageError
from bot.forge.local import coloured, present, present_plan
from bot.forge.words import STYLES
from bot.git.repository import open_repository
from bot.git.runs import find_run, read_events

_STEP = re.compile(r"0{0,9}[1-9][0-9]{0,8}")
LONGEST_GOAL = 72
"""Characters of a task in a list."""


def runs(directory: Path, *, as_json: bool) -> None:
    """Print the list of runs."""
    listed = list_lines(open_repository(directory))
    console = consoles.results()
    if as_json:
        console.file.write(listed.model_dump_json() + "\n")
    elif not listed.runs:
        console.print("No run yet. Start one with: git agent fix")
    else:
        console.print(_table(listed.runs))


def _table(lines: tuple[RunLine, ...]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="dim")
    for title in ("run", "when", "state", "steps", "task", "branch"):
        # On a narrow terminal the two long ones give way; what has to be typed stays whole
        table.add_column(title, no_wrap=title not in ("task", "branch"))
    for line in lines:
        if line.why:
            table.add_row(line.run, "", Text(line.state, style="red"), "", Text(escape.line(line.why), overflow="fold"))
            continue
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(line.started))
        state = f"{line.state}, taken" if line.taken else line.state
        long = (Text(text, no_wrap=True, overflow="ellipsis") for text in (_short(line.goal), line.branch))
        table.add_row(line.run, when, Text(state, style=_style(line.state)), str(line.steps), *long)
    return table


def _short(goal: str) -> str:
    words = " ".join(sanitize(goal[: 4 * LONGEST_GOAL]).split())
    return words if len(words) <= LONGEST_GOAL else f"{words[: LONGEST_GOAL - 1]}…"


def _style(state: str) -> str:
    styles: dict[str, str] = {word: style for word, (_, style) in STYLES.items()}
    return styles.get(state, "cyan")


def report(directory: Path, prefix: str) -> Report:
    """Fold a run's events into its report."""
    repository = open_repository(directory)
    return summarize(read_events(repository, find_run(repository, prefix)))


def show_report(directory: Path, prefix: str) -> None:
    """Print the report of a run for a person."""
    consoles.results().print(present(report(directory, prefix)))


def show_plan(told: Report) -> None:
    """Print what would be done."""
    consoles.results().print(present_plan(told))


def show_patch(directory: Path, spec: str) -> None:
    """Print a change in colours, without what a terminal would obey."""
    text = patch(directory, spec).decode("utf-8", "replace")
    consoles.results().print(coloured(text, limit=None), soft_wrap=True)


def split_step(spec: str) -> tuple[str, int | None]:
    """Read `RUN[:STEP]`. Raises UsageError."""
    run, colon, step = spec.partition(":")
    if colon and not _STEP.fullmatch(step):
        raise UsageError(f"not a step: {step!r}", "steps are counted from 1, for example RUN:2")
    return run, int(step) if colon else None


def patch(directory: Path, spec: str) -> bytes:
    """Return what a run or one of its steps changed, in git's own words."""
    prefix, number = split_step(spec)
    told = report(directory, prefix)
    old, new = told.base, told.tip
    if number is not None:
        new = _commit_of(told, number)
        old = f"{new}^"
    # Nothing but what the run's ref keeps is asked for: its branch may be gone, or never have been here
    git = open_repository(directory).shared
    return git.output("diff-tree", "-r", "-p", "--no-ext-diff", "--no-textconv", "-M", "--end-of-options", old, new)


def _commit_of(told: Report, number: int) -> str:
    """Find a step by its number, which stays its own whatever was undone. Raises UsageError."""
    made = {step.number: step.commit for step in told.steps if step.commit}
    if number not in made:
        known = f"it has {', '.join(map(str, sorted(made)))}" if made else "it has none"
        raise UsageError(f"run {told.run} has no step {number}", known)
    return made[number]


def status(directory: Path, *, as_json: bool) -> None:
    """Print what goes on, what waits for the person, and what was left behind."""
    listed = list_lines(open_repository(directory))
    console = consoles.results()
    if as_json:
        console.file.write(listed.model_dump_json() + "\n")
        return
    for line in _standing(listed):
        console.print(Text(line), soft_wrap=True)


def _standing(listed: RunList) -> Iterator[str]:
    yield f"on {listed.branch}, {'uncommitted work' if listed.dirty else 'nothing uncommitted'}"
    for line in listed.runs:
        if line.state == "running":
            yield f"running   {line.run}  {_short(line.goal)}"
        elif line.state == "unreadable":
            yield f"unreadable {line.run}  {escape.line(line.why)}"
        elif told := "; ".join(_waiting(line)):
            yield f"{line.state:<9} {line.run}  {told}"
    if not listed.runs:
        yield "no run yet; start one with: git agent fix"


def _waiting(line: RunLine) -> Iterator[str]:
    """Say what of a run waits for a person, and what to type."""
    resumable = line.state == "died" or line.stop == "interrupted"
    waits = line.steps and not line.taken
    if resumable or waits:
        yield f"{_steps(line.steps)} on {line.branch}"
    if resumable:
        yield f"resume it with: git agent resume {line.run}"
    elif waits:
        yield f"take it with: git agent accept {line.run}"
    if line.redo:
        yield f"{_steps(line.redo)} undone, bring back with: git agent redo {line.run}"


def _steps(number: int) -> str:
    return f"{number} verified step{'' if number == 1 else 's'}"
