"""Hands a run over in one file: the commits of its branch and its record, on top of a base that the receiver has."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from bot.core import standing
from bot.core.allowance import waiting
from bot.core.event import Committed, Ended, Event, Published, Redone, Started, Undone
from bot.core.lineage import follow
from bot.errors import GitFailed, WorkspaceError
from bot.git.disk import refusals
from bot.git.journal import FILE, encode, plain_json
from bot.git.names import is_ours
from bot.git.objects import AGENT, Entry, full
from bot.git.plumbing import Plumbing
from bot.git.repository import Repository
from bot.git.runs import read_events
from bot.git.trail import PREFIX

HEADS = "refs/heads/"
LARGEST = 64 << 20
"""Bytes of a bundle; no larger one is written or read."""
LONGEST_HEAD = 64 << 10
"""Bytes of what stands in front of its pack."""

_LINE = re.compile(r"(?P<id>[0-9a-f]{40}(?:[0-9a-f]{24})?)(?: (?P<text>[ -~]*))?")
_FORMATS = {"sha1": 40, "sha256": 64}


class Header(NamedTuple):
    """What a bundle says of itself."""

    format: str
    """sha1 or sha256."""
    needs: tuple[str, ...]
    """Commits that the receiver must have."""
    refs: tuple[tuple[str, str], ...]
    """Full names, and the objects that they stand at."""
    at: int
    """Where the pack begins."""


class Handed(NamedTuple):
    """What a bundle holds."""

    tip: str
    """Where the branch stands; empty where it has nothing beyond its base."""
    record: str


def write_bundle(repository: Repository, path: Path, *, run: str, branch: str, base: str) -> Handed:
    """Write a run's branch, as far as it goes beyond `base`, and its record. Raises UsageError, WorkspaceError.

    The record is one commit: the whole trace, with what a later run may go on from, and no drafts beside that.
    """
    store = Plumbing(repository.shared)
    tip = (store.read_ref(HEADS + branch) or "") if branch else ""
    tip = "" if tip == base else tip
    events = read_events(repository, run)
    record = write_record(repository, run, events, tip or base)
    refs = [(PREFIX + run, record), *([(HEADS + branch, tip)] if tip else [])]
    needs = [commit for commit in dict.fromkeys((base, follow(events).base)) if _exists(repository, commit)]
    data = _head(needs, refs) + _pack(repository, needs, refs)
    if len(data) > LARGEST:
        raise WorkspaceError(f"the run comes to {len(data):,} bytes, more than {LARGEST:,} can be handed over")
    _write(path, data)
    return Handed(tip, record)


def read_header(data: bytes) -> Header:
    """Read the lines in front of a bundle's pack. Raises WorkspaceError where git would not have written them so."""
    head, blank, _ = data[:LONGEST_HEAD].partition(b"\n\n")
    lines = head.decode("latin-1").split("\n")
    if not blank or lines[0] not in ("# v2 git bundle", "# v3 git bundle"):
        raise WorkspaceError("it is no bundle")
    kind = "sha1"
    needs, refs = [], []
    for line in lines[1:]:
        if line.startswith("@"):
            kind = line.removeprefix("@object-format=")
            continue
        match = _LINE.fullmatch(line.removeprefix("-"))
        if match is None or len(match["id"]) != _FORMATS.get(kind):
            raise WorkspaceError("its list of refs cannot be read")
        if line.startswith("-"):
            needs.append(match["id"])
        else:
            refs.append((match["text"] or "", match["id"]))
    return Header(kind, tuple(needs), tuple(refs), len(head) + len(blank))


def _head(needs: Sequence[str], refs: Sequence[tuple[str, str]]) -> bytes:
    long = len(refs[0][1]) == _FORMATS["sha256"]
    lines = ["# v3 git bundle", "@object-format=sha256"] if long else ["# v2 git bundle"]
    lines += [f"-{commit}" for commit in needs]
    lines += [f"{commit} {ref}" for ref, commit in refs]
    return ("\n".join(lines) + "\n\n").encode("ascii")


def _pack(repository: Repository, needs: Sequence[str], refs: Sequence[tuple[str, str]]) -> bytes:
    wanted = [*(commit for _, commit in refs), *(f"^{commit}" for commit in needs)]
    # With a bitmap git leaves out what is anywhere in the base's past, of which the receiver has the last commit only
    how = ("--revs", "--thin", "--stdout", "--delta-base-offset", "--threads=1", "--no-use-bitmap-index", "-q")
    return repository.shared.output("pack-objects", *how, stdin="".join(f"{line}\n" for line in wanted).encode())


def write_record(repository: Repository, run: str, events: Sequence[Event], stands: str) -> str:
    """Write a record as it is handed on: the whole trace as one entry, the same each time. Raises GitFailed.

    `stands` is the commit where the branch does. Of what was thrown away nothing but the trace tells.
    """
    first = events[0]
    assert isinstance(first, Started), "a run's first event is Started"
    # When it was written down plays no part
    store = Plumbing(repository.shared, AGENT, lambda: events[-1].at)
    old = store.read_ref(PREFIX + run)
    report = (store.blob(old, "report.md") if old else None) or b""
    trace, task = b"".join(map(encode, events)), plain_json(first.task) + b"\n"
    parts = {"report.md": report, "task.json": task, FILE: trace}
    tree = store.write_tree([Entry(name, store.write_blob(content)) for name, content in parts.items()])
    parents = _independent(repository, stands, [*_kept(events), *_draft(store, run, events)])
    return store.commit(tree, parents, f"handed over\n\nAgent-Run: {run}\n")


def _kept(events: Sequence[Event]) -> Iterator[str]:
    """Name the commits of steps, wherever they stand, that may be taken back or brought back later."""
    for event in events:
        if isinstance(event, Committed | Undone | Redone):
            yield event.commit
        if isinstance(event, Undone | Redone | Published):
            # On a person's branch theirs would lie below
            own = (place for place in event.places if is_ours(place.ref.removeprefix(HEADS)))
            yield from (made.commit for place in own for made in place.made)


def _draft(store: Plumbing, run: str, events: Sequence[Event]) -> Iterator[str]:
    """Keep files that no commit holds, where the run may go on from them."""
    done = next((event.stop == "done" for event in reversed(events) if isinstance(event, Ended)), False)
    asked = waiting(events)
    tree = standing.draft(events) or (asked[-1].decision.tree if asked else "")
    head = follow(events).head
    with suppress(GitFailed):
        if tree and not done and store.tree(tree) != store.tree(head):
            yield store.commit(tree, [head], f"draft\n\nAgent-Run: {run}\n")


def _independent(repository: Repository, stands: str, commits: Sequence[str]) -> Sequence[str]:
    """Leave out what is not here, and what others lead to; the first is where the branch stands."""
    asked = "".join(f"{full(commit)}\n" for commit in dict.fromkeys(commits)).encode()
    told = (
        repository.shared.output("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=asked) if asked else b""
    )
    here = [line.split(" ")[0] for line in told.decode("utf-8", "replace").splitlines() if line.endswith(" commit")]
    least = repository.shared.output("merge-base", "--independent", stands, *here).decode("ascii").split()
    return (stands, *sorted(set(least) - {stands}))


def _exists(repository: Repository, commit: str) -> bool:
    return not repository.shared.ask("cat-file", "-e", f"{full(commit)}^{{commit}}").code


def _write(path: Path, data: bytes) -> None:
    """Put a file in its place, whole or not at all."""
    fresh = path.with_name(f"{path.name}.new")
    with refusals("hand the run over"):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(file, "wb") as stream:
            stream.write(data)
        fresh.replace(path)
