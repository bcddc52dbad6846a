"""What differs between two trees, seen through `git diff-tree`, for repositories that libgit2 cannot read."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from bot.core.change import readable
from bot.errors import GitFailed, WorkspaceError
from bot.git.delta import ABSENT, SUBMODULE, Delta
from bot.git.difference import BINARY, Difference, is_binary
from bot.git.diffing import PLAIN, SETTINGS
from bot.git.plumbing import Plumbing
from bot.git.run import Git
from bot.git.section import confirm, note

LONGEST = 256_000_000
"""Bytes of all that git says of a change."""

_SECTION = re.compile(rb"^diff --git ", re.MULTILINE)
_HUNK = re.compile(rb"^@@ ", re.MULTILINE)
_ASK = ("diff-tree", "-r", "-z", "--raw", "--numstat", "--patch", "--text", "--full-index", "--no-abbrev")


class Raw(NamedTuple):
    """One line of the raw list, with what else git said of the path."""

    delta: Delta
    added: int | None
    """None when git takes the file for binary."""
    removed: int | None
    patch: bytes

    @property
    def hunks(self) -> tuple[bytes, ...]:
        """The hunks of each part of its patch."""
        starts = [found.start() for found in _SECTION.finditer(self.patch)]
        parts = [self.patch[start:end] for start, end in pairwise([*starts, len(self.patch)])]
        found = [(_HUNK.search(part), part) for part in parts]
        return tuple(part[first.start() :] if first else b"" for first, part in found)


@dataclass(frozen=True)
class ExecutableReader:
    """Reads trees and contents through the git executable, with everything switched off that could hide a change."""

    given: Git

    @property
    def _git(self) -> Git:
        return replace(self.given, config=(*self.given.config, *SETTINGS))

    def trees(self, *treeish: str) -> tuple[str, ...]:
        """Return the ids of commits' trees; a tree is its own."""
        asked = "".join(f"{each}^{{tree}}\n" for each in treeish).encode()
        told = (
            self._git.output("cat-file", "--batch-check=%(objecttype) %(objectname)", stdin=asked).decode().split("\n")
        )
        trees = tuple(line.removeprefix("tree ") for line in told[:-1])
        if len(trees) != len(treeish) or not all(re.fullmatch("[0-9a-f]{40,64}", tree) for tree in trees):
            raise GitFailed("could not read a tree")
        return trees

    def differences(self, base: str, tree: str) -> Iterator[Difference]:
        """Tell of each path that differs. Raises WorkspaceError."""
        answer = self._git.head(*_ASK, *PLAIN, base, tree, limit=LONGEST)
        if answer.code:
            raise GitFailed(f"git diff-tree failed: {answer.error}")
        if len(answer.output) >= LONGEST:
            raise WorkspaceError("the change is too large to be looked through")
        raws = tuple(parse(answer.output))
        sized = [raw.delta.new for raw in raws if raw.delta.new_mode not in (ABSENT, SUBMODULE)]
        sizes = dict(zip(sized, self._store.sizes(sized), strict=True)) if sized else {}
        yield from (self._describe(raw, sizes.get(raw.delta.new, 0)) for raw in raws)

    def content(self, blob: str) -> bytes:
        """Return the content of a blob."""
        return self._store.content(blob)

    def names(self, tree: str, folder: bytes) -> Iterable[bytes]:
        """Return the names in a folder, which ends with a slash unless it is the root."""
        return self._folders.of(tree).get(folder, ())

    @property
    def _store(self) -> Plumbing:
        return Plumbing(self._git)

    @cached_property
    def _folders(self) -> "_Folders":
        return _Folders(self._git, {})

    def _describe(self, raw: Raw, size: int) -> Difference:
        if (raw.added is None and self._binary(raw.delta)) or any(b"\0" in body for body in raw.hunks):
            return Difference(raw.delta, 0, 0, binary=True, size=size, text=note(raw.delta, BINARY))
        added, removed = count_lines(raw)
        text = raw.patch.decode("utf-8", "backslashreplace")
        return Difference(raw.delta, added, removed, binary=False, size=size, text=text)

    def _binary(self, delta: Delta) -> bool:
        """Decide by content: that git says `binary` may be no more than an attribute, which would hide the text."""
        sides = ((delta.old_mode, delta.old), (delta.new_mode, delta.new))
        return any(is_binary(self.content(blob)) for mode, blob in sides if mode not in (ABSENT, SUBMODULE))


@dataclass(frozen=True, slots=True)
class _Folders:
    """What lies in each folder of a tree, listed once."""

    git: Git
    known: dict[str, dict[bytes, list[bytes]]]

    def of(self, tree: str) -> dict[bytes, list[bytes]]:
        if tree not in self.known:
            folders = self.known[tree] = {}
            for path in self.git.names("ls-tree", "-r", "-t", "-z", "--name-only", "--full-tree", tree):
                folder, slash, name = path.rpartition(b"/")
                folders.setdefault(folder + slash, []).append(name)
        return self.known[tree]


def parse(output: bytes) -> Iterator[Raw]:
    """Read the combined raw list, counts and patch of one diff-tree. Raises WorkspaceError."""
    heads, at = [], 0
    while output[at : at + 1] == b":":
        end = output.index(b"\0", at)
        path_end = output.index(b"\0", end + 1)
        heads.append((output[at + 1 : end].decode("ascii").split(" "), output[end + 1 : path_end]))
        at = path_end + 1
    counts = []
    for _, path in heads:
        end = output.index(b"\0", at)
        added, removed, named = output[at:end].split(b"\t", 2)
        if named != path:
            raise WorkspaceError(f"git's lists of a change disagree at {readable(path)}")
        counts.append((added, removed))
        at = end + 1
    sections = _sections(output[at:].removeprefix(b"\0"))
    for (fields, path), (added, removed) in zip(heads, counts, strict=True):
        old_mode, new_mode, old, new, status = fields
        # A change of type is told as a deletion and an addition
        patch = b"".join(next(sections, b"") for _ in range(2 if status == "T" else 1))
        if not patch or status not in ("A", "D", "M", "T"):
            raise WorkspaceError(f"git's lists of a change disagree at {readable(path)}")
        yield Raw(Delta(status, path, old_mode, new_mode, old, new), _count(added), _count(removed), patch)
    if next(sections, None) is not None:
        raise WorkspaceError("git's patch names more files than its list of a change")


def _sections(patch: bytes) -> Iterator[bytes]:
    """Split a patch by file: content never begins a line with a letter, headers do."""
    starts = [found.start() for found in _SECTION.finditer(patch)]
    for start, end in pairwise([*starts, len(patch)]):
        yield patch[start:end]


def _count(field: bytes) -> int | None:
    return None if field == b"-" else int(field)


def count_lines(raw: Raw) -> tuple[int, int]:
    """Return lines added and removed, as git counts them. Raises WorkspaceError when its hunks do not bear that out."""
    # A change of type is counted as if it were none, and told as a deletion and an addition
    believed = raw.added is not None and raw.removed is not None and raw.delta.status != "T"
    counted = (raw.added or 0, raw.removed or 0) if believed else _signs(raw.hunks)
    confirm(raw.delta.path, raw.hunks, counted, ())
    return counted


def _signs(hunks: Sequence[bytes]) -> tuple[int, int]:
    """Count lines by their signs."""
    lines = [line[:1] for body in hunks for line in body.split(b"\n")]
    return lines.count(b"+"), lines.count(b"-")
