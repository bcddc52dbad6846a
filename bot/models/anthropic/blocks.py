"""Content blocks as they are sent: each one a JSON object in bytes, which ends with its own brace."""

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from bot.core.message import Message, ToolCall, ToolSpec
from bot.models.service.identity import fit_name
from bot.models.service.writing import dump, dump_arguments


def write_text(text: str) -> Iterator[bytes]:
    """Write a block of text; none where there is nothing to say, which the service does not take."""
    if text.strip():
        yield dump({"type": "text", "text": text})


def write_tool(spec: ToolSpec) -> bytes:
    """Write what the model is told of a tool."""
    return dump({"name": fit_name(spec.name), "description": spec.description, "input_schema": spec.parameters})


def write_said(message: Message, calls: Sequence[ToolCall]) -> Iterator[bytes]:
    """Write what the model said: its text, and its calls, by ids that the service takes."""
    yield from write_text(message.text)
    for call in calls:
        name = dump(fit_name(call.name))
        yield b'{"type":"tool_use","id":%b,"name":%b,"input":%b}' % (dump(call.id), name, dump_arguments(call))


def write_answers(asked: Sequence[ToolCall], ids: Sequence[str], messages: Sequence[Message]) -> Iterator[bytes]:
    """Write what followed a reply: a result for each of its calls, under these ids, then the rest as text."""
    rest = list(messages)
    for call, id in zip(asked, ids, strict=True):  # noqa: A001 - the field's name
        place = next((place for place, each in enumerate(rest) if _answers(each, call)), None)
        yield _write_result(id, None if place is None else rest.pop(place).text)
    for message in rest:
        shown = message.text.strip() and message.role == "tool"
        yield from write_text(
            f"The result of a call that is not shown any more:\n{message.text}" if shown else message.text
        )


def _answers(message: Message, call: ToolCall) -> bool:
    return message.role == "tool" and message.call_id == call.id


def _write_result(id: str, text: str | None) -> bytes:  # noqa: A002 - the field's name
    if text is None:
        return dump({"type": "tool_result", "tool_use_id": id, "content": "not executed", "is_error": True})
    said: dict[str, JsonValue] = {"content": text} if text.strip() else {}
    return dump({"type": "tool_result", "tool_use_id": id, **said})
