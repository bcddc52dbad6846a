"""What a reply cost, by what its service says of it; estimated where it says nothing, so that nothing is free."""

from pydantic import JsonValue

from bot.core.message import Usage
from bot.errors import Billed
from bot.models.profile import Price

BYTES_PER_TOKEN = 4
MOST = 100_000_000
"""Tokens of one reply that are believed."""
DIGITS = 12
UNIT = 1_000_000


def bill(price: Price | None, fresh: int, output: int, cached: int = 0, written: int = 0) -> Usage:
    """Add up one reply: tokens read anew, replied, read from a cache, written to it."""
    cost = 0.0
    if price is not None:
        cost = fresh * price.input + output * price.output + cached * price.cached + written * price.written
    return Usage(input=fresh + cached + written, output=output, cached=cached, cost=cost / UNIT)


def estimate(price: Price | None, sent: int, received: int) -> Usage:
    """Estimate one reply by the bytes that were sent and the characters that came."""
    return bill(price, tokens(sent), tokens(received))


def tokens(size: int) -> int:
    """Estimate the tokens of so many bytes."""
    return -(-size // BYTES_PER_TOKEN)


def count(told: JsonValue) -> int:
    """Read a number of tokens as a service tells it; 0 for what is none."""
    if isinstance(told, str) and told.isascii() and told.isdigit() and len(told) < DIGITS:
        told = int(told)
    whole = isinstance(told, int | float) and not isinstance(told, bool) and 0 <= told <= MOST
    return int(told) if whole and isinstance(told, int | float) else 0


def billed(usage: Usage) -> Billed:
    """Say what a request cost that was not answered."""
    return Billed(usage.input, usage.output, usage.cached, usage.cost)
