"""Arguments of a call as a service sends them: text that should be a JSON object, and may be anything."""

import json
from collections.abc import Mapping, Sequence
from typing import NoReturn

from pydantic import JsonValue

from bot.core.message import ToolCall

DEEPEST = 100
"""Levels of lists and objects in one another; what goes deeper breaks those that walk it later."""
NONE = ("", "null")
"""How services write that there are no arguments."""
KEPT = 2000
"""Characters of arguments that could not be parsed which a service is shown again."""


def parse_arguments(raw: str) -> Mapping[str, JsonValue] | None:
    """Parse the arguments of a call; None when they are not a JSON object that can be relied on."""
    try:
        parsed = json.loads(raw, parse_constant=refuse_constant, object_pairs_hook=_unique)
        # A number such as 1e999 is read as infinite, which is no JSON to write
        if not _fits(parsed, DEEPEST):
            return None
    except (ValueError, RecursionError):
        return None
    cleaned = clean(parsed)
    return cleaned if isinstance(cleaned, dict) else None


def make_call(id: str, name: str, raw: str) -> ToolCall:  # noqa: A002 - the field's name
    """Make a call out of its parts; no arguments at all are no arguments."""
    parsed = {} if raw.strip() in NONE else parse_arguments(raw)
    parsed = _unwrap(raw) if parsed is None else parsed
    return ToolCall(id=id, name=name, raw=raw) if parsed is None else ToolCall(id=id, name=name, arguments=dict(parsed))


def _unwrap(raw: str) -> Mapping[str, JsonValue] | None:
    """Read arguments that stand in a text once more, or that were begun with and sent again: some services do that.

    Whatever can be read in two ways is none.
    """
    try:
        first, end = json.JSONDecoder().raw_decode(raw.lstrip())
    except (ValueError, RecursionError):
        return None
    rest = raw.lstrip()[end:].strip()
    if isinstance(first, str) and not rest:
        return parse_arguments(first)
    second = parse_arguments(rest)
    again = second is not None and (first == {} or parse_arguments(raw.lstrip()[:end]) == second)
    return second if again else None


def spell_arguments(call: ToolCall) -> Mapping[str, JsonValue]:
    """Return the arguments of a call as they can be sent back; those that could not be parsed as text."""
    return {"unparsed": call.raw[:KEPT]} if call.raw else call.arguments


def clean(value: JsonValue) -> JsonValue:
    """Replace what is not valid Unicode, such as lone surrogates, at whatever depth."""
    match value:
        case str():
            return clean_text(value)
        case list():
            return [clean(item) for item in value]
        case dict():
            return {clean_text(key): clean(item) for key, item in value.items()}
        case _:
            return value


def clean_text(text: str) -> str:
    """Put pairs of surrogates together and replace those that stand alone."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def refuse_constant(word: str) -> NoReturn:
    """Refuse what JSON has no word for, such as NaN. Raises ValueError."""
    raise ValueError(f"{word} is not JSON")


def _unique(pairs: Sequence[tuple[str, JsonValue]]) -> Mapping[str, JsonValue]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _fits(value: JsonValue, depth: int) -> bool:
    if isinstance(value, float):
        return value - value == 0
    if isinstance(value, dict):
        return depth > 0 and all(_fits(item, depth - 1) for item in value.values())
    return not isinstance(value, list) or (depth > 0 and all(_fits(item, depth - 1) for item in value))
