"""Calls: what is refused before it runs, what runs side by side."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent import calls
from bot.core.message import Reply, ToolCall
from bot.tools.catalog import ALL

TOOLS = {tool.name: tool for tool in ALL}


def call(name: str = "read_file", identity: str = "1", raw: str = "", **arguments: str) -> ToolCall:
    return ToolCall(id=identity, name=name, arguments=dict(arguments), raw=raw)


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


@pytest.mark.parametrize(("name", "kind"), [("edit_file", "duplicate"), ("finish", "duplicate"), ("read_file", None)])
def test_a_call_that_stands_twice_in_a_reply_is_executed_once_unless_it_only_reads(name: str, kind: str | None) -> None:
    one, two, other = (call(name, identity, path=path) for identity, path in [("1", "a"), ("2", "a"), ("3", "b")])
    told = [calls.refuse(each, Reply(calls=(one, two, other)), TOOLS) for each in (one, two, other)]
    assert [result and result.error for result in told] == [None, kind, None]


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
