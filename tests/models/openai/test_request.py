import json
from typing import Any

import pytest

from bot.core.message import Message, Prompt, ToolSpec
from bot.models.openai.request import Writer
from bot.models.openai.terms import Asked, Terms
from bot.models.profile import Profile

PROFILE = Profile("small", window=128_000, output=32_000)
TOOL = ToolSpec(name="read", description="Reads.", parameters={"type": "object", "properties": {}})
PROMPT = Prompt(system="be good", messages=(Message(role="user", text="fix it"),), tools=(TOOL,))


def read(body: bytes) -> Any:
    return json.loads(body)


def test_a_request_holds_what_the_service_needs_and_the_messages_first() -> None:
    body = Writer(PROFILE, Terms()).write(PROMPT)
    assert body.startswith(b'{"model":"small","messages":[{"role":"system","content":"be good"},{"role":"user"')
    told = read(body)
    assert told["tools"][0]["function"] == {"name": "read", "description": "Reads.", "parameters": TOOL.parameters}
    del told["messages"], told["tools"]
    assert told == {
        "model": "small",
        "max_tokens": 16_384,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_the_next_request_begins_with_the_messages_of_this_one() -> None:
    writer = Writer(PROFILE, Terms())
    before = writer.write(PROMPT)
    reply = Message(role="assistant", text="done")
    after = writer.write(PROMPT.model_copy(update={"messages": (*PROMPT.messages, reply), "longer": True}))
    assert after.startswith(before[: before.index(b'],"tools"')])


def test_what_is_asked_for_depends_on_the_prompt_and_the_model() -> None:
    single = Profile("small", window=128_000, output=8_000, parallel=False)
    writer = Writer(single, Terms("max_completion_tokens"), key=True)
    told = read(writer.write(PROMPT, {"response_format": {"type": "json_object"}}))
    assert told["parallel_tool_calls"] is False
    assert told["max_completion_tokens"] == 8_000
    assert told["response_format"] == {"type": "json_object"}
    assert (
        told["prompt_cache_key"] == read(writer.write(PROMPT.model_copy(update={"longer": True})))["prompt_cache_key"]
    )
    bare = read(writer.write(Prompt(system="", messages=PROMPT.messages)))
    assert [message["role"] for message in bare["messages"]] == ["user"]
    assert not {"tools", "parallel_tool_calls"} & set(bare)


def test_a_reply_may_be_as_long_as_there_is_room_for_it() -> None:
    def cap(text: str, *, longer: bool = False) -> int:
        prompt = Prompt(system="", messages=(Message(role="user", text=text),), longer=longer)
        return int(read(Writer(PROFILE, Terms()).write(prompt))["max_tokens"])

    assert cap("x") == 16_384
    assert cap("x", longer=True) == 32_000
    assert 8_000 < cap("x" * 350_000, longer=True) < 12_000


REFUSALS: list[tuple[str, str, Asked]] = [
    ("stream_options", "", "stream_options"),
    ("", "Extra inputs are not permitted: body.stream_options", "stream_options"),
    ("", "Unrecognized request argument supplied: parallel_tool_calls", "parallel_tool_calls"),
    ("prompt_cache_key", "unknown", "prompt_cache_key"),
    ("", "Streaming is not supported for this model", "stream"),
    ("", "After the optional system message, conversation roles must alternate user/assistant", "turns"),
]


@pytest.mark.parametrize(("param", "words", "name"), REFUSALS)
def test_what_a_server_refuses_is_left_out_from_then_on(param: str, words: str, name: Asked) -> None:
    terms = Terms()
    assert not terms.learn((), param, words)
    assert terms.learn((name, "messages"), param, words)
    assert not terms.wants(name)
    assert not terms.learn((name, "messages"), param, words)
    body = Writer(Profile("small", 8_000, 2_000, parallel=False), terms, key=True).write(PROMPT)
    assert name.encode() not in body.replace(b"stream_options", b"" if name == "stream" else b"stream_options")


@pytest.mark.parametrize(
    ("words", "cap"),
    [
        (
            "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            "max_completion_tokens",
        ),
        ("Unrecognized request argument supplied: max_tokens", "max_completion_tokens"),
        ("max_tokens is too large: 16384. This model supports at most 4096 completion tokens", None),
        ("you requested 20000 tokens (4000 in the messages, 16000 in the completion)", None),
    ],
)
def test_the_length_is_bounded_by_the_other_name_or_not_at_all(words: str, cap: str | None) -> None:
    terms = Terms()
    assert terms.learn(("max_tokens",), "", words)
    assert terms.cap == cap


def test_it_ends_when_there_is_nothing_left_to_leave_out() -> None:
    writer, asked = Writer(Profile("small", 8_000, 2_000, parallel=False), Terms(), key=True), 0
    words = " ".join([*(f"{param} {words}" for param, words, _ in REFUSALS), "max_tokens max_completion_tokens"])
    writer.write(PROMPT)
    while writer.learn("", words):
        asked += 1
        writer.write(PROMPT)
    assert asked == 7
    assert not Writer(PROFILE, Terms()).learn("messages", "messages is wrong")
