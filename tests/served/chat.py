"""OpenAI's chat completions, as a service sends them."""

from collections.abc import Iterator

from tests.served.said import Asked, Cost, Json, Piece, Said, parts, size_of

ENDINGS = {"stop": "stop", "tool_calls": "tool_calls", "length": "length", "refused": "content_filter"}


def identity(call: Asked, number: int, index: int) -> str:
    """Return a call's id; the server's own are unique over all requests."""
    return call.id or f"call_{number:04d}{index:03d}"


def whole(said: Said, number: int, model: str = "small") -> Json:
    """Write a reply that is not streamed."""
    calls = [
        {
            "id": identity(call, number, index),
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for index, call in enumerate(said.calls)
    ]
    message = {"role": "assistant", "content": said.text or None, "refusal": None} | (
        {"tool_calls": calls} if calls else {}
    )
    choice = {"index": 0, "message": message, "finish_reason": ENDINGS[said.ending], "logprobs": None}
    return _head(number, model, "chat.completion") | {"choices": [choice], "usage": usage(said.cost)}


def pieces(said: Said, number: int, model: str = "small", *, counted: bool = True) -> list[Piece]:
    """Write a reply as the events of a stream; what it cost is told only to those who ask."""
    return list(_pieces(said, number, model, counted=counted))


def _pieces(said: Said, number: int, model: str, *, counted: bool) -> Iterator[Piece]:
    head = _head(number, model, "chat.completion.chunk")
    yield _delta(head, {"role": "assistant", "content": ""})
    for part in parts(said.text, size_of(said.text)):
        yield _delta(head, {"content": part})
    for index, call in enumerate(said.calls):
        function = {"name": call.name, "arguments": ""}
        begun = {"index": index, "id": identity(call, number, index), "type": "function", "function": function}
        yield _delta(head, {"tool_calls": [begun]})
        for part in parts(call.arguments, size_of(call.arguments)):
            yield _delta(head, {"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    yield _delta(head, {}, ENDINGS[said.ending])
    if counted:
        yield Piece("", head | {"choices": [], "usage": usage(said.cost)})
    yield Piece("", "[DONE]")


def _head(number: int, model: str, kind: str) -> Json:
    return {"id": f"chatcmpl-{number}", "object": kind, "created": 1700000000, "model": model}


def _delta(head: Json, delta: Json, finish: str | None = None) -> Piece:
    return Piece("", head | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}]})


def usage(cost: Cost) -> Json:
    """Write what a reply cost; the input holds what was cached."""
    total = cost.input + cost.output if isinstance(cost.input, int) and isinstance(cost.output, int) else 0
    return {
        "prompt_tokens": cost.input,
        "completion_tokens": cost.output,
        "total_tokens": total,
        "prompt_tokens_details": {"cached_tokens": cost.cached},
    }


def fault(kind: str, message: str, code: Json = None) -> Json:
    """Write an error."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}
