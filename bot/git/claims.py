"""What a record says of commits, held against the commits: whoever wrote it may have called anybody's its own."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from bot.core.copies import trace_copies
from bot.core.event import Committed, Event, Redone, Undone
from bot.core.lineage import follow
from bot.core.trailers import parse_trailers
from bot.errors import UsageError
from bot.git.names import is_ours
from bot.git.repository import Repository

MOST = 10_000
"""Commits of one run that are looked at."""


class _Facts(NamedTuple):
    tree: str
    parents: tuple[str, ...]
    run: str
    """Whose step it is, as its message says."""


def refuse_false(repository: Repository, run: str, branch: str, events: Sequence[Event]) -> None:
    """Refuse to act on a record by which commits or branches of others would be moved. Raises UsageError."""
    if not is_ours(branch, run):
        raise UsageError(f"the record of {run} names the branch {branch}, which is none that it can have made", _LOOK)
    steps = {event.commit: event.tree for event in events if isinstance(event, Committed)}
    moves = [event for event in events if isinstance(event, Undone | Redone)]
    base, head = (lineage := follow(events)).base, lineage.head
    named = {*steps, *trace_copies(events).commits, *(event.commit for event in moves)} - {base}
    for commit, facts in _read(repository, named).items():
        if facts.run != run or len(facts.parents) != 1 or steps.get(commit, facts.tree) != facts.tree:
            raise UsageError(f"the record of {run} calls {commit[:10]} a step of its own, which it is not", _LOOK)
    places = [place for event in moves for place in event.places if place.ref == f"refs/heads/{branch}"]
    stood = {name for place in places for name in (place.before, place.after)}
    strange = {*_beyond(repository, head, base), *stood} - named - {base, ""}
    if strange:
        raise UsageError(f"the record of {run} does not know {min(strange)[:10]}, on which its steps rest", _LOOK)


_LOOK = "it can be looked at, not acted upon"


def _beyond(repository: Repository, head: str, base: str) -> Collection[str]:
    """List what the run's last step has beyond its base; nothing where one of them is not here."""
    if head == base:
        return ()
    told = repository.shared.ask("rev-list", f"--max-count={MOST}", head, f"^{base}", "--")
    listed = [] if told.code else told.output.decode("ascii").split()
    # Where there are more, one that was not looked at stands for them
    return listed if len(listed) < MOST else (*listed, "f" * len(base))


def _read(repository: Repository, commits: Collection[str]) -> Mapping[str, _Facts]:
    """Read those commits that are here."""
    return dict(_facts(repository, sorted(commits))) if commits else {}


def _facts(repository: Repository, commits: Sequence[str]) -> Iterator[tuple[str, _Facts]]:
    told = repository.shared.output("cat-file", "--batch", stdin="".join(f"{name}\n" for name in commits).encode())
    at = 0
    for name in commits:
        end = told.index(b"\n", at)
        fields = told[at:end].decode("utf-8", "replace").split(" ")
        at = end + 1
        if len(fields) != 3:  # noqa: PLR2004 - name, kind and size; else it is missing
            continue
        content = told[at : at + int(fields[2])]
        at += len(content) + 1
        yield name, _parse(content) if fields[1] == "commit" else _Facts("", (), "")


def _parse(content: bytes) -> _Facts:
    head, _, message = content.decode("utf-8", "replace").partition("\n\n")
    lines = [line.partition(" ") for line in head.split("\n")]
    claim = parse_trailers(message)
    tree = next((value for key, _, value in lines if key == "tree"), "")
    parents = tuple(value for key, _, value in lines if key == "parent")
    return _Facts(tree, parents, claim.run if claim is not None else "")
