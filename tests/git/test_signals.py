import os
import signal
import threading
from types import FrameType

import pytest

from bot.git.signals import SIGNALS, uninterrupted


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_waits_until_what_is_half_done_is_done(number: signal.Signals) -> None:
    steps: list[str] = []

    def stop(_: int, __: FrameType | None) -> None:
        steps.append("stopped")

    before = signal.signal(number, stop)
    try:
        with uninterrupted():
            os.kill(os.getpid(), number)
            os.kill(os.getpid(), number)
            with uninterrupted():
                steps.append("first")
            steps.append("second")
        assert steps == ["first", "second", "stopped"]
        assert signal.getsignal(number) is stop
    finally:
        signal.signal(number, before)


def test_what_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with uninterrupted():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_an_error_inside_goes_on_and_the_handlers_are_back() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    with pytest.raises(ZeroDivisionError), uninterrupted():
        raise ZeroDivisionError
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_other_threads_are_let_through() -> None:
    done: list[bool] = []

    def work() -> None:
        with uninterrupted():
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]
