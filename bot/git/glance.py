"""Looks at files of a checkout that are known to have been written, and puts them back: in process, file by file."""

from collections.abc import Collection
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from bot.errors import GitFailed
from bot.git import leaves
from bot.git.conversion import Conversion, read_conversion
from bot.git.leaf import Changes, Leaf, Objects
from bot.git.leaves import EXECUTABLE, REGULAR, File, Peculiar
from bot.git.repository import Repository
from bot.git.run import Git


@dataclass(slots=True)
class Glance:
    """One checkout, as far as the git executable is not needed. Raises Peculiar where it is."""

    root: Path
    git: Git
    repository: Repository
    _conversion: Conversion | None = field(default=None, init=False)
    _kept: Objects | None = field(default=None, init=False)

    def look(self, tree: str, paths: Collection[bytes]) -> Changes:
        """Say what these paths are now; `tree` is what was there when somebody last looked."""
        objects = self._objects()
        known = {path: objects.find(tree, path) for path in paths}
        found = {path: self._record(path) for path in sorted(paths)}
        fresh = [path for path, leaf in found.items() if leaf is not None and known[path] is None]
        ignored = self._ignored(fresh)
        return {path: None if path in ignored else leaf for path, leaf in found.items()}

    def keeps(self, tree: str, path: bytes, content: bytes) -> bool:
        """Say whether git would certainly record this content for a file of a tree as it is."""
        try:
            known = self._objects().find(tree, path)
            plain = known is not None and known.mode in (REGULAR, EXECUTABLE) and not _special(path)
            return plain and self._setup().stores(self.root, path, File(REGULAR, content))
        except (Peculiar, GitFailed):
            return False

    def graft(self, tree: str, changes: Changes) -> str:
        """Return the id of a tree with these paths changed."""
        return self._objects().graft(tree, changes)

    def differences(self, now: str, tree: str, paths: Collection[bytes]) -> Changes:
        """Say what of these paths has to be laid out anew when the files are `now` and shall be `tree`."""
        objects = self._objects()
        wanted = {path: objects.find(tree, path) for path in paths}
        changes = {path: leaf for path, leaf in wanted.items() if leaf is None or leaf != objects.find(now, path)}
        if objects.graft(now, changes) != tree:
            raise Peculiar
        return changes

    def lay(self, changes: Changes) -> None:
        """Make files what they are in a tree. Raises OSError."""
        objects = self._objects()
        files = {path: objects.load(leaf) for path, leaf in changes.items() if leaf is not None}
        if not all(self._setup().shows(self.root, path, file) for path, file in files.items()):
            raise Peculiar
        # A folder may have to make room for a file, and the other way round
        for path in changes.keys() - files.keys():
            leaves.remove(self.root, path)
        for path, file in files.items():
            leaves.write(self.root, path, file)

    def _record(self, path: bytes) -> Leaf | None:
        if _special(path):
            raise Peculiar
        file = leaves.read(self.root, path)
        if file is None:
            return None
        if not self._setup().stores(self.root, path, file):
            raise Peculiar
        return self._objects().keep(file)

    def _ignored(self, paths: Collection[bytes]) -> frozenset[bytes]:
        if not paths:
            return frozenset()
        # Of all commands this one does not know literal paths; after ./ nothing is magic
        asked = b"".join(b"./" + path + b"\0" for path in paths)
        # The index may know a path that was deleted since: it is not asked
        command = ("check-ignore", "--no-index", "-z", "--stdin")
        answer = self.git.ask(*command, stdin=asked, environ={"GIT_LITERAL_PATHSPECS": "0"})
        if answer.code not in (0, 1):
            raise Peculiar
        return frozenset(path.removeprefix(b"./") for path in answer.output.split(b"\0"))

    def _objects(self) -> Objects:
        if self._kept is None:
            if not self.repository.library or not self._setup().usual:
                raise Peculiar
            # Many a checkout is only ever filled, and this takes a while to load
            self._kept = import_module("bot.git.graft").Grafter(self.repository.common_dir)
        return self._kept

    def _setup(self) -> Conversion:
        if self._conversion is None:
            self._conversion = read_conversion(self.git, self.repository.common_dir)
        return self._conversion


def _special(path: bytes) -> bool:
    """Say whether a name is of a kind that git looks at twice: some file systems take it for `.git`."""
    parts = (bytes(c for c in part if c < 128).lower() for part in path.split(b"/"))  # noqa: PLR2004 - ASCII
    return any(part.startswith(b".git") or b"~" in part for part in parts)
