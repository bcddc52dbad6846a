"""What the messages interface says in place of a reply."""

import json
from collections.abc import Mapping

from bot.errors import MalformedReply, ModelError
from bot.models.anthropic.reply import Fields, fields, words
from bot.models.service.faults import from_code, from_status

READ = 100_000
"""Characters of an error that are read."""


def parse(text: str) -> Fields:
    """Read an event, or a whole answer. Raises MalformedReply."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise MalformedReply("the service sent something that is not a JSON object in place of a reply")
    return found


def read_fault(status: int, headers: Mapping[str, str], text: str, secret: str) -> ModelError:
    """Say what an answer means that is none of success."""
    try:
        told = parse(text[:READ].lstrip("\ufeff"))
    except MalformedReply:
        told = {}
    error = fields(told, "error")
    said = words(error, "message") or words(told, "message") or words(told, "error") or text
    return from_status(status, headers, words(error, "type"), said, secret=secret)


def is_error(event: Fields) -> bool:
    """Tell whether an event, or a whole answer, is an error, in this interface's form or another's."""
    return event.get("type") == "error" or ("content" not in event and bool(event.get("error")))


def read_error(event: Fields, secret: str) -> ModelError:
    """Say what an error means that comes within an answer."""
    error = fields(event, "error")
    said = words(error, "message") or words(event, "error") or words(event, "message")
    code = words(error, "type") or str(error.get("code") or "")
    return from_code(code, said or json.dumps(event.get("error"))[:READ], secret=secret)
