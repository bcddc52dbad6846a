"""What goes wrong with what a model says: its calls, its text, its end."""

import json
from collections.abc import Iterator, Sequence

from tests.served.acts import arguments_at, end_at, say, text_at
from tests.served.oddities import with_events
from tests.served.row import Row, always, ask, twist
from tests.served.said import Asked, Json, Piece, Said
from tests.served.server import Exchange, Wire

OPENAI: tuple[Wire, ...] = ("openai", "responses")
READS = 200
LONG = 5_000_000


def identities() -> Iterator[Row]:
    """Yield calls whose names and ids are odd."""
    yield Row("a call without an id", "goes on", with_events(_nameless))
    yield Row("a call id of odd characters", "goes on", ask(lambda call: call._replace(id="functions.note:0 |é\n")))
    yield Row("a call id of 300 characters", "goes on", ask(lambda call: call._replace(id="i" * 300)))
    yield Row("the same call id in every reply", "goes on", ask(lambda call: call._replace(id="call_0000000")))
    yield Row("two calls with one id", "goes on", twist(_twins), executed=3)
    yield Row("the same call twice, one id", "call", twist(lambda said: _twice(said, "call_7")), error="duplicate")
    yield Row("the same call twice, two ids", "call", twist(lambda said: _twice(said, "")), error="duplicate")
    yield Row("calls without an index", "goes on", with_events(_without_index), wires=OPENAI)
    yield Row("the name again in every part of a call", "goes on", with_events(_name_again), wires=("openai",))
    yield Row("arguments as an object", "goes on", with_events(_as_object), wires=OPENAI)
    yield Row("another id of the item with each event", "goes on", with_events(_renamed), wires=("responses",))
    yield Row("nothing of its items before the end", "goes on", with_events(_at_once), wires=("responses",))


def arguments() -> Iterator[Row]:
    """Yield calls that cannot be carried out as they are."""
    for does, raw, error in (
        ("arguments that are not JSON", "text: two", "malformed"),
        ("arguments that are a list", '["two"]', "malformed"),
        ("arguments that hold NaN", '{"text": NaN}', "malformed"),
        ("arguments with a required key missing", "{}", "bad_arguments"),
        ("no arguments at all", "", "bad_arguments"),
        ("arguments with a key too many", '{"text": "two", "colour": "red"}', "bad_arguments"),
        ("arguments of the wrong type", '{"text": {"two": 2}}', "bad_arguments"),
        ("arguments that break off, called complete", '{"text": "tw', "truncated"),
    ):
        yield Row(does, "call", ask(lambda call, raw=raw: call._replace(arguments=raw)), error=error)  # type: ignore[misc]
    yield Row("arguments that break off at the cap on length", "call", twist(_capped), error="truncated")
    yield Row("half a character in arguments", "goes on", twist(_half_character))
    yield Row("a tool that does not exist", "call", ask(lambda call: call._replace(name="rm_rf")), error="unknown_tool")
    yield Row("two calls, one of them bad", "call", twist(_one_bad), error="bad_arguments", executed=2)
    yield Row(f"{READS} calls in one reply", "malformed", twist(_many))


def endings() -> Iterator[Row]:
    """Yield replies that say too much, nothing, or not why they end."""
    yield Row("5 MB of text", "malformed", twist(lambda said: said._replace(text="word " * (LONG // 5))))
    yield Row("a reply with nothing in it", "nudged", always(say(lambda exchange: Said())))
    yield Row("a reply of white space", "nudged", always(say(lambda exchange: Said(" \n\t "))))
    yield Row("declines to answer", "nudged", always(say(lambda exchange: Said("I cannot help.", finish="refused"))))
    yield Row(
        "cut off at the cap on length, before a call",
        "nudged",
        always(say(lambda exchange: Said("Well", finish="length"))),
    )
    yield Row("a call, and null for the reason of the end", "goes on", with_events(_endless), wires=OPENAI)
    yield Row("a call, and null for the reason of the end", "cut", with_events(_endless), wires=("anthropic",))
    yield Row("text, and null for the reason of the end", "cut", with_events(_textless), wires=("openai", "anthropic"))
    yield Row("text, and null for the reason of the end", "goes on", with_events(_endless), wires=("responses",))
    yield Row("says that the reply failed", "unavailable", with_events(_failed), wires=("responses",))
    yield Row("the end of the stream, and none of the reply", "cut", with_events(_done), wires=("responses",))
    yield Row("a reason nobody knows", "goes on", with_events(_reasoned))


def _nameless(events: list[Piece], exchange: Exchange) -> Sequence[Piece]:
    return [piece._replace(data=_strip(piece.data, "id")) for piece in events]


def _without_index(events: list[Piece], exchange: Exchange) -> Sequence[Piece]:
    return [piece._replace(data=_strip(piece.data, "index")) for piece in events]


def _strip(data: Json, key: str) -> Json:
    """Leave a key out of the calls of an event."""
    if not isinstance(data, dict):
        return data
    copy = json.loads(json.dumps(data))
    copy.pop(f"output_{key}", None)
    copy.get("item", {}).pop(f"call_{key}", None)
    for choice in copy.get("choices", ()):
        for call in choice["delta"].get("tool_calls", ()):
            call.pop(key, None)
    copy.get("content_block", {}).pop(key, None)
    return copy


def _name_again(events: list[Piece], exchange: Exchange) -> Sequence[Piece]:
    name, call_id = "", ""
    told = []
    for piece in events:
        copy = json.loads(json.dumps(piece.data)) if isinstance(piece.data, dict) else piece.data
        for call in _calls(copy):
            name, call_id = call["function"].get("name", name), call.get("id", call_id)
            call["function"]["name"], call["id"] = name, call_id
        told.append(piece._replace(data=copy))
    return told


def _calls(data: Json) -> list[Json]:
    choices = data.get("choices") if isinstance(data, dict) else None
    return choices[0]["delta"].get("tool_calls", []) if choices else []


def _as_object(events: list[Piece], exchange: Exchange) -> Sequence[Piece]:
    at = arguments_at(events)
    if not at:
        return events
    if exchange.request.wire == "responses":
        return [_parsed(piece) for place, piece in enumerate(events) if place not in at]
    text = "".join(call["function"]["arguments"] for place in at for call in _calls(events[place].data))
    kept = [piece for place, piece in enumerate(events) if place not in at]
    for piece in kept:
        for call in _calls(piece.data):
            call["function"]["arguments"] = json.loads(text)
    return kept


def _parsed(piece: Piece) -> Piece:
    """Make an object of the arguments that an event tells all of."""
    copy = json.loads(json.dumps(piece.data))
    for told in (copy, copy.get("item", {})):
        if told.get("arguments"):
            told["arguments"] = json.loads(told["arguments"])
    return piece._replace(data=copy)


def _renamed(events: list[Piece], exchange: Exchange) -> Sequence[Piece]:
    told = []
    for number, piece in enumerate(events):
        copy = json.loads(json.dumps(piece.data))
        for where, key in ((copy, "item_id"), (copy.get("item", {}), "id")):
            if key in where:
                where[key] = f"item{number}"
        told.append(piece._replace(data=copy))
    return told


def _at_once(events: list[Piece], exchange: Exchange) -> Sequence[Piece]:
    return [events[0], events[-1]]


def _failed(events: list[Piece], exchange: Exchange) -> Sequence[Piece]:
    error = {"code": "server_error", "message": "The server had an error processing your request."}
    ended = events[-1].data["response"] | {"status": "failed", "error": error}
    return [*events[:-1], Piece("response.failed", {"type": "response.failed", "response": ended})]


def _done(events: list[Piece], exchange: Exchange) -> Sequence[Piece]:
    return [*events[:-1], Piece("", "[DONE]")]


def _twins(said: Said) -> Said:
    (call,) = said.calls
    other = Asked("note", '{"text": "other"}', "call_7")
    return said._replace(calls=(call._replace(id="call_7"), other)) if call.name == "note" else said


def _twice(said: Said, call_id: str) -> Said:
    calls = tuple(call._replace(id=call_id) for call in said.calls)
    return said._replace(calls=(*calls, *calls))


def _capped(said: Said) -> Said:
    calls = tuple(call._replace(arguments='{"text": "tw') for call in said.calls)
    return said._replace(calls=calls, finish="length")


def _half_character(said: Said) -> Said:
    return said._replace(text=f"{said.text} \ud83d", calls=said.calls)


def _one_bad(said: Said) -> Said:
    return said._replace(calls=(*said.calls, Asked("note", "{}")))


def _many(said: Said) -> Said:
    read = Asked("read_file", '{"path": "calc.py"}')
    return said._replace(calls=(*[read] * READS, *said.calls))


def _endless(events: list[Piece], exchange: Exchange) -> Sequence[Piece]:
    return _ended(events, None)


def _textless(events: list[Piece], exchange: Exchange) -> Sequence[Piece]:
    return [*events[: text_at(events)[0] + 1], *_ended(events, None)[end_at(events) :]]


def _reasoned(events: list[Piece], exchange: Exchange) -> Sequence[Piece]:
    return _ended(events, "eos_token")


def _ended(events: list[Piece], reason: str | None) -> Sequence[Piece]:
    at = end_at(events)
    data = json.loads(json.dumps(events[at].data))
    if data.get("choices"):
        data["choices"][0]["finish_reason"] = reason
    elif "response" in data:
        data["response"]["status"] = reason
    else:
        data["delta"]["stop_reason"] = reason
    return [*events[:at], events[at]._replace(data=data), *events[at + 1 :]]
