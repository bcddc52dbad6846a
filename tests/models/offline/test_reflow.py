"""Comments that are too long: their words stay, code and directives are left alone."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.offline.reflow import limit_of, wrap

WORDS = "some words that tell a reader what the code below does and why it does so"


@pytest.mark.parametrize(
    ("head", "later"),
    [("# ", "# "), ("    # ", "    # "), ("#: ", "#: "), ("# - ", "#   "), ("# 1. ", "#    "), ("#   ", "#   ")],
)
def test_a_comment_keeps_its_indent_and_its_list(head: str, later: str) -> None:
    mend = wrap(f"if x:\n    pass\n{head}{WORDS}\ny = 1\n", {3: 50})
    assert mend is not None
    first, second = mend.text.split("\n")[2:4]
    assert first.startswith(head)
    assert second.startswith(later)
    assert mend.text.split("\n")[-2] == "y = 1"
    assert max(len(first), len(second)) <= 50


@pytest.mark.parametrize(
    "line",
    [
        f"x = 1  # {WORDS}",
        f'"""\n# {WORDS}\n"""',
        f"# noqa: {WORDS}",
        f"# type: {WORDS}",
        f"# pylint: disable={WORDS}",
        "# result = some_function(first_argument, second_argument, third_argument=[1, 2, 3])",
        "# https://example.org/a/very/long/address/that/cannot/be/broken/in/two/at/all",
        f"#!/usr/bin/env {WORDS}",
    ],
)
def test_what_is_more_than_prose_stays(line: str) -> None:
    lines = dict.fromkeys(range(1, line.count("\n") + 2), 50)
    assert wrap(f"{line}\n", lines) is None


@given(st.text(alphabet="ab c.,'\"()#=", min_size=1, max_size=160), st.integers(min_value=30, max_value=88))
def test_no_word_is_lost_and_nothing_but_comments_changes(body: str, limit: int) -> None:
    text = f"x = 1\n# {body}\ny = 2\n"
    mend = wrap(text, {2: limit})
    if mend is None:
        return
    rows = mend.text.split("\n")[1:-2]
    assert "".join(c for c in mend.text if c not in " #\n") == "".join(c for c in text if c not in " #\n")
    assert all(len(row) <= limit for row in rows)
    assert ast.dump(ast.parse(mend.text)) == ast.dump(ast.parse(text))


def test_the_limit_is_what_the_finding_says() -> None:
    assert limit_of("E501 Line too long (151 > 88)") == 88
    assert limit_of("E501 line too long (90 > 79 characters)") == 79
    assert limit_of("E501") == 0
