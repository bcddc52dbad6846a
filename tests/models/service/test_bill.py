import pytest
from pydantic import JsonValue

from bot.core.message import Usage
from bot.models.profile import Price
from bot.models.service.bill import bill, billed, count, estimate

PRICE = Price(input=2, output=10, cached=0.2, written=2.5)


def test_each_kind_of_token_has_its_price() -> None:
    usage = bill(PRICE, fresh=1000, output=200, cached=5000, written=100)
    assert usage.model_copy(update={"cost": 0}) == Usage(input=6100, output=200, cached=5000, cost=0)
    assert usage.cost == pytest.approx(0.00525)
    assert bill(None, 10, 20).cost == 0
    assert tuple(billed(usage)) == (6100, 200, 5000, usage.cost)


def test_what_nobody_counted_is_estimated_and_never_free() -> None:
    assert estimate(PRICE, 4001, 3) == bill(PRICE, 1001, 1)


@pytest.mark.parametrize(
    ("told", "tokens"),
    [
        (7, 7),
        (7.9, 7),
        (0, 0),
        (-1, 0),
        (10**12, 0),
        (True, 0),
        ("7", 7),
        ("seven", 0),
        ("9" * 40, 0),
        (None, 0),
        ([1], 0),
        (float("nan"), 0),
    ],
)
def test_only_a_number_is_a_number_of_tokens(told: JsonValue, tokens: int) -> None:
    assert count(told) == tokens
