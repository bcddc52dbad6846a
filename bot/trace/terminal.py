"""Tells a person what happens, as it happens."""

import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from bot.core.account import Sign, prove, review
from bot.core.approval import Answer, Question
from bot.core.check import CheckResult, Verdict
from bot.core.escape import line
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
    Resumed,
    Reviewed,
    RolledBack,
    Started,
    Verified,
)
from bot.core.message import Progress as Coming
from bot.core.message import Searching, ToolCall
from bot.core.redact import Redactor, sanitize
from bot.core.stops import tell_stop
from bot.core.talk import Compressed, Planned, Replied, Retried
from bot.trace import asking, incoming
from bot.trace.incoming import spell
from bot.trace.layout import fit, hang

GLYPHS = {"passed": ("✓", "green"), "failed": ("✗", "red"), "skipped": ("-", "dim"), "errored": ("!", "yellow")}

SIGNS: dict[Sign, tuple[str, str]] = {
    "good": ("✓", "green"),
    "bad": ("✗", "red"),
    "doubt": ("●", "yellow"),
    "note": ("•", "dim"),
}

STEERING = ("checkpoint", "finish", "update_plan", "ask")
"""Calls whose result says all that they were about."""
SAID = 160
"""Characters of what the model says that are shown."""


class Terminal:
    """A trace for eyes: one line for each thing that happened, one live line for what happens now."""

    def __init__(self, console: Console, answers: TextIO | None = None) -> None:
        self._console = console
        self._answers = answers if answers is not None else sys.stdin
        self._meter = incoming.Meter()
        self._said = ""
        self._planning = False
        self._redactor = Redactor(())
        self._live: tuple[Progress, TaskID] | None = None

    def hiding(self, redactor: Redactor) -> Self:
        """Show of a reply that comes nothing that is to be hidden; events are redacted before they get here."""
        self._redactor = redactor
        return self

    def watch(self, coming: Coming | Searching) -> None:
        """Show what comes of a reply, or how far a search for a patch is, on the live line."""
        if self._live is not None:
            shown = incoming.tell(coming, self._redactor)
            self._live[0].update(self._live[1], description=fit(shown, self._meter.ahead, self._console.width))

    def tell_choice(self, model: str, why: str) -> None:
        """Say why it is this model, where nobody named one."""
        if why:
            self._say(Text(f"{model}, since {why}", style="dim"))

    def __enter__(self) -> Self:
        if self._console.is_interactive:
            columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
            progress = Progress(*columns, console=self._console, transient=True)
            progress.start()
            self._live = (progress, progress.add_task("starting", total=None))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live[0].stop()
            self._live = None

    def ask(self, question: Question) -> Answer | None:
        """Ask the person at the terminal, None when nobody answers; the live line stands aside meanwhile."""
        if self._live is not None:
            self._live[0].stop()
        try:
            answer = asking.ask(question, self._console, self._answers)
            if answer is None:
                self._say(Text("  nobody answers: taken as no", style="yellow"))
            return answer
        finally:
            if self._live is not None:
                self._live[0].start()

    def record(self, event: Event) -> None:
        """Show an event."""
        self._meter.add(event)
        match event:
            case Started():
                self._start(event)
            case Resumed():
                self._resume(event)
            case Checking():
                self._now(f"checking {event.check}")
            case Baselined():
                self._say(Text("the base" if event.verdict.results else "the base: no check was found"))
                self._verdict(event.verdict)
                self._think()
            case Replied():
                self._reply(event)
            case Acted():
                self._act(event)
                self._think()
            case Verified() | Reviewed() | Committed() | RolledBack():
                self._step(event)
            case Proved():
                self._prove(event)
            case Retried() | Compressed() | Planned() | Paused() | Ended() | Decided():
                self._aside(event)
            case _:
                pass

    def _start(self, event: Started) -> None:
        self._meter.most = event.task.limits.turns
        # Then the plan is what is shown in the end
        self._planning = event.planning
        self._say(
            Text.assemble(
                ("git agent ", "bold"),
                f"{event.version}  run ",
                (event.run, "bold"),
                f"  {event.model}  {event.isolation}",
            )
        )
        self._say(Text(f"  from {event.task.base[:10]}, python {event.python.partition(', ')[0]}", style="dim"))
        for note in event.notes:
            self._say(Text(f"  ! {note}", style="yellow"))

    def _resume(self, event: Resumed) -> None:
        what = ", with edits that no commit holds yet" if event.tree else ""
        head = Text.assemble(("git agent ", "bold"), f"{event.version}  goes on  {event.model}  {event.isolation}")
        self._say(head)
        self._say(Text(f"  from {event.commit[:10]}{what}", style="dim"))
        for note in event.notes:
            self._say(Text(f"  ! {note}", style="yellow"))

    def _reply(self, event: Replied) -> None:
        text = line(sanitize(event.reply.text).strip().partition("\n")[0], SAID)
        names = {call.name for call in event.reply.calls}
        # What it says when it finishes stands in the report, and what it says again has been read
        if text and "finish" not in names and text != self._said:
            self._say(Text(f"  {text}", style="italic"))
            self._said = text
        if event.reply.calls:
            self._now(", ".join(describe(call) for call in event.reply.calls)[:100])

    def _act(self, event: Acted) -> None:
        if event.call.name in STEERING and event.result.ok:
            return
        glyph, style = ("·", "dim") if event.result.ok else ("✗", "red")
        told = f"  {glyph} {event.call.name if event.call.name in STEERING else describe(event.call)}"
        if not event.result.ok:
            told += f": {complaint(event.result.output)}"
        self._say(Text(told, style=style))

    def _step(self, event: Verified | Reviewed | Committed | RolledBack) -> None:
        match event:
            case Verified() if not event.verdict.ok:
                self._say(Text(f"  not verified{reasons(event.verdict)}", style="yellow"))
                self._verdict(event.verdict)
            case Reviewed() if event.step:
                word = "holds" if event.verdict.ok else "does not hold"
                self._say(Text(f"step {event.step}  {event.commit[:10]}  judged again: {word}"))
                self._verdict(event.verdict)
            case Committed():
                self._say(Text(f"✓ step {event.step}  {event.commit[:10]}  {event.subject}", style="green"))
            case RolledBack():
                self._say(Text(f"↶ rolled back to {event.to[:10]}: {event.reason}", style="yellow"))
            case _:
                pass

    def _prove(self, event: Proved) -> None:
        # What was left as it was, or only added to, stands in the report
        against = (point for point in review(event.audit, ()) if point.sign != "good")
        for point in (prove(event.proof), *against):
            glyph, style = SIGNS[point.sign]
            about = f": {_first(point.details)}" if point.details else ""
            self._say(Text(f"  {glyph} {line(point.text)}{about}", style=style))

    def _aside(self, event: Retried | Compressed | Planned | Paused | Ended | Decided) -> None:
        match event:
            case Retried():
                self._say(Text(f"  model: {event.message}; {_again(event)}", style="yellow"))
                self._think("waiting to ask again")
            case Compressed():
                sizes = f"{spell(event.before)} to {spell(event.after)} bytes"
                self._say(Text(f"  · what was said before is made shorter for the model, from {sizes}", style="dim"))
            case Planned() if not self._planning:
                for number, step in enumerate(event.steps, 1):
                    self._say(Text(f"  {number}. {sanitize(step)}"))
            case Decided() if event.decision.allowed and event.decision.by != "person":
                said = "as before" if event.decision.by == "earlier" else "as you set it"
                self._say(Text(f"  · allowed, {said}: {line(event.decision.question.why)}", style="yellow"))
            case Decided() if event.decision.answer == "wait":
                self._say(Text(f"  ? has to be allowed first: {line(event.decision.question.why)}", style="yellow"))
            case Paused():
                self._say(Text(f"? {sanitize(event.question)}", style="bold yellow"))
            case Ended() if why := tell_stop(event.stop, event.error):
                self._say(Text(f"stopped: {why}", style="yellow"))
            case _:
                pass

    def _verdict(self, verdict: Verdict) -> None:
        for result in verdict.results:
            glyph, style = GLYPHS[result.status]
            self._say(Text(f"  {glyph} {result.check:<12} {tally(result):<28} {result.seconds:5.1f} s", style=style))

    def _now(self, what: str) -> None:
        self._show(what, str(self._meter))

    def _think(self, what: str = "thinking") -> None:
        self._show(what, self._meter.ahead)

    def _show(self, what: str, meter: str) -> None:
        if self._live is not None:
            self._live[0].reset(self._live[1], description=fit(what, meter, self._console.width))

    def _say(self, text: Text) -> None:
        self._console.print(hang(text, self._console))


def _again(event: Retried) -> str:
    if event.error == "overflow":
        return "asking again with a shorter prompt"
    return f"asking again in {event.wait:.0f} s" if event.wait >= 1 else "asking again"


def complaint(output: str) -> str:
    """Return the line of a refusal that says why; a line that ends with a colon only announces the next."""
    first, _, rest = sanitize(output).strip().partition("\n")
    while first.endswith(":") and rest.strip():
        if rest.startswith("VERDICT "):
            # What it says has been told already, check by check
            return first[:-1]
        line, _, rest = rest.strip().partition("\n")
        first = f"{first} {line.removeprefix('- ')}"
    return first[:200]


def reasons(verdict: Verdict) -> str:
    """Say in a few words what keeps a tree from being committed."""
    compared = verdict.comparison
    parts = [
        f"{word} {_first(cases)}"
        for word, cases in (
            ("breaks", compared.broken),
            ("takes away", compared.removed),
            ("cannot judge", compared.prevented),
        )
        if cases
    ]
    return f": {'; '.join(parts)}" if parts else ""


def _first(cases: Sequence[str]) -> str:
    return sanitize(cases[0])[:100] + (f" and {len(cases) - 1} more" if len(cases) > 1 else "")


def describe(call: ToolCall) -> str:
    """Name a call and what it is about, on one line."""
    return sanitize(f"{call.name} {call.about[:60]}".rstrip())


def tally(result: CheckResult) -> str:
    """Count a result's cases in words."""
    bad, good = result.count("failed", "error"), result.count("passed", "xfailed")
    by_exit_code = [case.id for case in result.cases] == [result.check]
    if by_exit_code or not (bad or good):
        return result.summary.partition(";")[0][:60] or result.status
    return ", ".join(words for words in (f"{bad} failed" if bad else "", f"{good} passed" if good else "") if words)
