import json
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Self

import pytest

from bot.core.message import Message, Progress, Prompt, Reply, ToolSpec
from bot.errors import (
    ConfigError,
    ContextOverflow,
    Interrupted,
    MalformedReply,
    ModelDenied,
    ModelError,
    ModelLimited,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    ModelUnknown,
    ModelUnreachable,
    StreamCut,
    StreamStalled,
)
from bot.models.openai.model import OpenAIModel
from bot.models.profile import Price, Profile
from bot.models.service.guard import Timing
from tests.served.acts import fail, hang_up, ignore, reset, send, tell, trickle
from tests.served.server import Act, Exchange, Line, Server

PROFILE = Profile("small", window=64_000, output=20_000, price=Price(1, 2, 0.1, 1))
PATIENT = Timing(connect=5, first=5, idle=5, tail=0.05, rest=0.02)
SILENT = Timing(first=0.05)
STALLED = Timing(first=5, idle=0.05)
TOOL = ToolSpec(name="read", description="Reads.", parameters={"type": "object"})
PROMPT = Prompt(system="be good", messages=(Message(role="user", text="fix it"),), tools=(TOOL,))
TEXT: dict[str, Any] = {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "done"}}]}
CALL: dict[str, Any] = {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "a", "function": {}}]}}]}
CALL["choices"][0]["delta"]["tool_calls"][0]["function"] = {"name": "read", "arguments": "{"}
WHOLE: dict[str, Any] = json.loads(json.dumps(CALL).replace('"{"', '"{}"'))
LONG: dict[str, Any] = {"choices": [{"index": 0, "delta": {"content": "x" * 20_000}}]}
STOP: dict[str, Any] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
USAGE: dict[str, Any] = {"choices": [], "usage": {"prompt_tokens": 70, "completion_tokens": 3}}
DONE = b"data: [DONE]\n\n"


def data(*chunks: dict[str, Any]) -> bytes:
    return b"".join(b"data: %b\n\n" % json.dumps(chunk).encode() for chunk in chunks)


GOOD = data(TEXT, STOP, USAGE) + DONE


def stream(*parts: bytes, then: str = "end") -> Act:
    """Send parts of a stream, and then end, close, hold on, say nothing again and again, or go on for ever."""

    def act(exchange: Exchange) -> None:
        exchange.begin()
        for part in parts:
            exchange.chunk(part)
        match then:
            case "end":
                exchange.chunk(b"")
            case "close":
                exchange.close()
            case "ping" | "flood":
                more = b": ping\n\n" if then == "ping" else data(LONG) * 10
                while exchange.hold(0.01 if then == "ping" else 0):
                    exchange.chunk(more)
            case _:
                exchange.hold()
                exchange.close()

    return act


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as made:
        yield made
    assert made.broken == []


class Asked:
    """A model, and the server's side of it."""

    def __init__(self, server: Server, acts: Sequence[Act], timing: Timing = PATIENT, **fields: Any) -> None:
        name = f"line{len(server.lines)}"
        self.line: Line = server.line(acts, name)
        address = server.url("openai", name)
        self.model = OpenAIModel("openai:small", PROFILE, base_url=address, timing=timing, **fields)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.model.close()
        self.line.over.set()

    def reply(self, seconds: float | None = 5, prompt: Prompt = PROMPT) -> Reply:
        return self.model.reply(prompt, seconds)

    def fault(self, seconds: float | None = 5) -> ModelError:
        started = time.monotonic()
        with pytest.raises(ModelError) as caught:
            self.reply(seconds)
        assert time.monotonic() - started < 3
        assert caught.value.message.isprintable()
        return caught.value


def test_each_turn_sends_what_was_sent_before(server: Server) -> None:
    whole = json.dumps(
        {"choices": [{"message": {"content": "done"}, "finish_reason": "stop"}], "usage": USAGE["usage"]}
    )
    acts = [stream(GOOD), stream(data(TEXT), data(STOP), data(USAGE), DONE), send(200, whole.encode()), stream(GOOD)]
    messages = list(PROMPT.messages)
    with Asked(server, acts, key="sk-1") as asked:
        for _ in acts:
            made = asked.reply(prompt=PROMPT.model_copy(update={"messages": tuple(messages)}))
            assert (made.text, made.finish, made.usage.input, made.usage.output) == ("done", "stop", 70, 3)
            assert made.usage.cost == pytest.approx(76e-6)
            messages += [Message(role="assistant", text="done"), Message(role="user", text="more")]
        bodies = [request.body for request in asked.line.requests]
        assert all(after.startswith(before.split(b'],"tools"')[0]) for before, after in pairwise(bodies))
        assert asked.line.requests[0].headers["authorization"] == "Bearer sk-1"


def test_nothing_of_the_environment_is_sent_along(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "other")
    for name in ("http_proxy", "all_proxy", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    with Asked(server, [stream(GOOD)]) as asked:
        asked.reply()
        assert "other" not in str(asked.line.requests[0].headers)
        assert asked.line.requests[0].headers["authorization"] == "Bearer none"
    with Asked(server, [stream(GOOD)], organization="ours", project="this") as asked:
        asked.reply()
        headers = asked.line.requests[0].headers
        assert (headers["openai-organization"], headers["openai-project"]) == ("ours", "this")


@pytest.mark.parametrize("then", ["hold", "ping", "close"])
@pytest.mark.parametrize("parts", [(GOOD,), (data(TEXT, STOP), DONE), (data(TEXT, STOP),), (data(TEXT, WHOLE), DONE)])
def test_a_reply_ends_where_its_service_says_so_whatever_follows(
    server: Server, parts: tuple[bytes, ...], then: str
) -> None:
    with Asked(server, [stream(*parts, then=then)]) as asked:
        started = time.monotonic()
        made = asked.reply()
        assert time.monotonic() - started < 3
        assert made.text == "done"
        assert made.usage.cost > 0


NEVER: list[tuple[Act, type[ModelError]]] = [
    (ignore, ModelTimeout),
    (trickle, ModelTimeout),
    (hang_up, ModelUnreachable),
    (reset, ModelUnreachable),
    (stream(then="hold"), ModelTimeout),
    (stream(then="ping"), ModelTimeout),
    (stream(then="end"), MalformedReply),
    (stream(then="close"), StreamCut),
    (stream(data(TEXT), then="hold"), StreamStalled),
    (stream(data(TEXT), then="ping"), StreamStalled),
    (stream(data(TEXT), then="close"), StreamCut),
    (stream(data(TEXT), then="end"), StreamCut),
    (stream(data(CALL), then="end"), StreamCut),
    (stream(data(TEXT), DONE), StreamCut),
    (stream(data(CALL), DONE), StreamCut),
    (stream(data(TEXT), then="flood"), MalformedReply),
    (stream(data(TEXT), b"data: {broken\n\n"), MalformedReply),
    (stream(data(TEXT), data({"error": {"code": "rate_limit_exceeded", "message": "slow"}})), ModelLimited),
    (send(200, b"<html><title>Log in</title>", {"Content-Type": "text/html"}), MalformedReply),
    (send(200, b"", {}), MalformedReply),
    (send(200, b"\x1f\x8b", {"Content-Encoding": "gzip"}), MalformedReply),
    (send(204, b"", {}), MalformedReply),
]


@pytest.mark.parametrize(("act", "kind"), NEVER)
def test_a_service_that_does_not_come_to_an_end_is_left_in_time(
    server: Server, act: Act, kind: type[ModelError]
) -> None:
    timing = SILENT if kind is ModelTimeout else STALLED if kind is StreamStalled else PATIENT
    with Asked(server, [act], timing=timing) as asked:
        fault = asked.fault()
        assert type(fault) is kind
        assert (fault.billed.cost > 0) == asked.model._guard.answered
        assert len(asked.line.requests) == 1


@pytest.mark.parametrize("act", [ignore, stream(data(TEXT), then="ping"), stream(data(TEXT), then="hold")])
def test_all_of_it_ends_when_the_time_of_the_run_does(server: Server, act: Act) -> None:
    with Asked(server, [act]) as asked:
        assert "0.03 s" in asked.fault(0.03).message
        assert asked.fault(0).kind == "timeout"


def test_an_error_counts_though_its_page_never_ends(server: Server) -> None:
    def act(exchange: Exchange) -> None:
        exchange.send(b"HTTP/1.1 429 No\r\nRetry-After: 3\r\nContent-Length: 99\r\n\r\n{")
        exchange.hold()

    with Asked(server, [act]) as asked:
        fault = asked.fault()
        assert (fault.kind, fault.wait) == ("limited", 3)


def test_no_redirect_is_followed(server: Server) -> None:
    elsewhere = server.line([stream(GOOD)], "elsewhere")
    to = server.url("openai", "elsewhere") + "/chat/completions"
    for status in (301, 302, 303, 307, 308):
        with Asked(server, [send(status, b"", {"Location": to})], key="sk-1") as asked:
            assert isinstance(asked.fault(), ModelUnknown)
    assert elsewhere.requests == []


def refuse(parameter: str, words: str = "Unsupported parameter: '{}'") -> Act:
    return fail(400, "invalid_request_error", words.format(parameter))


def test_what_a_server_does_not_take_is_left_out_at_once_and_for_good(server: Server) -> None:
    acts = [refuse("stream_options"), refuse("max_tokens"), refuse("max_completion_tokens"), stream(GOOD)]
    with Asked(server, acts) as asked:
        assert asked.reply().text == "done"
        asked.reply()
        told = [set(request.json) - {"model", "messages", "tools", "stream"} for request in asked.line.requests]
        assert told == [{"stream_options", "max_tokens"}, {"max_tokens"}, {"max_completion_tokens"}, set(), set()]


def test_a_server_that_refuses_whatever_it_is_asked_is_asked_a_few_times(server: Server) -> None:
    with Asked(
        server, [refuse("stream_options parallel_tool_calls max_tokens max_completion_tokens 'stream'")]
    ) as asked:
        assert type(asked.fault()) is ModelRejected
        assert len(asked.line.requests) == 5
        assert type(asked.fault()) is ModelRejected
        assert len(asked.line.requests) == 6
    with Asked(server, [fail(400, "", "prompt is too long", "context_length_exceeded")]) as asked:
        assert type(asked.fault()) is ContextOverflow
        assert len(asked.line.requests) == 1


def test_a_key_is_looked_at_before_anybody_is_asked(server: Server) -> None:
    for key in ("sk-1\n", "sk é", " sk-1"):
        with Asked(server, [stream(GOOD)], key=key) as asked:
            fault = asked.fault()
            assert isinstance(fault, ModelDenied)
            assert "sk" not in fault.message
            assert asked.line.requests == []
    with pytest.raises(ModelDenied, match="no key") as caught:
        OpenAIModel("openai:small", PROFILE).reply(PROMPT)
    assert "OPENAI_API_KEY" in caught.value.hint
    assert "sk-secret" not in repr(OpenAIModel("openai:small", PROFILE, key="sk-secret"))


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1/v1", "https://nowhere.invalid/v1", "not a url", "http://far.example/v1"]
)
def test_where_nobody_is_we_are_told_what_to_check(url: str) -> None:
    model = OpenAIModel("openai:small", PROFILE, base_url=url, timing=PATIENT)
    with pytest.raises((ModelUnreachable, ConfigError)) as caught:
        model.reply(PROMPT, 3)
    assert "base-url" in caught.value.message + caught.value.hint
    model.close()


def test_whoever_watches_sees_it_come(server: Server) -> None:
    told = list[Progress]()
    with Asked(server, [stream(data(TEXT), data(CALL, STOP), DONE)], watch=told.append) as asked:
        made = asked.reply()
    assert told == [Progress("done", "", 4)]
    assert made.calls[0].raw == "{"
    assert made.finish == "tool_calls"


def test_an_interrupt_hangs_up_at_once(server: Server) -> None:
    gone = threading.Event()

    def act(exchange: Exchange) -> None:
        exchange.begin()
        exchange.chunk(data(TEXT))
        time.sleep(0.02)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        if exchange.socket.recv(1) == b"":
            gone.set()

    with Asked(server, [act, stream(GOOD)]) as asked:
        with pytest.raises(Interrupted) as caught:
            asked.model.reply(PROMPT, 5)
        # What came of an answer has to be paid, however little is known of it
        assert caught.value.billed.input > 0
        assert caught.value.billed.output > 0
        assert gone.wait(1)
        assert asked.reply().text == "done"


def test_a_schema_can_be_asked_for(server: Server) -> None:
    with Asked(server, [tell_chat("{}")]) as asked:
        assert asked.model.answer(PROMPT, 5, {"response_format": {"type": "json_object"}}).text == "{}"
        assert asked.line.requests[0].json["response_format"] == {"type": "json_object"}


def tell_chat(text: str) -> Act:
    return lambda exchange: tell(exchange, {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})


def test_a_service_at_fault_may_be_asked_again(server: Server) -> None:
    with Asked(server, [fail(500, "server_error", "oops"), stream(GOOD)]) as asked:
        assert type(asked.fault()) is ModelUnavailable
        assert asked.reply().text == "done"


def test_what_cannot_stand_in_a_header_is_not_sent(server: Server) -> None:
    odd: tuple[dict[str, Any], ...] = ({"organization": "örg"}, {"project": "a\nX: y"})
    for fields in odd:
        with Asked(server, [stream(GOOD)], **fields) as asked:
            assert asked.fault().kind == "credentials"
            assert asked.line.requests == []
