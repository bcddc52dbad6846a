"""How far a plan has come."""

from bot.core.course import Course, track
from bot.core.event import Committed, Ended, Event, Redone, Undone
from bot.core.plan import Design
from bot.core.summary import summarize
from bot.core.talk import Planned
from tests.core.test_summary import started

THREE = Planned(steps=("read", "mend", "document"), design=Design(modules=("a.py",)))


def made(step: int) -> Event:
    return Committed(step=step, commit=f"c{step}", tree="t", subject="s")


def standing(*events: Event) -> tuple[int, str]:
    course = track(events)
    return course.done, course.next


def test_each_verified_step_since_the_plan_does_one_of_its_steps() -> None:
    assert track(()) == Course()
    assert standing(THREE) == (0, "read")
    assert standing(made(1), THREE, made(2)) == (1, "mend")
    assert standing(THREE, made(1), made(2), made(3), made(4)) == (3, "")


def test_an_undo_takes_its_step_of_the_plan_back_and_a_redo_brings_it_again() -> None:
    back, forth = Undone(step=1, commit="c1"), Redone(step=2, commit="c2")
    assert standing(THREE, made(1), made(2), back) == (1, "mend")
    assert standing(THREE, made(1), made(2), back, forth) == (2, "document")
    assert standing(THREE, made(1), made(2), back, made(3)) == (2, "document")


def test_who_repeats_what_is_done_revises_the_rest_and_who_does_not_begins_anew() -> None:
    rest = Planned(steps=("read", "rewrite"), by="person")
    assert standing(THREE, made(1), rest) == (1, "rewrite")
    assert standing(THREE, made(1), Planned(steps=("rewrite",))) == (0, "rewrite")
    assert track((THREE, made(1), rest)).design == THREE.design
    other = Design(modules=("b.py",))
    assert track((THREE, Planned(steps=("x",), design=other))).design == other


def test_the_report_of_a_plan_that_nobody_made_is_not_that_there_is_nothing_to_do() -> None:
    begun = started().model_copy(update={"planning": True})
    ended = summarize((begun, Ended(at=101.0, stop="done")))
    assert (ended.outcome, ended.exit_code) == ("gave_up", 1)
    planned = summarize((begun, THREE, Ended(at=101.0, stop="done")))
    assert (planned.outcome, planned.plan, planned.design) == ("nothing", THREE.steps, THREE.design)


def test_a_person_who_thinks_a_plan_over_costs_a_run_no_time() -> None:
    later = Planned(at=9_000.0, steps=("x",), by="person")
    assert summarize((started(), Ended(at=101.0, stop="done"), later)).usage.seconds == 1.0
