"""How much a pack comes to once it is unpacked, found out before git gets to see it: a small one may hold a huge file.

Nothing is kept of what is unpacked but some bytes, however large it is.
"""

import zlib
from typing import NamedTuple

from bot.errors import WorkspaceError

_OFFSET, _REFERENCE = 6, 7
"""Kinds of objects that are told as a difference from another one."""
_WHOLE = frozenset({1, 2, 3, 4})
_CHUNK = 4_096
"""Bytes that are fed at once; most objects are smaller."""
_PIECE = 65_536
_SIZES = 24
"""Bytes at the head of a difference in which the sizes before and after it stand."""
_HEAD = 12
_MORE = 0x80


class Weight(NamedTuple):
    """What a pack comes to, or may."""

    objects: int
    largest: int
    """Bytes of one object."""
    total: int


class _Piece(NamedTuple):
    head: bytes
    """Its first bytes."""
    size: int
    end: int


def weigh(pack: bytes, most: Weight, width: int = 20) -> Weight:
    """Add up what a pack holds; `width` is that of an id in bytes. Raises WorkspaceError beyond `most`."""
    if pack[:4] != b"PACK" or pack[4:8] != b"\0\0\0\2" or len(pack) < _HEAD + width:
        raise WorkspaceError("its pack is none that git writes")
    count = int.from_bytes(pack[8:_HEAD], "big")
    if count > most.objects:
        raise WorkspaceError(f"it holds {count:,} objects, more than {most.objects:,}")
    at, largest, total = _HEAD, 0, 0
    for _ in range(count):
        size, at = _weigh_one(pack, at, most.largest, width)
        largest, total = max(largest, size), total + size
        if total > most.total:
            raise WorkspaceError(f"it unpacks to more than {most.total:,} bytes")
    if at + width != len(pack):
        raise WorkspaceError("its pack does not end where it should")
    return Weight(count, largest, total)


def _weigh_one(pack: bytes, at: int, most: int, width: int) -> tuple[int, int]:
    """Return the size of the object that begins at a place, and where it ends."""
    first = _byte(pack, at)
    kind = first >> 4 & 7
    rest, after = _number(pack, at + 1) if first & _MORE else (0, at + 1)
    told = first & 15 | rest << 4
    if kind == _OFFSET:
        _, after = _number(pack, after)
    elif kind == _REFERENCE:
        after += width
    elif kind not in _WHOLE:
        raise WorkspaceError("its pack holds something that is no object of git")
    _refuse_large(told, most)
    found = _inflate(pack, after, told)
    if kind in _WHOLE:
        return told, found.end
    _, there = _number(found.head, 0)
    made, _ = _number(found.head, there)
    _refuse_large(made, most)
    return made, found.end


def _refuse_large(size: int, most: int) -> None:
    if size > most:
        raise WorkspaceError(f"it holds an object of {size:,} bytes, more than {most:,}")


def _inflate(pack: bytes, at: int, told: int) -> _Piece:
    """Unpack what begins at a place and has to come to as many bytes as was told."""
    stream = zlib.decompressobj()
    head, size, waiting, fed = b"", 0, b"", at
    try:
        while not stream.eof:
            if not waiting:
                waiting = pack[fed : fed + _CHUNK]
                fed += len(waiting)
            if not waiting:
                raise WorkspaceError("its pack is cut off")
            piece = stream.decompress(waiting, _PIECE)
            waiting = stream.unconsumed_tail
            head += piece[: _SIZES - len(head)] if len(head) < _SIZES else b""
            size += len(piece)
            if size > told:
                break
    except zlib.error as error:
        raise WorkspaceError("its pack is damaged") from error
    if size != told:
        raise WorkspaceError("its pack holds an object of another size than it says")
    return _Piece(head, size, fed - len(stream.unused_data))


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Read a number of seven bits a byte, and where it ends."""
    number, shift = 0, 0
    while True:
        byte = _byte(data, at)
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not byte & _MORE:
            return number, at
        if shift > 63:  # noqa: PLR2004 - bits
            raise WorkspaceError("its pack holds a number that is none")


def _byte(data: bytes, at: int) -> int:
    if at >= len(data):
        raise WorkspaceError("its pack is cut off")
    return data[at]
