"""What becomes of the calls of one reply: executed, answered with an error."""

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from difflib import get_close_matches
from itertools import pairwise
from typing import Any, TypeAlias

from bot.core.message import Reply, ToolCall, ToolResult
from bot.errors import UnknownTool
from bot.tools.tool import Access, Bench, Tool

Tools: TypeAlias = Mapping[str, Tool[Any]]


def refuse(call: ToolCall, reply: Reply, tools: Tools) -> ToolResult | None:
    """Answer a call that must not be executed: cut off, unreadable, or for a tool that does not exist."""
    if reply.finish == "length":
        return failure(call, "truncated", "your reply was cut off by the output limit: nothing was executed; send less")
    if call.raw:
        if _cut(call.raw):
            return failure(call, "truncated", "the arguments end in the middle: not executed; send it again, shorter")
        return failure(call, "malformed", f"the arguments are not a JSON object: {_problem(call.raw)}; not executed")
    if call.name not in tools:
        near = get_close_matches(call.name, tools, n=1)
        rest = f"; did you mean {near[0]!r}?" if near else ""
        return failure(call, UnknownTool.kind, f"there is no tool {call.name!r}{rest}")
    if tools[call.name].access is not Access.READ and _repeats(call, reply):
        return failure(call, "duplicate", "the same call stands right before this one: it was executed once, not twice")
    return None


def _repeats(call: ToolCall, reply: Reply) -> bool:
    """Say whether a call is the one before it again: some services send each twice."""
    pairs = pairwise(reply.calls)
    return any(call == two and (one.name, one.arguments) == (two.name, two.arguments) for one, two in pairs)


def failure(call: ToolCall, kind: str, text: str) -> ToolResult:
    """Make the answer of a call that did not work out."""
    return ToolResult(call_id=call.id, ok=False, output=text, error=kind)


def success(call: ToolCall, text: str) -> ToolResult:
    """Make the answer of a call that the loop carried out."""
    return ToolResult(call_id=call.id, ok=True, output=text)


def _problem(raw: str) -> str:
    try:
        read = json.loads(raw)
    except (json.JSONDecodeError, RecursionError) as error:
        return str(error)[:100]
    # What no service's JSON is, and what is read differently by different programs
    return "a name twice, or no JSON number" if isinstance(read, dict) else f"they are a {type(read).__name__}"


def _cut(raw: str) -> bool:
    """Tell arguments that stop too early from arguments that are wrong."""
    try:
        json.loads(raw)
    except json.JSONDecodeError as error:
        return raw.lstrip().startswith("{") and (
            error.msg.startswith("Unterminated string") or error.pos >= len(raw.rstrip())
        )
    except RecursionError:
        return False
    return False


def batches(calls: Sequence[ToolCall], tools: Tools) -> Iterator[tuple[ToolCall, ...]]:
    """Group neighbouring reads, which may run side by side; every other call stands alone."""
    group: list[ToolCall] = []
    for call in calls:
        tool = tools.get(call.name)
        if tool is not None and tool.access is Access.READ and not call.raw:
            group.append(call)
            continue
        if group:
            yield tuple(group)
            group = []
        yield (call,)
    if group:
        yield tuple(group)


def execute(calls: Sequence[ToolCall], tools: Tools, bench: Bench) -> tuple[ToolResult, ...]:
    """Execute one batch; results come in the order of the calls."""
    if len(calls) == 1:
        return (tools[calls[0].name].call(calls[0], bench),)
    with ThreadPoolExecutor(max_workers=min(8, len(calls))) as pool:
        return tuple(pool.map(lambda call: tools[call.name].call(call, bench), calls))
