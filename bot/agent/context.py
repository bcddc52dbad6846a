"""The prompt as a view of the events so far: the same events always give the same prompt."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources

from bot.core.event import Acted, Baselined, Compressed, Event, Replied, Started, Told
from bot.core.message import Message, Prompt, ToolSpec
from bot.verify.digest import digest


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
        yield Message(role="user", text=summary)
    for event in rest:
        match event:
            case Replied():
                yield Message(role="assistant", text=event.reply.text, calls=event.reply.calls)
            case Acted():
                yield Message(role="tool", text=event.result.output, call_id=event.call.id)
            case Told():
                yield Message(role="user", text=event.text)
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
    goal = task.goal or "Make the failing checks pass."
    parts = ["# Task", fence(goal, started.run)]
    if task.scope:
        parts.append(f"Only these paths may change: {' '.join(task.scope)}")
    if task.protected:
        parts.append(f"These paths must not change: {' '.join(task.protected)}")
    parts.append("# Checks\n" + "\n".join(f"- {check.name} ({check.rung})" for check in started.checks))
    if started.project:
        parts += ["# Project", fence(started.project, started.run)]
    if baseline is not None:
        parts += ["# The base, judged", fence(digest(baseline), started.run)]
    return "\n\n".join(parts)


def fence(text: str, run: str) -> str:
    """Put foreign text between markers that it cannot contain."""
    mark = hashlib.sha256(f"{run}\0{text}".encode()).hexdigest()[:12]
    return f"<<<{mark}\n{text}\n<<<end {mark}"
