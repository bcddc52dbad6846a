"""JSON as it is sent: letters as they are, and nothing that a service would reject each time that it is sent again."""

import json
from collections.abc import Mapping

from pydantic import JsonValue

from bot.core.message import ToolCall
from bot.models.service.arguments import clean_text, spell_arguments


def dump(value: JsonValue | Mapping[str, JsonValue]) -> bytes:
    """Write JSON that any service can read. Raises ValueError and RecursionError for what is none."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return clean_text(text).encode()


def dump_arguments(call: ToolCall) -> bytes:
    """Write the arguments of a call; those that are none, or no JSON, as something that is."""
    try:
        return dump(spell_arguments(call))
    except (ValueError, RecursionError):
        return dump({"unparsed": "arguments that cannot be written down"})
