"""Folds a run's events into its audit log, from its record alone."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

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
    Published,
    Redone,
    Resumed,
    Reviewed,
    RolledBack,
    Started,
    Undone,
    Verified,
)
from bot.core.ledger import Call, CheckRun, Choice, Ledger, Line, Move, Purpose, Request, Retry, add_up
from bot.core.message import ToolCall, Usage
from bot.core.redact import Redactor
from bot.core.talk import Compressed, Planned, Replied, Retried
from bot.core.untrusted import hides
from bot.errors import Denied

GIST, VALUE = 160, 60
"""Characters that are told of a call's arguments, and of one of them."""
WHY = 200
MOST_LINES = 4
"""Of an answer that says why something was not done."""


def keep_books(events: Iterable[Event]) -> Ledger:
    """Fold a run's events into its audit log. The first event is always Started."""
    # The record was redacted by value when it was written; one from elsewhere may not have been
    redactor = Redactor(())
    first, *rest = map(redactor.event, events)
    assert isinstance(first, Started), "a run's first event is Started"
    book = _Book(first)
    for number, event in enumerate(rest, 2):
        book.entries += book.add(event, number, event.at - first.at)
    task = first.task
    return Ledger(
        run=first.run,
        goal=task.goal,
        hidden=task.source.kind in ("issue", "comment") and hides(task.goal),
        source=task.source,
        base=task.base,
        branch=first.branch,
        version=first.version,
        model=first.model,
        isolation=first.isolation,
        python=first.python,
        began=first.at,
        notes=first.notes,
        entries=tuple(book.entries),
        totals=add_up(book.entries),
    )


@dataclass(slots=True)
class _Book:
    started: Started
    entries: list[Line] = field(default_factory=list)
    turn: int = 0
    begun: list[Checking] = field(default_factory=list)
    """Checks that no verdict has told of."""
    argv: dict[str, tuple[str, ...]] = field(init=False)

    def __post_init__(self) -> None:
        self.argv = {check.name: check.argv for check in self.started.checks}

    def add(self, event: Event, number: int, seconds: float) -> Iterator[Line]:
        match event:
            case Replied():
                yield self._ask(event, number, seconds)
            case Retried():
                yield _lose(event, number, seconds)
            case Acted():
                yield _act(event, number, seconds)
            case Decided():
                yield _decide(event, number, seconds)
            case Checking():
                self.begun.append(event)
            case Baselined() | Verified() | Reviewed():
                yield from self._judge(event, number, seconds)
            case _:
                yield from self._note(event, number, seconds)

    def _ask(self, event: Replied, number: int, seconds: float) -> Request:
        self.turn += 1
        return Request(
            number=number,
            seconds=seconds,
            turn=self.turn,
            sent=event.sent,
            usage=event.reply.usage,
            took=event.seconds,
            finish=event.reply.finish,
            calls=len(event.reply.calls),
        )

    def _judge(self, event: Baselined | Verified | Reviewed, number: int, seconds: float) -> Iterator[CheckRun]:
        purposes: Mapping[str, Purpose] = {"baselined": "base", "verified": "step", "reviewed": "review"}
        for result in event.verdict.results:
            yield self._check(result, event.verdict, purposes[event.event], number, seconds)
        # The same check may have run on the files as they would be with the tests of before, too
        told = Counter(result.check for result in event.verdict.results)
        extra = []
        for each in self.begun:
            told[each.check] -= 1
            extra += [each] if told[each.check] < 0 else []
        yield from self._unsaid(extra, purposes[event.event], number, seconds)

    def _check(self, result: CheckResult, verdict: Verdict, purpose: Purpose, number: int, seconds: float) -> CheckRun:
        return CheckRun(
            number=number,
            seconds=seconds,
            name=result.check,
            tree=verdict.tree,
            purpose=purpose,
            status=result.status,
            took=result.seconds,
            isolation=result.isolation,
            hit=result.hit,
            reused=result.reused,
            summary=line(result.summary, WHY),
            argv=self.argv.get(result.check, ()),
        )

    def _unsaid(self, begun: Iterable[Checking], purpose: Purpose, number: int, seconds: float) -> Iterator[CheckRun]:
        """Tell of checks whose results stand nowhere by themselves."""
        for each in begun:
            argv = self.argv.get(each.check, ())
            yield CheckRun(number=number, seconds=seconds, name=each.check, tree=each.tree, purpose=purpose, argv=argv)
        self.begun.clear()

    def _note(self, event: Event, number: int, seconds: float) -> Iterator[Line]:
        if isinstance(event, Proved | Ended | Resumed):
            purpose: Purpose = "proof" if isinstance(event, Proved) else "none"
            yield from self._unsaid(tuple(self.begun), purpose, number, seconds)
        if isinstance(event, Ended) and (event.stop == "model" or event.usage != Usage()):
            told, kind = line(event.detail, WHY), event.error or event.stop
            yield Retry(number=number, seconds=seconds, error=kind, message=told, usage=event.usage, again=False)
        if isinstance(event, Resumed) and event.terms is not None:
            self.argv = {check.name: check.argv for check in event.terms.checks}
        move = _move(event, number, seconds)
        if move is not None:
            yield move


def _lose(event: Retried, number: int, seconds: float) -> Retry:
    return Retry(
        number=number,
        seconds=seconds,
        error=event.error,
        message=line(event.message, WHY),
        wait=event.wait,
        sent=event.sent,
        usage=event.usage,
        took=event.seconds,
    )


def _act(event: Acted, number: int, seconds: float) -> Call:
    result, metadata = event.result, event.result.metadata
    return Call(
        number=number,
        seconds=seconds,
        id=event.call.id,
        tool=line(event.call.name, VALUE),
        gist=tell_arguments(event.call),
        ok=result.ok,
        refused=result.error == Denied.kind,
        error=result.error or "",
        why="" if result.ok else _complain(result.output),
        took=metadata.seconds,
        isolation=metadata.isolation,
        hit=metadata.hit,
        ran=line(metadata.ran, 2 * WHY),
        files=tuple(edit.path for edit in metadata.edits),
        tree=event.tree,
    )


def _complain(output: str) -> str:
    """Return the line that says why; those that end with a colon only announce it."""
    said, lines = "", [each for each in output.split("\n") if each.strip()]
    for each in lines[:MOST_LINES]:
        said = f"{said} {each}".strip()
        if not each.rstrip().endswith(":"):
            break
    return line(said, WHY)


def tell_arguments(call: ToolCall) -> str:
    """Tell what a call was made with, on one line: `path=a.py old="a - b"`; long values are cut, and counted."""
    told = [f"{name}={_value(value)}" for name, value in call.arguments.items()]
    return line(" ".join(told) or call.raw, GIST)


def _value(value: JsonValue) -> str:
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    left = len(text) - VALUE
    told = line(text, VALUE)
    quoted = json.dumps(told, ensure_ascii=False) if not told or set(told) & set(" \"'") else told
    return f"{quoted} (+{left:,})" if left > 0 else quoted


def _decide(event: Decided, number: int, seconds: float) -> Choice:
    decision, question = event.decision, event.decision.question
    return Choice(
        number=number,
        seconds=seconds,
        call_id=event.call_id,
        risk=question.risk,
        subject=line(question.subject, WHY),
        why=line(question.why, WHY),
        answer=decision.answer,
        by=decision.by,
        who=line(decision.who, WHY),
        allowed=decision.allowed,
    )


def _move(event: Event, number: int, seconds: float) -> Move | None:
    where = Move(number=number, seconds=seconds, what="ended")
    told: Mapping[str, str | int] = {}
    match event:
        case Committed():
            told = {"step": event.step, "commit": event.commit, "tree": event.tree, "text": event.subject}
        case RolledBack():
            kept = f", kept {event.kept[:10]}" if event.kept else ""
            told = {"commit": event.to, "text": f"{event.reason}{kept}"}
        case Undone() | Redone():
            told = {"step": event.step, "commit": event.commit, "text": ", ".join(event.where)}
        case Published():
            told = {"commit": event.commit, "text": event.where}
        case Resumed():
            text = f"{event.model}, {event.isolation}"
            told = {"commit": event.commit, "tree": event.tree, "text": text}
        case Proved():
            text = event.proof.reason or f"{len(event.proof.green)} red without the change, green with it"
            told = {"commit": event.commit, "text": text}
        case Planned() | Compressed() | Paused() | Ended():
            told = {"text": _say(event)}
        case _:
            return None
    text = line(str(told["text"]), WHY)
    return Move.model_validate({**dict(where), **told, "what": event.event, "text": text})


def _say(event: Planned | Compressed | Paused | Ended) -> str:
    match event:
        case Planned():
            return f"by {'a person' if event.by == 'person' else 'the model'}: {'; '.join(event.steps)}"
        case Compressed():
            return f"the prompt, from {event.before:,} to {event.after:,} bytes"
        case Paused():
            return event.question
        case Ended():
            return f"{event.stop}: {event.detail}" if event.detail else event.stop
