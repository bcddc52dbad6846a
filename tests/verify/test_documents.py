"""YAML that anybody may have written."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.verify.documents import DEEPEST, LARGEST, Unreadable, entries, items, read_nodes, read_yaml, words

BILLIONS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{after}: &{after} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, after in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "text",
    [
        "a: [", "a: &a [*a]", "a: *b", "--- a\n--- b", "[" * 100_000, "- " * (DEEPEST + 2) + "x", "x" * (LARGEST + 1),
        "a: !!python/object/apply:os.system [id]", "a: !!timestamp x", "a: !!bool x", "a: !!int ''", "a: 2001-99-99",
        "{[a]: b}", "a: " + "1" * 9000, "<<: 3", "a: 1\nb: 2\na: 3", "a: \x00", BILLIONS,
    ],
)  # fmt: skip
def test_what_is_broken_or_too_large_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        read_yaml(text)


@given(st.text(max_size=60) | st.text("[]{}:,-&*!<>|?'\"# \nab1=.~", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (read_yaml, read_nodes):
        with suppress(Unreadable):
            read(text)


def test_values_are_plain_and_know_their_place() -> None:
    text = "a: &a\n  - 1\nb: *a\n"
    assert read_yaml(text) == {"a": [1], "b": [1]}
    assert read_yaml("") is None
    node = read_nodes(text)
    assert node is not None
    key, value = entries(node)[0]
    assert (key.value, key.start_mark.line, [words(item) for item in items(value)]) == ("a", 0, ["1"])
