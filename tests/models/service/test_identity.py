import re

import pytest

from bot.core.message import Message, ToolCall
from bot.models.service.identity import fit_id, fit_name, name_calls, taken


def call(id: str, name: str = "read") -> ToolCall:  # noqa: A002
    return ToolCall(id=id, name=name)


@pytest.mark.parametrize("id", ["", "a b", "é", "x" * 65, "a.b:c", "\n", "\ud800"])
def test_an_id_that_is_unfit_is_replaced_by_the_same_each_time(id: str) -> None:  # noqa: A002
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", fit_id(id))
    assert fit_id(id) == fit_id(id)


def test_an_id_that_is_fit_stays() -> None:
    assert fit_id("call_Ab-1") == "call_Ab-1"
    only = call("call_1")
    assert next(name_calls([only], ())) is only


def test_no_two_calls_share_an_id_nor_has_one_that_was_used_before() -> None:
    before = [Message(role="assistant", calls=(call("a"), call("c1")))]
    calls = [call("a"), call("b"), call("b"), call(""), call("", "edit"), call("a b"), call("a b")]
    named = [made.id for made in name_calls(calls, taken(before))]
    assert len({*named, "a", "c1"}) == len(named) + 2
    assert named[1] == "b"
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", each) for each in named)
    assert named == [made.id for made in name_calls(calls, taken(before))]


def test_calls_without_ids_differ_from_turn_to_turn() -> None:
    first = next(name_calls([call("")], ()))
    second = next(name_calls([call("")], {first.id}))
    assert first.id != second.id


@pytest.mark.parametrize(
    ("name", "fit"), [("read_file", "read_file"), ("a.b c", "a_b_c"), ("", "unnamed"), ("x" * 99, "x" * 64)]
)
def test_the_name_of_a_tool_is_one_that_services_take(name: str, fit: str) -> None:
    assert fit_name(name) == fit
