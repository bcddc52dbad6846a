"""A plan on its way through a person's hands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.plan import Design
from bot.core.sheet import read_sheet, write_sheet

AWKWARD = st.text(st.sampled_from("a1.-#<>!*)` \t\n\r\x1b\u202e\u2028"), min_size=1, max_size=20)
ITEMS = st.lists(AWKWARD | st.text(min_size=1, max_size=12), max_size=4).map(tuple)


def plain(items: tuple[str, ...]) -> list[list[str]]:
    """Leave out what no list keeps: items of nothing, and blanks at the ends of lines."""
    return [[line.rstrip() for line in item.strip().split("\n")] for item in items if item.strip()]


@given(ITEMS, ITEMS, ITEMS)
def test_whatever_an_item_holds_it_comes_back_as_one(
    steps: tuple[str, ...], rules: tuple[str, ...], tests: tuple[str, ...]
) -> None:
    back = read_sheet(write_sheet("r1", steps, Design(requirements=rules, tests=tests)))
    lists = (back.steps, back.design.requirements, back.design.tests)
    assert [plain(told) for told in lists] == [plain(given) for given in (steps, rules, tests)]
    assert not back.strange
    assert back.design.model_copy(update={"requirements": (), "tests": ()}) == Design()


@pytest.mark.parametrize(
    "text",
    [
        "read it\n\nmend it",
        "* read it\n* mend it\n",
        "1) read it\r\n2) mend it\r\n",
        "<!-- 1. not\n2. this -->\n# My plan:\n\n## STEPS\n- read it\n\n\n- mend it",
        "> - a quotation\n- read it\n  \n- mend it\n## Wishes\n- love",
        "## Changes\n## Step\nread it\n\nmend it\n",
    ],
)
def test_a_plan_is_understood_as_people_write_one(text: str) -> None:
    assert read_sheet(text).steps == ("read it", "mend it")


def test_points_stand_below_their_heading_and_strange_headings_are_named() -> None:
    below = "## Module\n- x.py\n## Wish\n- love\n## boundary\n- no\n## Boundaries\n- tests\n### TESTS:\nt\n"
    sheet = read_sheet(f"- a\n  more of a\nand more\n{below}")
    assert sheet.steps == ("a\nmore of a\nand more",)
    design = sheet.design
    assert (design.modules, design.boundaries, design.tests) == (("x.py",), ("no", "tests"), ("t",))
    assert sheet.strange == ("Wish",)


def test_a_sheet_without_a_step_has_none() -> None:
    assert read_sheet(write_sheet("r1", (), Design(modules=("a",)))).steps == ()
    assert read_sheet("").steps == ()
