"""What a tree holds, and what a person's own `git add` would have made of the same files."""

import os
import subprocess
from collections.abc import Collection, Mapping
from difflib import SequenceMatcher
from typing import NamedTuple

from tests.conftest import Repo


class Leaf(NamedTuple):
    """A file of a tree."""

    mode: str
    data: bytes


def git(repo: Repo, *args: str, stdin: bytes = b"", index: str = "") -> bytes:
    """Run git and return its bytes; nothing of a path is magic, and no index but the named one is written."""
    extra = {"GIT_LITERAL_PATHSPECS": "1", **({"GIT_INDEX_FILE": index} if index else {})}
    env = {**os.environ, **extra}
    done = subprocess.run(["git", *args], cwd=repo.path, env=env, input=stdin, capture_output=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout


def differences(repo: Repo, old: str, new: str) -> dict[bytes, tuple[Leaf, Leaf]]:
    """Return what differs between two trees, byte by byte."""
    fields = git(repo, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", old, new).split(b"\0")
    facts = [told.lstrip(b":").decode().split(" ") for told in fields[:-1:2]]
    blobs = read_blobs(repo, {name for was, now, before, after, _ in facts for name in (before, after)})
    return {
        path: (Leaf(was, blobs.get(before, b"")), Leaf(now, blobs.get(after, b"")))
        for path, (was, now, before, after, _) in zip(fields[1::2], facts, strict=True)
    }


def read_blobs(repo: Repo, names: Collection[str]) -> dict[str, bytes]:
    """Return the content of those objects that are blobs here."""
    told, found, at = git(repo, "cat-file", "--batch", stdin="".join(f"{n}\n" for n in names).encode()), {}, 0
    while at < len(told):
        end = told.index(b"\n", at)
        name, kind, *size = told[at:end].decode().split(" ")
        at = end + 1
        if kind == "blob":
            found[name] = told[at : at + int(size[0])]
            at += int(size[0]) + 1
    return found


def counts(repo: Repo, old: str, new: str) -> dict[bytes, tuple[int, int]]:
    """Return the lines added and removed of each path, whatever attributes say of showing them."""
    return {path: count_lines(was.data, now.data) for path, (was, now) in differences(repo, old, new).items()}


def count_lines(before: bytes, after: bytes) -> tuple[int, int]:
    """Return the lines added and removed between two contents."""
    old, new = before.split(b"\n"), after.split(b"\n")
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    same = sum(block.size for block in blocks)
    return len(new) - same, len(old) - same


def added(repo: Repo, contents: Mapping[bytes, bytes]) -> str:
    """Return the tree that the person's own `git add` of these files makes; their index stays as it is."""
    index = str(repo.path / ".git" / "index-of-the-person")
    git(repo, "read-tree", "HEAD", index=index)
    top = os.fsencode(repo.path)
    for path, data in contents.items():
        with open(os.path.join(top, path), "wb") as file:  # noqa: PTH118, PTH123 - a name need not be text
            file.write(data)
    names = b"".join(path + b"\0" for path in contents)
    git(repo, "add", "--force", "--pathspec-from-file=-", "--pathspec-file-nul", stdin=names, index=index)
    return git(repo, "write-tree", index=index).decode().strip()
