import json
from typing import Any

import pytest

from bot.core.message import Finish, Message, Reply
from bot.errors import (
    ContextOverflow,
    MalformedReply,
    ModelError,
    ModelLimited,
    ModelOverloaded,
    ModelRefused,
    ModelUnavailable,
)
from bot.models.openai.responses.reply import Folding
from bot.models.profile import Price
from bot.models.service.draft import Draft
from bot.models.service.events import Sent

PRICE = Price(input=1, output=2, cached=0.1, written=3)
Event = dict[str, Any]


def event(kind: str, at: int | None = None, **told: Any) -> Event:
    return {"type": f"response.{kind}", **({} if at is None else {"output_index": at}), **told}


def call(call_id: str, name: str, arguments: Any = "", **told: Any) -> Event:
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments, **told}


def message(*content: Event, **told: Any) -> Event:
    return {"type": "message", "role": "assistant", "content": list(content), **told}


def end(kind: str = "completed", **told: Any) -> Event:
    return event(kind, response={"status": kind, "output": [], **told})


TEXT = {"type": "output_text", "text": "I look."}
HM = event("reasoning_summary_text.delta", 0, delta="hm")
X, Y = '{"path": "x"}', '{"text": "y"}'


def fold(*events: Event, sent: int = 400) -> Folding:
    folding = Folding(Draft(), sent)
    for each in events:
        folding.take(Sent(each.get("type", ""), json.dumps(each)))
    return folding


def reply(*events: Event) -> Reply:
    return fold(*events).reply((), PRICE)


def calls(*events: Event) -> list[tuple[str, Any]]:
    return [(call.name, call.raw or call.arguments) for call in reply(*events, end()).calls]


def added(at: int | None, item: Event) -> Event:
    return event("output_item.added", at, item=item)


def done(at: int | None, item: Event) -> Event:
    return event("output_item.done", at, item=item)


def grown(at: int | None, delta: str, **told: Any) -> Event:
    return event("function_call_arguments.delta", at, delta=delta, **told)


def test_text_and_calls_come_in_pieces() -> None:
    folding = fold(
        end("created"),
        added(0, {"type": "reasoning", "id": "rs", "summary": []}),
        HM,
        done(0, {"type": "reasoning", "id": "rs", "encrypted_content": "xxxx"}),
        added(1, message(id="m")),
        event("output_text.delta", 1, item_id="m", delta="I "),
        event("output_text.delta", 1, item_id="m", delta="look."),
        event("output_text.done", 1, item_id="m", text="I look."),
        done(1, message(TEXT, id="m", status="completed")),
        added(2, call("a", "read", id="f1")),
        grown(2, '{"pa', item_id="f1"),
        grown(2, 'th": "x"}', item_id="f1"),
        event("function_call_arguments.done", 2, item_id="f1", arguments=X),
        done(2, call("a", "read", X, id="f1", status="completed")),
        end(),
    )
    made = folding.reply((), PRICE)
    assert (made.text, made.finish) == ("I look.", "tool_calls")
    assert [(call.id, call.name, call.arguments) for call in made.calls] == [("a", "read", {"path": "x"})]
    assert (folding.draft.thought, folding.ended, folding.done) == (2, True, True)


TWO = [("read", {"path": "x"}), ("grep", {"text": "y"})]


@pytest.mark.parametrize(
    "events",
    [
        pytest.param([done(0, call("a", "read", X)), done(1, call("b", "grep", Y))], id="whole items only"),
        pytest.param([added(0, call("a", "read", X)), added(1, call("b", "grep", Y))], id="whole at once"),
        pytest.param(
            [
                added(0, call("a", "read", id="f1")),
                added(1, call("b", "grep", id="f2")),
                grown(0, X[:3], item_id="f1"),
                grown(1, Y[:3], item_id="f2"),
                grown(0, X[3:], item_id="f1"),
                grown(1, Y[3:], item_id="f2"),
            ],
            id="in turns",
        ),
        pytest.param(
            [
                added(0, call("a", "read", id="f1")),
                grown(0, X[:3], item_id="f2"),
                grown(0, X[3:], item_id="f3"),
                done(0, call("a", "read", X, id="f4")),
                added(1, call("b", "grep", id="f5")),
                grown(1, Y, item_id="f6"),
            ],
            id="another id in each event",
        ),
        pytest.param(
            [
                added(0, call("a", "read", id="f1")),
                grown(0, X, item_id="f1"),
                done(0, call("a", "read", X, id="f1")),
                added(0, call("b", "grep", id="f2")),
                grown(0, Y, item_id="f2"),
                done(0, call("b", "grep", Y, id="f2")),
            ],
            id="one index for all",
        ),
        pytest.param(
            [
                added(None, call("a", "read")),
                grown(None, X),
                done(None, call("a", "read", X)),
                added(None, call("b", "grep")),
                grown(None, Y),
                done(None, call("b", "grep", Y)),
            ],
            id="neither index nor id",
        ),
        pytest.param(
            [grown(0, X[:3]), done(0, call("a", "read", {"path": "x"})), done(1, call("b", "grep", Y))],
            id="a piece was lost",
        ),
        pytest.param([end(output=[call("a", "read", X), call("b", "grep", Y)])], id="all at the end"),
    ],
)
def test_calls_are_told_apart_whatever_a_server_says_of_each_item(events: list[Event]) -> None:
    assert calls(*events) == TWO


def test_a_call_that_does_not_end_is_kept_as_it_came() -> None:
    cut = end("incomplete", incomplete_details={"reason": "max_output_tokens"})
    made = reply(added(0, call("a", "read", id="f1")), grown(0, '{"pa'), added(1, call("b", "grep")), cut)
    assert [call.raw for call in made.calls] == ['{"pa', "{"]
    assert made.finish == "length"
    assert calls(done(0, call("a", "list"))) == [("list", {})]
    assert calls(done(0, call("a", "list", status="incomplete"))) == [("list", "{")]


NO = message({"type": "refusal", "refusal": "I cannot."})
SAID = event("output_text.delta", 0, delta="a")


@pytest.mark.parametrize(
    ("events", "finish"),
    [
        ([SAID, end()], "stop"),
        ([SAID, end("incomplete", incomplete_details={"reason": "max_output_tokens"})], "length"),
        ([SAID, end("incomplete", incomplete_details={"reason": "content_filter"})], "refused"),
        ([SAID, end("incomplete")], "length"),
        ([event("refusal.delta", 0, delta="I cannot."), end()], "refused"),
        ([done(0, NO), end("incomplete")], "refused"),
        ([done(0, call("a", "read", "{}")), end()], "tool_calls"),
        ([SAID, event("completed", response={"status": None})], "stop"),
        ([SAID, event("completed", response={"status": "something new"})], "stop"),
        ([SAID, event("completed")], "stop"),
    ],
)
def test_the_end_of_a_reply_is_told_in_our_words(events: list[Event], finish: Finish) -> None:
    assert reply(*events).finish == finish


def test_texts_of_several_messages_are_kept_apart_and_said_once() -> None:
    made = reply(SAID, done(0, message(TEXT)), done(1, message(TEXT, TEXT)), done(2, {"type": "hologram"}), end())
    assert made.text == "a\n\nI look.I look."
    assert reply(SAID, end(output=[message(TEXT)])).text == "a"


def test_what_is_nothing_of_a_reply_counts_as_nothing() -> None:
    folding = Folding(Draft(), 1)
    for told in ("1", "null", "[]", "{}", '{"type": "response.created", "response": {"error": null}}'):
        assert not folding.take(Sent("", told))
    for odd in (added(0, {"type": "reasoning"}), added(0, {}), event("output_item.done"), event("queued")):
        assert not folding.take(Sent("", json.dumps(odd)))
    for odd in (
        event("output_text.delta", delta=None),
        event("function_call_arguments.delta", 3, delta=None),
        event("function_call_arguments.done", arguments=[], output_index="x"),
        end(output=[1, None, {"type": "message", "content": 7}], usage=[1], incomplete_details=3),
    ):
        assert folding.take(Sent("", json.dumps(odd)))
    assert folding.reply((), PRICE).text == ""
    assert not fold(SAID).ended
    marked = Folding(Draft(), 1)
    assert marked.take(Sent("", "[DONE]"))
    assert (marked.ended, marked.done) == (False, True)


def test_a_whole_answer_is_read_as_a_stream_of_one() -> None:
    answer = {"status": "completed", "error": None, "output": [message(TEXT), call("a", "read", X)], "usage": USED}
    folding = Folding(Draft(), 400)
    folding.take_whole(json.dumps(answer).encode())
    made = folding.reply([Message(role="assistant", calls=reply(done(0, call("a", "read")), end()).calls)], PRICE)
    assert (made.text, made.finish, made.usage.input) == ("I look.", "tool_calls", 1000)
    assert made.calls[0].id not in ("a", "")


@pytest.mark.parametrize("data", [b"<html><title>Sign in</title></html>", b"", b"[]", b'{"output": 7}', b'{"ok": 1}'])
def test_an_answer_that_is_no_reply_is_refused_with_a_hint(data: bytes) -> None:
    with pytest.raises(MalformedReply) as caught:
        Folding(Draft(), 1).take_whole(data)
    assert "base-url" in caught.value.hint


BUSY = {"code": "server_is_overloaded", "message": "busy"}


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ({"type": "error", "code": "rate_limit_exceeded", "message": "slow", "param": None}, ModelLimited),
        ({"type": "error", "error": {"type": "error", "code": "context_length_exceeded"}}, ContextOverflow),
        ({"type": "error", "code": None, "message": "boom"}, ModelUnavailable),
        ({"error": {"type": "overloaded_error", "message": "boom"}}, ModelOverloaded),
        ({"object": "error", "message": "boom", "code": 500}, ModelUnavailable),
        ({"detail": "boom"}, ModelUnavailable),
        (event("failed", response={"error": BUSY}), ModelOverloaded),
        (event("failed", response={"error": {"code": "server_error", "message": "boom"}}), ModelUnavailable),
        (event("failed", response={"error": {"code": "bio_policy", "message": "no"}}), ModelRefused),
        (event("failed", response={"error": {"code": "misalignment_policy_violation", "message": "no"}}), ModelRefused),
        (event("failed", response={"error": {"code": "invalid_prompt", "message": "It was flagged"}}), ModelRefused),
        (event("failed", response={"error": None, "status": "failed"}), ModelUnavailable),
        (event("cancelled"), ModelUnavailable),
        (end(status="failed", error={"code": "rate_limit_exceeded", "message": "slow"}), ModelLimited),
    ],
)  # fmt: skip
def test_an_error_within_a_stream_is_that_error(told: Event, kind: type[ModelError]) -> None:
    with pytest.raises(ModelError) as caught:
        fold(told)
    assert type(caught.value) is kind
    assert "(error" not in caught.value.message


USED = {
    "input_tokens": 1000,
    "input_tokens_details": {"cached_tokens": 600, "cache_write_tokens": 300},
    "output_tokens": 50,
    "output_tokens_details": {"reasoning_tokens": 40},
    "total_tokens": 1050,
}


def test_nothing_is_free() -> None:
    used = reply(SAID, end(usage=USED)).usage
    assert (used.input, used.output, used.cached) == (1000, 50, 600)
    assert used.cost == pytest.approx((100 + 300 * 3 + 60 + 100) / 1e6)
    assert reply(SAID, end("in_progress", usage=USED | {"output_tokens": 9}), end(usage=USED)).usage.output == 50
    odd: list[Any] = [None, [], {"input_tokens": -5, "output_tokens": "many"}, {"input_tokens": 0}]
    for usage in odd:
        guessed = reply(SAID, end(usage=usage)).usage
        assert (guessed.input, guessed.output) == (100, 1)
    folding = fold(SAID)
    with pytest.raises(ModelUnavailable):
        folding.fold(event("failed", response={"usage": USED, "error": {"code": "server_error"}}))
    assert folding.usage(PRICE).output == 50


def test_a_reply_of_parts_without_end_is_left() -> None:
    parts = ({"type": "response.output_item.added", "item": {"type": "message", "id": str(n)}} for n in range(2_000))
    with pytest.raises(MalformedReply, match="parts"):
        fold(*parts)
