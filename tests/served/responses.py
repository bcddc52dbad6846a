"""OpenAI's Responses, as a service sends them."""

from collections.abc import Iterator
from itertools import count

from tests.served.said import Asked, Cost, Json, Piece, Said, parts, size_of

CUT = {"length": "max_output_tokens", "refused": "content_filter"}
"""Why a reply is not complete."""


def identity(call: Asked, number: int, index: int) -> str:
    """Return a call's id; the server's own are unique over all requests."""
    return call.id or f"call_{number:04d}{index:03d}"


def whole(said: Said, number: int, model: str = "small") -> Json:
    """Write a reply that is not streamed."""
    return _response(number, model, _status(said)) | _rest(said, number)


def pieces(said: Said, number: int, model: str = "small", *, counted: bool = True) -> list[Piece]:
    """Write a reply as the events of a stream."""
    told = _pieces(said, number, model, counted=counted)
    return [Piece(name, data | {"sequence_number": at}) for at, (name, data) in zip(count(), told, strict=False)]


def _pieces(said: Said, number: int, model: str, *, counted: bool) -> Iterator[Piece]:
    begun = _response(number, model, "in_progress")
    yield _piece("created", response=begun)
    yield _piece("in_progress", response=begun)
    thought = {"id": f"rs_{number}", "type": "reasoning", "summary": []}
    yield _piece("output_item.added", output_index=0, item=thought)
    yield _piece("output_item.done", output_index=0, item=thought | {"encrypted_content": "Z0FBQUE="})
    if said.text:
        yield from _message(said, number)
    for place, call in enumerate(said.calls):
        yield from _call(call, number, place, 1 + bool(said.text) + place)
    ended = _response(number, model, _status(said)) | _rest(said, number)
    yield _piece(_status(said), response=ended if counted else ended | {"usage": None})


def _message(said: Said, number: int) -> Iterator[Piece]:
    at: Json = {"item_id": f"msg_{number}", "output_index": 1, "content_index": 0}
    item = _item(said, number)
    yield _piece("output_item.added", output_index=1, item=item | {"content": [], "status": "in_progress"})
    empty = {"type": "output_text", "text": "", "annotations": []}
    yield _piece("content_part.added", **at, part=empty)
    for part in parts(said.text, size_of(said.text)):
        yield _piece("output_text.delta", **at, delta=part, logprobs=[])
    yield _piece("output_text.done", **at, text=said.text, logprobs=[])
    yield _piece("content_part.done", **at, part=empty | {"text": said.text})
    yield _piece("output_item.done", output_index=1, item=item)


def _call(call: Asked, number: int, place: int, index: int) -> Iterator[Piece]:
    item = _function(call, number, place)
    at: Json = {"item_id": item["id"], "output_index": index}
    yield _piece("output_item.added", output_index=index, item=item | {"arguments": "", "status": "in_progress"})
    for part in parts(call.arguments, size_of(call.arguments)):
        yield _piece("function_call_arguments.delta", **at, delta=part)
    yield _piece("function_call_arguments.done", **at, arguments=call.arguments)
    yield _piece("output_item.done", output_index=index, item=item)


def _item(said: Said, number: int) -> Json:
    content = [{"type": "output_text", "text": said.text, "annotations": []}]
    return {"id": f"msg_{number}", "type": "message", "role": "assistant", "status": "completed", "content": content}


def _function(call: Asked, number: int, place: int) -> Json:
    return {
        "id": f"fc_{number:04d}{place:03d}",
        "type": "function_call",
        "status": "completed",
        "call_id": identity(call, number, place),
        "name": call.name,
        "arguments": call.arguments,
    }


def _status(said: Said) -> str:
    return "incomplete" if said.ending in CUT else "completed"


def _rest(said: Said, number: int) -> Json:
    """Write what is known only at the end."""
    calls = [_function(call, number, place) for place, call in enumerate(said.calls)]
    reason = CUT.get(said.ending)
    return {
        "output": [*([_item(said, number)] if said.text else []), *calls],
        "incomplete_details": {"reason": reason} if reason else None,
        "usage": usage(said.cost),
    }


def _response(number: int, model: str, status: str) -> Json:
    head = {"id": f"resp_{number}", "object": "response", "created_at": 1700000000, "model": model, "status": status}
    fixed: Json = {
        "error": None,
        "incomplete_details": None,
        "tools": [],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
    }
    return head | fixed | {"output": [], "usage": None, "store": False}


def _piece(kind: str, **data: Json) -> Piece:
    return Piece(f"response.{kind}", {"type": f"response.{kind}"} | data)


def usage(cost: Cost) -> Json:
    """Write what a reply cost; the input holds what was cached."""
    total = cost.input + cost.output if isinstance(cost.input, int) and isinstance(cost.output, int) else 0
    return {
        "input_tokens": cost.input,
        "input_tokens_details": {"cached_tokens": cost.cached, "cache_write_tokens": 0},
        "output_tokens": cost.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": total,
    }
