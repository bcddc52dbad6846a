"""What a command printed: kept in a file without a name, so that no grandchild can keep us waiting."""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

from bot.core.redact import sanitize
from bot.core.telling import Pick

HEAD = 32 << 10
TAIL = 32 << 10
TELLING = 16 << 10
"""Bytes of what lies between that are kept because they look like errors."""
LOOKED_THROUGH = 4 << 20
"""Bytes of what lies between that are looked through: the first and the last half as many."""
BLOCK = 1 << 20


class Captured(NamedTuple):
    """The printed text, as much of it as is kept."""

    text: str
    truncated: bool


@contextlib.contextmanager
def output_file() -> Iterator[int]:
    """Open a file without a name for a command to print into."""
    with tempfile.TemporaryFile(buffering=0, prefix="git-agent-") as file:
        # Programs that open /dev/stdout anew have an offset of their own: without this they would overwrite each other.
        fcntl.fcntl(file, fcntl.F_SETFL, fcntl.fcntl(file, fcntl.F_GETFL) | os.O_APPEND)
        yield file.fileno()


def read_ends(descriptor: int) -> Captured:
    """Read the head and the tail of what was printed; of what lies between, the lines that look like errors."""
    size = os.fstat(descriptor).st_size
    if size <= HEAD + TAIL:
        return Captured(show(os.pread(descriptor, size, 0)), truncated=False)
    head = whole_lines(os.pread(descriptor, HEAD, 0), at_end=True)
    tail = whole_lines(os.pread(descriptor, TAIL, size - TAIL), at_end=False)
    said = _telling(descriptor, len(head), size - len(tail))
    words = "; lines of them that look like errors:" if said else " ..."
    note = f"\n[... {size - len(head) - len(tail):,} bytes left out{words}]\n"
    rest = "".join(f"{line}\n" for line in said) + ("[...]\n" if said else "")
    return Captured(show(head).rstrip("\n") + note + rest + show(tail), truncated=True)


def _telling(descriptor: int, start: int, end: int) -> list[str]:
    found = Pick(TELLING)
    half = LOOKED_THROUGH // 2
    spans = [(start, end)] if end - start <= LOOKED_THROUGH else [(start, start + half), (end - half, end)]
    for first, last in spans:
        for line in _lines(descriptor, first, last):
            found.add(line)
    more = [f"[... and {found.left} more that look like errors]"] if found.left else []
    return [*map(str, found.said()), *more]


def _lines(descriptor: int, start: int, end: int) -> Iterator[str]:
    """Give the lines of a part; of one longer than a block, its pieces."""
    rest = b""
    while start < end:
        block = os.pread(descriptor, min(BLOCK, end - start), start)
        if not block:
            break  # it was cut off meanwhile
        start += len(block)
        *whole, rest = (rest + block).split(b"\n") if len(rest) < BLOCK else [rest, *block.split(b"\n")]
        yield from (show(line) for line in whole)
    yield show(rest)


def whole_lines(piece: bytes, *, at_end: bool) -> bytes:
    """Cut the broken line off one end of a piece, unless the piece is one long line."""
    line = piece[: piece.rfind(b"\n") + 1] if at_end else piece[piece.find(b"\n") + 1 :]
    return line if len(line) > len(piece) // 2 else piece


def show(raw: bytes) -> str:
    """Decode and clean what was printed, for a person and a model to read."""
    return sanitize(raw.decode("utf-8", "replace"))
