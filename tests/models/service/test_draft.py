import pytest

from bot.core.message import Message, Progress, ToolCall
from bot.errors import MalformedReply
from bot.models.service import draft as bounds
from bot.models.service.draft import Draft


def test_a_reply_is_put_together_from_its_pieces() -> None:
    draft = Draft()
    for piece in ("a\ud83d", "\ude00", " b"):
        draft.say(piece)
    part = draft.open("c1", "read")
    draft.feed(part, '{"path":')
    draft.feed(part, ' "x"}')
    draft.open("c1", "finish")
    calls = draft.calls([Message(role="user", text="go")])
    assert draft.text == "a😀 b"
    assert calls[0] == ToolCall(id="c1", name="read", arguments={"path": "x"})
    assert calls[1].name == "finish"
    assert calls[1].id != "c1"


def test_no_service_fills_our_memory() -> None:
    draft = Draft()
    draft.say("x" * bounds.TEXT)
    with pytest.raises(MalformedReply, match="2,000,000 characters of text"):
        draft.say("x")
    part = draft.open()
    draft.feed(part, "x" * bounds.ARGUMENTS)
    with pytest.raises(MalformedReply, match="arguments"):
        draft.feed(part, "x")
    for _ in range(bounds.CALLS - 1):
        draft.open("x" * 100_000, "y" * 100_000)
    assert {len(part.name) for part in draft.parts[1:]} == {bounds.NAME}
    with pytest.raises(MalformedReply, match="64 calls"):
        draft.open()


def test_whoever_watches_is_told_at_most_twenty_times_a_second() -> None:
    told, now = list[Progress](), [0.0]
    draft = Draft(told.append, lambda: now[0])
    for _ in range(1000):
        now[0] += 0.001
        draft.say("word ")
    part = draft.open("c1", "edit")
    now[0] += 0.06
    draft.feed(part, "{")
    draft.think("hm")
    assert 19 <= len(told) <= 22
    assert told[-1].call == "edit"
    assert told[-1].characters == 5001
    assert told[-1].text.endswith("word ")
    assert max(len(progress.text) for progress in told) == bounds.SHOWN
