"""What is known of a model: how much it takes, what it can do, what it costs."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Calls: TypeAlias = Literal["native", "schema"]
"""How a model calls tools: as its service has them, or as a JSON object that a schema forces its text to be."""
Wire: TypeAlias = Literal["chat", "responses"]
"""On which of OpenAI's interfaces a model is asked."""


class Price(NamedTuple):
    """US dollars for a million tokens."""

    input: float
    output: float
    cached: float
    """Input that is read from the provider's cache."""
    written: float
    """Input that is written to it."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One model, as its adapter needs to know it."""

    name: str
    window: int
    """Tokens of a prompt and its reply together."""
    output: int
    """The most tokens that it may reply with."""
    price: Price | None = None
    """None where it is not known."""
    calls: Calls = "native"
    wire: Wire = "chat"
    parallel: bool = True
    """Whether it may make several calls in one reply."""
    known: bool = False
    """Whether these are facts; else they are defaults, which is said."""
