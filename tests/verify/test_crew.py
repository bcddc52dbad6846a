"""Threads that nobody waits for."""

import subprocess
import sys
from threading import BoundedSemaphore, Event

import pytest

from bot.verify.crew import Crew


def test_answers_and_errors_reach_whoever_asks() -> None:
    crew = Crew(BoundedSemaphore(2))
    told = [crew.submit(divmod, 7, number) for number in (2, 0, 3)]
    assert [told[0].result(), told[2].result()] == [(3, 1), (2, 1)]
    with pytest.raises(ZeroDivisionError):
        told[1].result()
    crew.leave(waiting=True)


def test_what_has_not_begun_is_left_and_what_has_is_waited_for_where_that_is_wished() -> None:
    crew = Crew(BoundedSemaphore(1))
    begun, go_on = Event(), Event()

    def run() -> str:
        begun.set()
        go_on.wait()
        return "done"

    first, second = crew.submit(run), crew.submit(run)
    begun.wait()
    crew.leave(waiting=False)
    assert sorted((first.cancelled(), second.cancelled())) == [False, True]
    go_on.set()
    crew.leave(waiting=True)
    assert [each.result() for each in (first, second) if not each.cancelled()] == ["done"]


ENDLESS = """
import threading
from bot.verify.crew import Crew
crew = Crew(threading.BoundedSemaphore(1))
crew.submit(threading.Event().wait)
crew.leave(waiting=False)
print("over")
"""


def test_the_end_of_the_process_waits_for_none() -> None:
    done = subprocess.run([sys.executable, "-c", ENDLESS], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "over\n"
