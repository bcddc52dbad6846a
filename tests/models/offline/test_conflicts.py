"""Conflict markers: found only where they are whole, explained only as far as history goes."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.offline.conflicts import advise, find

BOTH = "a\n<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> topic\nz\n"
WITH_BASE = "a\n<<<<<<< HEAD\none\n||||||| 1234\n{base}=======\ntwo\n>>>>>>> topic\n"


def test_a_conflict_is_found_with_its_sides() -> None:
    (one,) = find(BOTH)
    assert (one.line, one.end, one.ours, one.theirs, one.labels) == (2, 6, ("one",), ("two",), ("`HEAD`", "`topic`"))


@pytest.mark.parametrize(
    "text",
    [
        "Title\n=======\n\ntext\n",
        "<<<<<<< HEAD\none\n",
        "one\n>>>>>>> topic\n",
        " <<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> topic\n",
        ">>> x <<<<<<< y\n",
        "<<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> topic\n",
    ],
)
def test_what_only_looks_like_one_is_none(text: str) -> None:
    assert find(text) == ()


@pytest.mark.parametrize(
    ("text", "base", "said"),
    [
        (BOTH, "", "a person has to decide"),
        (BOTH, "a\none\nz\n", "`HEAD` has what both sides started from, so `topic` is the change"),
        (BOTH, "a\ntwo\nz\n", "`topic` has what both sides started from, so `HEAD` is the change"),
        (BOTH, "a\nthree\nz\n", "a person has to decide"),
        (BOTH.replace("two", "one"), "", "both sides are the same"),
        (WITH_BASE.format(base="one\n"), "", "so `topic` is the change"),
        (WITH_BASE.format(base="two\n"), "", "so `HEAD` is the change"),
        (WITH_BASE.format(base="three\n"), "", "a person has to decide"),
    ],
)
def test_no_more_is_said_than_is_known(text: str, base: str, said: str) -> None:
    (told,) = advise("a.py", text, base)
    assert (told.path, told.line) == ("a.py", 2)
    assert said in told.text


@given(st.lists(st.sampled_from(["<<<<<<< a", "=======", ">>>>>>> b", "|||||||", "x"]), max_size=14))
def test_conflicts_never_overlap(lines: list[str]) -> None:
    found = find("\n".join(lines))
    assert all(one.line < one.end <= len(lines) for one in found)
    assert all(one.end < other.line for one, other in pairwise(found))
    advise("a.py", "\n".join(lines))
