"""What is known of a file comes back as it was written, or not at all."""

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.tools.mapping.tags import MOST_OFTEN, Tags, count, last, make_tags, unpack
from bot.tools.symbols import Symbol

SYMBOLS = st.builds(
    Symbol, st.text(max_size=8), st.integers(1, 99), st.integers(1, 99), st.text(max_size=8), st.integers(0, 5)
)
WORDS = st.dictionaries(st.from_regex(r"\w{3,8}", fullmatch=True), st.integers(1, 200), max_size=5)


@settings(max_examples=40)
@given(st.lists(SYMBOLS, max_size=4), WORDS)
def test_tags_come_back_as_they_were(symbols: list[Symbol], words: dict[str, int]) -> None:
    made = make_tags(symbols, words)
    again = unpack(made.pack())
    assert again == made
    assert again.definitions == made.definitions
    assert len(made.definitions) == sum(bool(each.name.strip()) for each in symbols)
    assert dict(zip(made.words, made.times, strict=True)) == {w: min(n, MOST_OFTEN) for w, n in words.items()}


@given(st.binary(max_size=60))
def test_anything_else_is_no_tags_or_harmless_ones(data: bytes) -> None:
    tags = unpack(data)
    if tags is not None:
        assert len(tags.words) == len(tags.times)
        assert len(tags.definitions) <= len(tags.names)


def test_rows_that_nobody_wrote_are_left_out() -> None:
    tags = unpack(b"a\tb\tc\n\n\n1\t2\t0\tdef a\nx\t1\t1\tb\n-1\t99999999999\t1\tc")
    assert tags is not None
    assert [each.name for each in tags.definitions] == ["a"]
    assert unpack(Tags(mentioned="one two", counts="!").pack()) is None


def test_the_last_part_of_a_name_is_what_others_write() -> None:
    assert [last("A.b.c"), last("c"), last("")] == ["c", "c", ""]
    assert dict(count(["b", "a", "b"])) == {"b": 2, "a": 1}
