import json

import pytest

from bot.core.message import ToolCall
from bot.models.service.writing import dump, dump_arguments


def test_letters_stay_and_what_is_none_is_replaced() -> None:
    assert dump({"é": "\ud83d\ude00 \ud800"}) == '{"é":"😀 \ufffd"}'.encode()


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_arguments_that_no_json_can_hold_are_sent_as_something_that_can(value: float) -> None:
    call = ToolCall(id="a", name="read", arguments={"a": [value]})
    assert "unparsed" in json.loads(dump_arguments(call))
    with pytest.raises(ValueError, match="JSON"):
        dump([value])


def test_arguments_that_could_not_be_read_are_sent_as_text() -> None:
    assert dump_arguments(ToolCall(id="a", name="read", raw='{"a"')) == b'{"unparsed":"{\\"a\\""}'
    assert dump_arguments(ToolCall(id="a", name="read", arguments={"a": "é"})) == '{"a":"é"}'.encode()
