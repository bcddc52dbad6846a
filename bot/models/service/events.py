"""Server-sent events: what a service streams, one event after the other, whatever its line ends and letters."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from bot.errors import MalformedReply, ModelError
from bot.models.service.guard import Guard

LONGEST = 8_000_000
"""Bytes of one event."""
MARK = b"\xef\xbb\xbf"
"""What a text may begin with that says how it is written."""
BLANK = MARK + b" \t\r\n"


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
        # Sent by some to keep the connection alive
        row = row.lstrip(b"\0")  # noqa: PLW2901
        if size > LONGEST:
            raise _endless()
        if not row:
            if any(data):
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
    if any(data):
        yield Sent(name, "\n".join(data))


def begin(pieces: Iterator[bytes]) -> bytes:
    """Return what comes first, up to something that can be seen, without what only says how it is written."""
    found = (piece.lstrip(BLANK) for piece in pieces)
    return next(filter(None, found), b"")


def is_whole(first: bytes) -> bool:
    """Tell an answer that comes in one piece from events, by what comes first and whatever its header says."""
    return first[:1] in (b"{", b"[", b"<")


def until_end(pieces: Iterable[bytes], guard: Guard) -> Iterator[bytes]:
    """Give the bytes as they come; once the reply is whole, whatever goes wrong behind it is nothing."""
    try:
        yield from pieces
    except ModelError:
        if not guard.ended:
            raise


def read_whole(pieces: Iterable[bytes], guard: Guard) -> bytes:
    """Return an answer that is not streamed. Raises MalformedReply."""
    data = bytearray()
    for piece in pieces:
        data += piece
        guard.advance()
        if len(data) > LONGEST:
            raise MalformedReply(f"the service's answer is larger than {LONGEST // 1_000_000} MB")
    return bytes(data)


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
