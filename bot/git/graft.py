"""Trees that differ from others in a few entries, made in process: no index, no look at other files."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pygit2
from pygit2.enums import ObjectType

from bot.errors import GitFailed
from bot.git.leaf import Changes, Leaf
from bot.git.leaves import EXECUTABLE, LINK, REGULAR, File, Peculiar
from bot.git.library import Mapped, patiently

FOLDER = 0o040000
SUBMODULE = 0o160000
MOST_TREES = 256
"""Folders that are kept in memory."""
_KNOWN = frozenset({REGULAR, EXECUTABLE, LINK, FOLDER, SUBMODULE})


class Grafter:
    """The objects of one repository. Raises GitFailed, Peculiar."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)
        with Mapped("open the repository"):
            self._repo = pygit2.Repository(self._path)
        self._seen: dict[str, dict[bytes, Leaf]] = {}
        self._made: set[str] = set()
        """Objects that nothing may hold yet: garbage collection can take them, and the cache would not tell."""

    def find(self, tree: str, path: bytes) -> Leaf | None:
        """Return what a path is in a tree."""
        *above, name = path.split(b"/")
        for part in above:
            found = self._entries(tree).get(part)
            if found is None or found.mode != FOLDER:
                return None
            tree = found.id
        return self._entries(tree).get(name)

    def keep(self, file: File) -> Leaf:
        """Write a file's content as a blob."""
        made = Leaf(file.mode, patiently("write a blob", lambda: str(self._repo.create_blob(file.content))))
        self._made.add(made.id)
        return made

    def load(self, leaf: Leaf) -> File:
        """Return the content behind an entry that is a file or a link."""
        with Mapped(f"read {leaf.id}"):
            kind, content = self._repo.read(leaf.id)
        if kind != ObjectType.BLOB:
            raise Peculiar
        return File(leaf.mode, content)

    def graft(self, tree: str, changes: Changes) -> str:
        """Return the id of a tree with these paths changed."""
        made = self._grow(self._entries(tree), {tuple(path.split(b"/")): leaf for path, leaf in changes.items()})
        return self._write(made)

    def _grow(
        self, entries: Mapping[bytes, Leaf], changes: Mapping[tuple[bytes, ...], Leaf | None]
    ) -> dict[bytes, Leaf]:
        made = dict(entries)
        below: dict[bytes, dict[tuple[bytes, ...], Leaf | None]] = {}
        own: dict[bytes, Leaf | None] = {}
        for (name, *rest), leaf in changes.items():
            if rest:
                below.setdefault(name, {})[tuple(rest)] = leaf
            else:
                own[name] = leaf
        for name in {*own, *below}:
            self._place(made, name, own, below.get(name, {}))
        return made

    def _place(
        self,
        made: dict[bytes, Leaf],
        name: bytes,
        own: Mapping[bytes, Leaf | None],
        below: Mapping[tuple[bytes, ...], Leaf | None],
    ) -> None:
        """Put one entry in its place: a file, a folder, or nothing; files and folders may take each other's."""
        old, new = made.pop(name, None), own.get(name)
        folder = self._entries(old.id) if old is not None and old.mode == FOLDER else {}
        folder = self._grow(folder, below)
        stays = old if old is not None and old.mode != FOLDER and name not in own else None
        kept = new or stays
        if (old is not None and old.mode == SUBMODULE) or (folder and kept):
            raise Peculiar
        if folder:
            made[name] = Leaf(FOLDER, self._write(folder))
        elif kept:
            made[name] = kept

    def _entries(self, tree: str) -> dict[bytes, Leaf]:
        if tree not in self._seen:
            with Mapped(f"read {tree}"):
                kind, data = self._repo.read(tree)
            if kind != ObjectType.TREE:
                raise Peculiar
            self._remember(tree, dict(_parse(data)))
        return self._seen[tree]

    def _write(self, entries: Mapping[bytes, Leaf]) -> str:
        self._refuse_lost([leaf.id for leaf in entries.values() if leaf.id in self._made])
        # git sorts a folder as if its name ended with a slash
        order = sorted(entries, key=lambda name: name + b"/" if entries[name].mode == FOLDER else name)
        data = b"".join(b"%o %b\0%b" % (entries[n].mode, n, bytes.fromhex(entries[n].id)) for n in order)
        made = patiently("write a tree", lambda: str(self._repo.write(ObjectType.TREE, data)))
        self._made.add(made)
        self._remember(made, dict(entries))
        return made

    def _refuse_lost(self, made: Sequence[str]) -> None:
        # A handle that is kept takes what it once read for what is there
        odb = pygit2.Repository(self._path).odb if made else None
        lost = [object_id for object_id in made if odb is not None and not odb.exists(object_id)]
        if lost:
            raise GitFailed(f"{lost[0]} was taken by garbage collection")

    def _remember(self, tree: str, entries: dict[bytes, Leaf]) -> None:
        if len(self._seen) >= MOST_TREES:
            self._seen.clear()
        self._seen[tree] = entries


def _parse(data: bytes) -> Iterator[tuple[bytes, Leaf]]:
    at = 0
    while at < len(data):
        end = data.index(b"\0", at)
        mode, name = data[at:end].split(b" ", 1)
        kind = int(mode, 8)
        if kind not in _KNOWN:
            # Modes of old times, which git would write anew
            raise Peculiar
        yield name, Leaf(kind, data[end + 1 : end + 21].hex())
        at = end + 21
