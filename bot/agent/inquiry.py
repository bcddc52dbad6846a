"""Asks the model, within what a run may spend, until it answers or there is no more use in asking."""

import random
from collections.abc import Callable, Generator
from dataclasses import dataclass, field

from bot.agent import compress
from bot.agent.memory import Memory
from bot.agent.retelling import Keep
from bot.core.event import Ended, Event
from bot.core.limits import current
from bot.core.message import Reply, Usage
from bot.core.recovery import respond
from bot.core.talk import Compressed, Replied, Retried
from bot.core.task import Limits
from bot.errors import ContextOverflow, ModelError
from bot.protocols import Model


@dataclass(slots=True)
class Inquiry:
    """One reply that is wanted, and what went wrong on the way to it."""

    model: Model
    memory: Memory
    clock: Callable[[], float]
    pause: Callable[[float], None]
    room: int
    """Tokens that a prompt may have; 0 where nothing is known."""
    keep: Keep
    """Stores what is not shown to the model any more."""
    errors: list[str] = field(default_factory=list)
    """Kinds of the errors in a row."""

    def ask(self, limits: Limits) -> Generator[Event, None, Reply | None]:
        """Return the model's reply; None where the run has ended instead."""
        allowed = current(self.memory.log, limits)
        while True:
            end = self._limit(allowed) or (yield from self._make_room())
            if end is not None:
                yield end
                return None
            since, prompt, sent = self.clock(), self.memory.prompt(), self.memory.size
            try:
                reply = self.model.reply(prompt, self._left(allowed))
            except ModelError as error:
                yield from self._recover(error, allowed, self.clock() - since, sent)
                if isinstance(self.memory.log[-1], Ended):
                    return None
            else:
                yield Replied(reply=reply, seconds=self.clock() - since, sent=sent)
                return reply

    def _limit(self, allowed: Limits) -> Ended | None:
        limit = self.memory.meter.exceeded(allowed, self.clock())
        return Ended(stop=f"limit:{limit}", detail=f"the limit on {limit} is reached") if limit else None

    def _left(self, allowed: Limits) -> float | None:
        """Return the seconds that an answer may take."""
        return None if allowed.seconds is None else max(0.0, allowed.seconds - self.memory.meter.elapsed(self.clock()))

    def _make_room(self) -> Generator[Event, None, Ended | None]:
        """Make the prompt shorter where it is time for that, or where it did not fit."""
        overflow = self.errors[-1:] == [ContextOverflow.kind]
        view = self.memory.view
        made = compress.emergency(view, self.keep) if overflow else compress.due(view, self.room, self.keep)
        if isinstance(made, Compressed):
            yield made
            return None
        return made

    def _recover(self, error: ModelError, allowed: Limits, took: float, sent: int) -> Generator[Event, None, None]:
        """Wait before the model is asked again, or end the run."""
        self.errors.append(error.kind)
        billed = Usage.of(error.billed)
        answer = respond(self.errors, error.wait, random.random())  # noqa: S311 - jitter
        left = self._left(allowed)
        told = f"{error.message}; {error.hint}" if error.hint else error.message
        late = left is not None and answer.wait > left
        if answer.action == "stop" or late:
            why = f"it would be asked again in {answer.wait:.0f} s, and the time is up before" if late else answer.why
            detail = f"{told} ({why})" if why else told
            # Where the answer itself took all of the time, it is the time that is to blame
            stop = "limit:seconds" if left == 0 and answer.action != "stop" else "model"
            yield Ended(stop=stop, detail=detail, error=error.kind, usage=billed)
            return
        yield Retried(error=error.kind, message=error.message, wait=answer.wait, seconds=took, sent=sent, usage=billed)
        self.pause(answer.wait)
