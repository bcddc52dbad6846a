"""The tree that git has noted in an index for all that it holds: a commit of that index gets this very one."""

MOST = 50_000
"""Entries; of more git itself is asked, which is quicker then."""
_SHORTENED = 4
"""The version whose paths are written as what differs from the one before."""
_LONG = 0xFFF
"""The length of all paths that are as long or longer."""
_KNOWN = (b"link", b"sdir")
"""Extensions that a reader has to know, where what is noted of the whole stands unchanged."""


def read_root(index: bytes, width: int) -> str:
    """Return the id of the noted tree, `width` bytes wide; empty where none is noted, or the index is none we know."""
    try:
        return _find(index, width)
    except (IndexError, ValueError):
        return ""


def _find(index: bytes, width: int) -> str:
    signature, version, count = index[:4], _number(index, 4), _number(index, 8)
    if signature != b"DIRC" or version not in (2, 3, _SHORTENED) or count > MOST:
        return ""
    at, end = _skip(index, count, version, width), len(index) - width
    while at + 8 <= end:
        name, start, size = index[at : at + 4], at + 8, _number(index, at + 4)
        if name == b"TREE":
            return _read(index[start : start + size], width)
        if not name[:1].isupper() and name not in _KNOWN:
            return ""
        at = start + size
    return ""


def _skip(index: bytes, count: int, version: int, width: int) -> int:
    """Return where the entries end; each ends with its path, whose length only the short ones tell."""
    at, fixed = 12, 40 + width
    for _ in range(count):
        high = index[at + fixed]
        path = at + fixed + (4 if high & 0x40 else 2)
        if version == _SHORTENED:
            while index[path] & 0x80:
                path += 1
            at = index.index(0, path + 1) + 1
            continue
        length = (high & 0x0F) << 8 | index[at + fixed + 1]
        stop = path + length if length < _LONG else index.index(0, path)
        # Filled up with at least one zero, to a multiple of eight
        at += (stop - at + 8) & ~7
    return at


def _read(extension: bytes, width: int) -> str:
    """Read the root, which comes first and has no name; without a count it is not up to date."""
    head, line, rest = extension.partition(b"\n")
    name, zero, told = head.partition(b"\0")
    known = not name and zero and line and told.split(b" ")[0].isdigit()
    return rest[:width].hex() if known and len(rest) >= width else ""


def _number(index: bytes, at: int) -> int:
    return int.from_bytes(index[at : at + 4], "big")
