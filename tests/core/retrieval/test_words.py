"""Names and prose are about the same things when they have the same terms."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.retrieval.words import STOP, find_words, root, split, stem


@pytest.mark.parametrize(
    ("word", "terms"),
    [
        ("retry", ("retry",)),
        ("retries", ("retry",)),
        ("max_retries", ("max_retries", "max", "retry")),
        ("HTTPResponseError", ("httpresponseerror", "http", "response", "error")),
        ("parseURL2Path", ("parseurl2path", "parse", "url", "path")),
        ("__init__", ("__init__", "init")),
        ("SHA256", ("sha256", "sha", "256")),
        ("classes", ("class",)),
        ("status", ("status",)),
        ("ties", ("tie",)),
        ("naïveCafé", ("naïvecafé", "naïve", "café")),
        ("修复quota错误", ("修复quota错误", "quota")),
        ("the", ()),
        ("x", ()),
    ],
)
def test_a_name_stands_for_itself_and_its_parts(word: str, terms: tuple[str, ...]) -> None:
    assert split(word) == terms


NAMES = st.one_of(st.text(max_size=120), st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,100}", fullmatch=True))


@settings(max_examples=40, deadline=None)
@given(NAMES)
def test_any_word_is_split_into_bounded_terms_once_each(word: str) -> None:
    for name in find_words(word):
        terms = split(name)
        assert len(set(terms)) == len(terms) <= 1 + len(name)
        assert all(term and len(term) <= 2 * 80 and term not in STOP - {stem(stop) for stop in STOP} for term in terms)
        assert all(not name.isascii() or root(term) in name.lower() for term in terms)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.from_regex(r"[a-z]{3,12}", fullmatch=True), min_size=2, max_size=4))
def test_the_way_a_name_is_written_does_not_matter(parts: list[str]) -> None:
    snake, camel = "_".join(parts), "".join(part.title() for part in parts)
    assert set(split(snake)[1 if snake not in STOP else 0 :]) == set(split(camel)[1:]) | set()


@settings(max_examples=40, deadline=None)
@given(st.from_regex(r"[a-z]{1,20}", fullmatch=True))
def test_a_stem_is_never_empty(word: str) -> None:
    assert stem(word)
    assert root(stem(word))
    assert word.startswith(root(stem(word))) or word.endswith("ies")
