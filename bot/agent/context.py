"""The prompt as a view of the events so far: the same events always give the same prompt."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib import resources

from bot.core.escape import line
from bot.core.event import Acted, Baselined, Event, Started
from bot.core.message import Message, Prompt, ToolSpec
from bot.core.talk import Compressed, Replied, Told
from bot.core.task import Task
from bot.core.unseen import show
from bot.core.untrusted import bare, clean
from bot.verify.digest import digest

_MARKER = re.compile("<(?=<<)")
_SPEAKER = re.compile(r"^([ \t]*(?:Human|Assistant))(?=:)", re.MULTILINE)
"""How the turns of a conversation begin where it is one text."""


def prompt(events: Sequence[Event], tools: tuple[ToolSpec, ...]) -> Prompt:
    """Build the next prompt; the part that was sent before never changes, so that a provider's cache hits."""
    return Prompt(system=system_text(), messages=tuple(_messages(events)), tools=tools)


def size(prompt: Prompt) -> int:
    """Count the bytes of what a model is sent."""
    said = (len(message.text.encode()) for message in prompt.messages)
    calls = (len(call.model_dump_json()) for message in prompt.messages for call in message.calls)
    tools = (len(tool.model_dump_json()) for tool in prompt.tools)
    return len(prompt.system.encode()) + sum(said) + sum(calls) + sum(tools)


@cache
def system_text() -> str:
    """Read the system prompt."""
    return resources.files("bot.agent").joinpath("prompts/system.md").read_text(encoding="utf-8")


def _messages(events: Sequence[Event]) -> Iterator[Message]:
    yield Message(role="user", text=opening(events))
    summary, rest = _compressed(events)
    if summary:
        yield Message(role="user", text=show(summary))
    for event in rest:
        match event:
            case Replied():
                yield Message(role="assistant", text=event.reply.text, calls=event.reply.calls)
            case Acted():
                # Role and id are data of ours, so that no output is another call's; what is inside can only look odd
                yield Message(role="tool", text=show(event.result.output), call_id=event.call.id)
            case Told():
                yield Message(role="user", text=show(event.text))
            case _:
                pass


def _compressed(events: Sequence[Event]) -> tuple[str, Sequence[Event]]:
    last = next((event for event in reversed(events) if isinstance(event, Compressed)), None)
    return (last.summary, events[last.until :]) if last is not None else ("", events)


def opening(events: Sequence[Event]) -> str:
    """Write the first message: task, constraints, checks, project, and what the base looks like."""
    started = next(event for event in events if isinstance(event, Started))
    baseline = next((event.verdict for event in events if isinstance(event, Baselined)), None)
    task = started.task
    parts = ["# Task", fence(_goal(task), started.run)]
    if task.scope:
        parts.append(f"Only these paths may change: {' '.join(task.scope)}")
    if task.protected:
        parts.append(f"These paths must not change: {' '.join(task.protected)}")
    parts.append("# Checks\n" + "\n".join(f"- {show(line(check.name))} ({check.rung})" for check in started.checks))
    if started.background:
        parts += ["# What was tried before", fence(_clean(started.background), started.run)]
    if started.project:
        parts += ["# Project", fence(started.project, started.run)]
    if baseline is not None:
        parts += ["# The base, judged", fence(digest(baseline), started.run)]
    return "\n\n".join(parts)


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


def fence(text: str, run: str) -> str:
    """Put foreign text between markers, with nothing inside that looks like one, or like the turn of somebody else."""
    shown = _SPEAKER.sub(r"\1\\", _MARKER.sub(r"<\\", show(text)))
    mark = hashlib.sha256(f"{run}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"<<<{mark}\n{shown}\n<<<end {mark}"
