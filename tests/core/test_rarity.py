"""Which lines are worth keeping: what nothing else says, and no hash, no blank, not one of thousands."""

import time

import pytest

from bot.core.rarity import Rarity

COMMON = [f"{n} tests collected in {n / 10} s from module_{n}.py" for n in range(400)]


@pytest.fixture(scope="module")
def rarity() -> Rarity:
    counted = Rarity()
    counted.add(
        [
            *COMMON,
            "the port of the broker is 47113",
            "E   ValueError: unknown unit 'furlong'",
            "9f86d081884c7d65",
            "",
            "===",
        ]
    )
    return counted


def test_what_is_said_once_is_rated_above_what_is_said_often(rarity: Rarity) -> None:
    needle, error = (
        rarity.rate("the port of the broker is 47113"),
        rarity.rate("E   ValueError: unknown unit 'furlong'"),
    )
    assert error > needle > 0.8
    assert all(rarity.rate(line) == 0 for line in COMMON)


@pytest.mark.parametrize(
    "line", ["", "===", "    ", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]
)
def test_what_means_nothing_is_not_rated(rarity: Rarity, line: str) -> None:
    assert rarity.rate(line) == 0
    assert Rarity().rate("anything at all") == 0


def test_no_line_takes_long_to_look_at() -> None:
    since = time.perf_counter()
    counted = Rarity()
    for line in ("a" * 10**6, "1 " * 10**5, "a:1" * 10**5, "x_" * 10**5, "(" * 10**5):
        counted.add([line])
        counted.rate(line)
    assert time.perf_counter() - since < 0.5
