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
from bot.core.lineage import Lineage, follow
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
    lineage, live = Lineage(), {step.step for step in follow(happened).live}
    for event in happened:
        lineage = lineage.add(event)
        since = event.at - happened[0].at
        undone = isinstance(event, Committed) and event.step not in live
        told = f"{tell(event, lineage)}{'  (undone)' if undone else ''}"
        console.print(Text(f"{since:8.2f}  {event.event:<12}").append(told), soft_wrap=True)


def tell(event: Event, lineage: Lineage) -> str:
    """Say on one line what an event brought; `lineage` is what counts after it."""
    match event:
        case Baselined() | Verified():
            word = "" if isinstance(event, Baselined) else "ok: " if event.verdict.ok else "not ok: "
            return word + "; ".join(f"{result.check} {tally(result)}" for result in event.verdict.results)
        case Replied():
            return ", ".join(describe(call) for call in event.reply.calls) or _first_line(event.reply.text)
        case Acted():
            return f"{describe(event.call)}: {_first_line(event.result.output)}"
        case Committed() | RolledBack() | Undone() | Redone() | Published() | Resumed():
            return _tell_move(event, lineage)
        case _:
            return _tell_words(event)


def _tell_move(event: Committed | RolledBack | Undone | Redone | Published | Resumed, lineage: Lineage) -> str:
    place = f"step {lineage.step}" if lineage.step else "the base"
    text = ""
    match event:
        case Committed():
            text = f"{event.commit[:10]} step {event.step}: {event.subject}"
        case RolledBack():
            text = f"to {place} ({event.to[:10]}), kept {event.kept[:10]}: {event.reason}"
        case Undone() | Redone():
            way = "back" if event.event == "undone" else "forth"
            how = ", by reverting" if event.how == "reverted" else ""
            where = f" on {', '.join(event.where)}" if event.where else ""
            text = f"{way} to {place} ({event.commit[:10]}){where}{how}"
        case Resumed():
            draft = f" with the draft {event.tree[:10]}" if event.tree else ""
            text = f"at {place} ({event.commit[:10]}){draft}, {event.model}, {event.isolation}"
        case Published():
            text = f"{place} onto {event.where}" + (f" ({event.commit[:10]})" if event.commit else "")
    return _first_line(text)


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
