"""Splits what was collected among several processes that each run their own share of it."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

FEWEST_FILES = 4
"""With fewer there is nothing to be won."""


class Share(NamedTuple):
    """Which of how many shares is ours."""

    number: int
    total: int

    def files(self, counts: Mapping[str, int]) -> frozenset[str]:
        """Choose our files, given how many tests each holds; every process that saw the same chooses likewise."""
        if self.total == 1 or len(counts) < FEWEST_FILES:
            return frozenset(counts if self.number == 0 else ())
        loads = [0] * self.total
        mine = set()
        for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            least = loads.index(min(loads))
            loads[least] += count
            if least == self.number:
                mine.add(name)
        return frozenset(mine)


def read_share() -> Share:
    """Return the share that was asked for."""
    index, _, total = os.environ.pop("GIT_AGENT_SHARE", "0/1").partition("/")
    return Share(int(index), int(total))


def file_of(name: str) -> str:
    """Name the file of a test."""
    return name.partition("::")[0]


def count(names: Sequence[str]) -> Mapping[str, int]:
    """Count the tests of each file."""
    return Counter(map(file_of, names))


def same(names: Iterable[str]) -> str:
    """Digest names, so that processes can tell whether they saw the same."""
    return hashlib.sha256("\n".join(sorted(names)).encode("utf-8", "backslashreplace")).hexdigest()
