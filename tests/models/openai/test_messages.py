import json
from typing import Any

import pytest

from bot.core.message import Message, ToolCall
from bot.models.openai.messages import EARLIER, LOST, Conversation

USER = Message(role="user", text="fix it")


def call(id: str, **arguments: str) -> ToolCall:  # noqa: A002
    return ToolCall(id=id, name="read", arguments=dict(arguments))


def said(*calls: ToolCall, text: str = "") -> Message:
    return Message(role="assistant", text=text, calls=calls)


def result(id: str, text: str = "done") -> Message:  # noqa: A002
    return Message(role="tool", call_id=id, text=text)


def sent(*messages: Message, joined: bool = False) -> list[Any]:
    return list(json.loads(b"[%b]" % Conversation(joined).write(messages)))


def roles(messages: list[Any]) -> list[str]:
    return [message["role"] for message in messages]


def test_a_reply_with_calls_is_followed_by_what_came_of_each_in_their_order() -> None:
    told = Message(role="user", text="hurry")
    written = sent(USER, said(call("a"), call("b")), told, result("b", "B"), result("a", "A"), said(text="done"))
    assert roles(written) == ["user", "assistant", "tool", "tool", "user", "assistant"]
    assert [message.get("content") for message in written] == ["fix it", "", "A", "B", "hurry", "done"]
    assert [message["tool_call_id"] for message in written[2:4]] == ["a", "b"]


def test_every_call_is_answered_and_every_answer_has_its_call() -> None:
    written = sent(
        USER, result("gone", "old"), said(call("a")), result("b", "odd"), said(text="x"), result("a", "late")
    )
    assert roles(written) == ["user", "user", "assistant", "tool", "user", "assistant", "user"]
    assert [message["content"] for message in written] == [
        "fix it",
        f"{EARLIER}\nold",
        "",
        LOST,
        f"{EARLIER}\nodd",
        "x",
        f"{EARLIER}\nlate",
    ]
    twice = sent(said(call("a"), call("a")), result("a", "one"), result("a", "two"))
    assert [message["content"] for message in twice] == ["", "one", "two"]


def test_a_reply_that_said_nothing_is_left_out() -> None:
    assert roles(sent(USER, said(), USER)) == ["user", "user"]
    assert sent(said()) == []


def test_arguments_that_were_not_json_are_sent_as_json() -> None:
    broken = ToolCall(id="not fit!", name="odd name", raw='{"a": "' + "x" * 5000)
    written = sent(said(broken), result("not fit!"))
    function = written[0]["tool_calls"][0]["function"]
    assert json.loads(function["arguments"]) == {"unparsed": broken.raw[:2000]}
    assert function["name"] == "odd_name"
    assert written[0]["tool_calls"][0]["id"] == written[1]["tool_call_id"] != broken.id


def turns(count: int) -> list[Message]:
    made = [USER]
    for number in range(count):
        made += [
            said(call(f"c{number}", path="é"), call(f"d{number}")),
            result(f"c{number}"),
            result(f"d{number}", "x"),
        ]
    return made


@pytest.mark.parametrize("joined", [False, True])
def test_what_was_sent_before_is_sent_again_byte_for_byte(joined: bool) -> None:  # noqa: FBT001
    conversation, messages = Conversation(joined), turns(6)
    before = conversation.write(tuple(messages[:4]))
    for end in range(7, len(messages) + 1, 3):
        # As a view of the events makes them anew each time
        copies = tuple(message.model_copy(deep=True) for message in messages[:end])
        after = conversation.write(copies)
        assert after.startswith(before)
        assert after == Conversation(joined).write(copies)
        before = after


@pytest.mark.parametrize("joined", [False, True])
def test_whatever_was_sent_before_a_conversation_is_written_as_if_it_were_the_first(joined: bool) -> None:  # noqa: FBT001
    whole = turns(4)
    views = [
        whole[:4],
        whole,
        [USER, *whole[7:]],
        [*whole[:5], Message(role="user", text="stop"), *whole[5:]],
        [*whole[:3], USER, result("c0"), *whole[4:]],
        whole[:9],
        [USER, USER, said(), USER, result("z"), said(text="a"), said(text="b")],
        [],
        whole,
    ]
    conversation = Conversation(joined)
    for view in views:
        assert conversation.write(tuple(view)) == Conversation(joined).write(tuple(view))


def test_turns_alternate_where_a_template_needs_them_to() -> None:
    written = sent(USER, USER, result("z", "old"), said(text="a"), USER, USER, joined=True)
    assert roles(written) == ["user", "assistant", "user"]
    assert written[0]["content"] == f"fix it\n\nfix it\n\n{EARLIER}\nold"
    conversation = Conversation()
    assert conversation.write((USER, USER)) != b""
    conversation.join()
    assert len(json.loads(b"[%b]" % conversation.write((USER, USER)))) == 1
