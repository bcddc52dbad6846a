"""What a model wrote, read as a reply: the object that it was asked for, or as much like one as can be relied on."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from bot.core.message import Prompt, Reply, ToolCall, ToolSpec
from bot.models.dialect.describe import CALLS, SAY, drop_nulls
from bot.models.service.arguments import make_call, parse_arguments
from bot.models.service.identity import name_calls, taken

_NAMED = re.compile(r'"name"\s*:\s*"([^"\\]{1,200})"')
_OPENING = re.compile(r'\{\s*"(?:say|calls|name)"')
"""How an object begins that was to be a reply."""
_LAYOUT = re.compile(r"[\W_]+")
_BETWEEN = re.compile(r"(?:[\s,\[\]]|```\w*|</?tool_calls?>)*")
"""What may stand between objects and around them, where they are all that a text ends with."""
_QUOTED = re.compile(r"<<<(\w{12})\n.*?(?:\n<<<end \1|\Z)", re.DOTALL)
_DECODER = json.JSONDecoder()
_MOST = 200
"""Places in a text at which an object may begin."""


@dataclass(frozen=True, slots=True)
class _Found:
    """An object in a text, and where it stands."""

    first: int
    last: int
    value: Mapping[str, JsonValue] | None
    """None where it was to be a reply, and cannot be read to its end."""
    text: str


def read(reply: Reply, prompt: Prompt) -> Reply:
    """Read calls out of the text of a reply to a prompt; what a model repeats of what it was told is no call of its."""
    found = [each for each in _find(reply.text) if _is_reply(each) and not _repeats(each, prompt)]
    made = [call for each in found for call in _calls(each, prompt.tools)]
    calls = tuple(name_calls(made, taken(prompt.messages)))
    finish = "tool_calls" if calls and reply.finish == "stop" else reply.finish
    return reply.model_copy(update={"text": _words(reply.text, found), "calls": calls, "finish": finish})


def _is_reply(found: _Found) -> bool:
    value = found.value
    if value is None:
        return True
    alone = isinstance(value.get("name"), str) and not value.keys().isdisjoint(("arguments", "parameters"))
    return isinstance(value.get(CALLS), list) or alone or {*value} == {SAY}


def _repeats(found: _Found, prompt: Prompt) -> bool:
    """Tell whether an object was told to the model by others, however it was laid out."""
    names = [call.name for call in _calls(found, prompt.tools) if call.name]
    others = (message.text for message in prompt.messages if message.role != "assistant")
    squashed = _squash(found.text)
    return any(squashed in _squash(text) for text in others if names and all(name in text for name in names))


def _squash(text: str) -> str:
    """Leave of a text what does not change when it is laid out, escaped or fenced otherwise."""
    return _LAYOUT.sub("", text)


def _find(text: str) -> Sequence[_Found]:
    """Find the objects that a text ends with."""
    shown = _QUOTED.sub(lambda quote: " " * len(quote[0]), text)
    found, end = list[_Found](), len(shown)
    objects = list(_objects(shown))
    for each in reversed(objects):
        if not _BETWEEN.fullmatch(shown, each.last, end):
            break
        found.insert(0, each)
        end = each.first
    return found


def _objects(text: str) -> Iterator[_Found]:
    """Find objects that stand in no other; nothing inside one that cannot be read is one of its own."""
    at, tries = text.find("{"), 0
    while at >= 0 and tries < _MOST:
        tries += 1
        try:
            _, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            if _OPENING.match(text, at):
                yield _Found(at, len(text), None, text[at:])
                return
            end = at + 1
        else:
            value = parse_arguments(text[at:end])
            if value is not None or _OPENING.match(text, at):
                yield _Found(at, end, value, text[at:end])
        at = text.find("{", end)


def _words(text: str, found: Sequence[_Found]) -> str:
    """Return what the model says besides its calls."""
    if not found:
        return text
    before = text[: found[0].first]
    said = [words for each in found if each.value and isinstance(words := each.value.get(SAY), str)]
    return "\n".join(filter(None, (re.sub(r"(?:```\w*|<tool_calls?>)\s*\Z", "", before).strip(), *said)))


def _calls(found: _Found, tools: Sequence[ToolSpec]) -> Iterator[ToolCall]:
    value = found.value
    if value is None:
        # What it was going to be is told to the model, and nothing of it is carried out
        named = _NAMED.search(found.text)
        yield ToolCall(id="", name=named[1] if named else "", raw=found.text.removesuffix("```"))
        return
    listed = value.get(CALLS)
    entries = listed if isinstance(listed, list) else [value] if isinstance(value.get("name"), str) else []
    known = {tool.name: tool for tool in tools}
    for entry in entries:
        told = entry if isinstance(entry, dict) else {}
        name = told.get("name")
        arguments = told.get("arguments", told.get("parameters"))
        if isinstance(name, str):
            yield _call(name, arguments, known.get(name))
        else:
            yield ToolCall(id="", name="", raw=json.dumps(entry))


def _call(name: str, arguments: JsonValue, tool: ToolSpec | None) -> ToolCall:
    match arguments:
        case dict():
            return ToolCall(id="", name=name, arguments=drop_nulls(arguments, tool))
        case None:
            return ToolCall(id="", name=name)
        case str():
            return make_call("", name, arguments)
        case _:
            return ToolCall(id="", name=name, raw=json.dumps(arguments))


def names_call(text: str, tools: Sequence[ToolSpec]) -> bool:
    """Tell whether a text writes a call of a tool as if it were one."""
    if "(" not in text and '"' not in text:
        return False
    names = "|".join(re.escape(tool.name) for tool in tools)
    return bool(names) and re.search(rf'"name"\s*:\s*"(?:{names})"|\b(?:{names})\(', text) is not None
