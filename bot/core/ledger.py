"""The audit log of a run: every request, call, decision and check, for whoever reviews it, and what it comes to."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from bot.core.approval import Answer, Authority, Risk
from bot.core.check import Status
from bot.core.message import Finish, Usage
from bot.core.task import Record, Source

Purpose: TypeAlias = Literal["base", "step", "review", "proof", "none"]
"""What a check was run for; `none`: no verdict came of it, because the run was cut short."""


class Entry(Record):
    """Base of all lines of the log."""

    number: int
    """Which event of the record tells it, counted from 1."""
    seconds: float
    """Since the run began."""


class Request(Entry):
    """What a model was asked, and what that cost."""

    kind: Literal["request"] = "request"
    turn: int
    sent: int = 0
    """Bytes; 0 where the record does not tell."""
    usage: Usage = Usage()
    took: float = 0.0
    """Seconds."""
    finish: Finish = "stop"
    calls: int = 0


class Retry(Entry):
    """A request that was not answered."""

    kind: Literal["retry"] = "retry"
    error: str
    message: str
    wait: float = 0.0
    sent: int = 0
    usage: Usage = Usage()
    """What it cost all the same."""
    took: float = 0.0
    again: bool = True
    """Whether the model was asked again."""


class Call(Entry):
    """What a tool was asked to do, and what came of it."""

    kind: Literal["call"] = "call"
    id: str
    tool: str
    gist: str = ""
    """Its arguments, shortened."""
    ok: bool
    refused: bool = False
    """Whether policy or a person said no."""
    error: str = ""
    """The kind of failure."""
    why: str = ""
    took: float = 0.0
    isolation: str = ""
    hit: tuple[str, ...] = ()
    """Limits that it ran into."""
    ran: str = ""
    """The command as it was carried out."""
    files: tuple[str, ...] = ()
    """What it changed."""
    tree: str = ""
    """Of the files after it, where it may have changed them."""


class Choice(Entry):
    """What was asked before something risky was done, and the answer."""

    kind: Literal["decision"] = "decision"
    call_id: str
    risk: Risk
    subject: str
    why: str
    answer: Answer
    by: Authority
    who: str = ""
    allowed: bool


class CheckRun(Entry):
    """What a check said of a tree, or that it was run for the proof, which tells the results of all together."""

    kind: Literal["check"] = "check"
    name: str
    tree: str
    purpose: Purpose
    status: Status | Literal["ran"] = "ran"
    took: float = 0.0
    isolation: str = ""
    hit: tuple[str, ...] = ()
    reused: bool = False
    summary: str = ""
    argv: tuple[str, ...] = ()
    """As it is declared."""


class Move(Entry):
    """What became of the branch, or of the run itself."""

    kind: Literal["move"] = "move"
    what: Literal[
        "committed",
        "rolled_back",
        "undone",
        "redone",
        "published",
        "resumed",
        "paused",
        "proved",
        "planned",
        "compressed",
        "ended",
    ]
    step: int = 0
    commit: str = ""
    tree: str = ""
    text: str = ""


Line: TypeAlias = Annotated[Request | Retry | Call | Choice | CheckRun | Move, Field(discriminator="kind")]


class Totals(Record):
    """What it comes to."""

    requests: int = 0
    """Those that were answered."""
    retries: int = 0
    """Those that were not."""
    sent: int = 0
    usage: Usage = Usage()
    """Of all requests, those that were not answered included."""
    lost: Usage = Usage()
    """What of it was paid for requests that were not answered."""
    waited: float = 0.0
    """Seconds for which the model was waited for."""
    compressed: int = 0
    """How often what was said before was made shorter."""
    calls: Mapping[str, int] = {}
    """By tool."""
    refused: int = 0
    failed: Mapping[str, int] = {}
    """Calls that did not work out, by the kind of failure."""
    commands: Mapping[str, int] = {}
    """Calls and checks that ran a program, by isolation."""
    hit: Mapping[str, int] = {}
    """Limits that were run into."""
    checks: int = 0
    reused: int = 0
    decisions: Mapping[str, int] = {}
    """By answer and who gave it, such as `deny by policy`."""
    commits: int = 0
    rollbacks: int = 0


class Ledger(Record):
    """The audit log of a run."""

    run: str
    goal: str
    hidden: bool
    """Whether there is text in the task that its page does not show, and that the model was not told."""
    source: Source
    base: str
    branch: str
    version: str = ""
    model: str = ""
    isolation: str = ""
    python: str = ""
    began: float = 0.0
    """Seconds since the epoch."""
    notes: tuple[str, ...] = ()
    entries: tuple[Line, ...] = ()
    totals: Totals = Totals()


def add_up(entries: Iterable[Line]) -> Totals:
    """Add up what a log tells."""
    every = tuple(entries)
    requests = [entry for entry in every if isinstance(entry, Request)]
    calls = [entry for entry in every if isinstance(entry, Call)]
    checks = [entry for entry in every if isinstance(entry, CheckRun)]
    lost = [entry for entry in every if isinstance(entry, Retry)]
    asked: list[Request | Retry] = [*requests, *lost]
    choices = [entry for entry in every if isinstance(entry, Choice)]
    moves = Counter(entry.what for entry in every if isinstance(entry, Move))
    ran: list[Call | CheckRun] = [*calls, *(check for check in checks if not check.reused)]
    return Totals(
        requests=len(requests),
        retries=len(lost),
        sent=sum(each.sent for each in asked),
        usage=sum((each.usage for each in asked), Usage()),
        lost=sum((each.usage for each in lost), Usage()),
        waited=round(sum(each.took for each in asked), 3),
        compressed=moves["compressed"],
        calls=_count(call.tool for call in calls),
        refused=sum(call.refused for call in calls),
        failed=_count(call.error for call in calls if call.error and not call.refused),
        commands=_count(each.isolation for each in ran if each.isolation),
        hit=_count(limit for each in ran for limit in each.hit),
        checks=len(checks),
        reused=sum(check.reused for check in checks),
        decisions=_count(f"{choice.answer} by {choice.by}" for choice in choices),
        commits=moves["committed"],
        rollbacks=moves["rolled_back"],
    )


def _count(words: Iterable[str]) -> Mapping[str, int]:
    return dict(Counter(words).most_common())
