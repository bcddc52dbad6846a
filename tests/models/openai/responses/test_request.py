import json
from typing import Any

from openai.types.responses import ResponseStreamEvent
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
from pydantic import TypeAdapter

from bot.core.message import Message, Prompt, ToolCall, ToolSpec
from bot.models.openai.messages import LOST
from bot.models.openai.responses.request import Writer
from bot.models.openai.terms import Terms
from bot.models.profile import Profile
from tests.served.responses import pieces
from tests.served.said import Asked, Said

PROFILE = Profile("small", window=128_000, output=32_000, wire="responses")
SINGLE = Profile("small", window=128_000, output=8_000, parallel=False, wire="responses")
TOOL = ToolSpec(name="read", description="Reads.", parameters={"type": "object", "properties": {}})
USER = Message(role="user", text="fix it")
PROMPT = Prompt(system="be good", messages=(USER,), tools=(TOOL,))
CALLS = (ToolCall(id="a", name="read", arguments={"path": "é"}), ToolCall(id="b!", name="odd name", raw='{"pa'))
TALK = (
    USER,
    Message(role="assistant", text="I look.", calls=CALLS),
    Message(role="tool", call_id="a", text="A"),
    Message(role="user", text="hurry"),
    Message(role="assistant", text=" \n"),
    Message(role="assistant", text="done"),
)


def make(profile: Profile = PROFILE, *, key: bool = False) -> Writer:
    return Writer(profile, Terms("max_output_tokens"), key=key)


def read(body: bytes) -> Any:
    return json.loads(body)


def test_a_request_holds_what_the_service_needs_and_leaves_nothing_with_it() -> None:
    told = read(make().write(PROMPT))
    assert told == {
        "model": "small",
        "instructions": "be good",
        "input": [{"type": "message", "role": "user", "content": "fix it"}],
        "tools": [
            {
                "type": "function",
                "name": "read",
                "description": "Reads.",
                "parameters": TOOL.parameters,
                "strict": False,
            }
        ],
        "store": False,
        "max_output_tokens": 16_384,
        "stream": True,
    }
    bare = read(make(SINGLE, key=True).write(Prompt(system="", messages=TALK)))
    assert not {"instructions", "tools", "parallel_tool_calls"} & set(bare)
    more = read(make(SINGLE, key=True).write(PROMPT.model_copy(update={"longer": True})))
    assert (more["parallel_tool_calls"], more["max_output_tokens"]) == (False, 8_000)
    assert more["prompt_cache_key"].startswith("git-agent-")


def test_calls_and_what_came_of_each_are_items_without_ids_of_their_own() -> None:
    items = read(make().write(Prompt(system="", messages=TALK)))["input"]
    assert [item["type"] for item in items] == [
        *("message", "message", "function_call", "function_call", "function_call_output", "function_call_output"),
        *("message", "message"),
    ]
    assert json.loads(items[2]["arguments"]) == {"path": "é"}
    assert (items[4]["call_id"], items[4]["output"], items[5]["output"]) == ("a", "A", LOST)
    assert items[3]["name"] == "odd_name"
    assert items[3]["call_id"] == items[5]["call_id"] != "b!"
    assert not any("id" in item or "phase" in item for item in items)
    phased = read(make(key=True).write(Prompt(system="", messages=TALK)))["input"]
    assert [item["phase"] for item in phased if item.get("role") == "assistant"] == ["commentary", "final_answer"]


def test_requests_are_what_the_package_of_openai_says_they_are() -> None:
    adapter = TypeAdapter(ResponseCreateParamsStreaming)
    schema: dict[str, Any] = {"name": "reply", "strict": True, "schema": {"type": "object"}}
    asked: list[Any] = [None, {"response_format": {"type": "json_schema", "json_schema": schema}}]
    for extra in asked:
        body = read(make(SINGLE, key=True).write(PROMPT.model_copy(update={"messages": TALK}), extra))
        checked: Any = adapter.validate_python(body, strict=True)
        assert {**checked, "tools": list(checked["tools"])} == body


def test_a_form_for_the_text_is_asked_for_in_this_interfaces_words() -> None:
    schema: dict[str, Any] = {"name": "reply", "strict": True, "schema": {"type": "object"}}
    told = read(make().write(PROMPT, {"response_format": {"type": "json_schema", "json_schema": schema}}))
    assert told["text"] == {"format": {"type": "json_schema", **schema}}
    assert read(make().write(PROMPT, {"response_format": {"type": "json_object"}}))["text"] == {
        "format": {"type": "json_object"}
    }
    assert "response_format" not in told


def test_the_next_request_begins_with_what_was_sent_before() -> None:
    writer, before = make(key=True), b""
    for end in (1, 4, 6):
        body = writer.write(Prompt(system="be good", messages=TALK[:end], tools=(TOOL,)))
        assert body.startswith(before)
        assert body == make(key=True).write(Prompt(system="be good", messages=TALK[:end], tools=(TOOL,)))
        before = body[: body.index(b'],"tools"')]


def test_what_a_server_refuses_is_left_out_from_then_on() -> None:
    writer = make(SINGLE, key=True)
    writer.write(PROMPT)
    for param, words in (
        ("parallel_tool_calls", ""),
        ("", "Unknown parameter: 'prompt_cache_key'"),
        ("", "max_tokens is too large: 8000. This model supports at most 2048"),
        ("stream", "no"),
    ):
        assert writer.learn(param, words)
    assert set(read(writer.write(PROMPT))) == {"model", "instructions", "input", "tools", "store"}
    assert not writer.learn("max_output_tokens", "max_tokens 'stream' store")


def test_the_server_of_the_tests_says_what_the_package_of_openai_knows() -> None:
    adapter: TypeAdapter[ResponseStreamEvent] = TypeAdapter(ResponseStreamEvent)
    called = (Asked("read", '{"path": "x"}'), Asked("read"))
    for said in (Said("I look.", called), Said("Well", finish="length"), Said("No.", finish="refused")):
        events = [adapter.validate_python(piece.data) for piece in pieces(said, 1)]
        assert [event.type for event in events] == [piece.name for piece in pieces(said, 1)]
