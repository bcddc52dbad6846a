import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bot.core.message import Message, Prompt, ToolCall, ToolSpec
from bot.models.anthropic.request import GO_ON, MARK, Writer
from bot.models.profile import Profile
from tests.served.contract import faults
from tests.served.server import Request

PROFILE = Profile("small", window=200_000, output=64_000)
TOOLS = tuple(
    ToolSpec(name=name, description=f"does {name}", parameters={"type": "object"}) for name in ("look", "write")
)


def ask(*messages: Message, system: str = "Be good.", tools: tuple[ToolSpec, ...] = TOOLS) -> Prompt:
    return Prompt(system=system, messages=messages, tools=tools)


def said(text: str) -> Message:
    return Message(role="user", text=text)


def called(*calls: ToolCall, text: str = "") -> Message:
    return Message(role="assistant", text=text, calls=calls)


def answer(to: str, text: str = "done") -> Message:
    return Message(role="tool", text=text, call_id=to)


def look(name: str, **arguments: str) -> ToolCall:
    return ToolCall(id=name, name="look", arguments=dict(arguments))


def body(prompt: Prompt, profile: Profile = PROFILE) -> Any:
    return json.loads(Writer(profile).write(prompt))


def shown(prompt: Prompt) -> list[Any]:
    """Return messages as (role, blocks), without marks."""
    told = json.loads(Writer(PROFILE).write(prompt).replace(MARK, b""))
    return [(message["role"], message["content"]) for message in told["messages"]]


def turns(count: int, calls: int = 0, since: int = 0) -> Iterator[Message]:
    """Give turns of so many calls each, else of one to thirteen."""
    for turn in range(since, count):
        asked = [look(f"toolu_{turn}_{index}", path=f"{turn}.py") for index in range(calls or 1 + turn * 7 % 13)]
        yield called(*asked, text=f"turn {turn}")
        yield from (answer(call.id, f"{call.id} says\n") for call in asked)


@dataclass
class Cache:
    """What the service keeps: every prefix that a mark stood at, found from a mark or up to 20 blocks before it."""

    kept: set[int] = field(default_factory=set)

    def read(self, request: bytes) -> tuple[int, int]:
        """Take a request; returns the number of blocks that are read from the cache, and of all."""
        told = json.loads(request)
        blocks = [*told.get("tools", ()), *told.get("system", ())]
        blocks += [block | {"by": message["role"]} for message in told["messages"] for block in message["content"]]
        marks = [place for place, block in enumerate(blocks, 1) if block.pop("cache_control", None)]
        assert 0 < len(marks) <= 4
        prefixes = list(accumulate((json.dumps(block) for block in blocks), lambda *both: hash(both), initial=0))
        ends = [end for mark in marks for end in range(mark, max(0, mark - 20), -1) if prefixes[end] in self.kept]
        self.kept |= {prefixes[mark] for mark in marks}
        return max(ends, default=0), len(blocks)


def test_each_turn_reads_from_the_cache_all_that_was_sent_before() -> None:
    writer, cache, before = Writer(PROFILE), Cache(), 0
    for turn in range(100):
        read, everything = cache.read(writer.write(ask(said("# Task"), *turns(turn))))
        assert (turn, read) == (turn, before)
        before = everything
        writer.answered()


def test_another_run_reads_system_and_tools_and_a_resumed_one_all_of_it() -> None:
    cache = Cache()
    _, first = cache.read(Writer(PROFILE).write(ask(said("# Task"), *turns(9, calls=12))))
    assert cache.read(Writer(PROFILE).write(ask(said("# Other task"))))[0] == len(TOOLS) + 1
    assert cache.read(Writer(PROFILE).write(ask(said("# Task"), *turns(10, calls=12))))[0] == first


def test_what_is_left_of_a_conversation_that_changed_is_read_from_the_cache() -> None:
    writer, cache = Writer(PROFILE), Cache()
    for turn in range(31):
        cache.read(writer.write(ask(said("# Task"), *turns(turn, calls=5))))
        writer.answered()
    stale = list(turns(31, calls=5))
    stale[62] = answer(stale[62].call_id or "", "superseded")
    # Eleven a turn: call and answer of five, and the text
    assert cache.read(writer.write(ask(said("# Task"), *stale)))[0] == len(TOOLS) + 2 + 10 * 11
    writer.answered()
    compressed = ask(said("# Task"), said("In short"), *turns(32, calls=5, since=30))
    assert cache.read(writer.write(compressed))[0] == len(TOOLS) + 2


def test_a_request_that_failed_is_not_taken_for_one_that_is_kept() -> None:
    writer, cache = Writer(PROFILE), Cache()
    _, kept = cache.read(writer.write(ask(said("# Task"), *turns(3, calls=12))))
    writer.answered()
    longer = ask(said("# Task"), *turns(5, calls=12))
    writer.write(longer)
    assert cache.read(writer.write(longer))[0] == kept


def test_marks_change_nothing_but_themselves() -> None:
    writer, plain = Writer(PROFILE), []
    for turn in range(4):
        plain.append(writer.write(ask(said("# Task"), *turns(turn))).replace(MARK, b"").removesuffix(b"]}"))
        writer.answered()
    assert all(after.startswith(before) for before, after in pairwise(plain))
    assert plain[-1] + b"]}" == Writer(PROFILE).write(ask(said("# Task"), *turns(3))).replace(MARK, b"")


def test_without_a_system_prompt_the_last_tool_is_marked() -> None:
    told = body(ask(said("hello"), system=" "))
    assert "system" not in told
    assert ["cache_control" in tool for tool in told["tools"]] == [False, True]


def test_results_stand_first_behind_their_calls_and_in_their_order() -> None:
    conversation = (
        said("one"),
        said("two"),
        called(look("a"), look("b"), look("c"), text="Let me see."),
        answer("c", "3"),
        said("news"),
        answer("a", "1"),
        answer("gone", "0"),
        answer("a", "again"),
    )
    (_, opening), (_, reply), (role, results) = shown(ask(*conversation))
    assert [block["text"] for block in opening] == ["one", "two"]
    assert [block["type"] for block in reply] == ["text", "tool_use", "tool_use", "tool_use"]
    assert role == "user"
    assert [(block["tool_use_id"], block["content"]) for block in results[:3]] == [
        ("a", "1"),
        ("b", "not executed"),
        ("c", "3"),
    ]
    lost = "The result of a call that is not shown any more:\n"
    assert [block["text"] for block in results[3:]] == ["news", f"{lost}0", f"{lost}again"]


def test_what_says_nothing_is_left_out_and_the_model_never_speaks_first_or_last() -> None:
    assert shown(ask(said("a"), called(text=" \n"), said(""), said("b"))) == [
        ("user", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])
    ]
    assert [(role, blocks[0]["text"]) for role, blocks in shown(ask(called(text="x"), called(text="y")))] == [
        ("user", GO_ON),
        ("assistant", "x"),
        ("user", GO_ON),
        ("assistant", "y"),
        ("user", GO_ON),
    ]
    assert shown(ask(called(look("a")), answer("a", "\n")))[2][1] == [{"type": "tool_result", "tool_use_id": "a"}]
    assert shown(ask()) == [("user", [{"type": "text", "text": GO_ON}])]


def test_calls_are_sent_as_the_service_takes_them() -> None:
    calls = (
        ToolCall(id="functions.look:0", name="look at it!", raw='{"path": "a'),
        ToolCall(id="a", name="", arguments={"deep": [float("inf")]}),
        ToolCall(id="a", name="n" * 300, arguments={"text": "half \ud83d"}),
    )
    blocks = shown(ask(said("go"), called(*calls)))[1][1]
    assert blocks[0]["input"] == {"unparsed": '{"path": "a'}
    assert list(blocks[1]["input"]) == ["unparsed"]
    assert blocks[2]["input"] == {"text": "half \ufffd"}
    assert len({block["id"] for block in blocks}) == 3


def test_a_prompt_without_tools_still_tells_of_those_that_were_called() -> None:
    told = body(ask(said("go"), called(look("a")), answer("a"), tools=()))
    assert [tool["name"] for tool in told["tools"]] == ["look"]
    assert told["tool_choice"] == {"type": "none"}
    assert "tools" not in body(ask(said("go"), tools=()))


def test_replies_are_capped_and_calls_are_one_at_a_time_where_they_must_be() -> None:
    prompt = ask(said("go"))
    assert body(prompt)["max_tokens"] == 16_384
    assert body(prompt.model_copy(update={"longer": True}))["max_tokens"] == 64_000
    assert body(prompt, Profile("tiny", window=8_000, output=2_000))["max_tokens"] == 2_000
    assert "tool_choice" not in body(prompt)
    assert body(prompt, Profile("one", 8_000, 2_000, parallel=False))["tool_choice"] == {
        "type": "auto",
        "disable_parallel_tool_use": True,
    }


_TEXTS = st.sampled_from(["", " ", "word", "half \ud83d"])
_IDS = st.sampled_from(["a", "b", "odd id!", ""])
_CALLS = st.lists(st.builds(ToolCall, id=_IDS, name=st.just("look")), max_size=3).map(tuple)
_MESSAGES = st.one_of(
    st.builds(said, _TEXTS),
    st.builds(answer, _IDS, _TEXTS),
    st.builds(lambda calls, text: called(*calls, text=text), _CALLS, _TEXTS),
)


@given(st.lists(st.lists(_MESSAGES, max_size=8), min_size=1, max_size=3))
def test_whatever_a_conversation_is_the_service_takes_it(conversations: Sequence[Sequence[Message]]) -> None:
    writer = Writer(PROFILE)
    for messages in conversations:
        written = writer.write(ask(*messages))
        assert faults(Request(0, "POST", "/v1/messages", {}, written)) == []
        assert written.replace(MARK, b"") == Writer(PROFILE).write(ask(*messages)).replace(MARK, b"")
        writer.answered()
