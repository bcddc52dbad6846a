"""What a command printed: kept in a file without a name, so that no grandchild can keep us waiting."""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

from bot.core.redact import sanitize

HEAD = 32 << 10
TAIL = 32 << 10


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
    """Read the head and the tail of what was printed, with a note of how much lies between."""
    size = os.fstat(descriptor).st_size
    if size <= HEAD + TAIL:
        return Captured(show(os.pread(descriptor, size, 0)), truncated=False)
    head = whole_lines(os.pread(descriptor, HEAD, 0), at_end=True)
    tail = whole_lines(os.pread(descriptor, TAIL, size - TAIL), at_end=False)
    note = f"\n[... {size - len(head) - len(tail):,} bytes left out ...]\n"
    return Captured(show(head).rstrip("\n") + note + show(tail), truncated=True)


def whole_lines(piece: bytes, *, at_end: bool) -> bytes:
    """Cut the broken line off one end of a piece, unless the piece is one long line."""
    line = piece[: piece.rfind(b"\n") + 1] if at_end else piece[piece.find(b"\n") + 1 :]
    return line if len(line) > len(piece) // 2 else piece


def show(raw: bytes) -> str:
    """Decode and clean what was printed, for a person and a model to read."""
    return sanitize(raw.decode("utf-8", "replace"))
