"""A goal is read as far as rules can."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.check import Rung
from bot.models.offline.briefing import Briefing, Finding
from bot.models.offline.goal import asks_for_more, barred, meant, topics
from bot.models.offline.patches import Searched
from bot.models.offline.summary import CANNOT, Ending, summarize

LINT = Finding("ruff", "pkg/a.py::F401::x", "pkg/a.py", 1, "F401 x")
ADD = Finding("pytest", "tests/test_a.py::test_addition", "pkg/b.py", 3, "AssertionError")
SUB = Finding("pytest", "tests/test_a.py::test_subtraction", "pkg/c.py", 3, "AssertionError")


@pytest.mark.parametrize(
    "goal", ["Add a dark mode", "Please implement CSV export", "Refactor the parser", "write documentation for the API"]
)
def test_something_new_is_more_than_mending(goal: str) -> None:
    assert asks_for_more(goal)


@pytest.mark.parametrize(
    "goal",
    ["", "Fix the failing test", "add() returns the wrong sum", "Make CI green", "ruff fails, remove unused imports"],
)
def test_mending_is_not_more(goal: str) -> None:
    assert not asks_for_more(goal)


def test_a_goal_that_names_a_kind_of_check_is_about_that_kind() -> None:
    assert topics("fix the lint errors") == {Rung.SYNTAX, Rung.STATIC}
    assert topics("make mypy pass") == {Rung.SYNTAX, Rung.TYPES}
    assert Rung.UNIT in topics("fix the failing test")
    assert topics("make it work again") == set(Rung)


def test_a_goal_that_names_a_test_or_a_file_is_about_that_one() -> None:
    briefing = Briefing("test_addition fails", (), "")
    assert meant(briefing, [LINT, ADD, SUB]) == (ADD,)
    assert meant(Briefing("see pkg/a.py please", (), ""), [LINT, ADD]) == (LINT,)
    assert meant(Briefing("something fails", (), ""), [LINT, ADD]) == (LINT, ADD)


@given(st.text(max_size=80))
def test_no_goal_makes_reading_fail(goal: str) -> None:
    asks_for_more(goal)
    topics(goal)
    meant(Briefing(goal, (), ""), [LINT, ADD])


def test_the_last_word_says_what_was_mended_and_what_was_not() -> None:
    text = summarize(Ending(goal="fix it", done=["fix: x"], left=[ADD]))
    assert "- fix: x" in text
    assert "test_addition" in text
    assert CANNOT in text


def test_the_last_word_claims_nothing_when_nothing_was_done() -> None:
    assert "Nothing was changed." in summarize(Ending(goal="Add a mode", more=True))
    assert "cannot write new logic" in summarize(Ending(goal="Add a mode", more=True))
    declined = summarize(Ending(goal="Add a mode", more=True, left=[ADD]))
    assert declined.startswith("The goal asks for something new.")
    assert "Broken now:" in declined
    assert CANNOT not in declined
    assert "Mended" not in summarize(Ending(goal="fix it"))
    assert "add a failing test" in summarize(Ending(goal="fix it"))


@pytest.mark.parametrize(
    ("vain", "words"),
    [
        (Searched(2222, "exhausted"), "2,222 small edits were tried."),
        (Searched(1, "out of time"), "1 small edit was tried, and the time for it was up"),
        (Searched(0, "the failing tests could not be traced"), "No small edit was tried: the failing tests could not"),
    ],
)
def test_the_last_word_says_how_much_was_searched_in_vain(vain: Searched, words: str) -> None:
    assert words in summarize(Ending(left=[ADD], vain=vain))
    assert "small edit" not in summarize(Ending(left=[LINT], vain=vain))


def test_findings_in_tests_are_left_and_said_to_be() -> None:
    found = Finding("ruff", "tests/test_a.py::F401::x", "tests/test_a.py", 1, "F401 x")
    assert "Tests and configuration are never edited." in summarize(Ending(left=[found]))


def test_a_file_that_the_goal_names_stays_the_only_one_when_it_is_mended() -> None:
    other = Finding("ruff", "pkg/b.py::F401::x", "pkg/b.py", 1, "F401 x")
    base = "FAILED ruff pkg/a.py::F401::x at pkg/a.py:1: F401 x\nFAILED ruff pkg/b.py::F401::x at pkg/b.py:1: F401 x"
    briefing = Briefing("clean up lint in pkg/a.py only", (("ruff", Rung.STATIC),), base)
    assert meant(briefing, [LINT, other]) == (LINT,)
    assert meant(briefing, [other]) == ()
    assert meant(briefing, [ADD]) == (ADD,)


def test_what_was_not_asked_for_or_may_not_change_is_no_failure_of_the_model() -> None:
    text = summarize(Ending(goal="fix it", done=["fix: x"], barred=[LINT], unasked=[SUB]))
    assert "in files that this task may not change:\n- ruff: pkg/a.py:1" in text
    assert "since the goal is not about it:\n- pytest: tests/test_a.py::test_subtraction" in text
    assert CANNOT not in text
    briefing = Briefing("", (), "", scope=("pkg/*", "x"), protected=("pkg/a.py",))
    assert barred(briefing, LINT)
    assert not barred(briefing, ADD)
    assert briefing.may_change("pkg/b.py")
    assert not briefing.may_change("b.py")
