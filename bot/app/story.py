"""What happened in a run, an event a line."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.app import consoles
from bot.core.account import prove, review
from bot.core.event import (
    Acted,
    Baselined,
    Checking,
    Committed,
    Decided,
    Ended,
    Event,
    Paused,
    Proved,
    Published,
    Redone,
    Resumed,
    Reviewed,
    RolledBack,
    Started,
    Undone,
    Verified,
)
from bot.core.lineage import Lineage, follow
from bot.core.talk import Compressed, Planned, Replied, Retried, Surveyed, Told
from bot.core.task import Record
from bot.git.repository import open_repository
from bot.git.runs import find_run, read_events
from bot.trace.terminal import STEERING, complaint, describe, tally

SHOWN = 3
"""Places to look at that are named."""
LINE = 160
"""Characters of what foreign text says in one event."""
WORD, TIME = 11, 8
"""Columns of an event's name, and of its moment."""
STYLES: Mapping[str, str] = {
    **dict.fromkeys(("checking", "replied"), "dim"),
    **dict.fromkeys(("committed", "redone", "published"), "green"),
    **dict.fromkeys(("rolled_back", "undone", "resumed", "paused"), "yellow"),
    "ended": "bold",
}


class Story(Record):
    """Everything that happened in a run, in order."""

    run: str
    events: tuple[Event, ...]


def show_events(directory: Path, prefix: str, *, as_json: bool) -> None:
    """Print what happened in a run."""
    repository = open_repository(directory, unborn=True)
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
        _print(console, since, event, f"{tell(event, lineage)}{'  (undone)' if undone else ''}")


def _print(console: Console, since: float, event: Event, told: str) -> None:
    """Print an event: on a terminal in columns, elsewhere on one line however long it is."""
    when, word = f"{since:{TIME}.2f}", event.event.replace("_", " ")
    if not console.is_terminal:
        console.print(Text(f"{when}  {word:<{WORD}}  {told}"), soft_wrap=True)
        return
    row = Table.grid(padding=(0, 2, 0, 0))
    for width in (max(TIME, len(when)), WORD):
        row.add_column(min_width=width, no_wrap=True)
    row.add_column(overflow="fold")
    style = STYLES.get(event.event, "")
    row.add_row(Text(when, style="dim"), Text(word, style=style), Text(told, style=style))
    console.print(row)


def tell(event: Event, lineage: Lineage) -> str:
    """Say on one line what an event brought; `lineage` is what counts after it."""
    match event:
        case Baselined() | Verified() | Reviewed():
            word = "" if isinstance(event, Baselined) else "ok: " if event.verdict.ok else "not ok: "
            return word + "; ".join(f"{result.check} {tally(result)}" for result in event.verdict.results)
        case Replied():
            return ", ".join(_fold(map(describe, event.reply.calls))) or _first_line(event.reply.text)
        case Acted():
            return _tell_act(event)
        case Decided():
            decision = event.decision
            who = f"{decision.by} {decision.who}".rstrip()
            return _first_line(f"{decision.answer} ({who}): {decision.question.why}")
        case Committed() | RolledBack() | Undone() | Redone() | Published() | Resumed():
            return _tell_move(event, lineage)
        case _:
            return _tell_words(event)


def _fold(calls: Iterable[str]) -> Iterator[str]:
    """Say calls that follow each other and look the same once, with their number."""
    for told, alike in groupby(calls):
        number = sum(1 for _ in alike)
        yield told if number == 1 else f"{told} ({number} times)"


def _tell_act(event: Acted) -> str:
    said = complaint(event.result.output)[:LINE]
    if event.call.name in STEERING:
        return f"{event.call.name}: {said}"
    return f"{describe(event.call)}: {said.removeprefix(f'{event.call.about}: ')}"


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
            way = "in" if "://" in event.where else "onto"
            text = f"{place} {way} {event.where}" + (f" ({event.commit[:10]})" if event.commit else "")
    return _first_line(text)


def _tell_words(
    event: Started | Surveyed | Checking | Planned | Retried | Compressed | Told | Proved | Paused | Ended,
) -> str:
    text = ""
    match event:
        case Proved():
            text = "; ".join(point.text for point in (prove(event.proof), *review(event.audit, ())))
        case Started():
            text = f"{event.model}, {event.isolation}: {event.task.title}"
        case Checking():
            text = event.check
        case Planned():
            who = "a person: " if event.by == "person" else ""
            text = who + "; ".join(event.steps)
        case Retried():
            text = event.message
        case Surveyed() | Compressed():
            text = _tell_view(event)
        case Told():
            text = event.text
        case Paused():
            text = event.question
        case Ended():
            first = _first_line(event.detail).removesuffix(":")
            text = f"{event.stop}: {first}" if first else event.stop
    return _first_line(text)


def _tell_view(event: Surveyed | Compressed) -> str:
    if isinstance(event, Surveyed):
        return f"looked over: {'; '.join(event.hints[:SHOWN]) or 'nothing stands out'}"
    parts = (
        f"the first {event.until} events are summarised" if event.until else "",
        f"{len(event.stale)} results are not shown any more" if event.stale else "",
    )
    return "; ".join(filter(None, parts)) + " from here on"


def _first_line(text: str) -> str:
    first = text.strip().partition("\n")[0]
    return first if len(first) <= LINE else f"{first[: LINE - 1]}…"
