"""Asking the model: how often, how long, at what price, and what is said when there is no more use in it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from bot.agent.answer import BROKEN
from bot.agent.inquiry import Inquiry
from bot.agent.memory import Memory
from bot.core.event import Ended, Event, Started
from bot.core.message import Finish, Prompt, Reply, Usage
from bot.core.talk import Replied, Retried, Told
from bot.core.task import Limits, Task
from bot.errors import (
    Billed,
    ModelDenied,
    ModelError,
    ModelLimited,
    ModelOverloaded,
    ModelTimeout,
    ModelUnavailable,
    ModelUnreachable,
    QuotaExhausted,
    StreamCut,
    StreamStalled,
)
from tests.agent.conftest import FINISH, Clock, Scene, reply

ANSWER = Reply(text="here")
STARTED = Started(at=1000.0, run="r", task=Task(goal="g", base="b"), branch="x")


@dataclass
class Service:
    """A model that fails as it is told to, takes its time, and answers at last."""

    clock: Clock
    errors: Iterator[ModelError]
    takes: float = 0.0
    given: list[float | None] = field(default_factory=list)
    name: str = "service"

    def reply(self, prompt: Prompt, seconds: float | None = None) -> Reply:
        """Answer, or fail."""
        self.given.append(seconds)
        self.clock.now += self.takes
        for error in self.errors:
            raise error
        return ANSWER


def ask(service: Service, limits: Limits) -> list[Event]:
    """Ask until there is an answer or an end, and return what happened."""
    memory = Memory.of((STARTED,), ())
    for event in Inquiry(service, memory, service.clock, service.clock.pause, 0, lambda text: "").ask(limits):
        memory.add(event.model_copy(update={"at": service.clock()}))
    return memory.log[1:]


@pytest.mark.parametrize(
    ("kind", "requests", "longest"),
    [
        (ModelUnreachable, 5, 20),
        (ModelTimeout, 3, 4),
        (ModelLimited, 8, 300),
        (ModelOverloaded, 6, 80),
        (ModelUnavailable, 5, 20),
        (StreamCut, 3, 2),
        (StreamStalled, 2, 1),
        (ModelDenied, 1, 0),
        (QuotaExhausted, 1, 0),
    ],
)
def test_each_kind_of_error_has_its_own_bound(kind: type[ModelError], requests: int, longest: float) -> None:
    clock = Clock()
    service = Service(clock, (kind("no") for _ in range(99)))
    *retried, end = ask(service, Limits(seconds=None))
    assert isinstance(end, Ended)
    assert (end.stop, end.error, len(service.given)) == ("model", kind.kind, requests)
    assert all(isinstance(event, Retried) and event.error == kind.kind for event in retried)
    assert sum(clock.waits) <= longest


def test_an_answer_may_take_what_is_left_of_the_time() -> None:
    clock = Clock()
    service = Service(clock, iter([ModelTimeout("slow"), StreamCut("cut")]), takes=40.0)
    events = ask(service, Limits(seconds=200))
    assert isinstance(events[-1], Replied)
    assert service.given[0] == 200
    assert service.given == sorted(service.given, reverse=True)  # type: ignore[type-var]
    assert 60 < (service.given[-1] or 0) < 120


def test_time_that_runs_out_while_asking_ends_the_run_before_the_next_request() -> None:
    clock = Clock()
    service = Service(clock, (ModelOverloaded("busy") for _ in range(99)), takes=100.0)
    events = ask(service, Limits(seconds=150))
    assert isinstance(events[-1], Ended)
    assert len(service.given) == 2
    assert clock.now <= 1000 + 200 + 5


def test_what_a_lost_answer_cost_counts_and_can_end_the_run() -> None:
    service = Service(Clock(), (StreamCut("cut", billed=Billed(100, 5, 0, 0.5)) for _ in range(9)))
    events = ask(service, Limits(cost=1.0))
    assert [event.usage.cost for event in events if isinstance(event, Retried)] == [0.5, 0.5]
    assert isinstance(events[-1], Ended)
    assert events[-1].stop == "limit:cost"
    denied = ask(Service(Clock(), iter([ModelDenied("no", "say who", billed=Billed(7))])), Limits())[-1]
    assert isinstance(denied, Ended)
    assert (denied.detail, denied.usage) == ("no; say who", Usage(input=7))


@pytest.mark.parametrize(("finish", "asked"), [("length", 3), ("refused", 2)])
def test_a_reply_that_is_no_answer_is_asked_for_again_within_bounds(scene: Scene, finish: Finish, asked: int) -> None:
    events = scene.run(*[Reply(text="I", finish=finish)] * 9)
    end = events[-1]
    assert isinstance(end, Ended)
    assert (end.stop, end.error) == ("model", BROKEN[finish].error)
    assert sum(isinstance(event, Replied) for event in events) == asked
    assert [event.text for event in events if isinstance(event, Told)] == [BROKEN[finish].words] * (asked - 1)


def test_a_reply_that_was_cut_off_may_be_longer_the_next_time(scene: Scene) -> None:
    seen: list[bool] = []

    def look(said: Reply) -> Callable[[Prompt], Reply]:
        def line(prompt: Prompt) -> Reply:
            seen.append(prompt.longer)
            return said

        return line

    scene.run(
        look(Reply(text="I", finish="length")), look(reply(("read_file", {"path": "calc.py"}))), look(reply(FINISH))
    )
    assert seen == [False, True, False]
