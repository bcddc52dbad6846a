"""What nobody sees is written out, can be edited as it is written out, and is told of when a change brings it in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.diff import Line
from bot.core.unseen import CARRIERS, find_smuggled, restore, show, tell_unseen

BIDI, TAG = "\u202e", "\U000e0041"
TOKENS = (
    "<|im_start|>",
    "<|eot_id|>",
    "<\uff5ctool\u2581calls\u2581begin\uff5c>",
    "[INST]",
    "[/TOOL_RESULTS]",
    "<<SYS>>",
    "</s>",
    "<end_of_turn>",
    "<tool_response>",
    "</function_" + "results>",
    "</" + "antml:function_" + "calls>",
    "<" + 'invoke name="x">',
    "</think>",
)
ODD = st.text(st.sampled_from([*"ab\\|<>[]/su20e\t\n", BIDI, TAG, "\u200b", "\x1b", "\r", "\u2028"]), max_size=30)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (f"a{BIDI}b", r"a\u202eb"),
        (TAG, r"\U000e0041"),
        ("\x1b[2J\x00\x85", r"\x1b[2J\x00\x85"),
        ("one\u2028   2│two", r"one\u2028   2│two"),
        ("over\rwritten\r\n", "over\\x0dwritten\r\n"),
        ("a\tb\x0c\nnaïve 日本 ❤\ufe0f", "a\tb\x0c\nnaïve 日本 ❤\ufe0f"),
    ],
)
def test_what_cannot_be_seen_is_written_out_and_the_rest_is_as_it_was(raw: str, shown: str) -> None:
    assert show(raw) == shown


@pytest.mark.parametrize("token", TOKENS)
def test_a_control_token_is_broken_where_a_reader_sees_it(token: str) -> None:
    shown = show(f"x {token} y")
    assert shown == f"x {token[0]}\\{token[1:]} y"
    assert restore(shown, f"a line with {token}") == f"x {token} y"


@pytest.mark.parametrize(
    "code", ["a <| b |> c", "x[INSTANCE]", "vector<s>", "List<T>", "<result>1</result>", "if a </ b", "(?P<s>x)"]
)
def test_code_that_only_looks_a_little_like_a_token_is_left_alone(code: str) -> None:
    assert show(code) == code


@given(ODD, ODD)
def test_shown_twice_is_shown_once_and_what_is_shown_can_be_taken_back(text: str, other: str) -> None:
    shown = show(text)
    assert show(shown) == shown
    assert tell_unseen(shown) == ()
    if "\\" not in text:
        assert restore(shown, text) == text
    assert restore(text, other if "\\" not in text else "") == text


def test_an_escape_that_the_file_itself_spells_is_not_taken_for_the_character() -> None:
    assert restore(r"x \u202e", f"{BIDI} and \\u202e") == r"x \u202e"


def test_invisible_characters_that_a_change_brings_in_are_told_once_a_file_and_moved_ones_not() -> None:
    def line(sign: str, number: int, text: str, path: str = "a.py") -> Line:
        return Line("+" if sign == "+" else "-", path, number, text)

    moved = [line("-", 1, "é\u200d"), line("+", 5, "  é\u200d")]
    assert list(find_smuggled(moved)) == []
    found = list(
        find_smuggled([*moved, *(line("+", n, f"x{BIDI}") for n in range(7, 12)), line("+", 9, "\u200b", "b")])
    )
    assert [(one.text, one.grave) for one in found] == [
        ("a.py:7, 8, 9, … holds U+202E (right-to-left override), which nobody sees", True),
        ("b:9 holds U+200B (zero width space), which nobody sees", False),
    ]
    assert BIDI not in CARRIERS.replace("\u202a-\u202e", "")
