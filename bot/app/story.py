"""What happened in a run, an event a line."""

from pathlib import Path

from rich.text import Text

from bot.app import consoles
from bot.core.account import prove, review
from bot.core.event import (
    Acted,
    Baselined,
    Checking,
    Committed,
    Compressed,
    Ended,
    Event,
    Paused,
    Planned,
    Proved,
    Published,
    Redone,
    Replied,
    Resumed,
    Retried,
    RolledBack,
    Started,
    Told,
    Undone,
    Verified,
)
from bot.core.task import Record
from bot.git.repository import open_repository
from bot.git.runs import find_run, read_events
from bot.trace.terminal import describe, tally

LINE = 160
"""Characters of what foreign text says in one event."""


class Story(Record):
    """Everything that happened in a run, in order."""

    run: str
    events: tuple[Event, ...]


def show_events(directory: Path, prefix: str, *, as_json: bool) -> None:
    """Print what happened in a run."""
    repository = open_repository(directory)
    run = find_run(repository, prefix)
    happened = tuple(read_events(repository, run))
    console = consoles.results()
    if as_json:
        console.file.write(Story(run=run, events=happened).model_dump_json() + "\n")
        return
    for event in happened:
        since = event.at - happened[0].at
        console.print(Text(f"{since:8.2f}  {event.event:<12}").append(tell(event)), soft_wrap=True)


def tell(event: Event) -> str:
    """Say on one line what an event brought."""
    match event:
        case Baselined() | Verified():
            word = "" if isinstance(event, Baselined) else "ok: " if event.verdict.ok else "not ok: "
            return word + "; ".join(f"{result.check} {tally(result)}" for result in event.verdict.results)
        case Replied():
            return ", ".join(describe(call) for call in event.reply.calls) or _first_line(event.reply.text)
        case Acted():
            return f"{describe(event.call)}: {_first_line(event.result.output)}"
        case Committed() | RolledBack() | Undone() | Redone() | Published() | Resumed():
            return _tell_move(event)
        case _:
            return _tell_words(event)


def _tell_move(event: Committed | RolledBack | Undone | Redone | Published | Resumed) -> str:
    match event:
        case Committed():
            return f"{event.commit[:10]} step {event.step}: {event.subject}"
        case RolledBack():
            return f"to {event.to[:10]}, kept {event.kept[:10]}: {event.reason}"
        case Undone() | Redone():
            way = "back" if event.event == "undone" else "forth"
            how = ", by reverting" if event.how == "reverted" else ""
            return f"{way} to step {event.step} ({event.commit[:10]}){how}"
        case Resumed():
            return f"from {event.commit[:10]}, {event.model}, {event.isolation}"
        case Published():
            return event.where


def _tell_words(event: Started | Checking | Planned | Retried | Compressed | Told | Proved | Paused | Ended) -> str:
    text = ""
    match event:
        case Proved():
            text = "; ".join(point.text for point in (prove(event.proof), *review(event.audit, ())))
        case Started():
            text = f"{event.model}, {event.isolation}: {event.task.goal or 'mend what fails'}"
        case Checking():
            text = event.check
        case Planned():
            text = "; ".join(event.steps)
        case Retried():
            text = event.message
        case Compressed():
            text = f"the first {event.until} events are summarised from here on"
        case Told():
            text = event.text
        case Paused():
            text = event.question
        case Ended():
            text = f"{event.stop}: {event.detail}" if event.detail else event.stop
    return _first_line(text)


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:LINE]
