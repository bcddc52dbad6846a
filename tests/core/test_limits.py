import pytest

from bot.core.event import Committed, Ended, Event, RolledBack, Started
from bot.core.limits import exceeded, read
from bot.core.message import Reply, Usage
from bot.core.talk import Replied, Retried
from bot.core.task import Limits, Task

STARTED = Started(at=1000.0, run="r", task=Task(base="b"), branch="x")
REPLIED = Replied(reply=Reply(usage=Usage(input=100, output=20, cached=50, cost=0.25)))
COMMITTED = Committed(step=1, commit="c", tree="t", subject="s")
ROLLED_BACK = RolledBack(to="b", kept="k")
NONE = Limits(steps=None, turns=None, rollbacks=10**9, seconds=None)


def limited(**limit: float) -> Limits:
    return Limits.model_validate({**NONE.model_dump(), **limit})


@pytest.mark.parametrize(
    ("name", "event", "each"),
    [
        ("turns", REPLIED, 1),
        ("tokens", REPLIED, 120),
        ("cost", REPLIED, 0.25),
        ("steps", COMMITTED, 1),
        ("rollbacks", ROLLED_BACK, 1),
    ],
)
def test_limit_is_reached_at_its_amount_and_not_before(name: str, event: Event, each: float) -> None:
    limits = limited(**{name: each * 2})
    assert exceeded([STARTED, event], limits, 1000.0) is None
    assert exceeded([STARTED, event, event], limits, 1000.0) == name


def test_time_is_counted_from_the_start_of_the_run() -> None:
    assert exceeded([STARTED], limited(seconds=5), 1004.9) is None
    assert exceeded([STARTED], limited(seconds=5), 1005.0) == "seconds"
    assert exceeded([], limited(seconds=5), 99999.0) is None


@pytest.mark.parametrize("name", ["turns", "steps", "rollbacks", "seconds", "tokens", "cost"])
def test_zero_is_nothing_at_all(name: str) -> None:
    assert exceeded([STARTED], limited(**{name: 0}), 1000.0) == name


def test_none_is_no_limit() -> None:
    assert exceeded([STARTED, *[REPLIED] * 500, *[COMMITTED] * 500], NONE, 10.0**9) is None


def test_spending_is_the_sum_over_all_requests_answered_or_not() -> None:
    lost = Retried(error="cut", message="m", usage=Usage(input=10, cost=0.125))
    last = Ended(stop="model", usage=Usage(input=1))
    assert read([STARTED, REPLIED, COMMITTED, REPLIED]).usage == Usage(input=200, output=40, cached=100, cost=0.5)
    assert read([STARTED, REPLIED, lost, last]).usage == Usage(input=111, output=20, cached=50, cost=0.375)
    assert read([]).usage == Usage()
    assert exceeded([STARTED, lost, lost], limited(cost=0.25), 1000.0) == "cost"
