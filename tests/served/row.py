"""A misbehaviour of a service, as a value."""

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from bot.core.recovery import LONGEST_ASKED, REMEDIES
from tests.served.acts import Speaker, say
from tests.served.said import Asked, Said
from tests.served.server import WIRES, Act, Wire

Play: TypeAlias = Callable[[Speaker], Act]
"""Spoils what a well-behaved model would say."""
Means: TypeAlias = Literal[
    "unreachable", "timeout", "limited", "overloaded", "unavailable", "cut", "stalled", "malformed",
    "overflow", "credentials", "quota", "unknown_model", "refused", "rejected",
    "call", "goes on", "nudged", "late",
]  # fmt: skip
"""The kind of the error that it is taken for; a call that is answered with an error; nothing wrong; no call."""
Place: TypeAlias = Literal["served", "closed", "nowhere", "tls"]
"""At which address: the server's, one where nobody listens, one that does not exist, a secure one."""


class Row(NamedTuple):
    """One way to misbehave."""

    does: str
    """What the service does, in a person's words; it names the row."""
    means: Means
    play: Play
    wires: tuple[Wire, ...] = WIRES
    error: str = ""
    """The kind of error that the call is answered with."""
    place: Place = "served"
    seconds: float | None = None
    """How long the run may take."""
    wait: float | None = None
    """Seconds that the service asks for."""
    cost: tuple[int, int] | None = None
    """What the reply costs, input and output, where the service is odd about it."""
    executed: int = 2
    """How many notes are taken in a run that goes on."""
    learned: tuple[Wire, ...] = ()
    """Wires whose adapter learns from it, and asks again by itself."""

    @property
    def early(self) -> bool:
        """Whether the first request meets it already: nobody could answer one well, or time is short."""
        return self.place != "served" or self.seconds is not None

    @property
    def slow(self) -> bool:
        """Whether something is awaited that does not come."""
        return self.seconds is not None or self.means in ("timeout", "stalled")

    @property
    def recovers(self) -> bool:
        """Whether a run goes on in another way once the service is well again."""
        if self.place != "served" or (self.wait or 0) > LONGEST_ASKED:
            return False
        remedy = REMEDIES.get(self.means)
        return self.means in ("call", "nudged") if remedy is None else remedy.action != "stop"


def always(act: Act) -> Play:
    """Do this, whatever was to be said."""
    return lambda speaker: act


def twist(change: Callable[[Said], Said]) -> Play:
    """Say something else instead, in good form."""
    return lambda speaker: say(lambda exchange: change(speaker(exchange)))


def ask(change: Callable[[Asked], Asked]) -> Play:
    """Make the calls differently."""
    return twist(lambda said: said._replace(calls=tuple(change(call) for call in said.calls)))
