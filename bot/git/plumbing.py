"""The object store through the git executable, for repositories that libgit2 cannot read."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass

from bot.errors import GitFailed
from bot.git.objects import AGENT, Entry, Identity, Ref, clean_message
from bot.git.run import Git


@dataclass(frozen=True, slots=True)
class Plumbing:
    """A Store."""

    git: Git
    identity: Identity = AGENT

    def blob(self, treeish: str, path: str) -> bytes | None:
        """See Store."""
        answer = self.git.ask("cat-file", "blob", f"{treeish}:{path}")
        return None if answer.code else answer.output

    def content(self, blob: str) -> bytes:
        """See Store."""
        return self.git.output("cat-file", "blob", blob)

    def sizes(self, blobs: Sequence[str]) -> tuple[int, ...]:
        """See Store."""
        asked = "".join(f"{blob}\n" for blob in blobs).encode()
        told = self.git.output("cat-file", "--batch-check=%(objectsize)", stdin=asked).split(b"\n")[:-1]
        if len(told) != len(blobs) or not all(size.isdigit() for size in told):
            raise GitFailed("could not read the size of a blob")
        return tuple(map(int, told))

    def write_blob(self, content: bytes) -> str:
        """See Store."""
        return self.git.line("hash-object", "-w", "--stdin", stdin=content)

    def write_tree(self, entries: Sequence[Entry]) -> str:
        """See Store."""
        lines = (f"{entry.mode:06o} {_kind(entry.mode)} {entry.id}\t{entry.name}\0" for entry in entries)
        return self.git.line("mktree", "-z", stdin="".join(lines).encode())

    def tree(self, treeish: str) -> str:
        """See Store."""
        return self.git.line("rev-parse", "--verify", "--end-of-options", f"{treeish}^{{tree}}")

    def commit(self, tree: str, parents: Sequence[str], message: str, ref: str | None = None) -> str:
        """See Store."""
        given = [arg for parent in parents for arg in ("-p", parent)]
        who = {f"GIT_{role}_NAME": self.identity.name for role in ("AUTHOR", "COMMITTER")}
        who |= {f"GIT_{role}_EMAIL": self.identity.email for role in ("AUTHOR", "COMMITTER")}
        when = f"{int(time.time())} +0000"
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        made = self.git.line(
            "commit-tree", tree, *given, stdin=clean_message(message).encode(), environ={**who, **dates}
        )
        if ref is not None:
            self._advance(ref, made, parents)
        return made

    def _advance(self, ref: str, made: str, parents: Sequence[str]) -> None:
        if self.read_ref(ref) is None:
            self.create_ref(ref, made)
        elif parents:
            self.move_ref(ref, made, parents[0])
        else:
            raise GitFailed(f"could not commit onto {ref}: it exists")

    def read_ref(self, ref: str) -> str | None:
        """See Store."""
        answer = self.git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", ref)
        return None if answer.code else answer.output.decode("ascii").strip()

    def refs(self, prefix: str) -> tuple[Ref, ...]:
        """See Store."""
        told = self.git.output("for-each-ref", "--format=%(objectname) %(symref)%00%(refname)", prefix)
        found = [line.partition(b"\0") for line in told.split(b"\n") if line]
        return tuple(
            sorted(
                Ref(os.fsdecode(name), target.decode().strip()) for target, _, name in found if target.endswith(b" ")
            )
        )

    def create_ref(self, ref: str, target: str) -> None:
        """See Store."""
        self.git.output("update-ref", "--no-deref", "--end-of-options", ref, target, "0" * len(target), environ=_REFLOG)

    def move_ref(self, ref: str, target: str, old: str) -> None:
        """See Store."""
        self.git.output("update-ref", "--no-deref", "--end-of-options", ref, target, old, environ=_REFLOG)

    def delete_ref(self, ref: str, old: str) -> None:
        """See Store."""
        self.git.output("update-ref", "--no-deref", "-d", "--end-of-options", ref, old, environ=_REFLOG)


# The reflog wants somebody, and a person without an identity is no reason to fail
_REFLOG = {"GIT_COMMITTER_NAME": AGENT.name, "GIT_COMMITTER_EMAIL": AGENT.email}


def _kind(mode: int) -> str:
    return {0o040000: "tree", 0o160000: "commit"}.get(mode, "blob")
