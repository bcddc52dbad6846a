"""Long comparisons in few words, with messages as pytest and unittest write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.verify.contrast import Pair, contrast, part

STRINGS = """AssertionError: assert 'xxxxxxxxxxxx...yyyyyyyyyyyyy' == 'xxxxxxxxxxxx...yyyyyyyyyyyyy'

  Skipping 1990 identical leading characters in diff, use -v to show
  Skipping 1991 identical trailing characters in diff, use -v to show
  - xxxxxxxxxxByyyyyyyyy
  ?           ^
  + xxxxxxxxxxAyyyyyyyyy
  ?           ^
> assert a == b"""
LISTS = """AssertionError: assert [0, 1, 2, 3, 4, 5, ...] == [0, 1, 2, 3, 4, 5, ...]

  At index 300 diff: 300 != 7

  Full diff: (-: missing in left side, +: extra in left side)
    [
        0,
  -     1,
> assert one() == two()"""
DICTS = """AssertionError: assert {'k0': 0, 'k1... 'k3': 3, ...} == {'k0': 0, 'k1... 'k3': 3, ...}

  Omitting 99 identical items, use -vv to show
  Differing items:
  {'k50': 50} != {'k50': 'no'}

  Full diff: (-: missing in left side, +: extra in left side)
    {
        'k0': 0,
> assert one() == two()"""
UNITTEST = """AssertionError: Lists differ: [0, 1[322 chars]81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 98, 99] \
!= \
[0, 1[322 chars]81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 98, 5]

First differing element 99:
99
5

Diff is 696 characters long. Set self.maxDiff to None to see it.
> self.assertEqual(one, two)"""


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            STRINGS,
            (
                "AssertionError: assert 'xxxxxxxxxxxx...yyyyyyyyyyyyy' == 'xxxxxxxxxxxx...yyyyyyyyyyyyy'"
                " | left 'xxxxxxxxxxAyyyyyyyyy', right 'xxxxxxxxxxByyyyyyyyy' > assert a == b"
            ),
        ),
        (
            LISTS,
            (
                "AssertionError: assert [0, 1, 2, 3, 4, 5, ...] == [0, 1, 2, 3, 4, 5, ...]"
                " | At index 300 diff: 300 != 7 > assert one() == two()"
            ),
        ),
        (
            DICTS,
            (
                "AssertionError: assert {'k0': 0, 'k1... 'k3': 3, ...} == {'k0': 0, 'k1... 'k3': 3, ...}"
                " | Differing items: {'k50': 50} != {'k50': 'no'} > assert one() == two()"
            ),
        ),
        (
            UNITTEST,
            (
                "AssertionError: Lists differ: …91, 92, 98, 99] != …91, 92, 98, 5] | First differing element 99: 99 5"
                " > self.assertEqual(one, two)"
            ),
        ),
        ("KeyError: 'x'\n> d['x']", "KeyError: 'x' > d['x']"),
        ("ValueError: a == b\nbecause of c\n> f()", "ValueError: a == b because of c > f()"),
        (
            "AssertionError: custom\nassert 3 == 4\n +  where 3 = f(3)\n> assert f(3) == 4, 'custom'",
            "AssertionError: custom assert 3 == 4 + where 3 = f(3) > assert f(3) == 4, 'custom'",
        ),
        ("", ""),
    ],
    ids=["strings", "lists", "dicts", "unittest", "exception", "exception with lines", "own words", "nothing"],
)
def test_the_comparison_comes_first_and_the_difference_is_seen(message: str, told: str) -> None:
    assert contrast(message, 360) == told


def test_the_line_of_source_survives_a_long_message() -> None:
    told = contrast(f"OSError: {'z' * 900}\n> open(path)", 120)
    assert told.endswith("… > open(path)")
    assert len(told) <= 120


@given(st.text(max_size=2000), st.integers(30, 400))
def test_any_message_fits_on_one_line(message: str, room: int) -> None:
    told = contrast(message, room)
    assert len(told) <= room
    assert len(told.splitlines()) <= 1


@given(st.text("ab", max_size=300), st.text("ab", max_size=300))
def test_values_that_differ_are_shown_differing(left: str, right: str) -> None:
    shown = part(Pair(left, right))
    assert (shown.left == shown.right) == (left == right)
