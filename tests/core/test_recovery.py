import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot import errors
from bot.core.recovery import LONGEST_WAIT, REMEDIES, remedy

KINDS = sorted({kind.kind for kind in errors.ModelError.__subclasses__()} | {errors.ModelError.kind})


def test_every_kind_of_model_error_has_a_remedy() -> None:
    assert sorted(REMEDIES) == KINDS


@pytest.mark.parametrize("kind", ["overflow", "rejected", "model", "never heard of"])
def test_error_that_repeats_itself_is_not_retried(kind: str) -> None:
    assert remedy(kind, 1, None, 0.0) is None
    assert remedy(kind, 1, 1.0, 0.0) is None


def test_waits_double_and_end() -> None:
    assert [remedy("unavailable", n, None, 0.0) for n in range(1, 6)] == [1.0, 2.0, 4.0, 8.0, None]
    assert [remedy("malformed", n, None, 0.5) for n in range(1, 4)] == [0.0, 0.0, None]


def test_wait_that_the_service_asks_for_is_kept_unless_too_long() -> None:
    assert remedy("unavailable", 1, 30.0, 0.9) == 30.0
    assert remedy("unavailable", 1, LONGEST_WAIT + 1, 0.0) is None
    assert remedy("unavailable", 1, math.nan, 0.0) is None
    assert remedy("unavailable", 1, -5.0, 0.0) == 0.0


@given(st.sampled_from([*KINDS, "other"]), st.integers(1, 500), st.none() | st.floats(), st.floats(0, 1))
def test_wait_is_always_one_that_can_be_slept(kind: str, repeated: int, asked: float | None, jitter: float) -> None:
    wait = remedy(kind, repeated, asked, jitter)
    assert wait is None or 0 <= wait <= LONGEST_WAIT
