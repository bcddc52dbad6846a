"""The object store through libgit2: in process, no hooks, no signing, no filters."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import pygit2
from pygit2.enums import FileMode, ReferenceFilter

from bot.errors import GitFailed
from bot.git.objects import AGENT, Entry, Identity, Ref, clean_message


@dataclass(frozen=True, slots=True)
class Library:
    """A Store."""

    path: str
    identity: Identity = AGENT

    def blob(self, treeish: str, path: str) -> bytes | None:
        """See Store."""
        try:
            found = self._open()[treeish].peel(pygit2.Tree)[path]
        except (KeyError, ValueError, pygit2.GitError):
            return None
        return found.data if isinstance(found, pygit2.Blob) else None

    def content(self, blob: str) -> bytes:
        """See Store."""
        with Mapped(f"read {blob}"):
            return self._open()[blob].peel(pygit2.Blob).data

    def sizes(self, blobs: Sequence[str]) -> tuple[int, ...]:
        """See Store."""
        repo = self._open()
        with Mapped("read the size of a blob"):
            return tuple(repo[blob].peel(pygit2.Blob).size for blob in blobs)

    def write_blob(self, content: bytes) -> str:
        """See Store."""
        with Mapped("write a blob"):
            return str(self._open().create_blob(content))

    def write_tree(self, entries: Sequence[Entry]) -> str:
        """See Store."""
        with Mapped("write a tree"):
            builder = self._open().TreeBuilder()
            for entry in entries:
                builder.insert(entry.name, entry.id, FileMode(entry.mode))
            return str(builder.write())

    def tree(self, treeish: str) -> str:
        """See Store."""
        with Mapped(f"read {treeish}"):
            return str(self._open()[treeish].peel(pygit2.Tree).id)

    def commit(self, tree: str, parents: Sequence[str], message: str, ref: str | None = None) -> str:
        """See Store."""
        who = pygit2.Signature(self.identity.name, self.identity.email, int(time.time()), 0)
        with Mapped(f"commit onto {ref}" if ref else "write a commit"):
            made = self._open().create_commit(ref, who, who, clean_message(message), tree, list(parents))
        return str(made)

    def read_ref(self, ref: str) -> str | None:
        """See Store."""
        with Mapped(f"read {ref}"):
            found = self._open().references.get(ref)
            return None if found is None else str(found.resolve().target)

    def refs(self, prefix: str) -> tuple[Ref, ...]:
        """See Store."""
        with Mapped(f"list {prefix}"):
            every = self._open().references.iterator(ReferenceFilter.ALL)
            found = [Ref(r.name, str(r.target)) for r in every if r.name.startswith(prefix) and _direct(r)]
        return tuple(sorted(found))

    def create_ref(self, ref: str, target: str) -> None:
        """See Store."""
        with Mapped(f"create {ref}"):
            self._open().references.create(ref, target)

    def move_ref(self, ref: str, target: str, old: str) -> None:
        """See Store."""
        with Mapped(f"move {ref}"):
            self._standing(ref, old).set_target(target)

    def delete_ref(self, ref: str, old: str) -> None:
        """See Store."""
        with Mapped(f"delete {ref}"):
            self._standing(ref, old).delete()

    def _standing(self, ref: str, old: str) -> pygit2.Reference:
        # libgit2 refuses to change a reference that moved since it was looked up: together a compare-and-swap
        found = self._open().references[ref]
        if str(found.target) != old:
            raise GitFailed(f"{ref} moved: it stands at {found.target}, not at {old}")
        return found

    def _open(self) -> pygit2.Repository:
        # 0.1 ms; a handle that is kept sees neither new packs nor refs that git wrote meanwhile
        return pygit2.Repository(self.path)


class Mapped:
    """Turn what libgit2 raises into GitFailed."""

    def __init__(self, what: str) -> None:
        self.what = what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, pygit2.GitError | KeyError | ValueError | OSError):
            raise GitFailed(f"could not {self.what}: {' '.join(str(error).split())}") from error


def _direct(ref: pygit2.Reference) -> bool:
    return isinstance(ref.target, pygit2.Oid)
