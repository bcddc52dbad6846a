"""A model that is asked for calls in whatever manner it can make them."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue

from bot.core.message import Prompt, Reply, Usage
from bot.errors import Billed, ModelError, ModelLimited, ModelOverloaded, ModelRejected, ModelUnavailable
from bot.models.dialect.manner import Manner


class Transport(Protocol):
    """Asks a service, with whatever parameters its interface has."""

    @property
    def name(self) -> str:
        """The spec that a person would type to get this model."""
        ...

    def answer(
        self, prompt: Prompt, seconds: float | None = None, extra: Mapping[str, JsonValue] | None = None
    ) -> Reply:
        """Answer a prompt, all of it in so many seconds. Raises ModelError."""
        ...


@dataclass(frozen=True, slots=True)
class FlexibleModel:
    """Asks as its manner says, and again at once in a simpler one where the service refuses that."""

    transport: Transport
    manner: Manner

    @property
    def name(self) -> str:
        """The spec that a person would type to get this model."""
        return self.transport.name

    def reply(self, prompt: Prompt, seconds: float | None = None) -> Reply:
        """Answer a prompt. Raises ModelError."""
        started, lost = time.monotonic(), Usage()
        while True:
            left = None if seconds is None else seconds - (time.monotonic() - started)
            try:
                said = self.transport.answer(self.manner.ask(prompt), left, self.manner.parameters(prompt))
            except ModelError as error:
                if not (_refuses(error) and self.manner.learn(error.message)):
                    error.billed = _add(error.billed, lost)
                    raise
            else:
                if not self.manner.doubt(said, prompt):
                    read = self.manner.read(said, prompt)
                    return read.model_copy(update={"usage": lost + read.usage})
                lost += said.usage


def _refuses(error: ModelError) -> bool:
    """Tell whether a service may have refused the manner of a request, for nothing."""
    passing = isinstance(error, ModelLimited | ModelOverloaded) or error.billed != Billed()
    return isinstance(error, ModelRejected | ModelUnavailable) and not passing


def _add(billed: Billed, lost: Usage) -> Billed:
    """Return what has to be paid for a request and for one that came to nothing before it."""
    usage = lost + Usage.of(billed)
    return Billed(usage.input, usage.output, usage.cached, usage.cost)
