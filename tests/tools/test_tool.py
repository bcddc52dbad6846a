"""Tool: what is told of it, what it takes, what becomes of its answer."""

import errno
import json
import string
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from bot.core.message import ToolCall
from bot.errors import BadArguments
from bot.tools.catalog import ALL
from bot.tools.control import Ask, Checkpoint, Finish, Plan
from bot.tools.tool import Access, Arguments, Bench, Done, Tool
from tests.tools.conftest import TOOLS, Desk

NAMES = {
    "list_files": ("path", "depth"),
    "read_file": ("path", "start", "end"),
    "search_text": ("pattern", "glob", "regex", "limit"),
    "outline": ("path",),
    "find_symbol": ("name",),
    "edit_file": ("path", "old", "new", "count"),
    "replace_lines": ("path", "start", "end", "text"),
    "create_file": ("path", "content"),
    "delete_file": ("path",),
    "move_file": ("source", "destination"),
    "apply_patch": ("patch",),
    "show_changes": (),
    "history": ("path", "limit"),
    "run_check": ("name", "targets"),
    "run_command": ("argv",),
    "locate_fault": ("tests",),
    "try_patches": ("patches", "tests"),
    "search_patch": ("tests", "seconds"),
    "project_config": (),
    "read_output": ("ref", "start", "end"),
    "update_plan": ("steps", "requirements", "boundaries", "modules", "changes", "tests", "verification"),
    "checkpoint": ("subject", "body"),
    "ask": ("question",),
    "finish": ("summary",),
}


def call(name: str, /, **arguments: JsonValue) -> ToolCall:
    return ToolCall(id="c", name=name, arguments=arguments)


def test_tools_have_the_names_that_do_not_change() -> None:
    assert {tool.name: tuple(tool.args.model_fields) for tool in ALL} == NAMES


def test_all_tools_together_cost_a_model_about_a_thousand_tokens() -> None:
    specs = [tool.spec.model_dump() for tool in ALL]
    assert len(json.dumps(specs, separators=(",", ":"))) <= 4900


def test_specs_hold_types_and_required_names_and_no_noise() -> None:
    spec = TOOLS["edit_file"].spec
    assert spec.parameters == {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "old": {"type": "string"},
            "new": {"type": "string"},
            "count": {"type": "integer"},
        },
        "required": ["path", "old", "new"],
    }
    assert spec.description


@pytest.mark.parametrize("name", list(NAMES))
def test_every_tool_says_what_it_does(name: str) -> None:
    spec = TOOLS[name].spec
    assert 5 < len(spec.description) < 80
    assert set(NAMES[name]) == set(spec.parameters["properties"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("read_file", {}, "path is missing"),
        ("read_file", {"pth": "x"}, "there is no argument 'pth'; did you mean 'path'?"),
        ("show_changes", {"x": 1}, "it takes none"),
        ("read_file", {"path": "a", "start": "three"}, "start: Input should be a valid integer"),
        ("read_file", {"path": ["a"]}, "path: Input should be a valid string"),
        ("edit_file", {"path": "a", "old": "", "new": ""}, "old: String should have at least 1 character"),
        ("edit_file", {"path": "a", "old": "x", "new": "y", "count": 0}, "count: Input should be greater"),
        ("run_check", {"name": "x", "targets": [1]}, "targets.0: Input should be a valid string"),
        ("run_command", {"argv": "ruff 'open"}, "argv: No closing quotation"),
        ("run_command", {"argv": []}, "argv"),
        ("read_file", {"path": "\ud800"}, "path"),
    ],
)
def test_bad_arguments_are_named_in_one_line(name: str, arguments: dict[str, JsonValue], told: str) -> None:
    with pytest.raises(BadArguments) as caught:
        TOOLS[name].parse(ToolCall(id="c", name=name, arguments=arguments))
    assert told in caught.value.message
    assert "\n" not in caught.value.message
    assert len(caught.value.message) < 400


def test_arguments_that_were_never_parsed_are_refused() -> None:
    with pytest.raises(BadArguments, match="not a JSON object"):
        TOOLS["finish"].parse(ToolCall(id="c", name="finish", raw='{"summary": "do'))


def test_null_stands_for_a_left_out_argument_and_a_string_for_a_list() -> None:
    assert TOOLS["read_file"].parse(call("read_file", path="a", start=None, end=None)).start == 1
    assert TOOLS["locate_fault"].parse(call("locate_fault", tests="t.py::test_a")).tests == ("t.py::test_a",)
    assert TOOLS["locate_fault"].parse(call("locate_fault", tests='["a", "b"]')).tests == ("a", "b")
    assert TOOLS["run_command"].parse(call("run_command", argv="ruff check 'a b'")).argv == ("ruff", "check", "a b")


def test_control_calls_are_parsed_for_the_loop_and_never_run_here(desk: Desk) -> None:
    wishes = [
        TOOLS["update_plan"].parse(call("update_plan", steps=["a", "b"])),
        TOOLS["checkpoint"].parse(call("checkpoint", subject="fix")),
        TOOLS["ask"].parse(call("ask", question="why?")),
        TOOLS["finish"].parse(call("finish")),
    ]
    expected = [Plan(steps=("a", "b")), Checkpoint(subject="fix"), Ask(question="why?"), Finish()]
    assert wishes == expected
    assert {tool.name for tool in ALL if tool.access is Access.CONTROL} == {
        "update_plan",
        "checkpoint",
        "ask",
        "finish",
    }
    assert "the loop carries it out" in desk.fails("finish", "failed")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
argument_names = st.sampled_from(sorted({name for names in NAMES.values() for name in names})) | st.text(
    string.ascii_lowercase, max_size=8
)


@settings(deadline=None)
@given(st.sampled_from(ALL), st.dictionaries(argument_names, json_values, max_size=5))
def test_parsing_raises_nothing_but_bad_arguments(tool: Tool[Arguments], arguments: dict[str, JsonValue]) -> None:
    with suppress(BadArguments):
        assert isinstance(tool.parse(ToolCall(id="c", name=tool.name, arguments=arguments)), tool.args)


class Nothing(Arguments):
    """Do nothing."""


@pytest.mark.parametrize(
    ("number", "kind"),
    [(errno.ENOENT, "not_found"), (errno.EACCES, "denied"), (errno.ENOSPC, "failed"), (errno.ENAMETOOLONG, "failed")],
)
def test_errors_of_the_file_system_are_told_to_the_model(desk: Desk, number: int, kind: str) -> None:
    def fail(_args: Nothing, _bench: Bench) -> Done:
        raise OSError(number, "it did not work")

    result = Tool("nothing", Nothing, Access.READ, fail).call(call("nothing"), desk.bench)
    assert (result.ok, result.error, result.output) == (False, kind, "nothing: it did not work")


def test_a_result_says_how_long_it_took_and_is_valid_text(desk: Desk) -> None:
    def answer(_args: Nothing, _bench: Bench) -> Done:
        return Done("caf\udce9", isolation="process")

    result = Tool("nothing", Nothing, Access.READ, answer).call(call("nothing"), desk.bench)
    assert result.output == "caf\\udce9"
    assert result.metadata.isolation == "process"
    assert result.metadata.seconds >= 0
    result.model_dump_json().encode()
