import json

import pytest

from bot.core.message import Message, Prompt, ToolSpec
from bot.models.openai.interface import Interface
from bot.models.openai.refusal import Refusal
from bot.models.profile import Profile, Wire

TOOL = ToolSpec(name="read", description="Reads.", parameters={"type": "object"})
PROMPT = Prompt(system="be good", messages=(Message(role="user", text="fix it"),), tools=(TOOL,))
TOOLLESS = "Function tools with reasoning_effort are not supported for gpt-5.6-sol in /v1/chat/completions. To use"
TOOLLESS += " function tools, use /v1/responses or set reasoning_effort to 'none'."
ABSENT = '{"detail": "Not Found"}'
PAGE = "<html><title>404 Not Found</title></html>"
UNKNOWN = "The model `smal` does not exist or you do not have access to it."


def make(wire: Wire = "chat", *, hosted: bool = False) -> Interface:
    made = Interface(Profile("small", window=64_000, output=20_000, wire=wire), hosted=hosted)
    made.writer.write(PROMPT)
    return made


def said(message: str, code: str | None = None) -> str:
    return json.dumps({"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}})


@pytest.mark.parametrize(
    ("wire", "refusal", "then"),
    [
        ("chat", Refusal(400, {}, said(TOOLLESS)), "responses"),
        ("chat", Refusal(404, {}, said("It is only supported in v1/responses.")), "responses"),
        ("chat", Refusal(400, {}, said("no", "unsupported_api_for_model")), "responses"),
        ("chat", Refusal(404, {}, said(UNKNOWN, "model_not_found")), "chat"),
        ("chat", Refusal(404, {}, ABSENT), "chat"),
        ("chat", Refusal(429, {}, said("too much of /v1/responses")), "chat"),
        ("responses", Refusal(404, {}, ABSENT), "chat"),
        ("responses", Refusal(405, {}, ""), "chat"),
        ("responses", Refusal(404, {}, PAGE), "chat"),
        ("responses", Refusal(404, {}, said(UNKNOWN, "model_not_found")), "responses"),
        ("responses", Refusal(404, {}, '{"error": {"code": "DeploymentNotFound"}}'), "responses"),
        ("responses", Refusal(400, {}, said(TOOLLESS)), "responses"),
        ("responses", Refusal(500, {}, ABSENT), "responses"),
    ],
)  # fmt: skip
def test_the_other_interface_is_asked_where_a_refusal_says_so(wire: Wire, refusal: Refusal, then: Wire) -> None:
    interface = make(wire)
    assert interface.learn(refusal) == (wire != then)
    assert interface.wire == then
    assert interface.path == ("/responses" if then == "responses" else "/chat/completions")


def test_a_server_that_sends_us_to_and_fro_is_followed_once() -> None:
    interface = make()
    assert interface.learn(Refusal(400, {}, said(TOOLLESS)))
    interface.writer.write(PROMPT)
    assert not interface.learn(Refusal(404, {}, ABSENT))
    assert interface.wire == "responses"


def test_a_path_that_answered_is_there() -> None:
    interface = make("responses")
    interface.answered = True
    assert not interface.learn(Refusal(404, {}, ABSENT))
    late = make()
    late.answered = True
    assert late.learn(Refusal(400, {}, said(TOOLLESS)))


def test_what_the_service_itself_takes_is_known() -> None:
    wires: list[Wire] = ["chat", "chat", "responses", "responses"]
    made = [make(wire, hosted=bool(at % 2)) for at, wire in enumerate(wires)]
    told = [json.loads(interface.writer.write(PROMPT)) for interface in made]
    caps = ["max_tokens", "max_completion_tokens", "max_output_tokens", "max_output_tokens"]
    assert all(cap in body for cap, body in zip(caps, told, strict=True))
    assert ["prompt_cache_key" in body for body in told] == [False, True, False, True]
    interface = make("responses", hosted=True)
    assert interface.learn(Refusal(400, {}, said("Unknown parameter: 'prompt_cache_key'")))
    assert interface.wire == "responses"
