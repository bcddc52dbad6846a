"""Which paths differ between two trees, read from the tree objects themselves: no setting or attribute takes part."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from bot.core.change import readable
from bot.core.paths import same
from bot.errors import WorkspaceError

ABSENT, LINK, SUBMODULE = "000000", "120000", "160000"
MOST_PATHS = 200_000
"""Trees that hold each other many times over can name more paths than anybody could list."""

Read: TypeAlias = Callable[[str], bytes]
"""Gives the raw content of a tree object."""
Names: TypeAlias = Callable[[bytes], Iterable[bytes]]
"""Gives the names in a folder; none where there is no such folder."""
Entries: TypeAlias = Mapping[bytes, tuple[bytes, bytes]]
"""Names of a tree, with mode and raw id."""

_FOLDER = "040000"
_EXECUTABLE = 0o100
_ID = 20
"""Bytes; libgit2 knows no others."""
_ENTRY = re.compile(rb"[0-7]{5,6} [^\0/]+\0.{20}", re.DOTALL)
_DAMAGED = "a tree object is damaged: it names something twice, or cannot be read"


class Delta(NamedTuple):
    """One path that differs."""

    status: str
    """A, D, M, or T where a file, a link and a submodule take each other's place."""
    path: bytes
    old_mode: str
    new_mode: str
    old: str
    new: str


def walk(read: Read, old: str, new: str) -> list[Delta]:
    """List what differs between two trees, each path once, in the order of their bytes. Raises WorkspaceError."""
    found: list[Delta] = []
    folders = [(b"", old, new)]
    while folders:
        prefix, before, after = folders.pop()
        had, has = _odd_ones(read(before) if before else b"", read(after) if after else b"")
        for name in had.keys() | has.keys():
            was, now = _canonical(had.get(name)), _canonical(has.get(name))
            left, right = (oid if mode == _FOLDER else "" for mode, oid in (was, now))
            if left != right:
                folders.append((prefix + name + b"/", left, right))
            found.extend(_compare(prefix + name, was, now))
        if len(found) + len(folders) > MOST_PATHS:
            raise WorkspaceError(f"more than {MOST_PATHS:,} paths differ, which is too many to be looked through")
    return sorted(found, key=lambda delta: delta.path)


def parse_tree(data: bytes) -> Entries:
    """Read a tree object. Raises WorkspaceError when git would not have written it so."""
    return _read(_split(data))


def _split(data: bytes) -> list[bytes]:
    """Cut a tree object into its entries, of which most are never looked at one by one."""
    listed = _ENTRY.findall(data)
    if b"".join(listed) != data:
        raise WorkspaceError(_DAMAGED)
    return listed


def _read(listed: Iterable[bytes]) -> Entries:
    entries: dict[bytes, tuple[bytes, bytes]] = {}
    for entry in listed:
        mode, _, rest = entry.partition(b" ")
        name = rest[: -1 - _ID]
        if name in entries:
            raise WorkspaceError(_DAMAGED)
        entries[name] = mode, rest[-_ID:]
    return entries


def _odd_ones(before: bytes, after: bytes) -> tuple[Entries, Entries]:
    """Read those entries of two trees that are not the same in both."""
    old, new = set(_split(before)), set(_split(after))
    had, has = _read(old - new), _read(new - old)
    for name in had.keys() | has.keys():
        # It may have a namesake among those that are the same
        for data in (before, after):
            if data.count(b" " + name + b"\0") > 1:
                parse_tree(data)
    return had, has


def find_clashes(added: Iterable[bytes], before: Names, after: Names) -> Iterator[tuple[str, str]]:
    """Pair each new name with another one that is the same where letter case and Unicode form do not count."""
    folders: dict[bytes, tuple[set[bytes], dict[str, list[bytes]]]] = {}
    for folder, name in dict.fromkeys(_steps(added)):
        if folder not in folders:
            folders[folder] = set(before(folder)), _fold(after(folder))
        old, alike = folders[folder]
        if name not in old:
            path = folder + name
            yield from ((readable(path), readable(folder + n)) for n in alike.get(_key(name), ()) if n != name)


def _steps(paths: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Name each folder on the way to a path and what is looked up in it."""
    for path in paths:
        parts = path.split(b"/")
        yield from ((b"".join(part + b"/" for part in parts[:depth]), name) for depth, name in enumerate(parts))


def _fold(names: Iterable[bytes]) -> dict[str, list[bytes]]:
    alike: dict[str, list[bytes]] = {}
    for name in names:
        alike.setdefault(_key(name), []).append(name)
    return alike


def _key(name: bytes) -> str:
    return name.decode("ascii").lower() if name.isascii() else same(readable(name))


def _canonical(entry: tuple[bytes, bytes] | None) -> tuple[str, str]:
    """Read an entry as git does, which knows five modes; older ones wrote more."""
    if entry is None:
        return ABSENT, ""
    mode, oid = int(entry[0], 8), entry[1].hex()
    match mode & 0o170000:
        case 0o040000:
            return _FOLDER, oid
        case 0o120000:
            return LINK, oid
        case 0o100000:
            return "100755" if mode & _EXECUTABLE else "100644", oid
        case _:
            return SUBMODULE, oid


def _compare(path: bytes, was: tuple[str, str], now: tuple[str, str]) -> Iterator[Delta]:
    """Tell what became of what was no folder."""
    (old_mode, old), (new_mode, new) = (side if side[0] != _FOLDER else (ABSENT, "") for side in (was, now))
    if (old_mode, old) == (new_mode, new):
        return
    zero = "0" * len(old or new)
    if ABSENT in (old_mode, new_mode):
        status = "A" if old_mode == ABSENT else "D"
    else:
        status = "M" if old_mode[:3] == new_mode[:3] else "T"
    yield Delta(status, path, old_mode, new_mode, old or zero, new or zero)
