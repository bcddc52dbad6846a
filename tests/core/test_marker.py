"""Text from outside between markers: nothing in it ends them."""

from hypothesis import given
from hypothesis import strategies as st

from bot.core.marker import fence


@given(st.text(max_size=200))
def test_foreign_text_cannot_close_its_own_fence(text: str) -> None:
    fenced = fence(text, "r1")
    first, *_, last = fenced.split("\n")
    assert last == first.replace("<<<", "<<<end ")
    assert fenced.count(last) == 1
