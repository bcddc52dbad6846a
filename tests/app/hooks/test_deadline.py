"""A time after which what goes on is stopped."""

import signal
import threading
import time

import pytest

from bot.app.hooks.deadline import Clock, limited
from bot.app.signals import interruptible
from bot.git.signals import uninterrupted


def test_the_end_of_the_time_interrupts_as_a_person_would() -> None:
    clock = Clock()
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(KeyboardInterrupt), interruptible(), limited(0.01, clock):
        time.sleep(10)
    assert clock.over
    assert signal.getsignal(signal.SIGALRM) is before


def test_a_person_who_comes_first_is_not_taken_for_it() -> None:
    clock = Clock()
    with pytest.raises(KeyboardInterrupt), interruptible(), limited(0.02, clock):
        _be_stopped()
    assert not clock.over


def test_what_must_not_stay_half_done_is_done_first() -> None:
    clock = Clock()
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt), interruptible(), limited(0.01, clock), uninterrupted():
        _finish(done)
    assert clock.over
    assert done == ["whole"]


def _finish(done: list[str]) -> None:
    time.sleep(0.03)
    done.append("whole")


def _be_stopped() -> None:
    try:
        signal.raise_signal(signal.SIGINT)
    finally:
        time.sleep(0.04)


def test_who_is_in_time_hears_nothing() -> None:
    clock = Clock()
    with interruptible(), limited(1e9, clock):
        pass
    with limited(1e-12, clock), limited(0.005, clock):
        pass
    other = threading.Thread(target=lambda: limited(0.001, clock).__enter__())
    other.start()
    other.join()
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
