"""What a hook was asked about, and with what it is judged."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, TextIO, TypeAlias

from bot.app import consoles
from bot.app.bay import Bay
from bot.app.desk import Desk
from bot.git.candidate import Candidate
from bot.git.hooked import Hooked

Terminal: TypeAlias = Callable[[], TextIO | None]
"""Opens where a person can be asked; None where nobody looks on."""


class Given(NamedTuple):
    """A commit that git is about to make, and the desk that it is made at."""

    hooked: Hooked
    candidate: Candidate
    desk: Desk
    bay: Bay
    begun: float
    """Seconds since the epoch at which judging began."""
    terminal: Terminal


def open_terminal() -> TextIO | None:
    """Open the terminal of a person who looks on; git gives a hook none to read from."""
    # The framework holds what is not staged back meanwhile, and takes a changed file for a failure
    if "PRE_COMMIT" in os.environ or not consoles.on_terminal(sys.stderr):
        return None
    with suppress(OSError):
        return open("/dev/tty", encoding="utf-8", errors="replace")  # noqa: PTH123 - it is a device
    return None
