"""How long an answer may take and how much it may hold: bounds that no behaviour of a service gets around."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.errors import MalformedReply, ModelError, ModelTimeout, ModelUnreachable, StreamCut, StreamStalled

MOST = 64_000_000
"""Bytes of one answer as they come: room for a reply whose every letter is an event of its own."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds that a service may take."""

    connect: float = 15.0
    first: float = 300.0
    """From the question to the first of the answer: a model at home reads a long prompt for minutes."""
    idle: float = 120.0
    """Between two pieces of the answer; whatever else is sent, such as comments, is none."""
    tail: float = 2.0
    """After the end of the answer, for what it cost."""
    rest: float = 0.05
    """After that, for the connection to become free again."""
    whole: float = 600.0
    """For all of one answer, however steadily it comes."""


USUAL = Timing()


@dataclass(slots=True)
class Guard:
    """Bounds one answer after the other; whoever waits for the network asks it how long that may take."""

    timing: Timing = USUAL
    clock: Callable[[], float] = time.monotonic
    answered: bool = field(default=False, init=False)
    """Whether headers of an answer came."""
    begun: bool = field(default=False, init=False)
    """Whether any of the answer itself came."""
    ended: bool = field(default=False, init=False)
    """Whether all of it did."""
    received: int = field(default=0, init=False)
    """Bytes."""
    _allowed: float = field(default=0.0, init=False)
    """Seconds for all of the answer."""
    _last: float = field(default=0.0, init=False)
    """When all of the answer must have come, whatever comes."""
    _next: float = field(default=0.0, init=False)
    """When the next piece must have come."""

    def begin(self, seconds: float | None = None) -> None:
        """Start the clock of one answer, all of which may take so many seconds."""
        now = self.clock()
        self.answered = self.begun = self.ended = False
        self.received = 0
        self._allowed = self.timing.whole if seconds is None else min(seconds, self.timing.whole)
        self._last = now + max(0.0, self._allowed)
        self._next = now + self.timing.first

    def advance(self) -> None:
        """Hear that a piece of the answer came."""
        self.begun = True
        self._next = self.clock() + (self.timing.tail if self.ended else self.timing.idle)

    def end(self) -> None:
        """Hear that the answer is whole; all that may follow is what it cost."""
        self.ended = True
        self._next = self.clock() + self.timing.tail

    def rest(self) -> None:
        """Hear that nothing is awaited any more but the end of the connection's turn."""
        self.ended = True
        self._next = min(self._next, self.clock() + self.timing.rest)

    def left(self) -> float:
        """Return the seconds, more than 0, that one wait may take. Raises ModelTimeout, StreamStalled."""
        left = min(self._last, self._next) - self.clock()
        if left <= 0:
            raise self.late()
        return left

    def patience(self) -> float:
        """Return the seconds that it may take to get through. Raises ModelTimeout, StreamStalled."""
        return min(self.timing.connect, self.left())

    def receive(self, count: int) -> None:
        """Count bytes that came. Raises MalformedReply."""
        self.received += count
        if self.received > MOST:
            raise MalformedReply(f"the service does not stop: its answer is larger than {MOST // 1_000_000} MB")

    def late(self) -> ModelError:
        """Say that nothing came in time."""
        if self._last <= self._next:
            what = "did not end" if self.begun else "did not begin"
            kind = StreamStalled if self.begun else ModelTimeout
            if self._allowed >= self.timing.whole:
                return kind(f"the answer {what} within {_say(self._allowed)}", "set answer-seconds to wait for longer")
            left = f"the answer {what} in the {_say(self._allowed)} that were left for it"
            return kind(left, "a higher --max-seconds leaves more")
        if self.begun:
            return StreamStalled(f"the answer stands still: nothing came for {_say(self.timing.idle)}")
        return ModelTimeout(f"the answer did not begin within {_say(self.timing.first)}")

    def lost(self, words: str = "") -> ModelError:
        """Say that the connection was lost."""
        said = f" ({words})" if words else ""
        if self.answered:
            return StreamCut(f"the answer broke off before its end{said}")
        return ModelUnreachable(f"the service hung up before it answered{said}", "check base-url, or try again later")


def _say(seconds: float) -> str:
    return f"{round(seconds, 2):g} s"
