"""Plans that are on record: changed by a person, and carried out by another run."""

import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bot.app.desk import Desk
from bot.app.editor import LARGEST, decode, edited, read_text
from bot.app.onlooker import on_terminal
from bot.app.perform import render
from bot.app.secrecy import take_secrets
from bot.core.course import Course, track
from bot.core.event import Event, Started
from bot.core.redact import Redactor
from bot.core.report import Report
from bot.core.sheet import MOST, Sheet, read_sheet, write_sheet
from bot.core.summary import summarize
from bot.core.talk import Planned
from bot.core.task import Request, Source, Task
from bot.errors import UsageError
from bot.git.journal import is_live
from bot.git.record import RunRef
from bot.git.repository import Repository, open_repository
from bot.git.runs import find_run, is_from_here, read_events

LONGEST = 20_000
"""Characters of a plan that a person writes."""


@dataclass(frozen=True, slots=True)
class Edited:
    """What became of a plan that a person wanted to change."""

    report: Report
    notes: tuple[str, ...]
    """What to say of it; one line each."""
    changed: bool = True


def edit_plan(directory: Path, prefix: str, source: str = "") -> Edited:
    """Let a person change a plan: in their editor, or by a file, where `-` is standard input. Raises UsageError."""
    repository = open_repository(directory)
    run = find_run(repository, prefix)
    if is_live(repository, run):
        raise UsageError(f"{run} is still running")
    events = read_events(repository, run)
    started, course = _started(events), track(events)
    if not started.planning:
        hint = f"a run takes words: git agent resume {run} --tell TEXT" if course.steps else "git agent plan makes one"
        raise UsageError(f"{run} is no plan", hint)
    if source:
        text = decode(sys.stdin.buffer.read(LARGEST + 1)) if source == "-" else read_text(Path(source))
        return _keep(repository, run, events, read_sheet(text))
    if not (on_terminal(sys.stdin) and on_terminal(sys.stdout)):
        raise UsageError("there is no terminal to edit on", "--file FILE takes the plan from a file, - from a pipe")
    with edited(repository, f"plan-{run}.md", write_sheet(run, course.steps, course.design)) as text:
        return _keep(repository, run, events, read_sheet(text))


def _started(events: tuple[Event, ...]) -> Started:
    first = events[0]
    assert isinstance(first, Started), "a run's first event is Started"
    return first


def _keep(repository: Repository, run: str, events: tuple[Event, ...], sheet: Sheet) -> Edited:
    """Put a plan into the record of its run, if it is another one than that has. Raises UsageError."""
    notes = tuple(f"left out, since nothing has this heading: {name[:80]}" for name in sheet.strange)
    if not sheet.steps:
        return Edited(summarize(events), ("nothing changed: there is no step in it", *notes), changed=False)
    if any(len(items) > MOST for items in (sheet.steps, *dict(sheet.design).values())):
        raise UsageError(f"a plan has at most {MOST} steps, and as many points below each heading")
    if sum(len(item) for items in (sheet.steps, *dict(sheet.design).values()) for item in items) > LONGEST:
        raise UsageError(f"a plan has at most {LONGEST:,} characters: every request to a model holds all of it")
    course = track(events)
    said = Planned(at=time.time(), steps=sheet.steps, design=sheet.design, by="person")
    event = Redactor(take_secrets().values).event(said)
    assert isinstance(event, Planned), "redacting leaves the kind of an event"
    if (event.steps, event.design) == (course.steps, course.design):
        return Edited(summarize(events), ("nothing changed", *notes), changed=False)
    with RunRef(repository, run, render, resume=True) as record:
        if tuple(record.events) != events:
            raise UsageError(f"{run} was changed by another command meanwhile", "try again")
        record.record(event)
        return Edited(summarize(record.events), notes)


@dataclass(frozen=True, slots=True)
class Agreed:
    """A plan that is to be carried out, and the task that it was made for."""

    plan: Planned
    task: Task
    flags: Mapping[str, object]
    """What a run that carries it out is settled by."""
    base: str
    """Where it starts; empty where that is as for any run."""
    notes: tuple[str, ...]

    def goal(self, words: str) -> str:
        """Return the task, with what a person adds to it."""
        return "\n\n".join(filter(None, (self.task.goal, words)))

    @property
    def source(self) -> Source:
        """Where the task came from."""
        return self.task.source

    def tell(self, desk: Desk) -> Desk:
        """Add what a person should know before reading on."""
        return replace(desk, notes=(*desk.notes, *self.notes))

    def bind(self, request: Request) -> Request:
        """Protect what was protected when the plan was made, too."""
        protected = tuple(dict.fromkeys((*request.task.protected, *self.task.protected)))
        return request.model_copy(update={"task": request.task.model_copy(update={"protected": protected})})


def take_plan(directory: Path, prefix: str, flags: Mapping[str, object], base: str) -> Agreed:
    """Find the last plan of a run, to carry it out by another one. Raises UsageError."""
    repository = open_repository(directory)
    run = find_run(repository, prefix)
    events = read_events(repository, run)
    started, course = _started(events), track(events)
    if not course.steps:
        raise UsageError(f"{run} has no plan", "git agent plan makes one")
    task = started.task
    settled = {**flags, "scope": flags.get("scope") or task.scope}
    doubt = "" if flags.get("trust") else _doubt(repository, run, started)
    if doubt:
        settled["trust"] = "untrusted"
    start = base or ("" if flags.get("include_uncommitted") else _start(repository, task.base))
    return Agreed(
        plan=_plan(course, run),
        task=task,
        flags=settled,
        base=start,
        notes=tuple(filter(None, (f"it carries out the plan of {run}", doubt, *_moved(repository, task.base, start)))),
    )


def _plan(course: Course, run: str) -> Planned:
    return Planned(steps=course.steps, design=course.design, by=course.by, source=run)


def _doubt(repository: Repository, run: str, started: Started) -> str:
    """Say why a task is not to be trusted; empty where it was when its plan was made, here."""
    if not is_from_here(repository, run):
        return f"nothing tells that the record of {run} was made here: the task is untrusted (--trust)"
    return "the plan was made for a task that is not trusted (--trust)" if started.trust == "untrusted" else ""


def _start(repository: Repository, base: str) -> str:
    """Return where the plan was made, as long as that leads to where the person is."""
    return base if repository.shared.ask("merge-base", "--is-ancestor", base, "HEAD").code == 0 else ""


def _moved(repository: Repository, base: str, start: str) -> Iterator[str]:
    """Say where the plan was made elsewhere than where the run starts, or than where the person is by now."""
    head = repository.default_base()
    now = repository.resolve(start) if start else head
    if now != base:
        yield f"the plan was made for another commit, {base[:10]}"
    elif now != head:
        yield f"it starts from {base[:10]}, for which the plan was made; to start from where you are: --base HEAD"
