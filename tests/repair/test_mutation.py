"""Inputs are made from what was seen: of its types, in its ranges, never out of nothing."""

import copy
from random import Random
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.repair.worker.inputs import Call, Recorder, kin_of, make_calls, write_call
from bot.repair.worker.mutation import Mutator, Seen
from bot.repair.worker.outcomes import Freezer

leaf = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=6) | st.binary(max_size=4)
)
hashable = st.booleans() | st.integers() | st.text(max_size=4)
value = st.recursive(
    leaf,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(hashable, inner, max_size=3)
        | st.sets(hashable, max_size=3)
        | st.frozensets(hashable, max_size=3)
    ),
    max_leaves=8,
)


def told(calls: list[Call]) -> list[object]:
    return [repr(Freezer().freeze([each.args, each.named])) for each in calls]  # as text, where NaN is itself


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(value, value), min_size=1, max_size=4), st.integers(0, 9))
def test_whatever_was_seen_more_is_made_and_nothing_that_was_seen_changes(
    seen: list[tuple[object, ...]], seed: int
) -> None:
    calls = [Call(0, list(args), {"key": args[0]}) for args in seen]
    before = told(calls)
    made = make_calls(calls, 10, Random(seed))
    assert told(calls) == before
    for each in made:
        assert (len(each.args), list(each.named), each.seen) == (2, ["key"], False)
        for place, changed in enumerate(each.args):
            assert type(changed) in {type(args[place]) for args in seen}
    assert told(made) == told(make_calls(calls, 10, Random(seed)))


def made(*seen: object, times: int = 200) -> list[object]:
    random = Random(1)
    mutator = Mutator(Seen(((0,), one) for one in seen), random)
    return [mutator.change(copy.deepcopy(random.choice(seen)), (0,)) for _ in range(times)]


class Point(NamedTuple):
    x: int
    y: int


def test_values_stay_near_what_was_seen() -> None:
    numbers = made(1, 5, 9)
    assert {type(one) for one in numbers} == {int}
    assert all(isinstance(one, int) and 1 <= one <= 11 for one in numbers)
    assert len(set(map(repr, numbers))) > 5
    assert set("".join(map(str, made("abc", "cd")))) <= set("abcd")
    lists = made([1, 2, 3], [4, 2])
    assert all(isinstance(one, list) and 1 <= len(one) <= 4 for one in lists)
    assert any(one is None for one in made(3, None))
    assert not any(one is None for one in numbers)
    assert all(isinstance(one, Point) for one in made(Point(1, 2), Point(5, 2)))


def test_lists_that_were_always_sorted_or_without_doubles_stay_so() -> None:
    assert all(one == sorted(one) for one in made([1, 4, 9], [2, 3]) if isinstance(one, list))
    assert all(len(set(one)) == len(one) for one in made([3, 1], [2, 9, 4]) if isinstance(one, list))
    assert any(one != sorted(one) for one in made([1, 2], [9, 2, 2]) if isinstance(one, list))


class Node:
    def __init__(self, name: str, after: "Node | None" = None) -> None:
        self.name = name
        self.after = after


def test_objects_of_the_project_are_taken_as_they_are_from_where_a_call_can_reach_them() -> None:
    last = Node("last")
    call = Call(0, [Node("first", last), last], {})
    assert {node.name for node in kin_of(call)} == {"first", "last"}
    shown = {write_call(each, "walk", method=False) for each in make_calls([call], 20, Random(0))}
    assert "walk(Node(name='last'), Node(name='last'))" in shown
    for each in make_calls([call], 20, Random(0)):
        assert all(isinstance(arg, Node) for arg in each.args)
        # What was one object stays one object
        assert each.args[1] in kin_of(each._replace(args=each.args[:1])) or each.args[0] in kin_of(
            each._replace(args=each.args[1:])
        )


class Stack:
    def __init__(self, items: list[int]) -> None:
        self.items = items

    def push(self, item: int, *more: int, twice: bool = False, **rest: int) -> None:
        self.items += [item, *more] * (2 if twice else 1)


def count(top: int) -> object:
    yield from range(top)


def test_calls_are_recorded_as_they_begin() -> None:
    stack, opened = Stack([1]), open  # noqa: F841
    recorder = Recorder([Stack.push, count])  # type: ignore[list-item]

    def work() -> None:
        stack.push(2)
        stack.push(3, 4, twice=True, other=5)
        stack.push(2)
        list(count(3))  # type: ignore[call-overload]
        with open(__file__) as handle:  # noqa: PTH123
            Stack.push(stack, handle)  # type: ignore[arg-type]

    recorder.watch(work)
    pushes, counts = recorder.calls
    assert [write_call(each, "push", method=True) for each in pushes] == [
        "Stack(items=[1]).push(2, twice=False)",
        "Stack(items=[1, 2]).push(3, 4, twice=True, other=5)",
        "Stack(items=[1, 2, 3, 4, 3, 4]).push(2, twice=False)",
    ]
    assert [each.args for each in counts] == [[3]]
