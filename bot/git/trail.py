"""The entries of a run's ref, read by git itself and taken for a stranger's: runs are fetched from elsewhere.

An entry holds the events since the one before it, so that writing all of them stays linear; one that begins with the
start of the run holds all events up to it. Reading goes through the executable: loading libgit2 takes longer.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from bot.errors import WorkspaceError
from bot.git.journal import FILE, LONGEST, whole_lines
from bot.git.repository import Repository

PREFIX = "refs/agent/runs/"

MOST_ENTRIES = 10_000
"""Entries of one run that are looked at."""
_BLOCK = 64
"""Entries that are read at once."""
_ROOM = 8 << 20
"""Bytes of them, where there is more than one."""
_RUN = re.compile(r"[0-9a-z][0-9a-z-]{0,59}")


class Tip(NamedTuple):
    """Where a run's ref stands."""

    run: str
    object: str
    sound: bool
    """Whether it stands at a commit, as ours do."""


class _Part(NamedTuple):
    """The events of one entry."""

    blob: str
    size: int


def is_run(name: str) -> bool:
    """Say whether a name is one that we give to runs: nothing else is looked up, printed or made a path of."""
    return _RUN.fullmatch(name) is not None


def tips(repository: Repository, run: str = "") -> Mapping[str, Tip]:
    """List where the refs of all runs stand, or that of one."""
    fields = "--format=%(objectname) %(objecttype) %(symref)%00%(refname)"
    told = repository.shared.output("for-each-ref", fields, PREFIX + run)
    found = {}
    for line in told.split(b"\n"):
        facts, _, ref = line.partition(b"\0")
        name = os.fsdecode(ref).removeprefix(PREFIX)
        if is_run(name) and run in ("", name):
            target, kind, symbolic = facts.decode("ascii", "replace").split(" ", 2)
            found[name] = Tip(name, target, kind == "commit" and not symbolic)
    return found


def read_saved(repository: Repository, tip: Tip, longest: int = LONGEST) -> bytes:
    """Return the whole trace that a run's ref holds. Raises WorkspaceError when it is none of ours, or too long."""
    if not tip.sound:
        raise WorkspaceError(f"{PREFIX}{tip.run} is no record of a run")
    found: list[bytes] = []
    room = longest
    for block in _blocks(_parts(repository, tip.object)):
        room -= sum(part.size for part in block)
        if room < 0:
            raise WorkspaceError(f"the record of {tip.run} is longer than {longest:,} bytes: it is not read")
        for trace in _read(repository, block):
            found.append(trace)
            if _begins(trace):
                return b"".join(reversed(found))
    raise WorkspaceError(f"the record of {tip.run} does not begin with its start")


def _begins(trace: bytes) -> bool:
    """Say whether a trace begins with the start of a run."""
    try:
        first = json.loads(trace[: trace.find(b"\n")])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.get("event") == "started"


def _blocks(parts: Iterable[_Part]) -> Iterator[Sequence[_Part]]:
    """Group what may be read at once; most runs have ended, and then the first one is all there is to read."""
    block: list[_Part] = []
    most = 1
    for part in parts:
        if block and sum(other.size for other in block) + part.size > _ROOM:
            yield tuple(block)
            block = []
        block.append(part)
        # Now and not with the next part, for which git is asked again
        if len(block) == most:
            yield tuple(block)
            block, most = [], _BLOCK
    if block:
        yield tuple(block)


def _parts(repository: Repository, tip: str) -> Iterator[_Part]:
    """Find what the entries hold, newest first."""
    yield from _measure(repository, (tip,))
    count = f"--max-count={MOST_ENTRIES}"
    told = repository.shared.output("rev-list", "--first-parent", "--skip=1", count, "--end-of-options", tip)
    yield from _measure(repository, told.decode("ascii").split())


def _measure(repository: Repository, entries: Sequence[str]) -> Sequence[_Part]:
    """Find the traces of entries up to the first commit that has none, and ask for their sizes before anything else."""
    asked = "".join(f"{entry}:{FILE}\n" for entry in entries).encode()
    told = repository.shared.output("cat-file", "--batch-check", stdin=asked)
    parts = []
    for line in told.decode("utf-8", "replace").splitlines():
        blob, _, rest = line.partition(" ")
        kind, _, size = rest.partition(" ")
        if kind != "blob" or not size.isdigit():
            break
        parts.append(_Part(blob, int(size)))
    return parts


def _read(repository: Repository, parts: Sequence[_Part]) -> Iterator[bytes]:
    told = repository.shared.output("cat-file", "--batch", stdin="".join(f"{p.blob}\n" for p in parts).encode())
    at = 0
    for part in parts:
        at = told.index(b"\n", at) + 1
        yield whole_lines(told[at : at + part.size])
        at += part.size + 1
