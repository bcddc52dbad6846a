"""What calls give is compared by value, and told in a way that a person can read."""

import collections
import math
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import given, settings

from bot.repair.worker.outcomes import Outcome, alike, call, spell
from tests.repair.test_mutation import Node, value


def ask(function: Callable[..., Any], *args: object, limit: float = 0.2) -> Outcome:
    return call(function, (list(args), {}), limit)


def loop() -> Node:
    node = Node("a")
    node.after = node
    return node


def endless() -> Iterator[int]:
    n = 0
    while True:
        n += 1
        yield n


def spoil(items: list[int]) -> None:
    items.append(0)


async def wait(n: int) -> int:
    return n + 1


class Odd:
    def __repr__(self) -> str:
        raise ValueError("no")


@settings(max_examples=60, deadline=None)
@given(value)
def test_equal_values_are_alike_and_are_shown_within_bounds(one: object) -> None:
    assert alike(ask(lambda x: x, one), ask(lambda x: x, one))
    assert len(spell(one)) < 400
    assert len(spell([one] * 50, 60)) < 200


PAIRS: list[tuple[object, object, bool]] = [
    (0.1 + 0.2, 0.3, True),
    (math.nan, math.nan, True),
    (1, 1.0, False),
    (1, True, False),
    ([1, 2], (1, 2), False),
    ({1: 2, 3: 4}, {3: 4, 1: 2}, True),
    ({"b", "a"}, {"a", "b"}, True),
    (Node("a"), Node("a"), True),
    (Node("a"), Node("b"), False),
    (loop(), loop(), True),
    (loop(), Node("a", Node("a")), False),
    (ValueError(1), ValueError(2), False),
    (1 << 200_000, 1 << 200_001, False),
    (collections.deque([1]), collections.deque([2]), False),
    (Odd(), Odd(), True),
]


def test_outcomes_are_compared_by_value_and_by_type() -> None:
    for number, (one, other, equal) in enumerate(PAIRS):
        assert alike(ask(lambda given=one: given), ask(lambda given=other: given)) is equal, number


def test_each_way_in_which_a_call_ends_is_told() -> None:
    assert ask(lambda x: x / 0, 1).text == "ZeroDivisionError"
    assert ask(lambda: os._exit).text == "_exit"
    assert ask(lambda: list(endless()), limit=0.05).kind == "late"
    assert ask(endless).text.startswith("[1, 2, 3")
    assert ask(wait, 1).text == "2"
    assert ask(print, "hello").printed == "hello\n"
    changed = ask(spoil, [1])
    assert (changed.text, changed.left) == ("None", ["[1, 0]"])
    assert not alike(changed, ask(lambda items: None, [1]))


def test_a_call_is_given_copies() -> None:
    items = [1]
    ask(spoil, items)
    assert items == [1]


def test_a_call_that_takes_its_time_is_given_up() -> None:
    begun = time.process_time()
    assert ask(lambda: sum(1 for _ in iter(int, 1)), limit=0.05).kind == "late"
    assert time.process_time() - begun < 1
