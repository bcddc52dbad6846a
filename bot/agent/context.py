"""The prompt as a view of the events so far: the same events always give the same prompt.

`prompt(events, specs)` is what was sent after these events, byte for byte. A run that goes on keeps a `View(specs)`,
which is the same fold taken one event at a time: `view.add(event)` for each recorded event, `view.prompt()` for the
next request, `view.size` for its bytes, `view.tokens` for about how many tokens those are. Messages that were sent are
the same objects from prompt to prompt, and the text in front never changes, so that a provider's cache hits; only a
`Compressed` event makes them anew (see `compress`).

Layers, in this order: the system prompt and the tools; the first message, which is settled with the first reply (task,
checks, background and plan, then the project with its map, then the base as it was judged); what stands for turns that
were compressed; the turns, in which an answer that stands above is shown by what differs (see core.repeats).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib import resources
from itertools import takewhile

from bot.agent import planning
from bot.core.escape import line
from bot.core.event import Acted, Baselined, Event, Resumed, Started
from bot.core.marker import fence
from bot.core.message import Message, Prompt, ToolSpec
from bot.core.repeats import Writer
from bot.core.talk import Compressed, Planned, Replied, Retried, Surveyed, Told
from bot.core.task import Task
from bot.core.telling import squeeze
from bot.core.unseen import show
from bot.core.untrusted import bare, clean
from bot.errors import ContextOverflow
from bot.verify.digest import digest

EARLIER = "What happened before, told shortly:"
UNTOLD = "nothing is told of it"
GONE = "[not shown any more, to save room: make the call again if you need the answer]"
LONGEST = 48_000
"""Bytes of a summary that are shown, whatever a record holds."""
ASSUMED = 1 / 3
"""Tokens in a byte, as long as no reply has told; no tokenizer needs more for code or prose."""
LEAST, MOST = 1 / 8, 1 / 1.5
"""Between what a reply tells is believed."""


def prompt(events: Sequence[Event], tools: tuple[ToolSpec, ...]) -> Prompt:
    """Build the next prompt from all events of a run."""
    view = View(tools)
    for event in events:
        view.add(event)
    return view.prompt()


def size(prompt: Prompt) -> int:
    """Count the bytes of what a model is sent."""
    return _fixed(prompt.tools) + sum(map(weigh, prompt.messages))


def weigh(message: Message) -> int:
    """Count the bytes of a message: its text and its calls."""
    return len(message.text.encode()) + sum(len(call.model_dump_json()) for call in message.calls)


def _fixed(tools: tuple[ToolSpec, ...]) -> int:
    return len(system_text().encode()) + sum(len(tool.model_dump_json()) for tool in tools)


@cache
def system_text() -> str:
    """Read the system prompt."""
    return resources.files("bot.agent").joinpath("prompts/system.md").read_text(encoding="utf-8")


@dataclass(slots=True)
class View:
    """The prompt of a run that goes on: what it is given is shown once, and then kept as it was shown."""

    tools: tuple[ToolSpec, ...]
    events: list[Event] = field(default_factory=list)
    """All of them; to be added to by `add` only."""
    until: int = 0
    """How many of the events are not shown any more, but what `summary` tells of them."""
    summary: str = ""
    stale: frozenset[int] = frozenset()
    """Events whose results are not shown any more."""
    ratio: float = ASSUMED
    """Tokens in a byte, as the last reply told."""
    overflow: int = 0
    """Bytes of the smallest prompt that did not fit the model's window; 0 as long as each did."""
    longer: bool = False
    turns: int = 0
    """Replies so far."""
    since: int = 0
    """Of them, since the prompt was last made anew."""
    calibrated: bool = False
    """Whether a reply told the ratio."""
    shown: dict[int, int] = field(default_factory=dict)
    """Bytes that each event takes in the prompt, by its number; those that take none are left out."""
    _frame: int = field(init=False)
    """Bytes of the system prompt and the tools."""
    _first: Message | None = None
    _settled: bool = False
    _messages: list[Message] = field(default_factory=list)
    """Those behind the first."""
    _bytes: int = 0
    """Of those."""
    _writer: Writer = field(default_factory=Writer)

    def __post_init__(self) -> None:
        self._frame = _fixed(self.tools)

    def add(self, event: Event) -> None:
        """Show an event, if it is one that a model is shown."""
        at = len(self.events)
        match event:
            case Started() | Baselined() | Surveyed() | Planned() if not self._settled:
                self._first = None
            case Replied():
                self._hear(event)
            case Retried(error=ContextOverflow.kind, sent=sent) if sent:
                self.overflow = min(sent, self.overflow or sent)
            case Resumed():
                self.overflow, self.ratio, self.calibrated = 0, ASSUMED, False  # It may be another model
            case _:
                pass
        self.events.append(event)
        if isinstance(event, Compressed):
            self._compress(event, at)
        else:
            self._show(at, event)

    def prompt(self) -> Prompt:
        """Return the next prompt."""
        messages = (self.first, *self._messages)
        return Prompt(system=system_text(), messages=messages, tools=self.tools, longer=self.longer)

    def after(self, event: Compressed) -> "View":
        """Return what this would be with a compression."""
        other = replace(self, events=[*self.events])
        other.add(event)
        return other

    @property
    def first(self) -> Message:
        """The message that tells of the task."""
        if self._first is None:
            self._first = Message(role="user", text=opening(self.events))
        return self._first

    @property
    def messages(self) -> Sequence[Message]:
        """Those of the next prompt behind the first."""
        return self._messages

    @property
    def fixed(self) -> int:
        """The bytes that no compression takes away: system prompt, tools, first message."""
        return self._frame + weigh(self.first)

    @property
    def size(self) -> int:
        """The bytes of the next prompt."""
        return self.fixed + self._bytes

    @property
    def tokens(self) -> int:
        """About how many tokens the next prompt has."""
        return math.ceil(self.size * self.ratio)

    def _hear(self, event: Replied) -> None:
        if not self._settled:
            self._first, self._settled = self.first, True
        self.turns, self.since = self.turns + 1, self.since + 1
        self.longer = event.reply.finish == "length"
        if event.sent > 0 and event.reply.usage.input > 0:
            self.calibrated = True
            self.ratio = min(MOST, max(LEAST, event.reply.usage.input / event.sent))

    def _show(self, at: int, event: Event) -> None:
        match event:
            case Replied():
                self._say(at, Message(role="assistant", text=event.reply.text, calls=event.reply.calls))
            case Acted():
                # Role and id are data of ours, so that no output is another call's; what is inside can only look odd
                self._say(at, Message(role="tool", text=self._answer(at, event), call_id=event.call.id))
            case Told():
                self._say(at, Message(role="user", text=show(event.text)))
            case _:
                pass

    def _answer(self, at: int, event: Acted) -> str:
        gone = at in self.stale
        return GONE if gone else self._writer.write(event.call, show(event.result.output))

    def _say(self, at: int, message: Message) -> None:
        self._messages.append(message)
        self.shown[at] = weigh(message)
        self._bytes += self.shown[at]

    def _compress(self, event: Compressed, at: int) -> None:
        """Begin anew behind what is not shown any more; a record may be foreign, and its numbers any."""
        until = next((cut for cut in range(min(event.until, at), 0, -1) if self._between(cut, at)), 0)
        if until and until >= self.until:
            self.until, self.summary = until, event.summary
        acted = (index for index in event.stale if 0 <= index < at and isinstance(self.events[index], Acted))
        self.stale = self.stale.union(acted)
        self._messages, self._bytes, self.shown, self._writer, self.since = [], 0, {}, Writer(), 0
        if self.until:
            started = next(event for event in self.events if isinstance(event, Started))
            told = fence(squeeze(self.summary or UNTOLD, LONGEST), started.run)
            self._say(at, Message(role="user", text=f"{EARLIER}\n{told}"))
        for index in range(self.until, at):
            self._show(index, self.events[index])

    def _between(self, cut: int, end: int) -> bool:
        """Tell whether no turn is torn at a place: every call has its answer on the same side."""
        after = next((event for event in self.events[cut:end] if isinstance(event, Replied | Acted)), None)
        if after is not None:
            return isinstance(after, Replied)
        answered = 0
        for event in reversed(self.events[:cut]):
            if isinstance(event, Replied):
                return answered >= len(event.reply.calls)
            answered += isinstance(event, Acted)
        return True


def opening(events: Sequence[Event]) -> str:
    """Write the first message, of what there was before the first reply: task, checks, plan, project, the base."""
    head = tuple(takewhile(lambda event: not isinstance(event, Replied), events))
    started = next(event for event in head if isinstance(event, Started))
    parts = [*_task(started), *_plan(head, started.run), *_project(head, started), *_base(head, started.run)]
    return "\n\n".join(parts)


def _task(started: Started) -> Iterator[str]:
    task = started.task
    yield from ("# Task", fence(_goal(task), started.run))
    if task.scope:
        yield f"Only these paths may change: {' '.join(task.scope)}"
    if task.protected:
        yield f"These paths must not change: {' '.join(task.protected)}"
    if task.acceptance:
        yield f"These checks must pass in the end: {show(line(' '.join(task.acceptance)))}"
    yield "# Checks\n" + "\n".join(f"- {show(line(check.name))} ({check.rung})" for check in started.checks)
    if started.background:
        yield from ("# What was tried before", fence(_clean(started.background), started.run))


def _plan(head: Sequence[Event], run: str) -> Iterator[str]:
    """Tell the plan that there is already."""
    planned = planning.agreed(head)
    if planned is not None:
        yield from (f"# The plan\n{planning.AGREED}", fence(_clean(planning.tell_plan(planned)), run))
    elif asked := planning.ask_for_plan(head):
        yield f"# The plan\n{asked}"


def _project(head: Sequence[Event], started: Started) -> Iterator[str]:
    if started.project:
        yield from ("# Project", fence(started.project, started.run))
    surveyed = next((event for event in reversed(head) if isinstance(event, Surveyed)), None)
    if surveyed is not None and surveyed.map:
        yield from ("# Map of the project", fence(surveyed.map, started.run))
    if surveyed is not None and surveyed.hints:
        yield from ("# Places most likely concerned", fence("\n".join(surveyed.hints), started.run))


def _base(head: Sequence[Event], run: str) -> Iterator[str]:
    baseline = next((event.verdict for event in head if isinstance(event, Baselined)), None)
    if baseline is not None:
        yield from ("# The base, judged", fence(digest(baseline), run))


def _goal(task: Task) -> str:
    """Tell the task as a person reads it there where it was written."""
    match task.source.kind:
        case "local":
            told = task.goal
        case "issue" | "comment":
            told = _clean(task.goal)
        case _:
            told = bare(task.goal)
    return told or "Make the failing checks pass."


@lru_cache(maxsize=4)
def _clean(text: str) -> str:
    return clean(text)


def quote(events: Sequence[Event], words: str, text: str) -> str:
    """Say something of ours, and below it foreign text between markers of the run that these events are of."""
    started = next(event for event in events if isinstance(event, Started))
    return f"{words}\n{fence(text, started.run)}"
