"""Commits as they were written, byte for byte: what may be read of them is whatever their writer put there."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from bot.errors import WorkspaceError
from bot.git.objects import full
from bot.git.repository import Repository

MOST = 1_000
"""Commits that are looked at."""
LONGEST = 100_000
"""Bytes of one commit."""
_HEADERS = ("tree", "parent", "author", "committer")


class Commit(NamedTuple):
    """One commit."""

    id: str
    tree: str
    parents: tuple[str, ...]
    author: str
    """Name and mail, as `Name <mail>`."""
    committer: str
    others: tuple[str, ...]
    """Names of headers that ours do not have, such as a signature's."""
    message: str
    """Empty where it is no UTF-8."""


def read_beyond(repository: Repository, heads: Collection[str], bases: Collection[str]) -> tuple[Commit, ...]:
    """Read all commits that lead to some and not to others, oldest first. Raises WorkspaceError when they are many."""
    wanted = [*map(full, heads), *(f"^{full(base)}" for base in bases)]
    count = f"--max-count={MOST + 1}"
    told = repository.shared.output("rev-list", "--topo-order", count, *wanted, "--").decode("ascii").split()
    if len(told) > MOST:
        raise WorkspaceError(f"there are more than {MOST:,} commits")
    return read_commits(repository, told[::-1])


def read_commits(repository: Repository, ids: Sequence[str]) -> tuple[Commit, ...]:
    """Read commits. Raises WorkspaceError where one is missing or is none."""
    asked = "".join(f"{full(name)}\n" for name in ids).encode()
    return tuple(_split(repository.shared.output("cat-file", "--batch", stdin=asked), ids)) if ids else ()


def _split(told: bytes, ids: Sequence[str]) -> Iterator[Commit]:
    at = 0
    for name in ids:
        end = told.index(b"\n", at)
        fields = told[at:end].split(b" ")
        if len(fields) != 3 or fields[1] != b"commit" or int(fields[2]) > LONGEST:  # noqa: PLR2004 - name, kind, size
            raise WorkspaceError(f"{name[:10]} is no commit, or none that could be one of ours")
        at = end + 1 + int(fields[2]) + 1
        yield _parse(name, told[end + 1 : at - 1])


def _parse(name: str, content: bytes) -> Commit:
    head, _, message = content.partition(b"\n\n")
    pairs = [tuple(line.decode("utf-8", "replace").partition(" ")[::2]) for line in head.split(b"\n")]
    found = {wanted: [value for key, value in pairs if key == wanted] for wanted in _HEADERS}
    if any(len(found[wanted]) != 1 for wanted in ("tree", "author", "committer")):
        raise WorkspaceError(f"{name[:10]} is no commit as git writes them")
    try:
        text = message.decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    author, committer = (found[who][0].rpartition("> ")[0] + ">" for who in ("author", "committer"))
    others = tuple(key for key, _ in pairs if key not in _HEADERS)
    return Commit(name, found["tree"][0], tuple(found["parent"]), author, committer, others, text)
