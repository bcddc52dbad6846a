import json

import pytest

from bot.core.message import ToolCall
from bot.models.service.arguments import DEEPEST, make_call, parse_arguments, spell_arguments


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "not JSON",
        '{"path": "a',
        '["a"]',
        "null",
        '"text"',
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1e999}',
        '{"a": [1e999]}',
        '{"a": 1, "a": 2}',
        '{"a": {"b": 1, "b": 1}}',
        '{"a": ' * (DEEPEST + 1) + "1" + "}" * (DEEPEST + 1),
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"a": ' + "9" * 10_000 + "}",
        '{"a": 1} {"b": 2}',
    ],
)
def test_what_cannot_be_relied_on_is_no_arguments(raw: str) -> None:
    assert parse_arguments(raw) is None


def test_arguments_are_an_object_of_valid_letters() -> None:
    assert parse_arguments(' {"a": "\\ud83d\\ude00", "\\ud800": ["\\udfff", 1.5, null]} ') == {
        "a": "😀",
        "\ufffd": ["\ufffd", 1.5, None],
    }


def test_a_call_keeps_what_it_came_with_where_that_cannot_be_read() -> None:
    assert make_call("a", "read", '{"path": "x"}') == ToolCall(id="a", name="read", arguments={"path": "x"})
    assert make_call("a", "read", '{"path": ') == ToolCall(id="a", name="read", raw='{"path": ')
    assert make_call("a", "finish", " ") == ToolCall(id="a", name="finish")


def test_what_could_not_be_read_is_sent_back_as_something_that_can() -> None:
    told = spell_arguments(ToolCall(id="a", name="read", raw='{"a": "' + "x" * 5000))
    assert json.loads(json.dumps(told)) == {"unparsed": '{"a": "' + "x" * 1993}
    assert spell_arguments(ToolCall(id="a", name="read", arguments={"a": 1})) == {"a": 1}


@pytest.mark.parametrize(
    "raw", ['{}{"a": 1}', '{"a": 1}{"a":1}', '{"a": 1}\n{"a": 1} ', json.dumps('{"a": 1}'), ' "{\\"a\\": 1}" ']
)
def test_arguments_that_came_twice_or_in_a_text_are_read(raw: str) -> None:
    assert make_call("a", "read", raw) == ToolCall(id="a", name="read", arguments={"a": 1})


@pytest.mark.parametrize("raw", ['{"a": 1}{"a": 2}', '{"a": 1}{"a', '{"a": 1}{}', '"{"', "[1]{}", "{}{}{}", '"[1]"'])
def test_arguments_that_can_be_read_in_two_ways_are_none(raw: str) -> None:
    assert make_call("a", "read", raw).raw == raw


def test_null_for_arguments_is_none_of_them() -> None:
    assert make_call("a", "finish", "null") == ToolCall(id="a", name="finish")
