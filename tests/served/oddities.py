"""What goes wrong within an answer: its body, its stream."""

import gzip
import json
from collections.abc import Callable, Iterator, Sequence

from tests.served.acts import (
    HTML,
    JSON,
    PAGE,
    Change,
    Speaker,
    arguments_at,
    changed,
    cut,
    end_at,
    pieces,
    send,
    stream,
    tell,
    text_at,
    whole,
    whole_stream,
)
from tests.served.row import Play, Row, always
from tests.served.said import Json, Piece
from tests.served.server import Act, Exchange


def bodies() -> Iterator[Row]:
    """Yield answers that are called good and are none."""
    yield Row("200, and nothing in it", "malformed", always(send(200, b"", JSON)))
    yield Row("200, with a page of HTML", "malformed", always(send(200, PAGE.encode(), HTML)))
    yield Row("200, with plain text", "malformed", always(send(200, b"It works!\n", {"Content-Type": "text/plain"})))
    yield Row(
        "200, JSON of another shape", "malformed", always(lambda exchange: tell(exchange, {"ok": True, "choices": 7}))
    )
    yield Row("200, JSON that breaks off", "malformed", _half_of_whole)
    yield Row("200, a stream of events that are no JSON", "malformed", always(_chatter))
    yield Row("compressed, and what comes is not", "malformed", _unpackable)
    yield Row("is asked for a stream and answers whole", "goes on", _unstreamed)
    yield Row("another content type over a good stream", "goes on", _mislabelled)


def cuts() -> Iterator[Row]:
    """Yield streams that do not come to their end."""
    yield Row("breaks off after some text", "cut", _cut(_after_text, "drop"))
    yield Row("resets after some text", "cut", _cut(_after_text, "reset"))
    yield Row("half-closes after some text", "cut", _cut(_after_text, "half"))
    yield Row("breaks off in the middle of arguments", "cut", _cut(_in_arguments, "drop"))
    yield Row("ends in good order in the middle of arguments", "cut", _cut(_in_arguments, "end"))
    yield Row("ends in good order without saying why", "cut", _cut(end_at, "end"))
    yield Row(
        "ends after the reason, without the last events", "goes on", _cut(lambda events: end_at(events) + 1, "end")
    )
    yield Row("never closes the stream after its end", "goes on", _open_for_ever)
    yield Row("never sends more than the reason, and never closes", "goes on", _cut(lambda e: end_at(e) + 1, "stall"))
    yield Row("sends pings and nothing else", "timeout", _cut(lambda events: 0, "ping"))
    yield Row("sends some text, then pings for ever", "stalled", _cut(_after_text, "ping"))
    yield Row("stands still in the middle of arguments", "stalled", _cut(_in_arguments, "stall"))
    yield Row("talks for ever", "late", _babble, seconds=0.3)
    yield Row("an error event in the middle", "unavailable", _broken_by("api_error", "Internal server error", 500))
    yield Row("an overloaded event in the middle", "overloaded", _broken_by("overloaded_error", "Overloaded", 529))


def spellings() -> Iterator[Row]:
    """Yield streams that are good, and written as few write them."""
    yield Row("each byte on its own, inside characters as well", "goes on", _byte_by_byte)
    yield Row("lines that end in CR LF", "goes on", _spelled("\r\n"))
    yield Row("lines that end in CR", "goes on", _spelled("\r"))
    yield Row("a byte order mark at the start", "goes on", _marked)
    yield Row("events, keys and kinds of content nobody knows", "goes on", with_events(_unknown))
    yield Row("does not say what it cost", "goes on", with_events(_uncounted))
    yield Row("says with each event what it cost so far", "goes on", with_events(_counted), cost=(100, 20))
    yield Row("a cost below nothing", "goes on", with_events(_cost(-5, -7)))
    yield Row("a cost that is no number", "goes on", with_events(_cost("many", None)))
    yield Row("NaN for a cost", "goes on", with_events(_cost(float("nan"), float("nan"))))


def _half_of_whole(speaker: Speaker) -> Act:
    def act(exchange: Exchange) -> None:
        body = json.dumps(whole(speaker(exchange), exchange)).encode()
        exchange.answer(200, body[: len(body) // 2], JSON)

    return act


def _chatter(exchange: Exchange) -> None:
    stream(exchange, [b"data: well, hello\n\n", b"data: {what?}\n\n"])


def _unpackable(speaker: Speaker) -> Act:
    garbage = gzip.compress(b"x" * 1000)[:10] + b"\xff" * 50
    return send(200, garbage, {"Content-Type": "text/event-stream", "Content-Encoding": "gzip"})


def _unstreamed(speaker: Speaker) -> Act:
    return lambda exchange: tell(exchange, whole(speaker(exchange), exchange))


def _mislabelled(speaker: Speaker) -> Act:
    return lambda exchange: stream(exchange, _encoded(speaker, exchange), "text/plain")


def _encoded(speaker: Speaker, exchange: Exchange, newline: str = "\n") -> list[bytes]:
    return [piece.encode(newline) for piece in pieces(speaker(exchange), exchange)]


def _after_text(events: Sequence[Piece]) -> int:
    return text_at(events)[0] + 1


def _in_arguments(events: Sequence[Piece]) -> int:
    return arguments_at(events)[-1]


def _cut(until: Callable[[Sequence[Piece]], int], how: str) -> Play:
    return lambda speaker: cut(speaker, until, how)


def _open_for_ever(speaker: Speaker) -> Act:
    return lambda exchange: whole_stream(exchange, b"".join(_encoded(speaker, exchange)))


def _babble(speaker: Speaker) -> Act:
    def act(exchange: Exchange) -> None:
        events = pieces(speaker(exchange), exchange)
        first = text_at(events)[0]
        exchange.begin()
        exchange.chunk(b"".join(piece.encode() for piece in events[:first]))
        while exchange.hold(0.005):
            exchange.chunk(events[first].encode())
        exchange.close()

    return act


def _broken_by(kind: str, message: str, code: int) -> Play:
    def change(events: list[Piece], exchange: Exchange) -> Sequence[Piece]:
        chat = {"error": {"message": message, "type": kind, "param": None, "code": code}}
        responses = {"type": "error", "code": kind, "message": message, "param": None}
        anthropic = {"type": "error", "error": {"type": kind, "message": message}}
        told = {"openai": chat, "responses": responses, "anthropic": anthropic}[exchange.request.wire]
        return [*events[: _in_arguments(events)], Piece("" if told is chat else "error", told)]

    return with_events(change)


def with_events(change: Change) -> Play:
    return lambda speaker: changed(speaker, change)


def _byte_by_byte(speaker: Speaker) -> Act:
    def act(exchange: Exchange) -> None:
        said = speaker(exchange)
        data = b"".join(piece.encode() for piece in pieces(said._replace(text=f"{said.text} ja, ü, ✓ 𝄞"), exchange))
        stream(exchange, [data[at : at + 1] for at in range(len(data))])

    return act


def _spelled(newline: str) -> Play:
    return lambda speaker: lambda exchange: stream(exchange, _encoded(speaker, exchange, newline))


def _marked(speaker: Speaker) -> Act:
    return lambda exchange: stream(exchange, [b"\xef\xbb\xbf", *_encoded(speaker, exchange)])


def _unknown(events: list[Piece], exchange: Exchange) -> Sequence[Piece]:
    if exchange.request.wire == "responses":
        item = {"type": "response.output_item.added", "output_index": 90, "item": {"type": "hologram", "depth": 3}}
        odd = [Piece("weather", {"type": "weather", "rain": True}), Piece("response.output_item.added", item)]
    elif exchange.request.wire == "anthropic":
        strange = {"type": "content_block_start", "index": 90, "content_block": {"type": "hologram", "depth": 3}}
        odd = [Piece("weather", {"type": "weather", "rain": True}), Piece("content_block_start", strange)]
    else:
        odd = [Piece("weather", {"choices": [], "prompt_filter_results": [{"prompt_index": 0}]})]
    return [events[0], *odd, *(_grown(piece) for piece in events[1:])]


def _grown(piece: Piece) -> Piece:
    return piece if isinstance(piece.data, str) else piece._replace(data=piece.data | {"x-hint": ["new", 1]})


def _uncounted(events: list[Piece], exchange: Exchange) -> Sequence[Piece]:
    return [piece._replace(data=_without_usage(piece.data)) for piece in events]


def _without_usage(data: Json) -> Json:
    if not isinstance(data, dict):
        return data
    left = {key: value for key, value in data.items() if key != "usage"}
    return left | {name: _without_usage(left[name]) for name in ("message", "response") if name in left}


def _counted(events: list[Piece], exchange: Exchange) -> Sequence[Piece]:
    if exchange.request.wire == "anthropic":
        told = [
            Piece("message_delta", {"type": "message_delta", "delta": {}, "usage": {"output_tokens": n}})
            for n in (5, 9)
        ]
        return [*events[:2], *told, *events[2:]]
    if exchange.request.wire == "responses":
        sums = [{"input_tokens": 100, "output_tokens": n} for n in (0, 5, 9)]
        soon = [{"type": "response.in_progress", "response": {"usage": told_so_far}} for told_so_far in sums]
        return [*events[:3], *(Piece("response.in_progress", data) for data in soon), *events[3:]]
    counts = {"prompt_tokens": 100, "completion_tokens": 0, "total_tokens": 100}
    return [
        piece
        if isinstance(piece.data, str) or piece.data.get("usage")
        else piece._replace(data=piece.data | {"usage": counts | {"completion_tokens": min(at, 20)}})
        for at, piece in enumerate(events)
    ]


def _cost(prompt: Json, output: Json) -> Change:
    def change(events: list[Piece], exchange: Exchange) -> Sequence[Piece]:
        odd = {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt}
        if exchange.request.wire != "openai":
            odd = {"input_tokens": prompt, "output_tokens": output, "cache_read_input_tokens": prompt}
        return [piece._replace(data=_costing(piece.data, odd)) for piece in events]

    return change


def _costing(data: Json, odd: Json) -> Json:
    if not isinstance(data, dict):
        return data
    changed_data = data | ({"usage": odd} if data.get("usage") else {})
    return changed_data | {name: _costing(data[name], odd) for name in ("message", "response") if name in data}
