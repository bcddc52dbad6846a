"""What changed between two trees."""

from typing import Literal, NamedTuple, TypeAlias

from bot.core.task import Record

Kind: TypeAlias = Literal["added", "modified", "deleted", "typechange"]


class FileChange(Record):
    """One path of a change. A rename is a deletion and an addition: nothing is guessed."""

    path: str
    """Readable: control characters and bytes that are not UTF-8 stand as backslash escapes."""
    kind: Kind
    added: int = 0
    removed: int = 0
    mode: str = "100644"
    """The new mode, or the old one of a deleted file; 120000 is a link, 160000 a submodule."""
    old_mode: str = ""
    binary: bool = False
    size: int = 0
    """Bytes of the new content; 0 for a deleted file."""


class ChangeSet(Record):
    """All paths that differ between two trees, and the unified diff a person reads."""

    base: str
    """Tree id before."""
    tree: str
    """Tree id after."""
    files: tuple[FileChange, ...] = ()
    patch: str = ""
    clashes: tuple[tuple[str, str], ...] = ()
    """New paths, each with another one of the tree after it that is the same where letter case does not count."""
    settings: bool = False
    """Whether it changes what the project sets for git agent, `[tool.git-agent]` in its pyproject.toml."""

    def __bool__(self) -> bool:
        return self.base != self.tree

    @property
    def added(self) -> int:
        """Lines added in all files."""
        return sum(file.added for file in self.files)

    @property
    def removed(self) -> int:
        """Lines removed in all files."""
        return sum(file.removed for file in self.files)

    @property
    def paths(self) -> tuple[str, ...]:
        """The changed paths, in order."""
        return tuple(file.path for file in self.files)


def readable(raw: bytes) -> str:
    """Show a path's bytes as text that is valid UTF-8 and fits on one line."""
    text = raw.decode("utf-8", "backslashreplace")
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class Blob(NamedTuple):
    """A file of a tree."""

    path: str
    """Readable, from the root."""
    id: str
    """Of its content."""
