"""What a person can look at: runs, their reports, their diffs."""

import time
from collections.abc import Iterator
from pathlib import Path

from rich.table import Table
from rich.text import Text

from bot.app import consoles
from bot.core.event import Ended, Event
from bot.core.redact import sanitize
from bot.core.report import Report
from bot.core.summary import summarize
from bot.core.task import Record
from bot.errors import UsageError
from bot.forge.local import coloured, present, present_plan
from bot.forge.words import STYLES
from bot.git.repository import Repository, open_repository
from bot.git.runs import find_run, is_live, read_all, read_events

LONGEST_GOAL = 72
"""Characters of a task in a list."""


class RunLine(Record):
    """One run in a list."""

    run: str
    state: str
    """An outcome, or `running`, `died` or `unreadable`."""
    branch: str
    tip: str
    steps: int
    goal: str
    started: float
    taken: bool
    """Whether the commits are part of the current branch."""


class RunList(Record):
    """The runs of a repository, newest first."""

    runs: tuple[RunLine, ...]
    dirty: bool = False
    branch: str = ""


def list_lines(repository: Repository) -> RunList:
    """Summarise every run of a repository."""
    lines = tuple(_line(repository, run, events) for run, events in read_all(repository))
    return RunList(runs=lines, dirty=repository.dirty(), branch=repository.current_branch() or "(detached)")


def _line(repository: Repository, run: str, events: tuple[Event, ...]) -> RunLine:
    if not events:
        return RunLine(run=run, state="unreadable", branch="", tip="", steps=0, goal="", started=0, taken=False)
    told = summarize(events)
    ended = any(isinstance(event, Ended) for event in events)
    live = is_live(repository, run)
    return RunLine(
        run=run,
        state=told.outcome if ended else "running" if live else "died",
        branch=told.branch,
        tip=told.tip,
        steps=sum(bool(step.commit) and not step.undone for step in told.steps),
        goal=told.task.goal or "mend what fails",
        started=events[0].at,
        taken=told.tip != told.base and is_taken(repository, told.tip),
    )


def is_taken(repository: Repository, commit: str) -> bool:
    """Say whether a commit is part of what the person stands on."""
    return repository.git.ask("merge-base", "--is-ancestor", commit, "HEAD").code == 0


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
    if colon and not (step.isascii() and step.isdigit() and int(step)):
        raise UsageError(f"not a step: {step!r}", "steps are counted from 1, for example RUN:2")
    return run, int(step) if colon else None


def patch(directory: Path, spec: str) -> bytes:
    """Return what a run or one of its steps changed, in git's own words."""
    prefix, number = split_step(spec)
    told = report(directory, prefix)
    old, new = told.base, told.tip
    if number is not None:
        commits = [step.commit for step in told.steps if step.commit]
        if number > len(commits):
            raise UsageError(f"run {told.run} has no step {number}", f"it has {len(commits)}")
        new = commits[number - 1]
        old = f"{new}^"
    git = open_repository(directory).git
    return git.output("diff-tree", "-r", "-p", "--no-ext-diff", "--no-textconv", "-M", old, new, "--")


def status(directory: Path, *, as_json: bool) -> None:
    """Print what goes on, what waits for the person, and what was left behind."""
    listed = list_lines(open_repository(directory))
    console = consoles.results()
    if as_json:
        console.file.write(listed.model_dump_json() + "\n")
        return
    for line in _standing(listed):
        console.print(Text(line), soft_wrap=True)


def _steps(line: RunLine) -> str:
    return f"{line.steps} verified step{'' if line.steps == 1 else 's'}"


def _standing(listed: RunList) -> Iterator[str]:
    yield f"on {listed.branch}, {'uncommitted work' if listed.dirty else 'nothing uncommitted'}"
    for line in listed.runs:
        if line.state == "running":
            yield f"running   {line.run}  {_short(line.goal)}"
        elif line.state == "died":
            yield f"died      {line.run}  {_steps(line)} on {line.branch}; tidy up with: git agent clean"
        elif line.steps and not line.taken:
            take = f"take it with: git agent accept {line.run}"
            yield f"{line.state:<9} {line.run}  {_steps(line)} on {line.branch}; {take}"
    if not listed.runs:
        yield "no run yet; start one with: git agent fix"
