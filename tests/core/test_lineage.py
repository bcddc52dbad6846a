"""Which steps count after a person went back and forth."""

from hypothesis import given
from hypothesis import strategies as st

from bot.core.event import Committed, Event, Redone, Started, Undone
from bot.core.lineage import follow
from bot.core.task import Task

START = Started(run="r", task=Task(goal="g", base="base"), branch="agent/x")


def step(number: int) -> Committed:
    return Committed(step=number, commit=f"c{number}", tree=f"t{number}", subject="s")


def test_steps_count_in_their_order() -> None:
    lineage = follow((START, step(1), step(2)))
    assert (lineage.head, lineage.step, lineage.made) == ("c2", 2, 2)


def test_undo_takes_later_steps_back_and_redo_brings_the_same_ones_back() -> None:
    events: tuple[Event, ...] = (START, step(1), step(2), step(3), Undone(step=1, commit="c1"))
    assert [s.step for s in follow(events).live] == [1]
    again = follow((*events, Redone(step=3, commit="c3")))
    assert ([s.step for s in again.live], again.head) == ([1, 2, 3], "c3")


def test_each_redo_takes_back_one_undo() -> None:
    events = (START, step(1), step(2), Undone(step=1, commit="c1"), Undone(step=0, commit="base"))
    assert follow((*events, Redone(step=1, commit="c1"))).step == 1
    assert follow((*events, Redone(step=1, commit="c1"), Redone(step=2, commit="c2"))).step == 2


def test_a_step_made_after_an_undo_has_its_own_number_and_replaces_what_was_undone() -> None:
    lineage = follow((START, step(1), step(2), Undone(step=1, commit="c1"), step(3)))
    assert ([s.step for s in lineage.live], lineage.taken, lineage.made) == ([1, 3], (), 3)
    back = follow((START, step(1), step(2), Undone(step=1, commit="c1"), step(3), Undone(step=0, commit="base")))
    assert [s.step for s in back.taken[-1]] == [1, 3]


def test_a_revert_moves_the_branch_on_and_still_takes_the_step_back() -> None:
    lineage = follow((START, step(1), Undone(step=0, commit="revert", how="reverted")))
    assert (lineage.head, lineage.step) == ("revert", 0)


@given(st.lists(st.integers(0, 4), max_size=12))
def test_as_many_redos_as_undos_lead_back(depths: list[int]) -> None:
    events: list[Event] = [START, *(step(n) for n in range(1, 5))]
    whole = follow(events)
    events += [Undone(step=depth, commit="x") for depth in depths]
    events += [Redone(step=4, commit="c4") for _ in depths]
    assert follow(events).live == whole.live
