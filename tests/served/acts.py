"""What a server can do with a request: answer it well, or in one of many ways not."""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeAlias

from tests.served import chat, messages, responses
from tests.served.said import Json, Piece, Said
from tests.served.server import Act, Exchange, Wire

Speaker: TypeAlias = Callable[[Exchange], Said]
"""Decides what a well-behaved model says."""
Change: TypeAlias = Callable[[list[Piece], Exchange], Sequence[Piece]]
"""Changes the events of a stream before they are sent."""


class _Spoken(Protocol):
    """A wire."""

    def whole(self, said: Said, number: int, model: str = "small") -> Json:
        """Write a reply that is not streamed."""
        ...

    def pieces(self, said: Said, number: int, model: str = "small", *, counted: bool = True) -> list[Piece]:
        """Write a reply as the events of a stream."""
        ...


JSON = {"Content-Type": "application/json"}
HTML = {"Content-Type": "text/html; charset=utf-8"}
PAGE = "<!DOCTYPE html><html><head><title>Bad gateway</title></head><body><h1>Something is wrong</h1></body></html>"
_SPOKEN: Mapping[Wire, _Spoken] = {"openai": chat, "responses": responses, "anthropic": messages}


def pieces(said: Said, exchange: Exchange) -> list[Piece]:
    """Write a reply as the events of the wire that the request speaks."""
    told = exchange.request.json
    model = str(told.get("model", ""))
    wire = exchange.request.wire
    # What it cost is told unasked but for the oldest of the wires
    counted = wire != "openai" or bool((told.get("stream_options") or {}).get("include_usage"))
    return _SPOKEN[wire].pieces(said, exchange.number, model, counted=counted)


def whole(said: Said, exchange: Exchange) -> Json:
    """Write a reply whole, in the wire that the request speaks."""
    write = _SPOKEN[exchange.request.wire].whole
    return write(said, exchange.number, str(exchange.request.json.get("model", "")))


def say(speaker: Speaker) -> Act:
    """Answer well, streamed or not, as it was asked for."""

    def act(exchange: Exchange) -> None:
        said = speaker(exchange)
        if exchange.request.json.get("stream"):
            stream(exchange, [piece.encode() for piece in pieces(said, exchange)])
        else:
            tell(exchange, whole(said, exchange))

    return act


def stream(exchange: Exchange, parts: Iterable[bytes], kind: str = "text/event-stream") -> None:
    """Send a stream that ends as it should, in one go."""
    exchange.begin(kind)
    sent = [b"%x\r\n%s\r\n" % (len(part), part) for part in parts if part]
    exchange.send(b"".join(sent) + b"0\r\n\r\n")


def tell(exchange: Exchange, value: Json, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
    """Send a JSON value."""
    exchange.answer(status, json.dumps(value).encode(), JSON | dict(headers or {}))


def fail(status: int, kind: str, message: str, code: Json = None, headers: Mapping[str, str] | None = None) -> Act:
    """Answer with an error in the form of the wire."""

    def act(exchange: Exchange) -> None:
        fault = messages.fault if exchange.request.wire == "anthropic" else chat.fault
        tell(exchange, fault(kind, message, code), status, headers)

    return act


def send(status: int, body: bytes, headers: Mapping[str, str] | None = None) -> Act:
    """Answer with these bytes."""
    return lambda exchange: exchange.answer(status, body, headers or {})


def changed(speaker: Speaker, change: Change) -> Act:
    """Stream a reply with its events changed."""
    return lambda exchange: stream(
        exchange, [piece.encode() for piece in change(pieces(speaker(exchange), exchange), exchange)]
    )


def reset(exchange: Exchange) -> None:
    """Break off before an answer."""
    exchange.reset()


def hang_up(exchange: Exchange) -> None:
    """Close the connection in good order before an answer."""
    exchange.close()


def mumble(exchange: Exchange) -> None:
    """Answer in another protocol."""
    exchange.send(b"SSH-2.0-OpenSSH_9.6\r\n")
    exchange.close()


def ignore(exchange: Exchange) -> None:
    """Take the request, and never answer."""
    exchange.hold()
    exchange.close()


def trickle(exchange: Exchange) -> None:
    """Send the head of an answer byte by byte, and never come to its end."""
    exchange.send(b"HTTP/1.1 200 OK\r\n")
    while exchange.hold(0.01):
        exchange.send(b"X")
    exchange.close()


def late(speaker: Speaker, seconds: float) -> Act:
    """Answer well, but only after a while."""
    good = say(speaker)

    def act(exchange: Exchange) -> None:
        if exchange.hold(seconds):
            good(exchange)
        else:
            exchange.close()

    return act


def text_at(events: Sequence[Piece]) -> list[int]:
    """Return where the events of a stream are that hold text."""
    return [at for at, piece in enumerate(events) if _text(piece.data)]


def arguments_at(events: Sequence[Piece]) -> list[int]:
    """Return where the events of a stream are that hold a part of arguments."""
    return [at for at, piece in enumerate(events) if _arguments(piece.data)]


def end_at(events: Sequence[Piece]) -> int:
    """Return where the event of a stream is that says why the reply ends."""
    return next(at for at, piece in enumerate(events) if _ends(piece.data))


def _first(data: Json) -> Json:
    """Return the change that a chunk of OpenAI's makes."""
    choices = data.get("choices") if isinstance(data, dict) else None
    return choices[0] if choices else {}


def _text(data: Json) -> Json:
    if _kind(data) == "response.output_text.delta":
        return data["delta"]
    told = _delta(data)
    return told.get("text") or _first(data).get("delta", {}).get("content")


def _arguments(data: Json) -> Json:
    if _kind(data) == "response.function_call_arguments.delta":
        return data["delta"]
    told = _delta(data)
    calls = _first(data).get("delta", {}).get("tool_calls") or [{}]
    return told.get("partial_json") or calls[0].get("function", {}).get("arguments")


def _ends(data: Json) -> bool:
    ends = ("message_delta", "response.completed", "response.incomplete")
    return bool(_first(data).get("finish_reason")) or _kind(data) in ends


def _kind(data: Json) -> Json:
    return data.get("type") if isinstance(data, dict) else None


def _delta(data: Json) -> Json:
    told = data.get("delta") if isinstance(data, dict) else None
    return told if isinstance(told, dict) else {}


def cut(speaker: Speaker, until: Callable[[Sequence[Piece]], int], how: str) -> Act:
    """Stream only the first events of a reply, then break off: `reset`, `drop`, `half`, `end`, `stall` or `ping`.

    `drop` closes the connection within a chunked answer, `half` says only that nothing more comes, `end` closes an
    answer that lasts as long as its connection, which is in good order but for the events that are missing.
    """

    def act(exchange: Exchange) -> None:
        events = pieces(speaker(exchange), exchange)
        exchange.begin(chunked=how != "end")
        data = b"".join(piece.encode() for piece in events[: until(events)])
        if how == "end":
            exchange.send(data)
        elif data:
            exchange.chunk(data)
        _END[how](exchange)
        exchange.close()

    return act


def _reset_soon(exchange: Exchange) -> None:
    # What was sent before a reset is lost with it unless the other side has read it
    time.sleep(0.02)
    exchange.reset()


def _half(exchange: Exchange) -> None:
    exchange.finish()
    exchange.hold(1)


def _stall(exchange: Exchange) -> None:
    exchange.hold()


def _ping(exchange: Exchange) -> None:
    comment = b'event: ping\ndata: {"type": "ping"}\n\n' if exchange.request.wire == "anthropic" else b": ping\n\n"
    while exchange.hold(0.005):
        exchange.chunk(comment)


_END: Mapping[str, Act] = {
    "reset": _reset_soon,
    "drop": lambda exchange: None,
    "half": _half,
    "end": lambda exchange: None,
    "stall": _stall,
    "ping": _ping,
}


def whole_stream(exchange: Exchange, data: bytes) -> None:
    """Send all of a stream, and never close it."""
    exchange.begin()
    exchange.chunk(data)
    exchange.hold()
    exchange.close()
