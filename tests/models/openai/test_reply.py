import json
from typing import Any

import pytest

from bot.core.message import Finish, Message, Reply, Usage
from bot.errors import (
    ContextOverflow,
    MalformedReply,
    ModelError,
    ModelLimited,
    ModelOverloaded,
    ModelUnavailable,
)
from bot.models.openai.refusal import Refusal
from bot.models.openai.reply import Folding
from bot.models.profile import Price
from bot.models.service.draft import Draft
from bot.models.service.events import Sent

PRICE = Price(input=1, output=2, cached=0.1, written=1)
Chunk = dict[str, Any]


def delta(finish: str | None = None, **fields: Any) -> Chunk:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def piece(index: int | None = None, id: str = "", name: str | None = None, arguments: Any = "") -> Chunk:  # noqa: A002
    told: Chunk = {"function": {"arguments": arguments} | ({"name": name} if name is not None else {})}
    told |= {"id": id} if id else {}
    return told | ({"index": index} if index is not None else {})


def calling(*pieces: Chunk) -> list[Chunk]:
    return [delta(tool_calls=[each]) for each in pieces]


def fold(*chunks: Chunk, sent: int = 400) -> Folding:
    folding = Folding(Draft(), sent)
    for chunk in chunks:
        folding.take(Sent("", json.dumps(chunk)))
    return folding


def reply(*chunks: Chunk) -> Reply:
    return fold(*chunks).reply((), PRICE)


def calls(*pieces: Chunk) -> list[tuple[str, Any]]:
    return [(call.name, call.raw or call.arguments) for call in reply(*calling(*pieces)).calls]


def test_text_and_calls_come_in_pieces() -> None:
    made = reply(
        delta(role="assistant", content=""),
        delta(content="I "),
        delta(content="look."),
        *calling(piece(0, "a", "read", '{"pa'), piece(0, arguments='th": "x"}'), piece(1, "b", "grep", "{}")),
        delta("tool_calls"),
    )
    assert made.text == "I look."
    assert [(call.id, call.name, call.arguments) for call in made.calls] == [
        ("a", "read", {"path": "x"}),
        ("b", "grep", {}),
    ]
    assert made.finish == "tool_calls"


TWO = [("read", {"path": "x"}), ("grep", {"text": "y"})]
X, Y = '{"path": "x"}', '{"text": "y"}'


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param([piece(0, "a", "read", X), piece(1, "b", "grep", Y)], id="as it should be"),
        pytest.param([piece(0, "a", "read", X), piece(0, "b", "grep", Y)], id="one index for all"),
        pytest.param(
            [
                piece(0, "a", "read", X[:3]),
                piece(0, "", None, X[3:]),
                piece(0, "b", "grep", Y[:3]),
                piece(0, "", None, Y[3:]),
            ],
            id="one index for all, in pieces",
        ),
        pytest.param([piece(None, "a", "read", X), piece(None, "b", "grep", Y)], id="no index"),
        pytest.param(
            [piece(None, "a", "read", X[:3]), piece(None, "", None, X[3:]), piece(None, "b", "grep", Y)],
            id="no index, in pieces",
        ),
        pytest.param([piece(None, "", "read", X), piece(None, "", "grep", Y)], id="neither index nor id"),
        pytest.param([piece(0, "", "read", X), piece(0, "", "grep", Y)], id="one index and no id"),
        pytest.param([piece(3, "a", "read", X), piece(7, "b", "grep", Y)], id="indexes with gaps"),
        pytest.param(
            [
                piece(0, "a", "read", X[:3]),
                piece(1, "b", "grep", Y[:3]),
                piece(0, "", None, X[3:]),
                piece(1, "", None, Y[3:]),
            ],
            id="in turns",
        ),
        pytest.param(
            [piece(0, "a", "read", X[:3]), piece(0, "a", "read", X[3:]), piece(1, "b", "grep", Y)],
            id="name in each piece",
        ),
        pytest.param(
            [piece(0, "a", "read", X[:3]), piece(0, "other", None, X[3:]), piece(1, "b", "grep", Y)],
            id="new id in each piece",
        ),
        pytest.param([piece(0, "a", "re"), piece(0, "", "ad", X), piece(1, "b", "grep", Y)], id="name in pieces"),
        pytest.param([piece(0, "a", "read", {"path": "x"}), piece(1, "b", "grep", {"text": "y"})], id="not as text"),
    ],
)
def test_calls_are_told_apart_whatever_a_server_thinks_of_indexes(pieces: list[Chunk]) -> None:
    assert calls(*pieces) == TWO


def test_arguments_that_are_cut_off_are_kept_as_they_came() -> None:
    assert calls(piece(0, "a", "read", '{"path": "x')) == [("read", '{"path": "x')]
    assert calls(piece(0, "a", "read", '{"a": 1, "a": 2}'), piece(1, "b", "list", "")) == [
        ("read", '{"a": 1, "a": 2}'),
        ("list", {}),
    ]


@pytest.mark.parametrize(
    ("chunks", "finish"),
    [
        ([delta("stop", content="a")], "stop"),
        ([delta("length", content="a")], "length"),
        ([delta("content_filter", content="a")], "refused"),
        ([delta(refusal="I can"), delta(refusal="not."), delta("stop")], "refused"),
        ([*calling(piece(0, "a", "read", "{}")), delta("stop")], "tool_calls"),
        ([*calling(piece(0, "a", "read", "{")), delta("length")], "length"),
        ([delta(function_call={"name": "read", "arguments": "{}"}), delta("function_call")], "tool_calls"),
        ([delta("tool_calls", content="a")], "stop"),
        ([delta("something new", content="a")], "stop"),
        ([delta("", content="a")], "stop"),
    ],
)
def test_the_end_of_a_reply_is_told_in_our_words(chunks: list[Chunk], finish: Finish) -> None:
    assert reply(*chunks).finish == finish


def test_what_a_model_says_to_itself_is_no_part_of_the_reply() -> None:
    folding = fold(
        delta(reasoning_content="hm "), delta(reasoning="well"), delta("stop", content=[{"type": "text", "text": "a"}])
    )
    assert folding.reply((), PRICE).text == "a"
    assert folding.draft.thought == 7
    assert (
        reply(delta(content="<think>hm <b>"), delta(content="</think>\n\na <think>"), delta("stop")).text == "a <think>"
    )


def test_a_whole_answer_is_read_as_a_stream_of_one() -> None:
    message = {
        "role": "assistant",
        "content": "a",
        "tool_calls": [piece(None, "a", "read", X), piece(None, "b", "grep", Y)],
    }
    folding = Folding(Draft(), 400)
    folding.take_whole(json.dumps({"choices": [{"message": message, "finish_reason": "tool_calls"}]}).encode())
    made = folding.reply([Message(role="assistant", calls=reply(*calling(piece(0, "a", "read"))).calls)], PRICE)
    assert [call.name for call in made.calls] == ["read", "grep"]
    assert made.calls[0].id not in ("a", "")
    assert folding.done


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"<html><title>Sign in</title></html>", "Sign in"),
        (b"", "not a reply"),
        (b"{", "not a reply"),
        (b"[]", "no reply"),
        (b'{"choices": []}', "no reply"),
        (b'{"model": "x", "message": {"content": "a"}}', "no reply"),
        (b"[" * 100_000, "not a reply"),
    ],
)
def test_an_answer_that_is_no_reply_is_refused_with_a_hint(data: bytes, match: str) -> None:
    with pytest.raises(MalformedReply, match=match) as caught:
        Folding(Draft(), 1).take_whole(data)
    assert "base-url" in caught.value.hint


@pytest.mark.parametrize(
    "chunk",
    [None, 1, "text", [], {"choices": None}, {"choices": [1]}, {"choices": [{"index": 1, "delta": {"content": "b"}}]}],
)
def test_what_is_nothing_of_a_reply_counts_as_nothing(chunk: Any) -> None:
    folding = Folding(Draft(), 1)
    assert not folding.take(Sent("", json.dumps(chunk)))
    odd = {
        "choices": [{"delta": {"content": 1, "tool_calls": [1, None], "refusal": {}}, "finish_reason": 7}],
        "usage": [1],
    }
    folding.take(Sent("", json.dumps(odd)))
    assert folding.reply((), PRICE).text == ""


def test_a_stream_of_something_else_is_malformed() -> None:
    with pytest.raises(MalformedReply):
        Folding(Draft(), 1).take(Sent("", "{half"))
    with pytest.raises(ModelUnavailable):
        fold(delta("error"))


@pytest.mark.parametrize(
    ("sent", "kind"),
    [
        (Sent("", '{"error": {"type": "overloaded_error", "message": "busy"}}'), ModelOverloaded),
        (Sent("", '{"error": {"code": 429, "message": "slow down", "type": null}}'), ModelLimited),
        (Sent("", '{"error": "prompt is too long", "code": 400}'), ContextOverflow),
        (Sent("error", '{"message": "boom"}'), ModelUnavailable),
        (Sent("error", "boom"), ModelUnavailable),
        (
            Sent(
                "error", '{"code": 400, "message": "request (9 tokens) exceeds", "type": "exceed_context_size_error"}'
            ),
            ContextOverflow,
        ),
        (
            Sent(
                "", '{"error": {"code": 400, "message": "Provider error", "metadata": {"raw": "prompt is too long"}}}'
            ),
            ContextOverflow,
        ),
    ],
)
def test_an_error_within_a_stream_is_that_error(sent: Sent, kind: type[ModelError]) -> None:
    with pytest.raises(ModelError) as caught:
        Folding(Draft(), 1).take(sent)
    assert type(caught.value) is kind


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ('{"error": {"message": "no", "code": "context_length_exceeded"}}', "overflow", "no"),
        (
            '[{"error": {"code": 400, "message": "API key not valid", "status": "INVALID_ARGUMENT"}}]',
            "credentials",
            "not valid",
        ),
        ('{"object": "error", "message": "prompt is too long", "code": 400}', "overflow", "too long"),
        ('{"detail": [{"loc": ["body", "x"], "msg": "Extra inputs"}]}', "rejected", "Extra inputs"),
        ('{"detail": "Not a chat"}', "rejected", "Not a chat"),
        ('{"error": "does not support tools"}', "rejected", "support tools"),
        ("plain words", "rejected", "plain words"),
        ("", "rejected", "400"),
        ("null", "rejected", "400"),
        ("[" * 50_000, "rejected", "400"),
    ],
)
def test_errors_are_read_wherever_a_server_puts_them(body: str, kind: str, words: str) -> None:
    fault = Refusal(400, {}, body).explain("")
    assert fault.kind == kind
    assert words in fault.message


USED = {"prompt_tokens": 1000, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 600}}


@pytest.mark.parametrize(
    ("usage", "told"),
    [
        (USED, (1000, 10, 600)),
        (USED | {"total_tokens": 1200}, (1000, 200, 600)),
        ({"prompt_tokens": 1000, "completion_tokens": 10, "prompt_cache_hit_tokens": 400}, (1000, 10, 400)),
        (USED | {"prompt_tokens_details": {"cached_tokens": 99_999}}, (1000, 10, 1000)),
        (USED | {"prompt_tokens_details": None}, (1000, 10, 0)),
        ({"prompt_tokens": 1000}, (1000, 2, 0)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, (100, 2, 0)),
        ({"prompt_tokens": -5, "completion_tokens": "many"}, (100, 2, 0)),
        (None, (100, 2, 0)),
    ],
)
def test_nothing_is_free(usage: Chunk | None, told: tuple[int, int, int]) -> None:
    folding = fold(delta(content="12345678"), delta("stop"), {"choices": [], "usage": usage}, sent=400)
    found = folding.usage(PRICE)
    assert (found.input, found.output, found.cached) == told
    assert found.cost == pytest.approx((told[0] - told[2] + 2 * told[1] + 0.1 * told[2]) / 1e6)


def test_of_costs_that_are_told_again_and_again_the_last_counts() -> None:
    told = [delta(content="a") | {"usage": USED | {"completion_tokens": number}} for number in (1, 2, 3)]
    assert fold(*told, delta("stop")).usage(None) == Usage(input=1000, output=3, cached=600)
    assert not fold(*told, delta("stop")).done
    assert fold(*told, delta("stop"), {"choices": [], "usage": USED}).done


def test_calls_are_told_apart_however_their_places_are_written() -> None:
    for zero, one in (("0", "1"), (0.0, 1.0)):
        told = calls(
            *({**piece(id="a", name="one"), "index": zero}, {**piece(id="b", name="two"), "index": one}),
            *({**piece(arguments='{"x":1}'), "index": zero}, {**piece(arguments='{"x":2}'), "index": one}),
        )
        assert told == [("one", {"x": 1}), ("two", {"x": 2})]
    assert [name for name, _ in calls({**piece(name="one"), "index": 2**70}, {**piece(name="two"), "index": []})]


def test_a_name_may_grow_and_is_bounded() -> None:
    assert calls(piece(0, "a", "read"), piece(0, name="read_file"), piece(0, arguments="{}")) == [("read_file", {})]
    assert len(calls(*(piece(0, name="x" * 150) for _ in range(2)), piece(0, name="y" * 150))[0][0]) <= 200


def test_what_gateways_make_of_fields_is_read() -> None:
    assert reply(delta("stop", content="hi", tool_calls=[None])).calls == ()
    assert reply(delta("stop", tool_calls=piece(name="one", arguments="{}"))).calls[0].name == "one"
    parts = [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "hi"}]
    assert reply(delta("stop", content=parts)).text == "hi"
    chunk = delta("stop", content="hi")
    chunk["choices"][0]["index"] = "0"
    assert reply(chunk).text == "hi"


def test_an_error_is_told_wherever_it_stands() -> None:
    broken = delta("error")
    broken["choices"][0]["error"] = {"message": "boom", "code": 502}
    for chunk in (broken, {"object": "error", "message": "boom", "code": 500}, {"detail": "boom"}):
        with pytest.raises(ModelError, match="boom"):
            fold(chunk)


def test_what_comes_behind_the_end_of_a_reply_changes_nothing() -> None:
    folding = fold(delta("stop", content="hi"), {"error": {"message": "boom"}}, delta("error"))
    assert not folding.take(Sent("", "garbage"))
    assert folding.reply((), PRICE).text == "hi"


@pytest.mark.parametrize(
    "body",
    [
        '"nope"', '["nope"]', '[{"error":{"message":"nope"}}]', '{"error":"nope"}', '{"error":["nope"]}',
        '{"error":{"error":{"message":"nope"}}}', '{"detail":[{"msg":"nope"}]}', '{"error":true,"msg":"nope"}',
        '{"errors":[{"message":"nope"}]}', '{"reason":"nope"}', '\ufeff{"error":{"message":"nope"}}', "nope",
        "<Error><Message>nope</Message></Error>",
    ],
)  # fmt: skip
def test_an_error_says_what_its_page_says_whatever_form_that_has(body: str) -> None:
    assert "nope" in Refusal(400, {}, body).explain("").message
