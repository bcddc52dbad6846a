"""Answers that come packed though they were asked for as they are: unpacked piece by piece, within bounds."""

import zlib
from collections.abc import Iterable, Iterator

from bot.errors import MalformedReply
from bot.models.service.guard import Guard

PIECE = 1 << 16
"""Bytes that are unpacked at once."""
KNOWN = ("gzip", "x-gzip", "deflate")
EITHER = zlib.MAX_WBITS | 32
"""Has zlib look itself whether it is gzip or deflate."""


def find_packing(told: str) -> str:
    """Read a header that says how an answer is packed; empty where it is not."""
    kind = told.strip().lower()
    return "" if kind == "identity" else kind


def unpack(pieces: Iterable[bytes], packing: str, guard: Guard) -> Iterator[bytes]:
    """Unpack an answer; what is unpacked counts as what came. Raises MalformedReply."""
    if packing not in KNOWN:
        raise MalformedReply(
            "the service packs its answers though it was asked not to", "have its gateway send them as they are"
        )
    engine = zlib.decompressobj(EITHER)
    for piece in pieces:
        rest = piece
        while rest and not engine.eof:
            try:
                part = engine.decompress(rest, PIECE)
            except zlib.error:
                raise MalformedReply("the service's answer is packed, and cannot be unpacked") from None
            rest = engine.unconsumed_tail
            # Unpacked, a small answer may fill all memory
            guard.receive(len(part))
            if part:
                yield part
