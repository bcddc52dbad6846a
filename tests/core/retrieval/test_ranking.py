"""The same files and the same words always give the same order, and it is the one that a person expects."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.retrieval.index import Index
from bot.core.retrieval.pages import Change, Page
from bot.core.retrieval.query import read_code, read_query
from bot.core.retrieval.ranking import rank


def page(path: str, text: str, *names: str) -> Page:
    words = text.split()
    distinct = tuple(dict.fromkeys(words))
    return Page(path, distinct, [words.count(word) for word in distinct], names)


SHOP = (
    page("shop/quota.py", "Quota limit retry_after Quota seconds", "Quota", "Quota.retry_after"),
    page("shop/orders.py", "Order quota place total seconds", "Order", "Order.place"),
    page("shop/mail.py", "send seconds subject body", "send"),
    page("shop/__init__.py", "Order Quota send"),
    page("web/view.ts", "render Order HTTPRetry", "render", "HTTPRetry"),
)
CHANGES = (Change("Send mails in bulk", ("shop/mail.py",)), Change("Reformat", tuple(page.path for page in SHOP) * 9))


def first(query: str, changes: tuple[Change, ...] = ()) -> str:
    return rank(Index(SHOP, changes), read_query(query)).scores[0].path


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("the quotas are counted twice", "shop/quota.py"),
        ("an order cannot be placed", "shop/orders.py"),
        ("retry_after is negative", "shop/quota.py"),
        ("Quota.retry_after is negative", "shop/quota.py"),
        ("http retry", "web/view.ts"),
        ("Issue #3: views\n\nseconds seconds seconds", "web/view.ts"),
    ],
)
def test_the_likeliest_file_comes_first(query: str, path: str) -> None:
    assert first(query) == path


def test_what_was_said_of_earlier_changes_counts() -> None:
    assert "shop/mail.py" not in [score.path for score in rank(Index(SHOP), read_query("bulk")).scores]
    assert first("bulk", CHANGES) == "shop/mail.py"


def test_nothing_is_found_for_nothing() -> None:
    for query in ("", " \n", "the of and", "zzz", "!?"):
        assert rank(Index(SHOP, CHANGES), read_query(query)).scores == ()
    assert rank(Index(()), read_query("quota")).scores == ()


WORDS = st.lists(
    st.sampled_from(["Quota", "retry_after", "HTTPRetry", "a_b", "x1", "naïve", "İx", "orders"]), max_size=8
)
PAGES = st.lists(
    st.builds(
        lambda name, words, names: page(f"{name}.py", " ".join(words), *names),
        st.from_regex(r"[a-z]{1,4}(/[a-z_]{1,6}){0,2}", fullmatch=True),
        WORDS,
        WORDS,
    ),
    max_size=8,
    unique_by=lambda page: page.path,
)


@settings(max_examples=25, deadline=None)
@given(PAGES, st.one_of(st.text(max_size=60), WORDS.map(" ".join)), st.randoms(use_true_random=False))
def test_the_order_of_files_does_not_matter_and_scores_are_finite(
    pages: list[Page], text: str, order: random.Random
) -> None:
    changes = [Change(text, (page.path,)) for page in pages[:2]]
    for read in (read_query, read_code):
        told = rank(Index(pages, changes), read(text))
        order.shuffle(pages)
        assert rank(Index(pages, changes), read(text)) == told
        values = [score.value for score in told.scores]
        assert all(map(math.isfinite, values))
        assert values == pytest.approx(sorted(values, reverse=True))
        assert {score.path for score in told.scores} <= {page.path for page in pages}
