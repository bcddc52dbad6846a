"""What a server sends, read with care: an event, an answer, an error, what it counted, whatever shape each has."""

import json
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from pydantic import JsonValue

from bot.core.message import Usage
from bot.errors import MalformedReply
from bot.models.profile import Price
from bot.models.service.bill import bill, count, estimate, tokens
from bot.models.service.events import Sent
from bot.models.service.faults import find_words

Fields: TypeAlias = Mapping[str, JsonValue]

DONE = "[DONE]"
PAGE = 20_000
"""Bytes of a page that are searched for its title."""
NOTHING: Fields = {}
HINT = "check base-url: it mostly ends in /v1"


class Fault(NamedTuple):
    """An error as a server tells it."""

    code: str
    """Its code, or its type."""
    message: str
    param: str = ""
    """The parameter that it is about."""


class Traffic(NamedTuple):
    """What went to and fro for one reply, for an estimate of what it cost."""

    sent: int
    """Bytes."""
    received: int
    """Characters."""


def read_event(sent: Sent) -> JsonValue:
    """Read an event; one that is called an error as an object that holds one. Raises MalformedReply."""
    try:
        told: JsonValue = json.loads(sent.data)
    except (ValueError, RecursionError):
        if sent.name != "error":
            raise MalformedReply("the service streams something that is not JSON") from None
        told = None
    if sent.name == "error" and not read_fields(told).get("error"):
        return {"error": told or sent.data}
    return told


def read_answer(data: bytes) -> JsonValue:
    """Read an answer that is not streamed. Raises MalformedReply."""
    try:
        told: JsonValue = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        words = find_words(data[:PAGE].decode("utf-8", "replace"))
        said = f" ({words})" if words and data.lstrip()[:1] == b"<" else ""
        raise MalformedReply(f"the service answers with something that is not a reply{said}", HINT) from None
    return told


def read_error(told: Fields) -> Fault:
    """Read an error, wherever a server puts what it says."""
    error = told.get("error")
    if isinstance(error, str) and error:
        return Fault(read_text(told.get("code") or told.get("type")), error)
    fields = read_fields(error) or told
    said = [fields.get("message") or fields.get("detail"), read_fields(fields.get("metadata")).get("raw")]
    code, kind = fields.get("code"), fields.get("type")
    if kind == "error":
        # As the events of some are called, whatever went wrong
        kind = None
    if kind and not isinstance(code, str):
        # A number says less than the name beside it
        said.insert(0, kind)
    code = code or kind or fields.get("status")
    return Fault(read_text(code), ": ".join(read_text(part) for part in said if part), read_text(fields.get("param")))


def has_usage(told: Fields) -> bool:
    """Tell whether a server has counted anything yet."""
    return any(count(told.get(f"{name}_tokens")) for name in ("prompt", "completion", "input", "output"))


def read_usage(told: Fields, price: Price | None, traffic: Traffic) -> Usage:
    """Say what a reply cost by what the server counted, by whichever names; estimated where it does not tell."""
    sent = count(told.get("prompt_tokens")) or count(told.get("input_tokens"))
    came = count(told.get("completion_tokens")) or count(told.get("output_tokens"))
    # Some leave what the model said to itself to the sum
    came = max(came, count(told.get("total_tokens")) - sent)
    if not sent:
        return estimate(price, *traffic)
    details = read_fields(told.get("prompt_tokens_details")) or read_fields(told.get("input_tokens_details"))
    cached = min(sent, count(details.get("cached_tokens")) or count(told.get("prompt_cache_hit_tokens")))
    written = min(sent - cached, count(details.get("cache_write_tokens")))
    return bill(price, sent - cached - written, came or tokens(traffic.received), cached, written)


def read_fields(told: JsonValue) -> Fields:
    """Return an object; an empty one for what is none."""
    return told if isinstance(told, dict) else NOTHING


def read_items(told: JsonValue) -> list[JsonValue]:
    """Return a list; an empty one for what is none."""
    return told if isinstance(told, list) else []


def read_text(told: JsonValue) -> str:
    """Return a text; what is something else as JSON, and nothing for nothing."""
    return told if isinstance(told, str) else "" if told is None else json.dumps(told)
