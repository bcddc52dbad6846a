import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.message import Message, Prompt, Reply, ToolCall, Usage
from bot.errors import ConfigError
from bot.models.scripted import ScriptedModel, read_script
from bot.models.service.arguments import clean

PROMPT = Prompt(system="s", messages=(Message(role="user", text="hello"),))


def write(path: Path, *lines: object) -> Path:
    script = path / "script.jsonl"
    script.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return script


def replies(path: Path, count: int) -> list[Reply]:
    model = read_script(path)
    return [model.reply(PROMPT) for _ in range(count)]


def test_replies_come_in_order_and_then_nothing() -> None:
    model = ScriptedModel([Reply(text="one"), lambda prompt: Reply(text=prompt.messages[0].text), Reply(text="three")])
    assert [model.reply(PROMPT).text for _ in range(5)] == ["one", "hello", "three", "", ""]
    assert model.prompts == [PROMPT] * 5


def test_file_is_read_with_all_its_keys(tmp_path: Path) -> None:
    script = write(
        tmp_path,
        {
            "text": "look",
            "calls": [{"name": "read_file", "arguments": {"path": "a"}}, {"name": "list_files"}],
            "finish": "tool_calls",
            "usage": {"input": 7, "output": 2},
        },
        "",
        {"calls": [{"name": "finish", "arguments": {"summary": "ok"}}]},
        {"text": "cut", "finish": "length"},
        {},
    )
    assert replies(script, 5) == [
        Reply(
            text="look",
            calls=(ToolCall(id="c1", name="read_file", arguments={"path": "a"}), ToolCall(id="c2", name="list_files")),
            finish="tool_calls",
            usage=Usage(input=7, output=2),
        ),
        Reply(calls=(ToolCall(id="c3", name="finish", arguments={"summary": "ok"}),), finish="tool_calls"),
        Reply(text="cut", finish="length"),
        Reply(),
        Reply(),
    ]
    assert read_script(script).name == f"scripted:{script}"


@pytest.mark.parametrize(
    "raw", ['{"path": "a', "not json", '["a"]', '"text"', "{'path': 1}", '{"n": NaN}', "[" * 100_000]
)
def test_arguments_that_are_no_object_are_kept_as_they_came(tmp_path: Path, raw: str) -> None:
    (reply,) = replies(write(tmp_path, {"calls": [{"name": "edit_file", "raw_arguments": raw}]}), 1)
    assert reply.calls == (ToolCall(id="c1", name="edit_file", raw=raw),)


def test_raw_arguments_that_can_be_parsed_are_arguments(tmp_path: Path) -> None:
    (reply,) = replies(write(tmp_path, {"calls": [{"name": "x", "raw_arguments": '{"path": "a\\ud800"}'}]}), 1)
    assert reply.calls == (ToolCall(id="c1", name="x", arguments={"path": "a\ufffd"}),)


def test_invalid_unicode_is_mended_on_the_way_in(tmp_path: Path) -> None:
    script = tmp_path / "s.jsonl"
    script.write_bytes(
        b"\xef\xbb\xbf"
        rb'{"text": "a\ud800b \ud83d\ude00", "calls": [{"name": "x", "arguments": {"k\udfff": ["\ud800"]}}]}'
        b'\r\n{"text": "caf\xe9\xe2\x80\xa8"}\n'
    )
    first, second = replies(script, 2)
    assert first.text == "a\ufffdb \U0001f600"
    assert first.calls[0].arguments == {"k\ufffd": ["\ufffd"]}
    assert second.text == "caf\ufffd\u2028"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "not JSON: "),
        ("[]", "not a JSON object"),
        ('"text"', "not a JSON object"),
        ('{"txt": 1}', "txt"),
        ('{"text": 1}', "text"),
        ('{"calls": [{}]}', "calls.0.name"),
        ('{"calls": [{"name": "x", "arguments": []}]}', "calls.0.arguments"),
        ('{"calls": {"name": "x"}}', "calls"),
        ('{"finish": "later"}', "finish"),
        ('{"usage": {"input": "many"}}', "usage.input"),
        ('{"usage": {"input": NaN}}', "NaN is not JSON"),
        ("[" * 100_000, "not JSON: "),
        ('{"text": ' + "9" * 5000 + "}", "not JSON: "),
    ],
)
def test_line_that_does_not_fit_is_named_with_its_problem(tmp_path: Path, line: str, problem: str) -> None:
    script = write(tmp_path, {"text": "fine"}, "", line)
    with pytest.raises(ConfigError) as caught:
        read_script(script)
    assert caught.value.message.startswith(f"{script}:3: ")
    assert problem in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("name", ["missing.jsonl", ".", "nul\0byte"])
def test_script_that_cannot_be_read_is_one_clear_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_script(tmp_path / name)


def test_empty_script_says_nothing(tmp_path: Path) -> None:
    assert replies(write(tmp_path), 2) == [Reply(), Reply()]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_cleaning_makes_any_json_encodable_and_is_stable(value: object) -> None:
    once = clean(json.loads(json.dumps(value)))
    json.dumps(once, ensure_ascii=False).encode()
    assert clean(once) == once
