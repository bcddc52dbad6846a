"""What a person can look at: runs, their events, their reports, their diffs."""

import time
from collections.abc import Iterator
from pathlib import Path

from rich.table import Table
from rich.text import Text

from bot.app import consoles
from bot.core.event import Acted, Baselined, Committed, Ended, Event, Published, Replied, RolledBack, Undone, Verified
from bot.core.report import Report, summarize
from bot.core.task import Record
from bot.errors import UsageError
from bot.forge.local import STYLES, present
from bot.git.repository import Repository, open_repository
from bot.git.runs import find_run, is_live, list_runs, read_events
from bot.trace.terminal import describe, tally


class RunLine(Record):
    """One run in a list."""

    run: str
    state: str
    """An outcome, or `running` or `died`."""
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
    lines = tuple(_line(repository, run) for run in list_runs(repository))
    return RunList(runs=lines, dirty=repository.dirty(), branch=repository.current_branch() or "(detached)")


def _line(repository: Repository, run: str) -> RunLine:
    events = read_events(repository, run)
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
        table.add_column(title, overflow="fold" if title in ("run", "branch") else "ellipsis", no_wrap=title != "task")
    for line in lines:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(line.started))
        state = f"{line.state}, taken" if line.taken else line.state
        table.add_row(
            line.run, when, Text(state, style=_style(line.state)), str(line.steps), Text(line.goal), line.branch
        )
    return table


def _style(state: str) -> str:
    styles: dict[str, str] = {word: style for word, (_, style, _) in STYLES.items()}
    return styles.get(state, "cyan")


def events(directory: Path, prefix: str, *, as_json: bool) -> None:
    """Print what happened in a run, an event a line."""
    repository = open_repository(directory)
    happened = read_events(repository, find_run(repository, prefix))
    console = consoles.results()
    if as_json:
        console.file.write("".join(event.model_dump_json() + "\n" for event in happened))
        return
    for event in happened:
        console.print(Text(f"{event.at - happened[0].at:8.2f}  {event.event:<12}").append(_tell(event)), soft_wrap=True)


def _tell(event: Event) -> str:
    match event:
        case Baselined() | Verified():
            word = "" if isinstance(event, Baselined) else "ok: " if event.verdict.ok else "not ok: "
            return word + "; ".join(f"{result.check} {tally(result)}" for result in event.verdict.results)
        case Replied():
            return ", ".join(describe(call) for call in event.reply.calls) or event.reply.text.partition("\n")[0][:100]
        case Acted():
            return f"{describe(event.call)}: {event.result.output.partition(chr(10))[0][:100]}"
        case _:
            return _tell_move(event)


def _tell_move(event: Event) -> str:
    match event:
        case Committed():
            return f"{event.commit[:10]} step {event.step}: {event.subject}"
        case RolledBack():
            return f"to {event.to[:10]}, kept {event.kept[:10]}: {event.reason}"
        case Undone():
            return f"back to step {event.step} ({event.commit[:10]})"
        case Ended():
            return f"{event.stop}: {event.detail.partition(chr(10))[0][:100]}"
        case Published():
            return event.where
        case _:
            return ""


def report(directory: Path, prefix: str) -> Report:
    """Fold a run's events into its report."""
    repository = open_repository(directory)
    return summarize(read_events(repository, find_run(repository, prefix)))


def show_report(directory: Path, prefix: str) -> None:
    """Print the report of a run for a person."""
    consoles.results().print(present(report(directory, prefix)))


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
        console.print(Text(line))


def _standing(listed: RunList) -> Iterator[str]:
    yield f"on {listed.branch}, {'uncommitted work' if listed.dirty else 'nothing uncommitted'}"
    for line in listed.runs:
        if line.state == "running":
            yield f"running   {line.run}  {line.goal}"
        elif line.state == "died":
            yield f"died      {line.run}  {line.steps} verified steps on {line.branch}; tidy up with: git agent clean"
        elif line.steps and not line.taken:
            yield f"{line.state:<9} {line.run}  {line.steps} steps on {line.branch}; git agent accept {line.run}"
    if not listed.runs:
        yield "no run yet; start one with: git agent fix"
