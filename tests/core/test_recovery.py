import math
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot import errors
from bot.core.recovery import ALTOGETHER, LONGEST_ASKED, LONGEST_WAIT, REMEDIES, respond


def family(root: type[errors.ModelError]) -> Iterator[str]:
    yield root.kind
    for child in root.__subclasses__():
        yield from family(child)


KINDS = sorted(family(errors.ModelError))


def test_every_kind_of_model_error_has_a_remedy_and_a_name_of_its_own() -> None:
    assert sorted(REMEDIES) == KINDS
    assert len(set(KINDS)) == len(KINDS)


@pytest.mark.parametrize(
    "kind", ["credentials", "quota", "unknown_model", "refused", "rejected", "model", "never heard of"]
)
def test_error_that_repeats_itself_is_not_retried(kind: str) -> None:
    assert respond([kind], None, 0.0).action == "stop"
    assert respond([kind], 1.0, 0.0).action == "stop"


def test_waits_double_and_end() -> None:
    assert [respond(["unavailable"] * n, None, 0.0).wait for n in range(1, 5)] == [1.0, 2.0, 4.0, 8.0]
    last = respond(["unavailable"] * 5, None, 0.0)
    assert (last.action, last.why) == ("stop", "asked 5 times in vain")


def test_prompt_that_does_not_fit_is_shortened_a_few_times() -> None:
    assert [respond(["overflow"] * n, None, 0.0).action for n in range(1, 5)] == [*["compress"] * 3, "stop"]


def test_errors_that_take_turns_end_as_well() -> None:
    kinds = ["limited", "overloaded", "unavailable", "timeout"] * 3
    assert respond(kinds[: ALTOGETHER - 1], None, 0.0).action == "retry"
    assert respond(kinds[:ALTOGETHER], None, 0.0) == ("stop", 0.0, f"asked {ALTOGETHER} times in a row in vain")


def test_wait_that_the_service_asks_for_is_kept_unless_too_long() -> None:
    assert respond(["limited"], 30.0, 0.9).wait == 30.0
    assert respond(["limited"], LONGEST_ASKED + 1, 0.0).action == "stop"
    assert respond(["limited"], math.nan, 0.0).action == "stop"
    assert respond(["limited"], -5.0, 0.0).wait == 0.0


@given(st.lists(st.sampled_from([*KINDS, "other"]), min_size=1), st.none() | st.floats(), st.floats(0, 1))
def test_wait_is_always_one_that_can_be_slept(kinds: list[str], asked: float | None, jitter: float) -> None:
    wait = respond(kinds, asked, jitter).wait
    assert 0 <= wait <= max(LONGEST_WAIT, LONGEST_ASKED)
