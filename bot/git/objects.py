"""What an object store is: the values and the one protocol that both back ends speak."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from bot.errors import GitFailed

TREE = 0o040000
COMMIT = 0o160000
"""The mode of a submodule."""
_MODES = frozenset({TREE, 0o100644, 0o100755, 0o120000, COMMIT})

_FULL = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_BAD_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|\Z)|[/.]\Z")
_CRUD = "".join(map(chr, range(33))) + ".,:;<>\"\\'"
"""What git takes from both ends of a name, and from nowhere else."""
_LONGEST = 4096


class Identity(NamedTuple):
    """Who our commits say they are by; never taken from the person's configuration."""

    name: str = "git agent"
    email: str = "git-agent@localhost"


AGENT = Identity()


class Entry(NamedTuple):
    """One entry of a tree."""

    name: str
    """As the file system would have it: bytes that are no UTF-8 are surrogates."""
    id: str
    mode: int = 0o100644


class Ref(NamedTuple):
    """A full ref name and the object that it stands at."""

    name: str
    id: str


class Store(Protocol):
    """What we ask of an object store: objects go by their full ids, refs by their full names.

    Replace refs and grafts count for nothing, symbolic refs are read and never written. Raises GitFailed, also where
    an object is missing or is not of the kind that was asked for.
    """

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
        """Write a flat tree of objects that exist and return its id; their order does not matter."""
        ...

    def tree(self, treeish: str) -> str:
        """Return the id of a commit's tree; a tree is its own."""
        ...

    def commit(self, tree: str, parents: Sequence[str], message: str, ref: str | None = None) -> str:
        """Write a commit; with a ref, move it there from the first parent, or fail when it stands elsewhere.

        A ref that does not exist is made.
        """
        ...

    def read_ref(self, ref: str) -> str | None:
        """Return what a full ref name stands at; None when there is no such ref."""
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


def clean_identity(identity: Identity) -> Identity:
    """Make an identity that git can hold, as git itself would; what nothing is left of is ours instead."""
    return Identity(*(_clean(given) or ours for given, ours in zip(identity, AGENT, strict=True)))


def _clean(text: str) -> str:
    plain = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(c for c in plain if c not in "\0\n<>").strip(_CRUD)


def distinct(parents: Iterable[str]) -> tuple[str, ...]:
    """Return parents once each, as git keeps them."""
    return tuple(dict.fromkeys(map(full, parents)))


def full(object_id: str) -> str:
    """Return a full id as it is. Raises GitFailed for anything else, which git might take for a name."""
    if not _FULL.fullmatch(object_id):
        raise GitFailed(f"not the full id of an object: {object_id[:80]!r}")
    return object_id


def split_path(path: str) -> tuple[str, ...]:
    """Split the path of a file from the root; there are no parts where no tree can have such a path."""
    parts = tuple(path.split("/"))
    return () if "\0" in path or any(part in ("", ".", "..") for part in parts) else parts


def is_ref(name: str) -> bool:
    """Say whether git can hold a ref of this full name."""
    return name.startswith("refs/") and not _BAD_REF.search(name)


def writable(ref: str) -> str:
    """Return a ref name that can be written as it is. Raises GitFailed for any other."""
    if not is_ref(ref) or len(ref) > _LONGEST or ref != ref.encode("utf-8", "replace").decode("utf-8"):
        raise GitFailed(f"not the full name of a ref: {ref[:80]!r}")
    return ref


def check_entries(entries: Sequence[Entry]) -> None:
    """Refuse what git could not check out again, or only as something else. Raises GitFailed."""
    names: set[str] = set()
    for name, object_id, mode in entries:
        full(object_id)
        odd = len(split_path(name)) != 1 or name.lower() in (".git", "git~1") or mode not in _MODES
        if odd or name in names:
            raise GitFailed(f"a tree cannot hold {name[:80]!r} with mode {mode:o} here")
        names.add(name)
