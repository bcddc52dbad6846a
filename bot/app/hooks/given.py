"""What a hook was asked about, and with what it is judged."""

from typing import NamedTuple

from bot.app.bay import Bay
from bot.app.desk import Desk
from bot.app.hooks.asked import Terminal
from bot.git.candidate import Candidate
from bot.git.hooked import Hooked


class Given(NamedTuple):
    """A commit that git is about to make, and the desk that it is made at."""

    hooked: Hooked
    candidate: Candidate
    desk: Desk
    bay: Bay
    begun: float
    """Seconds since the epoch at which judging began."""
    terminal: Terminal
