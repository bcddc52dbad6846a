"""The object store through the git executable, for repositories that libgit2 cannot read."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from bot.errors import GitFailed
from bot.git import objects
from bot.git.launch import Answer
from bot.git.objects import AGENT, Entry, Identity, Ref, full, is_ref, writable
from bot.git.run import Git, failure


@dataclass(frozen=True, slots=True)
class Plumbing:
    """A Store."""

    git: Git
    identity: Identity = AGENT
    now: Callable[[], float] = time.time

    def blob(self, treeish: str, path: str) -> bytes | None:
        """See Store."""
        if not objects.split_path(path):
            self.tree(treeish)
            return None
        answer = self.git.ask("cat-file", "blob", f"{full(treeish)}:{path}")
        if not answer.code:
            return answer.output
        found = self.git.names("ls-tree", "-z", "--full-tree", treeish, "--", path)
        if any(entry.split(b" ")[1] == b"blob" and entry.endswith(b"\t" + os.fsencode(path)) for entry in found):
            raise failure(f"could not read {path!r} of {treeish}: {answer.error}")
        return None

    def content(self, blob: str) -> bytes:
        """See Store."""
        told = self.git.output("cat-file", "--batch", stdin=f"{full(blob)}\n".encode())
        head, _, rest = told.partition(b"\n")
        if head.split(b" ")[1:2] != [b"blob"]:
            raise GitFailed(f"could not read {blob}: {_trouble(head)}")
        return rest[:-1]

    def sizes(self, blobs: Sequence[str]) -> tuple[int, ...]:
        """See Store."""
        asked = "".join(f"{full(blob)}\n" for blob in blobs).encode()
        told = self.git.output("cat-file", "--batch-check=%(objecttype) %(objectsize)", stdin=asked).split(b"\n")[:-1]
        if len(told) != len(blobs) or not all(line.startswith(b"blob ") for line in told):
            raise GitFailed("could not read the size of a blob")
        return tuple(int(line[len("blob ") :]) for line in told)

    def write_blob(self, content: bytes) -> str:
        """See Store."""
        return self.git.line("hash-object", "-w", "--stdin", stdin=content)

    def write_tree(self, entries: Sequence[Entry]) -> str:
        """See Store."""
        objects.check_entries(entries)
        lines = (b"%06o %b %b\t%b\0" % (e.mode, _kind(e.mode), e.id.encode(), os.fsencode(e.name)) for e in entries)
        return self.git.line("mktree", "-z", stdin=b"".join(lines))

    def tree(self, treeish: str) -> str:
        """See Store."""
        return _find_tree(self.git, full(treeish))

    def commit(self, tree: str, parents: Sequence[str], message: str, ref: str | None = None) -> str:
        """See Store."""
        above = objects.distinct(parents)
        given = [arg for parent in above for arg in ("-p", parent)]
        text = objects.clean_message(message).encode()
        old = None if ref is None else self.read_ref(writable(ref))
        if old is not None and above[:1] != (old,):
            raise GitFailed(f"could not commit onto {ref}: it stands at {old}")
        made = self.git.line("commit-tree", full(tree), *given, stdin=text, environ=self._signature())
        if ref is not None:
            self._update(ref, made, old or "0" * len(made))
        return made

    def read_ref(self, ref: str) -> str | None:
        """See Store."""
        # Not by rev-parse, which also finds a ref whose name only ends in this one
        if not is_ref(ref):
            return None
        answer = self.git.ask("for-each-ref", _FORMAT, ref)
        found = [target for name, target, _ in _lines(answer.output) if name == ref]
        if answer.code or (not found and "broken ref" in answer.error):
            raise GitFailed(f"could not read {ref}: {answer.error}")
        return found[0] if found else None

    def refs(self, prefix: str) -> tuple[Ref, ...]:
        """See Store."""
        told = _lines(self.git.output("for-each-ref", _FORMAT, prefix))
        return tuple(Ref(name, target) for name, target, symbolic in told if not symbolic)

    def create_ref(self, ref: str, target: str) -> None:
        """See Store."""
        self._update(writable(ref), full(target), "0" * len(target))

    def move_ref(self, ref: str, target: str, old: str) -> None:
        """See Store."""
        self._update(writable(ref), full(target), full(old))

    def delete_ref(self, ref: str, old: str) -> None:
        """See Store."""
        self._refuse_symbolic(writable(ref))
        found = self.read_ref(ref)
        if found != full(old):
            raise GitFailed(f"{ref} moved: it stands at {found}, not at {old}")
        answer = self._patiently("-d", "--end-of-options", ref, old)
        # It may have been in the middle of it when somebody packed refs
        if answer.code and self.read_ref(ref) is not None:
            raise failure(f"could not delete {ref}: {answer.error}")

    def _update(self, ref: str, new: str, old: str) -> None:
        self._refuse_symbolic(ref)
        answer = self._patiently("--end-of-options", ref, new, old)
        if answer.code:
            raise failure(f"could not write {ref}: {answer.error}")

    def _patiently(self, *args: str) -> Answer:
        command = ("update-ref", "--no-deref", *args)
        answer = self.git.ask(*command, environ=_REFLOG)
        for pause in _PAUSES:
            # A ref that somebody packs is nowhere to be found for a moment
            if not answer.code or "unable to resolve reference" not in answer.error:
                break
            time.sleep(pause)
            answer = self.git.ask(*command, environ=_REFLOG)
        return answer

    def _refuse_symbolic(self, ref: str) -> None:
        # Against its old value git compares what it leads to, and then writes over the ref itself
        answer = self.git.ask("symbolic-ref", "--quiet", ref)
        if not answer.code:
            raise GitFailed(f"{ref} is a symbolic ref: it leads to {os.fsdecode(answer.output).strip()}")

    def _signature(self) -> dict[str, str]:
        name, email = objects.clean_identity(self.identity)
        # The sign tells a number of seconds from a date
        when = f"@{int(self.now())} +0000"
        told = {"NAME": name, "EMAIL": email, "DATE": when}
        return {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in told.items()}


_PAUSES = (0.005, 0.02, 0.1)
"""Seconds between tries to write a ref."""

_FORMAT = "--format=%(objectname) %(symref)%00%(refname)"

# The reflog wants somebody, and a person without an identity is no reason to fail
_REFLOG = {"GIT_COMMITTER_NAME": AGENT.name, "GIT_COMMITTER_EMAIL": AGENT.email}


def _lines(told: bytes) -> list[tuple[str, str, bool]]:
    """Read names of refs, what each stands at, and whether it is symbolic."""
    found = [line.partition(b"\0") for line in told.split(b"\n") if line]
    facts = [(os.fsdecode(name), *state.decode("utf-8", "replace").split(" ", 1)) for state, _, name in found]
    return [(name, target, bool(symbolic)) for name, target, symbolic in facts]


def _trouble(head: bytes) -> str:
    kind = head.split(b" ")[1:2]
    return "it is missing" if kind in ([], [b"missing"]) else f"it is a {os.fsdecode(kind[0])}"


def _kind(mode: int) -> bytes:
    return {objects.TREE: b"tree", objects.COMMIT: b"commit"}.get(mode, b"blob")


@lru_cache(maxsize=256)
def _find_tree(git: Git, treeish: str) -> str:
    # What an id names never changes
    return git.line("rev-parse", "--verify", "--end-of-options", f"{treeish}^{{tree}}")
