from collections.abc import Iterable
from typing import Any, TypeAlias

import pytest

from bot.core.message import Message, Reply, ToolCall, Usage
from bot.errors import MalformedReply
from bot.models.anthropic.reply import Folding, unfold
from bot.models.profile import Price
from bot.models.service.draft import Draft

Sent: TypeAlias = dict[str, Any]

PRICE = Price(input=1.0, output=10.0, cached=0.1, written=1.25)
USAGE: Sent = {
    "input_tokens": 100,
    "cache_read_input_tokens": 1000,
    "cache_creation_input_tokens": 40,
    "output_tokens": 1,
}
START: Sent = {"type": "message_start", "message": {"role": "assistant", "usage": USAGE}}
STOP: Sent = {"type": "message_stop"}


def begin(index: int, kind: str, **more: Any) -> Sent:
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind, **more}}


def more(index: int, kind: str, text: str) -> Sent:
    key = {"text_delta": "text", "input_json_delta": "partial_json", "thinking_delta": "thinking"}.get(kind, "data")
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, key: text}}


def close(index: int) -> Sent:
    return {"type": "content_block_stop", "index": index}


def end(reason: str | None = "end_turn", **usage: int) -> Sent:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage or None}


def call(index: int, *pieces: str, name: str = "look") -> list[Sent]:
    begun = begin(index, "tool_use", id=f"toolu_{index}", name=name, input={})
    return [begun, *(more(index, "input_json_delta", piece) for piece in pieces), close(index)]


def fold(*events: Sent, sent: int = 400) -> Reply:
    folding = Folding(Draft(), sent)
    for event in events:
        folding.take(event)
    return folding.reply((), PRICE)


def test_text_and_calls_are_put_together_from_their_pieces() -> None:
    reply = fold(
        START,
        begin(0, "thinking"),
        more(0, "thinking_delta", "hm"),
        more(0, "signature_delta", "c2ln"),
        close(0),
        begin(1, "redacted_thinking", data="x"),
        close(1),
        begin(2, "text", text="One"),
        more(2, "text_delta", " and \ud83d"),
        more(2, "text_delta", "\ude00"),
        close(2),
        {"type": "ping"},
        {"type": "telepathy", "index": 2},
        *call(3, '{"pa', 'th": "a\\ud83d\\ude00"}'),
        *call(4),
        begin(5, "text"),
        more(5, "text_delta", "two."),
        close(5),
        end("tool_use", output_tokens=50),
        STOP,
    )
    assert reply.text == "One and 😀\n\ntwo."
    assert reply.calls == (
        ToolCall(id="toolu_3", name="look", arguments={"path": "a😀"}),
        ToolCall(id="toolu_4", name="look"),
    )
    assert reply.finish == "tool_calls"
    cost = (100 * 1.0 + 50 * 10.0 + 1000 * 0.1 + 40 * 1.25) / 1e6
    assert reply.usage == Usage(input=1140, output=50, cached=1000, cost=cost)


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("pause_turn", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refused"),
        ("something new", "stop"),
        (None, "stop"),
    ],
)
def test_every_reason_to_stop_has_its_meaning(reason: str | None, finish: str) -> None:
    assert fold(START, begin(0, "text", text="x"), close(0), end(reason), STOP).finish == finish


def test_a_call_that_was_cut_off_is_kept_as_it_came_and_is_none_to_execute() -> None:
    cut = fold(START, *call(0, '{"path": "a'), end("max_tokens"), STOP)
    assert (cut.finish, cut.calls[0].raw) == ("length", '{"path": "a')
    endless = fold(START, *call(0)[:-1], *call(1, '{"path": "b"}')[:-1], end("tool_use"), STOP)
    assert [(each.raw, each.arguments) for each in endless.calls] == [("{", {}), ("", {"path": "b"})]
    again = fold(START, *call(0)[:-1], *call(0, "{}"), end("tool_use"), STOP)
    assert [each.raw for each in again.calls] == ["{", ""]


@pytest.mark.parametrize(
    "events",
    [
        [START, START, begin(0, "text"), more(0, "text_delta", "hello"), close(0), close(0), close(7), end(), STOP],
        [more(3, "text_delta", "hel"), more(3, "text_delta", "lo"), more(4, "input_json_delta", "{"), STOP],
        [START, begin(0, "text", text="hello"), more(0, "input_json_delta", "{"), more(1, "thinking_delta", "x"), STOP],
        [{"type": "message_start"}, {"type": "content_block_start"}, more(0, "text_delta", "hello"), STOP],
        [begin(0, "text", text="hello"), {"type": "content_block_delta", "index": 0, "delta": [1]}, {}, STOP],
        [begin(0, "text", text="hello"), more(0, "text_delta", 5), {"type": 7}, {"type": "message_delta"}, STOP],  # type: ignore[arg-type]
    ],
)
def test_events_that_make_no_sense_do_no_harm(events: Iterable[Sent]) -> None:
    reply = fold(*events)
    assert (reply.text, reply.calls, reply.finish) == ("hello", (), "stop")


def test_what_nobody_counted_is_estimated() -> None:
    reply = fold(begin(0, "text", text="x" * 80), close(0), end(), STOP, sent=400)
    assert (reply.usage.input, reply.usage.output) == (100, 20)
    broken = Folding(Draft(), 400)
    for event in (START, begin(0, "text", text="x" * 80), more(1, "thinking_delta", "no block")):
        broken.take(event)
    assert broken.usage(None) == Usage(input=1140, output=20, cached=1000)
    odd: Sent = {"input_tokens": -5, "output_tokens": 10**30, "cache_read_input_tokens": "many"}
    wrong = fold({"type": "message_start", "message": {"usage": odd}}, begin(0, "text", text="x" * 80), end(), STOP)
    assert wrong.usage == fold(begin(0, "text", text="x" * 80), end(), STOP).usage


def test_counts_at_the_end_are_those_of_all_of_it() -> None:
    assert fold(START, end("end_turn", output_tokens=7, input_tokens=0), STOP).usage.input == 1140
    zero: Sent = {"type": "message_start", "message": {"usage": {"input_tokens": 0, "output_tokens": 0}}}
    late = fold(zero, end("end_turn", output_tokens=7, input_tokens=90), STOP).usage
    assert (late.input, late.output) == (90, 7)


def test_ids_of_calls_are_new_in_the_conversation() -> None:
    folding = Folding(Draft())
    for event in (*call(0), STOP):
        folding.take(event)
    before = Message(role="assistant", calls=(ToolCall(id="toolu_0", name="look"),))
    (made,) = folding.reply((before,), None).calls
    assert made.id != "toolu_0"


def test_only_what_brings_a_reply_forward_counts_as_progress() -> None:
    folding = Folding(Draft())
    assert not any(folding.take(event) for event in ({"type": "ping"}, {"type": "vertex_event"}, {}))
    assert all(folding.take(event) for event in (START, begin(0, "text"), more(0, "text_delta", "x"), close(0)))
    assert folding.take(end())
    assert not folding.ended
    assert folding.take(STOP)
    assert folding.ended


def test_a_reply_in_one_piece_is_read_as_well() -> None:
    content: list[Any] = [
        {"type": "text", "text": "Well."},
        {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"path": "a.py"}},
        "nonsense",
    ]
    message: Sent = {"content": content, "stop_reason": "tool_use", "usage": {"input_tokens": 9, "output_tokens": 3}}
    reply = fold(*map(dict, unfold(message)))
    assert reply.text == "Well."
    assert reply.calls == (ToolCall(id="toolu_1", name="look", arguments={"path": "a.py"}),)
    assert (reply.usage.input, reply.usage.output, reply.finish) == (9, 3, "tool_calls")


def test_a_reply_that_never_stops_is_none() -> None:
    folding = Folding(Draft())
    piece = more(0, "text_delta", "x" * 1_000_000)
    folding.take(piece)
    folding.take(piece)
    with pytest.raises(MalformedReply):
        folding.take(piece)


@pytest.mark.parametrize("given", [{"a": 1}, '{"a": 1}'])
@pytest.mark.parametrize("again", ["", '{"a": 1}'])
def test_arguments_that_come_at_the_beginning_are_read_once(given: object, again: str) -> None:
    begun = begin(0, "tool_use", id="t", name="look", input=given)
    made = fold(START, begun, *([more(0, "input_json_delta", again)] if again else []), close(0), end("tool_use"))
    assert made.calls[0].arguments == {"a": 1}


def test_arguments_that_are_no_object_are_not_taken_for_none() -> None:
    assert fold(START, begin(0, "tool_use", name="look", input=["a"]), close(0), end()).calls[0].raw == '["a"]'
    grown = more(0, "input_json_delta", "")
    grown["delta"]["partial_json"] = {"a": 1}
    assert fold(START, begin(0, "tool_use", name="look", input={}), grown, close(0), end()).calls[0].arguments == {
        "a": 1
    }
