import json
import threading
import time
from collections.abc import Iterator, Sequence

import pytest

from bot.core.message import Message, Progress, Prompt, Reply, ToolCall, ToolSpec
from bot.errors import (
    Billed,
    ContextOverflow,
    Interrupted,
    MalformedReply,
    ModelDenied,
    ModelError,
    ModelLimited,
    ModelOverloaded,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    ModelUnknown,
    ModelUnreachable,
    QuotaExhausted,
    StreamCut,
    StreamStalled,
)
from bot.models.anthropic.model import AnthropicModel
from bot.models.preload import load
from bot.models.profile import Price, Profile
from bot.models.service.guard import Timing
from tests.served.acts import fail, say, send, stream, tell
from tests.served.contract import faults
from tests.served.messages import pieces, whole
from tests.served.said import Asked, Cost, Piece, Said
from tests.served.server import Act, Exchange, Line, Server

BOM = b"\xef\xbb\xbf"
KEY = "sk-ant-0123456789"
PRICE = Price(input=1.0, output=10.0, cached=0.1, written=1.25)
PROFILE = Profile("small", window=200_000, output=64_000, price=PRICE)
TIMING = Timing(connect=0.5, first=0.3, idle=0.15, tail=0.05, rest=0.02)
SAID = Said("I look.", (Asked("look", '{"path": "a.py"}'),), cost=Cost(input=100, output=20, cached=60))
PROMPT = Prompt(
    system="Be good.",
    messages=(Message(role="user", text="Look."),),
    tools=(ToolSpec(name="look", description="looks", parameters={"type": "object"}),),
)
EVENTS = pieces(SAID, 0)
START, END, STOP = EVENTS[0], EVENTS[-2], EVENTS[-1]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as served:
        yield served
        assert served.broken == []


@pytest.fixture(scope="module")
def model(server: Server) -> AnthropicModel:
    """A model that the tests share, as turns of a run do: what one leaves behind is what the next one meets."""
    # Whichever test comes first is not one of how long that takes
    load("bot.models.anthropic.wire")
    return AnthropicModel("anthropic:small", PROFILE, KEY, server.url("anthropic", "shared"), timing=TIMING)


def serve(server: Server, *acts: Act) -> Line:
    return server.line(acts, "shared")


def encode(events: Sequence[Piece]) -> bytes:
    return b"".join(event.encode() for event in events)


def held(events: Sequence[Piece], beat: bytes = b"", pause: float = 0.02) -> Act:
    """Send events, then nothing that matters, and never end."""

    def act(exchange: Exchange) -> None:
        exchange.begin()
        if events:
            exchange.chunk(encode(events))
        while exchange.hold(pause):
            if beat:
                exchange.chunk(beat)

    return act


def cut(events: Sequence[Piece]) -> Act:
    def act(exchange: Exchange) -> None:
        exchange.begin()
        exchange.chunk(encode(events))
        exchange.close()

    return act


def fail_with(model: AnthropicModel, seconds: float | None = None) -> ModelError:
    with pytest.raises(ModelError) as caught:
        model.reply(PROMPT, seconds)
    assert KEY not in caught.value.message
    assert "\n" not in caught.value.message
    return caught.value


def test_a_run_of_replies_is_asked_for_over_one_connection(server: Server, model: AnthropicModel) -> None:
    seen: list[Progress] = []
    model.watch = seen.append
    line = serve(server, say(lambda exchange: SAID))
    messages, reply = PROMPT.messages, Reply()
    for _ in range(3):
        reply = model.reply(PROMPT.model_copy(update={"messages": messages}))
        messages += (Message(role="assistant", text=reply.text, calls=reply.calls),)
        messages += tuple(Message(role="tool", text="there", call_id=call.id) for call in reply.calls)
    model.watch = None
    assert reply.calls == (ToolCall(id="toolu_0002000", name="look", arguments={"path": "a.py"}),)
    assert (reply.text, reply.finish) == ("I look.", "tool_calls")
    assert (reply.usage.input, reply.usage.output, reply.usage.cached) == (100, 20, 60)
    assert reply.usage.cost == pytest.approx((40 + 60 * 0.1 + 20 * 10) / 1e6)
    assert [fault for request in line.requests for fault in faults(request)] == []
    assert [request.path for request in line.requests] == ["/shared/v1/messages"] * 3
    assert line.requests[0].headers["anthropic-version"]
    assert seen[0].text
    assert len(seen) < 3 * len(EVENTS)


_ERRORS: list[tuple[Act, type[ModelError]]] = [
    (fail(401, "authentication_error", f"invalid x-api-key {KEY}"), ModelDenied),
    (fail(403, "permission_error", "not for this key"), ModelDenied),
    (fail(404, "not_found_error", "model: small"), ModelUnknown),
    (fail(400, "invalid_request_error", "messages.3: no"), ModelRejected),
    (fail(400, "invalid_request_error", "prompt is too long: 200001 tokens > 200000 maximum"), ContextOverflow),
    (fail(413, "request_too_large", "Request exceeds the maximum size"), ContextOverflow),
    (fail(400, "invalid_request_error", "Your credit balance is too low to use this service"), QuotaExhausted),
    (fail(429, "rate_limit_error", "slowly", headers={"Retry-After": "7"}), ModelLimited),
    (fail(500, "api_error", "Internal server error"), ModelUnavailable),
    (fail(529, "overloaded_error", "Overloaded"), ModelOverloaded),
    (send(502, b"<html><title>Bad gateway</title></html>", {"Content-Type": "text/html"}), ModelUnavailable),
    (send(200, b"<html><title>Log in</title></html>", {"Content-Type": "text/html"}), MalformedReply),
    (send(200, b"{}", {"Content-Type": "application/json"}), MalformedReply),
    (lambda exchange: stream(exchange, [b"data: nonsense\n\n"]), MalformedReply),
    (lambda exchange: exchange.close(), ModelUnreachable),
    (held([], b": still here\n\n"), ModelTimeout),
]


def test_every_failure_has_its_own_class_and_is_asked_for_once(server: Server, model: AnthropicModel) -> None:
    for act, kind in _ERRORS:
        line = serve(server, act)
        error = fail_with(model)
        assert (type(error), len(line.requests)) == (kind, 1), error.message
        assert error.wait == (7.0 if kind is ModelLimited else None)
        line.over.set()


def test_what_broke_off_is_billed_by_what_was_said_of_it(server: Server, model: AnthropicModel) -> None:
    overloaded = Piece("error", {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    some = EVENTS[:6]
    for act, kind in (
        (cut(some), StreamCut),
        (lambda exchange: stream(exchange, [encode([*some, overloaded])]), ModelOverloaded),
        (held(some, Piece("ping", {"type": "ping"}).encode()), StreamStalled),
        (lambda exchange: stream(exchange, [encode([*EVENTS[:-2], STOP])]), StreamCut),
    ):
        line = serve(server, act)
        error = fail_with(model)
        line.over.set()
        assert type(error) is kind
        assert error.billed[:3] == (100, error.billed.output, 60)
        assert 1 <= error.billed.output < 20
    serve(server, lambda exchange: stream(exchange, [encode([overloaded])]))
    assert fail_with(model).billed == Billed()


def test_the_end_of_a_reply_is_not_waited_for_beyond_it(server: Server, model: AnthropicModel) -> None:
    closed = {"type": "tool_use", "id": "x", "name": "look", "input": {"path": "a.py"}}
    acts: list[Act] = [
        held(EVENTS),
        held(EVENTS[:-1], b": hm\n\n"),
        cut(EVENTS[:-1]),
        lambda exchange: stream(exchange, [encode(EVENTS), b"data: [DONE]\n\n"]),
        lambda exchange: stream(exchange, [event._replace(name="").encode("\r\n") for event in EVENTS]),
        lambda exchange: tell(exchange, whole(SAID, 0)),
        lambda exchange: tell(exchange, whole(SAID, 0) | {"content": [{"type": "text", "text": "I look."}, closed]}),
    ]
    for act in acts:
        line = serve(server, act)
        since = time.monotonic()
        reply = model.reply(PROMPT)
        assert time.monotonic() - since < 0.5
        line.over.set()
        assert (reply.text, reply.calls[0].arguments, reply.usage.output) == ("I look.", {"path": "a.py"}, 20)


def test_all_of_an_answer_keeps_to_the_seconds_that_it_may_take(server: Server, model: AnthropicModel) -> None:
    drop = Piece("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta"}})
    for act, kind in ((held(EVENTS[:4], drop.encode()), StreamStalled), (held([]), ModelTimeout)):
        line = serve(server, act)
        since = time.monotonic()
        assert type(fail_with(model, seconds=0.08)) is kind
        assert time.monotonic() - since < 0.4
        line.over.set()


def test_no_redirect_is_followed(server: Server, model: AnthropicModel) -> None:
    other = server.line([say(lambda exchange: SAID)], "other")
    line = serve(server, send(307, b"", {"Location": server.url("anthropic", "other") + "/v1/messages"}))
    assert type(fail_with(model)) is ModelUnknown
    assert (len(line.requests), len(other.requests)) == (1, 0)


def test_an_interrupt_hangs_up_at_once(server: Server, model: AnthropicModel) -> None:
    gone = threading.Event()

    def act(exchange: Exchange) -> None:
        exchange.begin()
        exchange.chunk(encode(EVENTS[:6]))
        if exchange.socket.recv(1) == b"":
            gone.set()
        exchange.close()

    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt

    serve(server, act)
    model.watch = interrupt
    with pytest.raises(Interrupted) as caught:
        model.reply(PROMPT)
    model.watch = None
    assert caught.value.billed.input == 100
    assert gone.wait(1)


@pytest.mark.parametrize("key", ["sk ant", "sk-ant\n", "sk-ant-ü", "sk-ant\x00"])
def test_a_key_that_is_none_is_not_sent(key: str) -> None:
    model = AnthropicModel("anthropic:small", PROFILE, key, "http://127.0.0.1:9")
    with pytest.raises(ModelDenied) as caught:
        model.reply(PROMPT)
    assert "\n" not in caught.value.message
    assert key not in repr(model)


def test_keys_go_where_they_are_wanted(server: Server) -> None:
    line = server.line([say(lambda exchange: SAID)], "keys")
    url = server.url("anthropic", "keys")
    for key, address, bearer in ((KEY, url, False), (KEY, f"{url}/v1/", True), ("", url, False)):
        model = AnthropicModel("anthropic:small", PROFILE, key, address, bearer=bearer)
        assert model.reply(PROMPT).text == "I look."
        model.close()
    sent = [request.headers.get("x-api-key") or request.headers["authorization"] for request in line.requests]
    assert [text.removeprefix("Bearer ") for text in sent] == [KEY, KEY, "none"]
    assert line.requests[1].headers["authorization"] == f"Bearer {KEY}"
    assert [request.path for request in line.requests] == ["/keys/v1/messages"] * 3
    with pytest.raises(ModelDenied, match="no key"):
        AnthropicModel("anthropic:small", PROFILE).reply(PROMPT)


def test_a_reply_is_read_whatever_its_header_calls_it(server: Server, model: AnthropicModel) -> None:
    body = json.dumps(whole(SAID, 0) | {"stop_reason": None}).encode()
    acts = [
        send(200, mark + body, {"Content-Type": kind})
        for mark, kind in ((b"", "text/plain"), (BOM, "text/event-stream"))
    ]
    acts += [send(200, encode(EVENTS), {"Content-Type": "application/json"})]
    serve(server, *acts)
    for _ in acts:
        assert model.reply(PROMPT).calls[0].arguments == {"path": "a.py"}


def test_noise_between_events_and_behind_the_end_is_nothing(server: Server, model: AnthropicModel) -> None:
    noise = b"event: ping\ndata: hello\n\ndata:\n\ndata: [DONE] \n\n"
    after = b'data: garbage\n\ndata: {"error": {"message": "boom"}}\n\n'
    serve(server, lambda exchange: stream(exchange, [noise, encode(EVENTS[:-1]), after]))
    assert model.reply(PROMPT).text == SAID.text


@pytest.mark.parametrize(
    ("sent", "kind"),
    [
        (b'data: {"error": {"message": "boom", "type": "rate_limit_error"}}\n\n', ModelLimited),
        (b"event: error\ndata: boom\n\n", ModelUnavailable),
        (b'{"error": {"message": "boom", "code": 429}}', ModelLimited),
        (b'{"error": "boom"}', ModelUnavailable),
    ],
)
def test_errors_of_other_interfaces_are_told(
    server: Server, model: AnthropicModel, sent: bytes, kind: type[ModelError]
) -> None:
    serve(server, lambda exchange: stream(exchange, [encode(EVENTS[:1]) if sent[:1] != b"{" else b"", sent]))
    error = fail_with(model)
    assert isinstance(error, kind)
    assert "boom" in error.message


def test_a_service_that_shows_our_key_does_not_make_us_show_it(server: Server, model: AnthropicModel) -> None:
    page = f"<html><title>{KEY}</title></html>".encode()
    for act in (send(200, page, {"Content-Type": f"text/{KEY}"}), send(200, b"", {"Content-Type": f"text/{KEY}"})):
        serve(server, act)
        fail_with(model)
