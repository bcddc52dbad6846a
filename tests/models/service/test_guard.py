import pytest

from bot.errors import MalformedReply, ModelTimeout, ModelUnreachable, StreamCut, StreamStalled
from bot.models.service.guard import MOST, Guard, Timing


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def guard(clock: Clock) -> Guard:
    made = Guard(Timing(connect=1, first=30, idle=10, tail=2, rest=0.5), clock)
    made.begin()
    return made


def test_an_answer_must_begin_in_time(guard: Guard, clock: Clock) -> None:
    assert guard.left() == 30
    clock.now += 30
    with pytest.raises(ModelTimeout, match="within 30 s"):
        guard.left()


def test_only_a_piece_of_the_answer_itself_gives_more_time(guard: Guard, clock: Clock) -> None:
    clock.now += 25
    guard.receive(1000)
    assert guard.left() == 5
    guard.advance()
    assert guard.left() == 10
    clock.now += 11
    with pytest.raises(StreamStalled, match="10 s"):
        guard.left()


def test_all_of_it_must_come_within_the_seconds_that_are_left(guard: Guard, clock: Clock) -> None:
    guard.begin(15)
    assert guard.left() == 15
    for _ in range(5):
        clock.now += 3
        guard.advance()
    with pytest.raises(StreamStalled, match="in the 15 s"):
        guard.left()
    guard.begin(0)
    with pytest.raises(ModelTimeout):
        guard.left()


def test_what_may_follow_the_end_is_not_waited_for_long(guard: Guard, clock: Clock) -> None:
    guard.advance()
    guard.end()
    assert guard.left() == 2
    guard.advance()
    assert guard.left() == 2
    guard.rest()
    assert guard.left() == 0.5


def test_nothing_is_carried_over_to_the_next_answer(guard: Guard) -> None:
    guard.answered = True
    guard.advance()
    guard.end()
    guard.receive(MOST)
    guard.begin(1)
    assert (guard.answered, guard.begun, guard.ended, guard.received) == (False, False, False, 0)


def test_an_answer_that_never_ends_is_none(guard: Guard) -> None:
    guard.receive(MOST)
    with pytest.raises(MalformedReply):
        guard.receive(1)


def test_a_lost_connection_is_told_by_how_far_it_got(guard: Guard) -> None:
    assert isinstance(guard.lost(), ModelUnreachable)
    guard.answered = True
    assert isinstance(guard.lost("reset"), StreamCut)
