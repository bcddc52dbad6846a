"""Files of recorded trees, read one after the other: no checkout, no filter, never more than one in memory."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import islice

from bot.core.change import Blob, readable
from bot.errors import GitFailed
from bot.git.objects import full
from bot.git.plumbing import Plumbing
from bot.git.repository import Repository

BATCH = 64
"""Blobs that the executable is asked for at once."""

_FILE = re.compile(rb"100\d{3} blob ([0-9a-f]{40,64})\t(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class GitContents:
    """The trees of a repository; see protocols.Contents."""

    repository: Repository

    def files(self, tree: str) -> tuple[Blob, ...]:
        """List the regular files of a tree or commit; links and submodules are none."""
        listed = self.repository.shared.names("ls-tree", "-r", "-z", "--full-tree", full(tree))
        found = (_FILE.fullmatch(entry) for entry in listed)
        return tuple(Blob(readable(each[2]), each[1].decode("ascii")) for each in found if each)

    def read(self, blobs: Iterable[str], largest: int) -> Iterator[tuple[str, bytes | None]]:
        """Yield each id with its content; None for one that is too large. Raises GitFailed."""
        if not self.repository.library:
            return self._by_git(blobs, largest)
        # It takes a while to load, and whoever asks the executable has no use for it
        reader = import_module("bot.git.blobs")
        found: Iterator[tuple[str, bytes | None]] = reader.read_blobs(self.repository.common_dir, blobs, largest)
        return found

    def _by_git(self, blobs: Iterable[str], largest: int) -> Iterator[tuple[str, bytes | None]]:
        plumbing, rest = Plumbing(self.repository.shared), iter(blobs)
        while batch := tuple(islice(rest, BATCH)):
            small = [blob for blob, size in zip(batch, plumbing.sizes(batch), strict=True) if size <= largest]
            told = dict(zip(small, _cut(self._ask(small)), strict=True)) if small else {}
            yield from ((blob, told.get(blob)) for blob in batch)

    def _ask(self, blobs: Iterable[str]) -> bytes:
        asked = "".join(f"{full(blob)}\n" for blob in blobs)
        return self.repository.shared.output("cat-file", "--batch", stdin=asked.encode())


def _cut(told: bytes) -> Iterator[bytes]:
    """Cut what `git cat-file --batch` printed into contents. Raises GitFailed."""
    at = 0
    while at < len(told):
        head = told[at : told.find(b"\n", at)]
        parts = head.split(b" ")
        if parts[1:2] != [b"blob"]:
            raise GitFailed(f"could not read a blob: {head[:80].decode('ascii', 'replace')}")
        start = at + len(head) + 1
        at = start + int(parts[2]) + 1
        yield told[start : at - 1]
