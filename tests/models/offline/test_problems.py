"""Mends of one file go together when they do not touch."""

from hypothesis import given
from hypothesis import strategies as st

from bot.models.offline.dialogue import Change
from bot.models.offline.problems import Option, combine, options, sure
from bot.models.offline.source import Mend, hunks

OLD = "a\nb\nc\nd\ne\n"


def _option(new: str, what: str = "x", path: str = "m.py") -> Option:
    return Option((Change(path, OLD, new),), what)


def test_changes_apart_from_each_other_are_combined() -> None:
    changes, used = combine([_option("A\nb\nc\nd\ne\n"), _option("a\nb\nc\nd\nE\n"), _option("Z\n", path="n.py")])
    assert len(used) == 3
    assert changes == (Change("m.py", OLD, "A\nb\nc\nd\nE\n"), Change("n.py", OLD, "Z\n"))


def test_a_change_that_gets_in_the_way_of_an_earlier_one_is_left_out() -> None:
    first, second = _option("A\nb\nc\nd\ne\n"), _option("B\nb\nc\nd\ne\n")
    changes, used = combine([first, second])
    assert used == (first,)
    assert changes[0].new == "A\nb\nc\nd\ne\n"


def test_two_insertions_at_one_place_both_stay_and_equal_ones_are_made_once() -> None:
    changes, used = combine([_option("y\n" + OLD), _option("x\n" + OLD), _option("x\n" + OLD)])
    assert len(used) == 3
    assert changes[0].new == "x\ny\n" + OLD


def test_files_that_evidence_rests_on_get_no_options() -> None:
    assert options("tests/test_a.py", "old", [Mend("new", "x")]) == ()
    assert options("setup.cfg", "old", [Mend("new", "x")]) == ()
    assert len(options("pkg/a.py", "old", [Mend("new", "x"), Mend("old", "y")])) == 1


def test_without_a_test_only_a_single_guess_counts() -> None:
    guess, other = _option("1", "write `a` for `b`"), _option("2", "write `c` for `b`")
    certain, rename = _option("3", "import `b`"), _option("4", "rename `a` to `b`")
    assert sure([guess]) == (guess,)
    assert sure([guess, other, certain]) == (certain,)
    assert sure([guess, rename]) == (guess,)


TEXTS = st.lists(st.sampled_from(["a", "b", "", "c"]), max_size=7).map(lambda rows: "".join(f"{row}\n" for row in rows))


@given(TEXTS, TEXTS)
def test_hunks_turn_one_text_into_the_other(old: str, new: str) -> None:
    rows = old.split("\n")[:-1]
    for hunk in hunks(old, new):
        rows[hunk.start - 1 : hunk.end] = hunk.text.split("\n")[:-1]
    assert "".join(f"{row}\n" for row in rows) == new
