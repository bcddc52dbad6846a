"""Prints the audit log of a run: a line for each request, call, decision and check, then what it comes to."""

import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.app import consoles
from bot.app.views import ELSEWHERE
from bot.core.bookkeeping import keep_books
from bot.core.escape import line as flat
from bot.core.ledger import Call, CheckRun, Choice, Ledger, Line, Move, Request, Retry, Totals
from bot.core.message import Usage
from bot.core.money import show_dollars
from bot.git.repository import open_repository
from bot.git.runs import find_run, is_from_here, read_events

TIME, KIND, STATE = 9, 11, 11
"""Columns of the seconds since the start, of what it was, and of how it ended."""
HEAD = 10
ID = 10
"""Letters of a commit or a tree that are shown."""
STYLES: Mapping[str, str] = {
    **dict.fromkeys(("refused", "deny", "stop"), "bold red"),
    **dict.fromkeys(("failed", "errored", "rolled back", "retry"), "yellow"),
    **dict.fromkeys(("committed", "passed"), "green"),
    **dict.fromkeys(("request", "ok"), "dim"),
    **dict.fromkeys(("decision", "ended"), "bold"),
}


def show_audit(directory: Path, prefix: str, *, as_json: bool) -> None:
    """Print the audit log of a run."""
    repository = open_repository(directory)
    run = find_run(repository, prefix)
    told = keep_books(read_events(repository, run))
    if not is_from_here(repository, run):
        told = told.model_copy(update={"notes": (*told.notes, ELSEWHERE)})
    console = consoles.results()
    if as_json:
        console.file.write(told.model_dump_json() + "\n")
        return
    write(console, told)


def write(console: Console, told: Ledger) -> None:
    """Write an audit log for a person."""
    for word, text in _head(told):
        _print(console, (HEAD,), (word,), text)
    console.print()
    for entry in told.entries:
        kind, state, text = tell(entry)
        _print(console, (TIME, KIND, STATE), (f"{entry.seconds:{TIME}.2f}", kind, state), text)
    console.print()
    for word, text in sum_up(told.totals):
        _print(console, (HEAD,), (word,), text)


def _print(console: Console, widths: tuple[int, ...], words: tuple[str, ...], text: str) -> None:
    """Print a line: on a terminal in columns, elsewhere on one line however long it is."""
    if not console.is_terminal:
        columns = "  ".join(f"{word:<{width}}" for word, width in zip(words, widths, strict=True))
        console.print(Text(f"{columns}  {text}"), soft_wrap=True)
        return
    row = Table.grid(padding=(0, 2, 0, 0))
    for width in widths:
        row.add_column(min_width=width, no_wrap=True)
    row.add_column(overflow="fold")
    row.add_row(
        *(Text(word, style=STYLES.get(word, "dim" if word.strip()[:1].isdigit() else "")) for word in words), text
    )
    console.print(row)


def _head(told: Ledger) -> Iterator[tuple[str, str]]:
    when = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(told.began))
    yield "run", f"{told.run}, {when}, git agent {told.version or '(version unknown)'}"
    yield "task", flat(told.goal, 300) or "mend what fails"
    source = told.source
    where = " ".join(
        filter(None, (source.kind, source.ref, f"by {source.author}" if source.author else "", source.url))
    )
    yield "source", flat(where) + ("; it holds text that its page does not show, which was left out" * told.hidden)
    yield "base", told.base
    yield "branch", told.branch
    yield "model", told.model or "-"
    yield "isolation", told.isolation or "-"
    yield "python", flat(told.python) or "-"
    yield from (("note", flat(note, 300)) for note in told.notes)


def tell(entry: Line) -> tuple[str, str, str]:
    """Say what a line of the log is, how it ended, and the rest."""
    match entry:
        case Request():
            return "request", entry.finish, _join(*_request(entry))
        case Retry():
            return "retry" if entry.again else "no reply", entry.error, _join(*_lost(entry))
        case Call():
            state = "ok" if entry.ok else "refused" if entry.refused else "failed"
            return "call", state, _join(*_call(entry))
        case Choice():
            about = f"{entry.risk} {entry.subject}".rstrip()
            return "decision", entry.answer, f"by {f'{entry.by} {entry.who}'.rstrip()}: {entry.why} ({about})"
        case CheckRun():
            return "check", entry.status, _join(*_check(entry))
        case Move():
            return entry.what.replace("_", " "), "", _join(*_move(entry))


def _join(*facts: str) -> str:
    return "; ".join(filter(None, facts))


def _request(entry: Request) -> Iterator[str]:
    yield f"turn {entry.turn}"
    yield f"{entry.sent:,} bytes sent" if entry.sent else "size not recorded"
    yield _spent(entry.usage)
    yield f"{entry.took:.2f} s"
    yield f"{entry.calls} call{'' if entry.calls == 1 else 's'}"


def _lost(entry: Retry) -> Iterator[str]:
    yield entry.message
    yield f"{entry.sent:,} bytes sent" if entry.sent else ""
    yield _spent(entry.usage) if entry.usage != Usage() else ""
    yield f"{entry.took:.2f} s" if entry.sent else ""
    yield f"asked again after {entry.wait:.1f} s" if entry.again else "given up"


def _spent(usage: Usage) -> str:
    if usage == Usage():
        return "no usage told"
    price = f", {show_dollars(usage.cost)}" if usage.cost else ""
    return f"{usage.input:,} tokens in ({usage.cached:,} cached), {usage.output:,} out{price}"


def _call(entry: Call) -> Iterator[str]:
    yield f"{entry.tool} {entry.gist}".rstrip()
    yield "" if entry.ok else f"{entry.error}: {entry.why}"
    yield f"{entry.took:.2f} s"
    yield entry.isolation
    yield f"hit {', '.join(entry.hit)}" if entry.hit else ""
    yield f"changed {flat(' '.join(entry.files))}" if entry.files else ""
    yield f"ran {entry.ran}" if entry.ran else ""


def _check(entry: CheckRun) -> Iterator[str]:
    purposes = {"step": "for a step", "none": "cut off"}
    yield f"{flat(entry.name, 60)} on tree {entry.tree[:ID]}"
    yield purposes.get(entry.purpose, f"for the {entry.purpose}")
    yield (
        "not run again, known of this tree" if entry.reused else f"{entry.took:.2f} s" if entry.status != "ran" else ""
    )
    yield entry.isolation
    yield f"hit {', '.join(entry.hit)}" if entry.hit else ""
    yield entry.summary
    yield f"declared as {flat(' '.join(entry.argv))}" if entry.argv else ""


def _move(entry: Move) -> Iterator[str]:
    yield f"step {entry.step}" if entry.step else ""
    yield f"commit {entry.commit[:ID]}" if entry.commit else ""
    yield f"tree {entry.tree[:ID]}" if entry.tree else ""
    yield entry.text


def sum_up(totals: Totals) -> Iterator[tuple[str, str]]:
    """Say in a few lines what a log comes to."""
    retried = f"{totals.retries:,} not answered" if totals.retries else ""
    yield "requests", _join(f"{totals.requests:,} answered", retried, f"{totals.waited:.2f} s waited for")
    lost = totals.lost
    vain = f"of it in vain: {lost.input + lost.output:,} tokens, {show_dollars(lost.cost)}" if lost != Usage() else ""
    yield "spent", _join(_spent(totals.usage), vain, f"{totals.sent:,} bytes sent")
    if totals.compressed:
        yield "prompts", f"{_times(totals.compressed)} made shorter"
    failed = f"{sum(totals.failed.values()):,} failed ({_list(totals.failed)})" if totals.failed else ""
    calls = f"{sum(totals.calls.values()):,}{f' ({_list(totals.calls)})' if totals.calls else ''}"
    yield "calls", _join(calls, f"{totals.refused:,} refused", failed)
    yield "commands", _list(totals.commands) or "none"
    yield "checks", _join(f"{totals.checks:,}", f"{totals.reused:,} known from before" if totals.reused else "")
    yield "limits hit", _list(totals.hit) or "none"
    yield "decisions", _list(totals.decisions) or "none"
    yield "steps", f"{totals.commits:,} committed; {totals.rollbacks:,} rolled back"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _list(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{word} {number:,}" for word, number in counts.items())
