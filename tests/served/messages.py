"""Anthropic's messages, as a service sends them."""

import json
from collections.abc import Iterator

from tests.served.said import Asked, Cost, Json, Piece, Said, parts, size_of

ENDINGS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "refused": "refusal"}


def identity(call: Asked, number: int, index: int) -> str:
    """Return a call's id; the server's own are unique over all requests."""
    return call.id or f"toolu_{number:04d}{index:03d}"


def whole(said: Said, number: int, model: str = "small") -> Json:
    """Write a reply that is not streamed."""
    text = [{"type": "text", "text": said.text}] if said.text else []
    calls = [
        {"type": "tool_use", "id": identity(call, number, index), "name": call.name, "input": _input(call.arguments)}
        for index, call in enumerate(said.calls)
    ]
    return _head(number, model) | {
        "content": [*text, *calls],
        "stop_reason": ENDINGS[said.ending],
        "stop_sequence": None,
        "usage": usage(said.cost) | {"output_tokens": said.cost.output},
    }


def pieces(said: Said, number: int, model: str = "small", *, counted: bool = True) -> list[Piece]:
    """Write a reply as the events of a stream."""
    return list(_pieces(said, number, model, counted=counted))


def _pieces(said: Said, number: int, model: str, *, counted: bool) -> Iterator[Piece]:
    begun = usage(said.cost) | {"output_tokens": 1}
    start = _head(number, model) | {"content": [], "stop_reason": None, "stop_sequence": None, "usage": begun}
    yield _piece("message_start", message=start)
    yield _piece("ping")
    blocks = [said.text] if said.text else []
    for index, text in enumerate(blocks):
        yield _piece("content_block_start", index=index, content_block={"type": "text", "text": ""})
        for part in parts(text, size_of(text)):
            yield _piece("content_block_delta", index=index, delta={"type": "text_delta", "text": part})
        yield _piece("content_block_stop", index=index)
    for place, call in enumerate(said.calls):
        yield from _call(call, number, place, len(blocks) + place)
    told = {"usage": {"output_tokens": said.cost.output}} if counted else {}
    yield _piece("message_delta", delta={"stop_reason": ENDINGS[said.ending], "stop_sequence": None}, **told)
    yield _piece("message_stop")


def _call(call: Asked, number: int, place: int, index: int) -> Iterator[Piece]:
    block = {"type": "tool_use", "id": identity(call, number, place), "name": call.name, "input": {}}
    yield _piece("content_block_start", index=index, content_block=block)
    yield _piece("content_block_delta", index=index, delta={"type": "input_json_delta", "partial_json": ""})
    for part in parts(call.arguments, size_of(call.arguments)):
        yield _piece("content_block_delta", index=index, delta={"type": "input_json_delta", "partial_json": part})
    yield _piece("content_block_stop", index=index)


def _input(arguments: str) -> Json:
    try:
        return json.loads(arguments or "{}")
    except ValueError:
        return arguments


def _piece(name: str, **data: Json) -> Piece:
    return Piece(name, {"type": name} | data)


def _head(number: int, model: str) -> Json:
    return {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": model}


def usage(cost: Cost) -> Json:
    """Write what the input cost; what was cached stands beside it."""
    fresh = cost.input - cost.cached if isinstance(cost.input, int) and isinstance(cost.cached, int) else cost.input
    return {"input_tokens": fresh, "cache_creation_input_tokens": 0, "cache_read_input_tokens": cost.cached}


def fault(kind: str, message: str, code: Json = None) -> Json:
    """Write an error."""
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_0001"}
