"""What a real service demands of a conversation: it answers 400 to each of these, for good."""

import json
import re
from collections.abc import Iterator, Sequence

from tests.served.said import Json
from tests.served.server import Request

_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def faults(request: Request) -> list[str]:
    """Say what a service would not take of a request."""
    told = request.json
    if not isinstance(told, dict):
        return ["the body is no JSON object"]
    check = {"openai": _chat, "responses": _items, "anthropic": _messages}
    return list(check[request.wire](told))


def _chat(told: Json) -> Iterator[str]:
    seen: set[str] = set()
    open_ids: list[str] = []
    for place, message in enumerate(told["messages"]):
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_ids:
                yield f"message {place} answers no open call: {message['tool_call_id']}"
            else:
                open_ids.remove(message["tool_call_id"])
            continue
        if open_ids:
            yield f"message {place} comes before {open_ids} are answered"
        calls = message.get("tool_calls")
        open_ids = [call["id"] for call in calls or ()]
        yield from _ids(open_ids, seen)
        for call in calls or ():
            yield from _object(call["function"]["arguments"])
        if calls == [] or (message["role"] == "assistant" and not calls and not message.get("content")):
            yield f"message {place} says nothing"
    if open_ids:
        yield f"calls without an answer: {open_ids}"


def _items(told: Json) -> Iterator[str]:
    seen: set[str] = set()
    open_ids: list[str] = []
    for place, item in enumerate(told["input"]):
        match item["type"]:
            case "function_call":
                open_ids.append(item["call_id"])
                yield from _ids([item["call_id"]], seen)
                yield from _object(item["arguments"])
            case "function_call_output" if item["call_id"] in open_ids:
                open_ids.remove(item["call_id"])
            case "function_call_output":
                yield f"item {place} answers no open call: {item['call_id']}"
            case _:
                if open_ids:
                    yield f"item {place} comes before {open_ids} are answered"
                if not item["content"].strip():
                    yield f"item {place} says nothing"
        if "id" in item:
            yield f"item {place} is said to be kept by the service"
    if open_ids:
        yield f"calls without an answer: {open_ids}"
    if told.get("store") is not False:
        yield "the service is to keep it"


def _messages(told: Json) -> Iterator[str]:
    seen: set[str] = set()
    open_ids: list[str] = []
    for place, message in enumerate(told["messages"]):
        if message["role"] != ("assistant" if place % 2 else "user"):
            yield f"message {place} is not the other's turn"
        blocks = (
            message["content"]
            if isinstance(message["content"], list)
            else [{"type": "text", "text": message["content"]}]
        )
        answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if sorted(answered) != sorted(open_ids):
            yield f"message {place} answers {answered}, and {open_ids} are open"
        if any(block["type"] != "tool_result" for block in blocks[: len(answered)]):
            yield f"message {place} says something before it answers"
        open_ids = [block["id"] for block in blocks if block["type"] == "tool_use"]
        yield from _ids(open_ids, seen)
        yield from (
            "arguments are no object"
            for block in blocks
            if block["type"] == "tool_use" and not isinstance(block["input"], dict)
        )
        if not blocks or any(block["type"] == "text" and not block["text"].strip() for block in blocks):
            yield f"message {place} says nothing"
    if told["messages"][-1]["role"] != "user":
        yield "the model spoke last"


def _ids(ids: Sequence[str], seen: set[str]) -> Iterator[str]:
    for each in ids:
        if each in seen:
            yield f"two calls are {each}"
        if not _ID.fullmatch(each):
            yield f"{each!r} is no id of a call"
        seen.add(each)


def _object(arguments: Json) -> Iterator[str]:
    try:
        if isinstance(json.loads(arguments), dict):
            return
    except (TypeError, ValueError):
        pass
    yield f"arguments are no JSON object: {str(arguments)[:40]}"
