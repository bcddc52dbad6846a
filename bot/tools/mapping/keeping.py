"""Tags of files kept by the ids of their contents, in a few pieces, so that an edit costs a small one."""

import zlib
from collections.abc import Collection, Iterable, Mapping
from itertools import groupby

from bot.protocols import Shelf
from bot.tools.mapping.tags import FORMAT, Tags, unpack

PIECE = 8 << 20
"""Bytes of one piece; what was kept first goes first."""
SPARE = 2
"""What other trees had takes at most as much room again, so that a switch of branches costs little."""

_MAGIC = f"git agent tags {FORMAT}".encode()


def load(shelf: Shelf, keys: Collection[str]) -> dict[str, Tags]:
    """Look up what is kept under keys; whatever is not as it was written is absent."""
    found: dict[str, Tags] = {}
    for piece, wanted in _pieces(keys):
        kept = _read(shelf, piece)
        tags = ((key, unpack(kept[key])) for key in wanted if key in kept)
        found.update({key: each for key, each in tags if each is not None})
    return found


def save(shelf: Shelf, fresh: Mapping[str, Tags], used: Collection[str]) -> None:
    """Keep tags; of what was kept before, what is used comes first, and the rest as far as there is room."""
    alive = dict(_pieces(used))
    for piece, keys in _pieces(fresh):
        old = _read(shelf, piece)
        new = {key: fresh[key].pack() for key in keys}
        stays = {key: old[key] for key in alive.get(piece, ()) if key in old and key not in new}
        room = min(PIECE, SPARE * sum(map(len, (*new.values(), *stays.values()))))
        kept, size = dict[str, bytes](), 0
        for key, value in {**new, **stays, **old}.items():
            size += len(value)
            if size <= room:
                kept[key] = value
        shelf.put(_name(piece), _write(kept))


def _pieces(keys: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Sort keys into pieces by how they begin."""
    return [(piece, list(group)) for piece, group in groupby(sorted(keys), lambda key: key[:1])]


def _name(piece: str) -> str:
    return f"tags {FORMAT} {piece}"


def _write(kept: Mapping[str, bytes]) -> bytes:
    index = "".join(f"{key} {len(value)}\n" for key, value in kept.items()).encode()
    body = b"".join((index, b"\n", *kept.values()))
    return b"%b %d\n%b" % (_MAGIC, zlib.crc32(body), body)


def _read(shelf: Shelf, piece: str) -> dict[str, bytes]:
    """Read a piece; there is nothing in one that is damaged, or of another kind."""
    head, _, body = (shelf.get(_name(piece)) or b"").partition(b"\n")
    index, found, rest = body.partition(b"\n\n")
    if not found or head != b"%b %d" % (_MAGIC, zlib.crc32(body)):
        return {}
    kept, at = dict[str, bytes](), 0
    for line in index.decode("ascii", "replace").split("\n"):
        key, _, size = line.rpartition(" ")
        if not size.isdigit():
            return {}
        kept[key] = rest[at : at + int(size)]
        at += int(size)
    return kept if at == len(rest) else {}
