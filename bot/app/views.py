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
from bot.core.report import Report
from bot.core.summary import summarize
from bot.errors import UsageError
from bot.forge.local import coloured, present, present_plan
from bot.forge.words import STYLES
from bot.git.disposal import DONE
from bot.git.leftovers import remove_leftovers
from bot.git.repository import open_repository
from bot.git.runs import find_run, is_from_here, read_events

_STEP = re.compile(r"0{0,9}[1-9][0-9]{0,8}")
ELSEWHERE = "nothing tells that this record was made here: git agent verify runs the proof again"
LONGEST_GOAL = 72
"""Characters of a task in a list."""
BROKEN_OFF = ("interrupted", "model", "workspace")
"""Ends of a run that nobody meant."""
LONGEST_STATE, RUN = 11, 13
"""Columns that a state takes in the list of what waits, and the id of a run with the blanks around it."""
WIDE = 100
"""Columns from which on a list has room for the branches as well."""


def runs(directory: Path, *, as_json: bool) -> None:
    """Print the list of runs."""
    listed = list_lines(open_repository(directory, unborn=True))
    console = consoles.results()
    if as_json:
        console.file.write(listed.model_dump_json() + "\n")
    elif not listed.runs:
        console.print("No run yet. Start one with: git agent fix")
    else:
        console.print(_table(listed.runs, wide=console.width >= WIDE))


def _table(lines: tuple[RunLine, ...], *, wide: bool) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="dim")
    for title in ("run", "when", "state", "steps", "task", *(("branch",) if wide else ())):
        # Where there is little room the long ones give way; what has to be typed stays whole
        table.add_column(title, no_wrap=title not in ("task", "branch"))
    for line in lines:
        if line.why:
            table.add_row(line.run, "", Text(line.state, style="red"), "", Text(escape.line(line.why), overflow="fold"))
            continue
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(line.started))
        become = ", taken" if line.taken else ", staged" if line.staged else ", carried out" if line.carried else ""
        state = f"{_word(line)}{become}"
        texts = (_short(line.goal), *((line.branch,) if wide else ()))
        long = (Text(text, no_wrap=True, overflow="ellipsis") for text in texts)
        table.add_row(line.run, when, Text(state, style=_style(line.state)), str(line.steps), *long)
    return table


def _word(line: RunLine) -> str:
    """Say in a word how a run stands; one without a step that was interrupted did not give up."""
    if line.state == "gave_up" and line.stop in ("interrupted", "needs_human"):
        return "interrupted" if line.stop == "interrupted" else "waits"
    return line.state.replace("_", " ")


def _short(goal: str, room: int = LONGEST_GOAL) -> str:
    return escape.line(goal, max(1, min(room, LONGEST_GOAL)))


def _style(state: str) -> str:
    styles: dict[str, str] = {word: style for word, (_, style) in STYLES.items()}
    return styles.get(state, "cyan")


def report(directory: Path, prefix: str) -> Report:
    """Fold a run's events into its report."""
    repository = open_repository(directory, unborn=True)
    run = find_run(repository, prefix)
    told = summarize(read_events(repository, run))
    # Whoever wrote it: what it says was found elsewhere
    return told if is_from_here(repository, run) else told.model_copy(update={"notes": (*told.notes, ELSEWHERE)})


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
    git = open_repository(directory, unborn=True).shared
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
    repository = open_repository(directory, unborn=True)
    listed = list_lines(repository)
    console = consoles.results()
    if as_json:
        console.file.write(listed.model_dump_json() + "\n")
        return
    # What a run that ended well had no time to delete goes by itself, with the next one
    found = remove_leftovers(repository, dry_run=True)
    left = not all(Path(each).name.startswith(DONE) for each in found)
    for line in _standing(listed, room=console.width - LONGEST_STATE - RUN, left=left):
        console.print(line, soft_wrap=True)


def _standing(listed: RunList, *, room: int, left: bool) -> Iterator[Text]:
    yield Text(f"on {listed.branch}, {'uncommitted work' if listed.dirty else 'nothing uncommitted'}")
    for line in listed.runs:
        waiting = tuple(_waiting(line, newest=line is listed.runs[0]))
        if waiting or line.state in ("running", "unreadable"):
            about = f"  {line.run}  {escape.line(line.why) or _short(line.goal, room)}"
            yield Text.assemble((f"\n{_word(line):<{LONGEST_STATE}}", _style(line.state)), about)
            yield from waiting
    if left:
        yield Text("\nruns that died left worktrees behind; what was in them is recorded")
        yield _advise("remove", "git agent clean")
    if not listed.runs:
        yield Text("no run yet; start one with: git agent fix")


def _waiting(line: RunLine, *, newest: bool) -> Iterator[Text]:
    """Say what of a run waits for a person, and what to type; a plan waits until something else was begun."""
    resumable = line.state == "died" or line.stop in BROKEN_OFF
    asked = line.stop == "needs_human" and not line.taken
    # A commit that a hook refused is nobody's concern any more once there is another
    waits = line.steps and not line.taken and not line.past
    if waits:
        # The branch of such a run is gone by then: what is on it nobody is to merge
        where = "staged" if line.staged else "to be staged" if line.hooked else f"on {line.branch}"
        yield Text(f"  {_steps(line.steps)} {where}")
        if line.pr:
            yield Text(f"  {'published:':<12}{escape.line(line.pr)}")
    if resumable:
        yield _advise("go on", f"git agent resume {line.run}")
    elif line.waits:
        yield _advise("allow it", f"git agent resume {line.run} --approve")
    elif asked:
        yield _advise("answer", f"git agent resume {line.run} --tell TEXT")
    if waits and line.staged:
        yield _advise("commit it", "git commit")
    elif waits and line.state != "died" and line.stop != "interrupted":
        yield _advise("take it", f"git agent accept {line.run}")
    if line.state == "planned" and newest and not line.carried:
        yield _advise("do it", f"git agent fix --plan {line.run}")
    if line.redo and not line.past:
        yield Text(f"  {_steps(line.redo)} undone")
        yield _advise("bring back", f"git agent redo {line.run}")


def _advise(words: str, command: str) -> Text:
    return Text.assemble(f"  {words + ':':<12}", (command, "bold cyan"))


def _steps(number: int) -> str:
    return f"{number} verified step{'' if number == 1 else 's'}"
