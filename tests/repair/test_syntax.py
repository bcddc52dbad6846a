"""Files that do not compile are mended by small edits."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.repair.broken import find_fault
from bot.repair.syntax import mend

GOOD = '''"""A module."""
import os


class Shelf:
    """Holds things."""

    def __init__(self, things=(), limit=10):
        self.things = list(things)
        self.limit = limit

    def put(self, thing):
        if len(self.things) == self.limit:
            raise ValueError("full")
        elif thing in self.things:
            return None
        self.things.append(thing)
        return [t for t in self.things if t != thing]


def total(values, start=0):
    result = start
    for value in values:
        result += value
    return {"total": result, "count": len(values)}
'''
BREAKS = [
    ("colon of def", "def put(self, thing):", "def put(self, thing)"),
    ("colon of if", "== self.limit:", "== self.limit"),
    ("colon of for", "for value in values:", "for value in values"),
    ("colon of class", "class Shelf:", "class Shelf"),
    ("closing bracket", "self.things.append(thing)", "self.things.append(thing"),
    ("closing bracket before a colon", "if len(self.things) ==", "if len(self.things =="),
    ("closing square bracket", "if t != thing]", "if t != thing"),
    ("closing brace", "len(values)}", "len(values)"),
    ("superfluous bracket", "self.things.append(thing)", "self.things.append(thing))"),
    ("wrong bracket", "list(things)", "list(things]"),
    ("comma", '"total": result, "count"', '"total": result "count"'),
    ("comma of parameters", "values, start=0", "values start=0"),
    ("quote", 'ValueError("full")', 'ValueError("full)'),
    ("assignment in a condition", "== self.limit", "= self.limit"),
    ("indentation", "        self.limit = limit", "          self.limit = limit"),
    ("lost indentation", "        result += value", "    result += value"),
    ("print statement", "    result = start\n", "    result = start\n    print result\n"),
    ("else if", "elif thing", "else if thing"),
    ("keyword", "    return {", "    retrun {"),
    ("keyword of a definition", "def total", "dfe total"),
    ("foreign operator", "if len(self.things) == self.limit:", "if len(self.things) == self.limit && thing:"),
]


@pytest.mark.parametrize(("kind", "good", "bad"), BREAKS, ids=[b[0] for b in BREAKS])
def test_each_kind_of_break_is_mended(kind: str, good: str, bad: str) -> None:
    broken = GOOD.replace(good, bad, 1)
    assert find_fault(broken) is not None
    fixes = mend(broken, 40)
    assert fixes
    for fix in fixes:
        ast.parse(fix.apply(broken))
    if "print" not in kind and "foreign" not in kind:
        assert ast.dump(ast.parse(GOOD)) in {ast.dump(ast.parse(fix.apply(broken))) for fix in fixes}


def test_the_first_fix_of_a_missing_colon_is_the_colon() -> None:
    broken = GOOD.replace("class Shelf:", "class Shelf")
    assert mend(broken, 1)[0].apply(broken) == GOOD


def test_a_file_that_compiles_is_left_alone() -> None:
    assert mend(GOOD) == []


def test_windows_line_ends_are_kept() -> None:
    broken = GOOD.replace("class Shelf:", "class Shelf").replace("\n", "\r\n")
    assert mend(broken, 1)[0].apply(broken) == GOOD.replace("\n", "\r\n")


@given(st.text(alphabet="abif :=()[]{}'\"\n\t,#\\", max_size=60))
def test_any_text_is_mended_or_given_up(text: str) -> None:
    for fix in mend(text, 3):
        assert find_fault(fix.apply(text)) is None


@given(st.integers(0, len(GOOD) - 1))
def test_a_file_that_lost_one_character_is_mended_in_bounded_time(place: int) -> None:
    broken = GOOD[:place] + GOOD[place + 1 :]
    fixes = mend(broken, 5)
    assert all(find_fault(fix.apply(broken)) is None for fix in fixes)
    assert fixes or find_fault(broken) is None or place < 16 or GOOD[place] in "(ft"
