"""The object store through libgit2: in process, no hooks, no signing, no filters."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import pygit2
from pygit2.enums import ObjectType, ReferenceFilter, ReferenceType

from bot.errors import GitFailed
from bot.git import objects
from bot.git.objects import AGENT, Entry, Identity, Ref, full, is_ref, writable
from bot.git.plumbing import Plumbing
from bot.git.run import Git

T = TypeVar("T")

_PAUSES = (0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.3, 0.3)
"""Seconds between tries at what somebody holds, or has taken away: git waits as long, libgit2 not at all."""


@dataclass(frozen=True, slots=True)
class Library:
    """A Store."""

    git: Git
    """The executable on the same repository, for the one thing that libgit2 does not do safely."""
    identity: Identity = AGENT
    now: Callable[[], float] = time.time

    def sees(self, commit: str) -> bool:
        """Say whether libgit2 opens this repository and finds a commit with its tree: it may know less than git."""
        try:
            self._open()[commit].peel(pygit2.Tree)
        except (pygit2.GitError, KeyError, ValueError, OSError):
            return False
        return True

    def blob(self, treeish: str, path: str) -> bytes | None:
        """See Store."""
        with Mapped(f"read {path!r} of {treeish}"):
            found: pygit2.Object = self._open()[full(treeish)].peel(pygit2.Tree)
            parts = objects.split_path(path)
            for part in parts:
                # Asked first: a tree that is missing is no answer to whether a file is
                if not isinstance(found, pygit2.Tree) or part not in found:
                    return None
                found = found[part]
            return found.data if parts and isinstance(found, pygit2.Blob) else None

    def content(self, blob: str) -> bytes:
        """See Store."""
        with Mapped(f"read {blob}"):
            kind, data = self._open().read(full(blob))
            if kind != ObjectType.BLOB:
                raise GitFailed(f"{blob} is not a blob")
            return data

    def sizes(self, blobs: Sequence[str]) -> tuple[int, ...]:
        """See Store."""
        odb = self._open().odb
        with Mapped("read the size of a blob"):
            told = [odb.read_header(full(blob)) for blob in blobs]
        if any(kind != ObjectType.BLOB for kind, _ in told):
            raise GitFailed("could not read the size of a blob: there is something else")
        return tuple(size for _, size in told)

    def write_blob(self, content: bytes) -> str:
        """See Store."""
        return self._patiently("write a blob", lambda repo: str(repo.create_blob(content)))

    def write_tree(self, entries: Sequence[Entry]) -> str:
        """See Store."""
        objects.check_entries(entries)

        def write(repo: pygit2.Repository) -> str:
            odb = repo.odb
            for entry in entries:
                if entry.mode != objects.COMMIT and odb.read_header(entry.id)[0] != _kind(entry.mode):
                    raise GitFailed(f"could not write a tree: {entry.id} is of another kind")
            return str(odb.write(ObjectType.TREE, _encode(entries)))

        return self._patiently("write a tree", write)

    def tree(self, treeish: str) -> str:
        """See Store."""
        with Mapped(f"read {treeish}"):
            return str(self._open()[full(treeish)].peel(pygit2.Tree).id)

    def commit(self, tree: str, parents: Sequence[str], message: str, ref: str | None = None) -> str:
        """See Store."""
        name, email = objects.clean_identity(self.identity)
        who = pygit2.Signature(name, email, int(self.now()), 0)
        above, text = list(objects.distinct(parents)), objects.clean_message(message)

        def write(repo: pygit2.Repository) -> str:
            if ref is not None:
                _refuse_symbolic(repo.references.get(writable(ref)))
            made = str(repo.create_commit(ref, who, who, text, full(tree), above))
            _refuse_unwritten(repo, made, ref, above)
            return made

        return self._patiently(f"commit onto {ref}" if ref else "write a commit", write)

    def read_ref(self, ref: str) -> str | None:
        """See Store."""
        if not is_ref(ref):
            return None
        with Mapped(f"read {ref}"):
            found = self._open().references.get(ref)
            try:
                return None if found is None else str(found.resolve().target)
            except KeyError:  # of a symbolic one that leads nowhere
                return None

    def refs(self, prefix: str) -> tuple[Ref, ...]:
        """See Store."""
        with Mapped(f"list {prefix}"):
            every = self._open().references.iterator(ReferenceFilter.ALL)
            # What is no name of a ref was put there by something else than git
            found = [Ref(r.name, str(r.target)) for r in every if r.name.startswith(prefix) and _direct(r)]
        return tuple(sorted(found, key=lambda ref: os.fsencode(ref.name)))

    def create_ref(self, ref: str, target: str) -> None:
        """See Store."""

        def create(repo: pygit2.Repository) -> None:
            _check_target(repo, writable(ref), target)
            repo.references.create(ref, target)

        self._patiently(f"create {ref}", create)

    def move_ref(self, ref: str, target: str, old: str) -> None:
        """See Store."""

        def move(repo: pygit2.Repository) -> None:
            found = _standing(repo, ref, old)
            _check_target(repo, ref, target)
            found.set_target(target)

        self._patiently(f"move {ref}", move)

    def delete_ref(self, ref: str, old: str) -> None:
        """See Store."""
        # libgit2 takes packed and loose away one after the other: a pack-refs in between brings the ref back
        Plumbing(self.git).delete_ref(ref, old)

    def _patiently(self, what: str, act: Callable[[pygit2.Repository], T]) -> T:
        return patiently(what, lambda: act(self._open()))

    def _open(self) -> pygit2.Repository:
        # 0.1 ms; a handle that is kept sees neither new packs nor refs that git wrote meanwhile
        return pygit2.Repository(str(self.git.git_dir))


class Mapped:
    """Turn what libgit2 raises into GitFailed."""

    def __init__(self, what: str) -> None:
        self.what = what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, pygit2.GitError | KeyError | ValueError | OSError):
            raise GitFailed(f"could not {self.what}: {' '.join(str(error).split())}") from error


def patiently(what: str, act: Callable[[], T]) -> T:
    """Do what other processes may be in the way of for a moment. Raises GitFailed."""
    for pause in _PAUSES:
        try:
            with Mapped(what):
                return act()
        except GitFailed as error:
            if not _busy(error.__cause__):
                raise
        time.sleep(pause)
    with Mapped(what):
        return act()


def _busy(error: BaseException | None) -> bool:
    """Say whether another process held a lock, or took an empty folder away at that moment, as git itself does.

    To libgit2 an object on its way to its place is a lock file as well: garbage collection takes its folder away.
    """
    told = str(error)
    return isinstance(error, OSError | KeyError) and (" lock" in told or "failed to make directory" in told)


def _refuse_unwritten(repo: pygit2.Repository, made: str, ref: str | None, above: Sequence[str]) -> None:
    """Look whether a commit is there: on a full disk libgit2 makes none, moves nothing, and says that all is well."""
    stands = repo.references.get(ref) if ref is not None else None
    # Somebody may have gone on from it already
    stayed = ref is not None and (stands is None or str(stands.target) in above[:1])
    if made not in repo.odb or stayed:
        raise GitFailed("there is nothing written; the disk may be full")


def _standing(repo: pygit2.Repository, ref: str, old: str) -> pygit2.Reference:
    # libgit2 refuses to change a reference that moved since it was looked up: together a compare-and-swap
    found = repo.references[writable(ref)]
    _refuse_symbolic(found)
    if str(found.target) != full(old):
        raise GitFailed(f"{ref} moved: it stands at {found.target}, not at {old}")
    return found


def _check_target(repo: pygit2.Repository, ref: str, target: str) -> None:
    # A branch at something that is no commit makes git refuse every command that lists branches
    kind = repo.odb.read_header(full(target))[0]
    if ref.startswith("refs/heads/") and kind != ObjectType.COMMIT:
        raise GitFailed(f"a branch cannot stand at {target}: it is no commit")


def _direct(ref: pygit2.Reference) -> bool:
    return isinstance(ref.target, pygit2.Oid) and is_ref(ref.name)


def _refuse_symbolic(ref: pygit2.Reference | None) -> None:
    if ref is not None and ref.type != ReferenceType.DIRECT:
        raise GitFailed(f"{ref.name} is a symbolic ref: it leads to {ref.target}")


def _kind(mode: int) -> ObjectType:
    return ObjectType.TREE if mode == objects.TREE else ObjectType.BLOB


def _encode(entries: Sequence[Entry]) -> bytes:
    # Not by a TreeBuilder, which takes no names that are no UTF-8; git sorts a folder as if its name ended in a slash
    named = [(os.fsencode(entry.name), entry) for entry in entries]
    named.sort(key=lambda pair: pair[0] + (b"/" if pair[1].mode == objects.TREE else b""))
    return b"".join(b"%o %b\0%b" % (entry.mode, name, bytes.fromhex(entry.id)) for name, entry in named)
