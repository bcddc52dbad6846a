import json
from collections.abc import Iterator
from typing import Any

import pytest

from bot.core.message import Message, Progress, Prompt, ToolCall, ToolSpec
from bot.errors import ModelError, ModelTimeout, ModelUnavailable, ModelUnknown, StreamStalled
from bot.models.dialect.manner import Manner
from bot.models.dialect.model import FlexibleModel
from bot.models.openai.model import OpenAIModel
from bot.models.profile import Price, Profile
from bot.models.service.guard import Timing
from tests.served.acts import fail, pieces, say, send
from tests.served.said import Asked, Cost, Piece, Said
from tests.served.server import Act, Exchange, Line, Server

PROFILE = Profile("small", window=64_000, output=20_000, price=Price(1, 2, 0.1, 1), wire="responses")
KEY = "sk-correct-horse-battery-staple"
PATIENT = Timing(connect=5, first=5, idle=5, tail=0.05, rest=0.02)
TOOL = ToolSpec(name="read", description="Reads.", parameters={"type": "object"})
PROMPT = Prompt(system="be good", messages=(Message(role="user", text="fix it"),), tools=(TOOL,))
GOOD = say(lambda exchange: Said("I look.", (Asked("read", '{"path": "x"}'),), cost=Cost(70, 9, 30)))
TOOLLESS = "Function tools with reasoning_effort are not supported in /v1/chat/completions. Use /v1/responses."


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as made:
        yield made
    assert made.broken == []


def ask(server: Server, *acts: Act, profile: Profile = PROFILE, **fields: Any) -> tuple[OpenAIModel, Line]:
    name = f"line{len(server.lines)}"
    line = server.line(acts, name)
    fields = {"timing": PATIENT, **fields}
    return OpenAIModel("openai:small", profile, KEY, server.url("openai", name), **fields), line


def paths(line: Line) -> list[str]:
    return [request.path.partition("/v1")[2] for request in line.requests]


def begun(exchange: Exchange, count: int) -> None:
    """Send the first events of a reply, and nothing more."""
    told: list[Piece] = pieces(Said("I look."), exchange)[:count]
    exchange.begin()
    exchange.chunk(b"".join(piece.encode() for piece in told))
    exchange.hold()
    exchange.close()


def test_a_turn_is_asked_and_its_calls_and_their_results_are_told_in_the_next(server: Server) -> None:
    seen = list[Progress]()
    model, line = ask(server, GOOD, watch=seen.append)
    made = model.reply(PROMPT, 5)
    assert (made.text, made.finish) == ("I look.", "tool_calls")
    assert [(call.name, call.arguments) for call in made.calls] == [("read", {"path": "x"})]
    assert (made.usage.input, made.usage.output, made.usage.cached) == (70, 9, 30)
    assert made.usage.cost == pytest.approx(61e-6)
    assert seen
    said = Message(role="assistant", text=made.text, calls=made.calls)
    answered = (*PROMPT.messages, said, Message(role="tool", call_id=made.calls[0].id, text="done"))
    assert model.reply(PROMPT.model_copy(update={"messages": answered}), 5).calls[0].id != made.calls[0].id
    first, second = (request.body for request in line.requests)
    assert second.startswith(first.partition(b'],"tools"')[0])
    assert paths(line) == ["/responses"] * 2


def test_a_server_without_this_interface_is_asked_on_the_other_from_then_on(server: Server) -> None:
    model, line = ask(server, send(404, b"404 page not found", {}), GOOD)
    assert [model.reply(PROMPT, 5).calls[0].name for _ in range(2)] == ["read", "read"]
    assert paths(line) == ["/responses", "/chat/completions", "/chat/completions"]
    model, line = ask(server, send(404, b"404 page not found", {}))
    for _ in range(2):
        with pytest.raises(ModelUnknown):
            model.reply(PROMPT, 5)
    assert paths(line) == ["/responses", "/chat/completions", "/chat/completions"]


def test_a_model_that_wants_this_interface_is_asked_on_it_with_its_tools(server: Server) -> None:
    refused = fail(400, "invalid_request_error", TOOLLESS)
    model, line = ask(server, refused, GOOD, profile=Profile("small", window=64_000, output=20_000))
    made = FlexibleModel(model, Manner()).reply(PROMPT, 5)
    assert [call.name for call in made.calls] == ["read"]
    assert paths(line) == ["/chat/completions", "/responses"]
    assert "tools" in line.requests[1].json


def test_a_schema_can_be_asked_for(server: Server) -> None:
    model, line = ask(server, say(lambda exchange: Said('{"say": "", "calls": [{"name": "read", "arguments": {}}]}')))
    made = FlexibleModel(model, Manner("schema")).reply(PROMPT, 5)
    assert made.calls == (ToolCall(id=made.calls[0].id, name="read"),)
    told = line.requests[0].json
    assert told["text"]["format"]["type"] == "json_schema"
    assert not {"tools", "response_format"} & set(told)


@pytest.mark.parametrize(("count", "kind"), [(2, ModelTimeout), (4, ModelTimeout), (7, StreamStalled)])
def test_until_it_says_something_a_model_may_think_for_as_long_as_before_any_answer(
    server: Server, count: int, kind: type[ModelError]
) -> None:
    first, idle = (0.05, 9) if kind is ModelTimeout else (9, 0.05)
    model, line = ask(server, lambda exchange: begun(exchange, count), timing=Timing(first=first, idle=idle))
    with pytest.raises(ModelError) as caught:
        model.reply(PROMPT, 5)
    line.over.set()
    assert type(caught.value) is kind
    assert caught.value.billed.cost > 0


def test_a_reply_that_failed_costs_what_the_service_says(server: Server) -> None:
    response = {"status": "failed", "error": {"code": "server_error", "message": KEY}}
    failed = response | {"usage": {"input_tokens": 70, "output_tokens": 9}}
    event = {"type": "response.failed", "response": failed}
    model, _ = ask(
        server, send(200, b"data: %b\n\n" % json.dumps(event).encode(), {"Content-Type": "text/event-stream"})
    )
    with pytest.raises(ModelUnavailable) as caught:
        model.reply(PROMPT, 5)
    assert (caught.value.billed.input, caught.value.billed.output) == (70, 9)
    assert KEY not in caught.value.message
