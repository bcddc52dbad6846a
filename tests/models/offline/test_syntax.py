"""Syntax errors are mended by small edits, and only to text that compiles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.offline.source import LONGEST_TEXT
from bot.models.offline.syntax import conflicted, fault, mend

BROKEN = [
    ("def f(x)\n    return x\n", "def f(x):\n    return x\n"),
    ("for i in range(3)  # go\n    print(i)\n", "for i in range(3):  # go\n    print(i)\n"),
    ("if x:\n    y = 1\nelse\n    y = 2\n", "if x:\n    y = 1\nelse:\n    y = 2\n"),
    ("def f(x):\n    if x = 3:\n        return 1\n", "def f(x):\n    if x == 3:\n        return 1\n"),
    ("def f(x):\n    return len(str(x)\n\ny = 1\n", "def f(x):\n    return len(str(x))\n\ny = 1\n"),
    ("x = foo(\n    a,\n    b\ny = 2\n", "x = foo(\n    a,\n    b)\ny = 2\n"),
    ("def f(x:\n    return x\n", "def f(x):\n    return x\n"),
    ("d = {}\nd['a' = 5\n", "d = {}\nd['a'] = 5\n"),
    ("x = {'a': [1, 2}\n", "x = {'a': [1, 2]}\n"),
    ("x = foo(a))\n", "x = foo(a)\n"),
    ("x = [1 2, 3]\n", "x = [1, 2, 3]\n"),
    ("x = [\n    1,\n    2\n    3,\n]\n", "x = [\n    1,\n    2,\n    3,\n]\n"),
    ("x = {'a': 1 'b': 2}\n", "x = {'a': 1, 'b': 2}\n"),
    ("x = {'a' 1, 'b': 2}\n", "x = {'a': 1, 'b': 2}\n"),
    ("print('hello)\n", "print('hello')\n"),
    ("d = {'a': 'b}\nx = 1\n", "d = {'a': 'b'}\nx = 1\n"),
    ('def f():\n    """Doc.\n    return 1\n', 'def f():\n    """Doc."""\n    return 1\n'),
    ('def f():\n    """Doc.""\n    return 1\n', 'def f():\n    """Doc."""\n    return 1\n'),
    ("def f():\n    x = 1\n      return x\n", "def f():\n    x = 1\n    return x\n"),
    ("def f(x):\nreturn x\n", "def f(x):\n    return x\n"),
    ("def f(x):\n    if x:\n\ty = 1\n    return y\n", "def f(x):\n    if x:\n        y = 1\n    return y\n"),
    ("dfe f(x):\n    return x\n", "def f(x):\n    return x\n"),
    ("def f(x):\n    retrun x\n", "def f(x):\n    return x\n"),
    ("form x import y\n", "from x import y\n"),
    ("if a && b:\n    pass\n", "if a and b:\n    pass\n"),
    ("if x:\n    y = 1\nelse if z:\n    y = 2\n", "if x:\n    y = 1\nelif z:\n    y = 2\n"),
    ("f = lambda x x + 1\n", "f = lambda x: x + 1\n"),
    (
        "print 'a', 3\ntry:\n    g()\nexcept E, e:\n    print e\n",
        "print('a', 3)\ntry:\n    g()\nexcept E as e:\n    print(e)\n",
    ),
    ("def f():\n    print 'a'\n    return [1, 2 3]\n", "def f():\n    print('a')\n    return [1, 2, 3]\n"),
    ("def f(x)\n    return x\n\n\ndef g(y)\n    return y\n", "def f(x):\n    return x\n\n\ndef g(y):\n    return y\n"),
]  # fmt: skip


@pytest.mark.parametrize(("broken", "whole"), BROKEN)
def test_a_simple_slip_is_mended_first_of_all(broken: str, whole: str) -> None:
    assert mend(broken)[0].text == whole


@pytest.mark.parametrize("text", [broken for broken, _ in BROKEN])
def test_every_mend_compiles(text: str) -> None:
    assert all(fault(one.text) is None for one in mend(text))


def test_text_that_compiles_is_left_alone() -> None:
    assert mend("x = 1\n") == ()


def test_merge_conflicts_are_left_to_a_person() -> None:
    text = "<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> other\n"
    assert conflicted(text)
    assert mend(text) == ()


def test_a_huge_text_is_not_searched() -> None:
    assert mend("x = (\n" * (LONGEST_TEXT // 6 + 1)) == ()


def test_several_ways_are_offered_where_the_right_one_is_not_plain() -> None:
    found = mend("def f():\n    if x:\n        y = 1\n      z = 2\n    return z\n")
    assert {one.text.split("\n")[3] for one in found} == {"        z = 2", "    z = 2"}


@given(
    st.text(alphabet="abc :=()[]{}'\",.#\n\t0+-\\def return if", max_size=60), st.integers(-3, 99), st.text(max_size=30)
)
def test_no_text_makes_the_search_fail(text: str, line: int, message: str) -> None:
    assert all(fault(one.text) is None for one in mend(text, line, message))


@given(st.text(max_size=80))
def test_the_same_text_always_gets_the_same_mends(text: str) -> None:
    first = mend(text)
    mend.cache_clear()
    assert mend(text) == first


def test_python_2_is_translated_in_code_and_never_in_text() -> None:
    quoted = 'X = "\\001 10L <>"\nDOC = """\nprint x\n 0777 and 10L\n"""\n'
    text = quoted + 'print "a", 0777, 10L, ur"x"  # 0777\nif 1 <> 2:\n    pass\n'
    new = mend(text)[0].text
    assert new.split("\n")[:5] == text.split("\n")[:5]
    assert new.split("\n")[5:7] == ['print("a", 0o777, 10, r"x")  # 0777', "if 1 != 2:"]
