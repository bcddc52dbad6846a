"""What git asks of a hook before a commit. Light: it is known before what judges it is loaded."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, TextIO, TypeAlias

from bot.app.onlooker import on_terminal
from bot.git.candidate import Candidate
from bot.git.hooked import Hooked
from bot.git.repository import Repository

Terminal: TypeAlias = Callable[[], TextIO | None]
"""Opens where a person can be asked; None where nobody looks on."""


class Asked(NamedTuple):
    """A commit that git is about to make."""

    repository: Repository
    hooked: Hooked
    candidate: Candidate
    begun: float
    """Seconds since the epoch at which judging began."""
    terminal: Terminal


def open_terminal() -> TextIO | None:
    """Open the terminal of a person who looks on; git gives a hook none to read from."""
    # The framework holds what is not staged back meanwhile, and takes a changed file for a failure
    if "PRE_COMMIT" in os.environ or not on_terminal(sys.stderr):
        return None
    with suppress(OSError):
        return open("/dev/tty", encoding="utf-8", errors="replace")  # noqa: PTH123 - it is a device
    return None
