"""Annotations that have one right answer are mended as the file writes its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.offline.annotations import drop_ignores, mend_optional, mend_returns


@pytest.mark.parametrize(
    ("before", "name", "union", "after"),
    [
        ("def f(x: int = None): ...\n", "x", True, "def f(x: int | None = None): ...\n"),
        (
            "def f(x: int = None): ...\n",
            "x",
            False,
            "from typing import Optional\n\n\ndef f(x: Optional[int] = None): ...\n",
        ),
        ('def f(x: "T" = None): ...\n', "x", True, 'def f(x: "T | None" = None): ...\n'),
        ("def f(*, x: int = None, y: int = 1): ...\n", "x", True, "def f(*, x: int | None = None, y: int = 1): ...\n"),
        ("x: int = None\n", "", True, "x: int | None = None\n"),
        (
            "from __future__ import annotations\ndef f(x: int = None): ...\n",
            "x",
            False,
            "from __future__ import annotations\ndef f(x: int | None = None): ...\n",
        ),
    ],
)
def test_none_is_allowed_where_it_is_the_default(before: str, name: str, union: bool, after: str) -> None:  # noqa: FBT001
    line = before.split("\n").index(next(row for row in before.split("\n") if "= None" in row)) + 1
    found = mend_optional(before, [(line, name)], union=union)
    assert found is not None
    assert found.text == after


def test_only_the_reported_parameter_changes() -> None:
    found = mend_optional("def f(x: int = None, y: int = None): ...\n", [(1, "y")], union=True)
    assert found is not None
    assert found.text == "def f(x: int = None, y: int | None = None): ...\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(x):\n    print(x)\n", "def f(x) -> None:\n    print(x)\n"),
        ("def f():  # why\n    return\n", "def f() -> None:  # why\n    return\n"),
        ("def f(\n    x,\n):\n    print(x)\n", "def f(\n    x,\n) -> None:\n    print(x)\n"),
        ("async def f(): pass\n", "async def f() -> None: pass\n"),
    ],
)
def test_a_function_that_gives_nothing_says_so(before: str, after: str) -> None:
    found = mend_returns(before, [1])
    assert found is not None
    assert found.text == after


@pytest.mark.parametrize("text", ["def f():\n    return g()\n", "def f():\n    yield\n", "def f() -> int: ...\n"])
def test_a_function_of_which_it_is_not_plain_what_it_gives_is_left_alone(text: str) -> None:
    assert mend_returns(text, [1]) is None


def test_an_ignore_that_hides_nothing_goes_and_other_comments_stay() -> None:
    text = "a = 1  # type: ignore\nb = 2  # type: ignore[x, y]  # why\nc = 3  # type: ignore[z]\n"
    found = drop_ignores(text, [(1, ""), (2, "x")])
    assert found is not None
    assert found.text == "a = 1\nb = 2  # type: ignore[y]  # why\nc = 3  # type: ignore[z]\n"


@given(st.text(max_size=60), st.integers(-2, 5), st.text(max_size=5))
def test_no_text_makes_a_rule_fail(text: str, line: int, name: str) -> None:
    mend_optional(text, [(line, name)], union=True)
    mend_returns(text, [line])
    drop_ignores(text, [(line, name)])
