"""Server-sent events: what a service streams, one event after the other, whatever its line ends and letters."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from bot.errors import MalformedReply

LONGEST = 8_000_000
"""Bytes of one event."""
MARK = b"\xef\xbb\xbf"
"""What a text may begin with that says how it is written."""


class Sent(NamedTuple):
    """One event."""

    name: str
    data: str


def read_events(pieces: Iterable[bytes]) -> Iterator[Sent]:
    """Read events as they come; a last one without the empty line behind it counts. Raises MalformedReply."""
    name, data, size = "", list[str](), 0
    lines = _lines(pieces)
    for row in chain((next(lines, b"").removeprefix(MARK),), lines):
        size += len(row)
        if size > LONGEST:
            raise _endless()
        if not row:
            if data:
                yield Sent(name, "\n".join(data))
            name, data, size = "", [], 0
            continue
        field, _, value = row.decode("utf-8", "replace").partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            data.append(value)
        elif field == "event":
            name = value
        elif field == "error":
            # As llama.cpp tells that something went wrong
            name, data = field, [value]
    if data:
        yield Sent(name, "\n".join(data))


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Split into lines that end in any of the three ways; one that never ends is none."""
    rest = bytearray()
    for piece in pieces:
        if rest[-1:] == b"\r":
            # It may be half of a line end
            piece, rest = b"\r" + piece, rest[:-1]  # noqa: PLW2901
        if b"\r" in piece:
            piece = piece.replace(b"\r\n", b"\n")  # noqa: PLW2901
            piece = piece[:-1].replace(b"\r", b"\n") + piece[-1:]  # noqa: PLW2901
        *whole, last = piece.split(b"\n")
        if whole:
            yield bytes(rest) + whole[0]
            yield from whole[1:]
            rest.clear()
        rest += last
        if len(rest) > LONGEST:
            raise _endless()
    if rest:
        yield bytes(rest).rstrip(b"\r")


def _endless() -> MalformedReply:
    return MalformedReply(f"the service sent an event of more than {LONGEST // 1_000_000} MB")
