from bot.core.branches import Made, Place
from bot.core.copies import trace_copies
from bot.core.event import Committed, Event, Published, Redone, Started, Undone
from bot.core.task import Task

START = Started(run="r", task=Task(base="base"), branch="agent/r")


def step(number: int) -> Committed:
    return Committed(step=number, commit=f"c{number}", tree="t", subject="s")


def place(*made: Made) -> Place:
    return Place(ref="refs/heads/main", before="b", after="a", made=made)


def test_a_step_counts_where_the_last_commit_that_speaks_of_it_brings_it() -> None:
    events: list[Event] = [START, step(1)]
    events.append(Published(where="main", places=(place(Made(step=1, commit="copy")),)))
    events.append(Undone(step=0, commit="base", places=(place(Made(step=1, commit="back", back=True)),)))
    copies = trace_copies(events)
    assert copies.find(1, {"c1", "other"}) == "c1"
    assert copies.find(1, {"c1", "copy"}) == "copy"
    assert copies.find(1, {"copy", "back"}) == ""
    assert copies.find(1, {"other"}) == ""
    again = trace_copies((*events, Redone(step=1, commit="c1", places=(place(Made(step=1, commit="anew")),))))
    assert again.find(1, {"copy", "back", "anew"}) == "anew"
    assert again.commits == {"c1", "copy", "back", "anew"}


def test_the_undo_that_a_redo_takes_back_is_the_last_one_since_the_last_new_step() -> None:
    undone = [Undone(step=1, commit="c1"), Undone(step=0, commit="base")]
    events: tuple[Event, ...] = (START, step(1), step(2), *undone)
    assert trace_copies(events).undone == tuple(undone)
    assert trace_copies((*events, Redone(step=1, commit="c1"))).undone == (undone[0],)
    assert trace_copies((*events, step(3))).undone == ()
