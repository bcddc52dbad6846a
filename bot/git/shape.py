"""What lies in a folder that holds exactly one tree, whatever kind of thing was left there: git itself sees files."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from bot.git.disposal import delete
from bot.git.run import Git

RULES = b".gitattributes"
"""How the names of files end that say how others are to look."""
_POINTER = b".git"


@dataclass(frozen=True, slots=True)
class Shape:
    """The names in a tree, by what stands under them; relative to its top."""

    leaves: frozenset[bytes]
    """Files and links."""
    folders: frozenset[bytes]
    """Without the top."""
    modules: frozenset[bytes]
    """Places of other repositories, where a tree has nothing but an empty folder."""
    rules: str
    """Digest of all files that say how others are to look."""

    def clear(self, root: Path) -> list[str]:
        """Delete what is not in the tree, or is there something else, and name what could not be deleted.

        Folders that somebody closed are opened again; what files contain is git's to compare.
        """
        top = os.fsencode(root)
        return [os.fsdecode(name) for name in self._strays(top) if not _remove(top + b"/" + name)]

    def _strays(self, top: bytes) -> Iterator[bytes]:
        waiting = [b""]
        while waiting:
            folder = waiting.pop()
            _open(top + b"/" + folder)
            with os.scandir(top + b"/" + folder) as listing:
                entries = list(listing)
            for entry in entries:
                name = folder + entry.name
                if not entry.is_dir(follow_symlinks=False):
                    if not self._has(name, entry):
                        yield name
                elif name in self.folders:
                    waiting.append(name + b"/")
                elif name in self.modules:
                    yield from _content(top, name)
                elif name != _POINTER:
                    yield name

    def _has(self, name: bytes, entry: os.DirEntry[bytes]) -> bool:
        if name not in self.leaves:
            return name == _POINTER
        return entry.is_symlink() or entry.is_file(follow_symlinks=False)


def read_shape(git: Git, tree: str) -> Shape:
    """Ask git for the names in a tree. Raises GitFailed."""
    entries = git.names("ls-tree", "-r", "-t", "-z", "--full-tree", tree)
    # Mode, kind and id have the same length wherever the kind has
    start = len("100644 blob \t") + len(tree)
    kinds = {kind: [entry[start + more :] for entry in entries if entry[7:8] == kind] for kind, more in _KINDS.items()}
    rules = sorted(entry for entry in entries if entry.endswith(RULES))
    return Shape(
        frozenset(kinds[b"b"]),
        frozenset(kinds[b"t"]),
        frozenset(kinds[b"c"]),
        blake2b(b"\0".join(rules), digest_size=20).hexdigest(),
    )


_KINDS = {b"b": 0, b"t": 0, b"c": len("commit") - len("blob")}


def _content(top: bytes, module: bytes) -> Iterator[bytes]:
    _open(top + b"/" + module)
    with os.scandir(top + b"/" + module) as listing:
        yield from [module + b"/" + entry.name for entry in listing]


def _open(folder: bytes) -> None:
    mode = os.lstat(folder).st_mode
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        Path(os.fsdecode(folder)).chmod(stat.S_IMODE(mode) | stat.S_IRWXU)


def _remove(name: bytes) -> bool:
    path = Path(os.fsdecode(name))
    with suppress(OSError):
        if stat.S_ISDIR(path.lstat().st_mode):
            return delete(path)
        path.unlink()
    return not os.path.lexists(path)
