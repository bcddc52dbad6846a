"""A map names what the rest leans on, within its bounds, and always in the same words."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.tools.mapping.ranking import rank
from bot.tools.mapping.rendering import MOST, WIDTH, render, room_for
from bot.tools.mapping.tags import Tags, make_tags, unpack
from bot.tools.symbols import Symbol

NAMES = st.one_of(
    st.text(max_size=12), st.sampled_from(["Store", "open_store", "Store.read", "get", "_own", "Store.read.deep"])
)
PATHS = st.one_of(
    st.text(min_size=1, max_size=15), st.sampled_from(["a/store.py", "tests/test_a.py", "x" * 300, "store.go"])
)
FILES = st.dictionaries(
    PATHS,
    st.tuples(st.lists(NAMES, max_size=4), st.lists(st.sampled_from(["Store", "store", "get", "open_store"]))),
    max_size=6,
)


def tag(names: list[str], words: str = "") -> Tags:
    symbols = [
        Symbol(name, n, n, f"def {name.rpartition('.')[2]}(a)", name.count(".")) for n, name in enumerate(names, 1)
    ]
    return make_tags(symbols, dict.fromkeys(words.split(), 1))


PROJECT = {
    "shop/store.py": tag(
        ["Store", "Store.read_all", "open_store", "_hidden", "aside"], "Store read_all open_store aside"
    ),
    "shop/lone.py": tag(["Store", "lonely"], "Store lonely"),
    "shop/app.py": tag(["run_app"], "store open_store Store read_all"),
    "shop/web.py": tag(["serve"], "store open_store"),
    "tests/test_store.py": tag(["test_store"], "store open_store Store"),
    "docs/conf.py": tag(["Store", "open_store"], "store Store"),
}


def test_what_is_leaned_on_comes_first_and_tests_and_examples_bear_nothing() -> None:
    ranked = rank(PROJECT)
    assert ranked[0].path == "shop/store.py"
    assert {each.path for each in ranked} == {"shop/store.py", "shop/lone.py", "shop/app.py", "shop/web.py"}
    shares = ranked[0].names
    assert sorted(shares, key=shares.__getitem__, reverse=True)[:2] == ["open_store", "Store"]
    assert "_hidden" not in shares
    lone = next(each for each in ranked if each.path == "shop/lone.py")
    assert shares["Store"] > 5 * lone.names["Store"]


def test_the_map_is_a_file_a_paragraph_with_what_is_leaned_on() -> None:
    told = render(rank(PROJECT), PROJECT, 100).split("\n")
    assert told[:4] == ["shop/store.py", "  def Store(a)", "  def Store.read_all(a)", "  def open_store(a)"]
    assert told[4:] == ["shop/lone.py", "  def Store(a)"]


@settings(max_examples=40)
@given(FILES, st.integers(0, 400), st.randoms(use_true_random=False))
def test_any_project_has_one_map_within_its_bounds(
    files: dict[str, tuple[list[str], list[str]]], most: int, chance: random.Random
) -> None:
    tags = {path: tag(names, " ".join(words)) for path, (names, words) in sorted(files.items())}
    told = render(rank(tags), tags, most)
    assert len(told) <= most
    assert all(len(line) <= WIDTH + 2 for line in told.split("\n"))
    assert not told or told.split("\n")[-1].startswith("  ")
    kept = {path: unpack(each.pack()) or Tags() for path, each in tags.items()}
    assert render(rank(kept), kept, most) == told


def test_a_map_is_worth_what_its_project_is() -> None:
    assert room_for(3) == 300
    assert 300 <= room_for(10) <= 400
    assert room_for(100_000) == MOST
