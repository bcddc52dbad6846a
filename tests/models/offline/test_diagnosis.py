"""What is said of failures that no rule mends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.offline.briefing import Finding
from bot.models.offline.diagnosis import diagnose, explain
from bot.models.offline.drift import read_demands
from bot.models.offline.hygiene import Untidy, read_output
from bot.models.offline.manifests import is_manifest
from bot.models.offline.packaging import tell_data


def failed(message: str, path: str = "tests/test_a.py") -> Finding:
    """A failing test."""
    return Finding("pytest", "tests/test_a.py::test_a", path, 3, message)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("AssertionError: assert '1970-01-01T00:00:00' == '1970-01-01T05:30:00' > assert x", "differ by 5.5 h"),
        ("AssertionError: assert '12:00' == '14:00' > assert x", "differ by 2 h"),
        (r"AssertionError: assert x | left 'a\\b', right 'a/b' > assert f()", "only `/` and `\\` differ"),
        (r"AssertionError: assert 'a\r\nb' == 'a\nb' > assert f()", "only the ends of lines differ"),
        ("AssertionError: assert ['b', 'a'] == ['a', 'b'] > assert f()", "in another order"),
        ("AssertionError: assert '1.234,5' == '1,234.5' > assert f()", "language settings"),
        ("locale.Error: unsupported locale setting", "language settings"),
        ("zoneinfo.ZoneInfoNotFoundError: 'No time zone found with key x'", "time zones"),
        ("NotImplementedError > raise NotImplementedError", "not written yet"),
        ("AssertionError: assert [+ received] == [- snapshot]", "never updated here"),
        ("AssertionError: x > assert f() == snapshot('y')", "never updated here"),
        ("FileNotFoundError: tests/golden/out.txt differs", "never updated here"),
    ],
)
def test_a_cause_is_recognised(message: str, said: str) -> None:
    assert said in explain(failed(message))


@pytest.mark.parametrize(
    "message",
    [
        "AssertionError: assert 1 == 2 > assert f() == 2",
        "AssertionError: assert '2020-01-01T00:00:00' == '2020-01-02T00:00:00' > assert x",
        "AssertionError: assert ['a'] == ['b'] > assert x",
        "AssertionError: assert '12' == '13' > assert x",
        "AssertionError: assert 'a/b' == 'a/c' > assert x",
    ],
)
def test_no_cause_is_made_up(message: str) -> None:
    assert explain(failed(message)) == ""


@given(st.text(max_size=120), st.text(max_size=60), st.text(max_size=60))
def test_hostile_messages_do_no_harm(message: str, left: str, right: str) -> None:
    found = [failed(message), failed(f"assert {left!r} == {right!r} > x"), failed(f"| left {left}, right {right} > y")]
    diagnose(found, message)
    tell_data(["a/b.py"], found)
    read_output(message)
    list(read_demands("ci", message))
    is_manifest(message)


def test_a_test_that_answers_differently_each_time_is_told_and_nothing_else() -> None:
    (told,) = diagnose([], "VERDICT ok\nFLAKY tests/test_a.py::test_b: passed 2 of 3 runs\n")
    assert told.path == "tests/test_a.py"
    assert told.text.startswith("test_b answers differently when it is run again (passed 2 of 3 runs)")


def test_a_rule_without_a_fix_is_explained_once() -> None:
    found = [Finding("ruff", f"a.py::D103::x#{n}", "a.py", n, "D103 Missing docstring") for n in (1, 2, 3)]
    (told,) = diagnose(found)
    assert told.text.startswith("D103 (and 2 more): what a docstring should say")


OUTPUT = """trim trailing whitespace.................................................Failed
- hook id: trailing-whitespace
- exit code: 1
- files were modified by this hook

Fixing docs/a b.md

fix end of files.........................................................Failed
Fixing c.txt
mypy.....................................................................Failed
- hook id: mypy
Fixing not/ours.py
README.md:3: trailing whitespace.
+text
x.py:9: new blank line at EOF.
y.py:2: leftover conflict marker
z.txt: fixed mixed line endings
a.json: Failed to json decode (Expecting value: line 1)
"""


def test_the_output_of_hooks_is_read() -> None:
    assert read_output(OUTPUT) == (
        Untidy("blanks", "docs/a b.md"),
        Untidy("end", "c.txt"),
        Untidy("blanks", "README.md"),
        Untidy("end", "x.py"),
        Untidy("conflict", "y.py"),
        Untidy("endings", "z.txt"),
        Untidy("format", "a.json"),
    )


def test_data_that_is_not_installed_is_named() -> None:
    lost = failed("FileNotFoundError: [Errno 2] No such file or directory: '/v/site-packages/shop/pages/a.html'")
    (told,) = tell_data(["src/shop/pages/a.html", "src/shop/x.py"], [lost])
    assert told.path == "src/shop/pages/a.html"
    assert 'shop = ["pages/*.html"]' in told.text
    assert tell_data(["src/shop/x.py"], [lost]) == []
