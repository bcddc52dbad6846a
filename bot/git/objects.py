"""What an object store is: the values and the one protocol that both back ends speak."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Identity(NamedTuple):
    """Who our commits say they are by; never taken from the person's configuration."""

    name: str = "git agent"
    email: str = "git-agent@localhost"


AGENT = Identity()


class Entry(NamedTuple):
    """One entry of a tree."""

    name: str
    id: str
    mode: int = 0o100644


class Ref(NamedTuple):
    """A full ref name and the object that it stands at."""

    name: str
    id: str


class Store(Protocol):
    """What we ask of an object store. Raises GitFailed."""

    def blob(self, treeish: str, path: str) -> bytes | None:
        """Return the content of a file of a commit or tree; None when there is no such file."""
        ...

    def content(self, blob: str) -> bytes:
        """Return the content of a blob."""
        ...

    def sizes(self, blobs: Sequence[str]) -> tuple[int, ...]:
        """Return the sizes of blobs in bytes."""
        ...

    def write_blob(self, content: bytes) -> str:
        """Write a blob and return its id."""
        ...

    def write_tree(self, entries: Sequence[Entry]) -> str:
        """Write a flat tree and return its id."""
        ...

    def tree(self, treeish: str) -> str:
        """Return the id of a commit's tree; a tree is its own."""
        ...

    def commit(self, tree: str, parents: Sequence[str], message: str, ref: str | None = None) -> str:
        """Write a commit; with a ref, move it there from the first parent, or fail when it stands elsewhere."""
        ...

    def read_ref(self, ref: str) -> str | None:
        """Return what a full ref name stands at."""
        ...

    def refs(self, prefix: str) -> tuple[Ref, ...]:
        """List the refs below a prefix that ends with a slash, in order of their names."""
        ...

    def create_ref(self, ref: str, target: str) -> None:
        """Create a ref, or fail when it exists."""
        ...

    def move_ref(self, ref: str, target: str, old: str) -> None:
        """Move a ref, or fail when it does not stand at `old`."""
        ...

    def delete_ref(self, ref: str, old: str) -> None:
        """Delete a ref, or fail when it does not stand at `old`."""
        ...


def clean_message(text: str) -> str:
    """Make a commit message that git can hold: UTF-8, no NUL, one line break at the end."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8").rstrip("\n") + "\n"
