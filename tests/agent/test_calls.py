"""Calls: what is refused before it runs, what runs side by side, what goes round in circles."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent import calls
from bot.core.event import Acted
from bot.core.message import Reply, ToolCall, ToolResult
from bot.core.talk import Replied
from bot.tools.catalog import ALL

TOOLS = {tool.name: tool for tool in ALL}


def call(name: str = "read_file", identity: str = "1", raw: str = "", **arguments: str) -> ToolCall:
    return ToolCall(id=identity, name=name, arguments=dict(arguments), raw=raw)


def acted(output: str, path: str = "a") -> Acted:
    return Acted(call=call(path=path), result=ToolResult(call_id="1", ok=True, output=output))


def test_a_whole_call_of_a_known_tool_is_not_refused() -> None:
    assert calls.refuse(call(path="x"), Reply(finish="tool_calls"), TOOLS) is None


@pytest.mark.parametrize(
    ("broken", "finish", "kind"),
    [
        (call(path="x"), "length", "truncated"),
        (call(raw='{"path": "x'), "tool_calls", "truncated"),
        (call(raw='{"path": "x",'), "stop", "truncated"),
        (call(raw='{"path": x}'), "tool_calls", "malformed"),
        (call(raw='["x"]'), "tool_calls", "malformed"),
        (call(raw="not json"), "tool_calls", "malformed"),
        (call(raw="[" * 100_000), "tool_calls", "malformed"),
        (call(name="readfile"), "tool_calls", "unknown_tool"),
        (call(name="rm_rf"), "tool_calls", "unknown_tool"),
    ],
)
def test_a_broken_call_is_answered_with_its_own_kind_of_error(broken: ToolCall, finish: str, kind: str) -> None:
    result = calls.refuse(broken, Reply.model_validate({"finish": finish}), TOOLS)
    assert result is not None
    assert (result.ok, result.error, result.call_id) == (False, kind, "1")


def test_an_unknown_tool_names_the_nearest_one() -> None:
    result = calls.refuse(call(name="readfile"), Reply(), TOOLS)
    assert result is not None
    assert "'read_file'" in result.output


@given(st.text(max_size=200))
def test_no_raw_text_is_ever_executed_or_breaks_the_loop(raw: str) -> None:
    clean = "".join(c for c in raw if not 0xD800 <= ord(c) <= 0xDFFF) or "x"
    assert calls.refuse(call(raw=clean), Reply(), TOOLS) is not None


def test_only_neighbouring_reads_share_a_batch() -> None:
    names = ["read_file", "outline", "edit_file", "read_file", "checkpoint", "list_files", "search_text"]
    made = [call(name=name, identity=str(n)) for n, name in enumerate(names)]
    assert [[c.name for c in batch] for batch in calls.batches(made, TOOLS)] == [
        ["read_file", "outline"],
        ["edit_file"],
        ["read_file"],
        ["checkpoint"],
        ["list_files", "search_text"],
    ]


def test_a_call_repeated_with_the_same_result_is_counted() -> None:
    assert calls.repetition([acted("x")] * 3) == 3
    assert calls.repetition([acted("x"), acted("y"), acted("y")]) == 2


def test_two_calls_that_alternate_are_counted_in_pairs() -> None:
    assert calls.repetition([acted("x", "a"), acted("y", "b")] * 4) == 4


def test_equal_calls_with_new_results_are_no_repetition() -> None:
    assert calls.repetition([acted(str(n)) for n in range(9)]) == 1


def test_replies_between_the_calls_do_not_hide_a_circle() -> None:
    events = [event for _ in range(4) for event in (Replied(reply=Reply()), acted("same"))]
    assert calls.repetition(events) == 4


def test_the_key_of_a_call_is_stable_json() -> None:
    first, second = acted("x"), acted("x")
    assert calls._key(first) == calls._key(second)
    assert json.loads(calls._key(first))[0] == "read_file"
