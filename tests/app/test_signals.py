import os
import signal
import subprocess
import sys

import pytest

from bot.app.signals import interruptible
from bot.git.signals import SIGNALS


@pytest.mark.parametrize("number", SIGNALS)
def test_the_first_signal_interrupts_and_more_of_them_do_not(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    steps: list[str] = []
    with pytest.raises(KeyboardInterrupt), interruptible():
        _be_told_twice(number, steps)
    assert steps == ["tidied"]
    assert signal.getsignal(number) is before


def _be_told_twice(number: int, steps: list[str]) -> None:
    try:
        os.kill(os.getpid(), number)
    finally:
        os.kill(os.getpid(), number)
        steps.append("tidied")


IGNORES = """
import os, signal
from bot.app.signals import interruptible
signal.signal(signal.SIGHUP, signal.SIG_IGN)
with interruptible():
    os.kill(os.getpid(), signal.SIGHUP)
    print("on")
"""


def test_what_nohup_ignores_does_not_interrupt() -> None:
    done = subprocess.run([sys.executable, "-c", IGNORES], check=True, capture_output=True, text=True)
    assert done.stdout == "on\n"
