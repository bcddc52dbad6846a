"""All that a run hands over, as it lies in the repository where it is looked at."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from bot.app.github.provenance import Deed, list_deeds
from bot.core import standing
from bot.core.allowance import waiting
from bot.core.change import ChangeSet
from bot.core.event import Event, Started
from bot.core.lineage import follow
from bot.errors import UsageError
from bot.git.audit import examine, open_reader
from bot.git.bundle import HEADS
from bot.git.chain import Commit, read_beyond
from bot.git.journal import plain_json
from bot.git.objects import Identity
from bot.git.repository import Repository
from bot.git.store import open_store
from bot.git.trail import read_saved, tips
from bot.git.vetting import vet

LONGEST = 32 << 20
"""Bytes of a record."""
TOLD = ("report.md", "task.json")
"""What stands beside the trace."""
_PARTS = frozenset({*TOLD, "trace.jsonl"})


@dataclass(frozen=True)
class Exhibit:
    """A run's record, and the commits that came with it."""

    repository: Repository
    run: str
    branch: str
    """Short; empty where no commits are handed over."""
    bases: frozenset[str]
    """What the commits may stand on."""
    events: tuple[Event, ...]
    record: str
    """The entry that the run's ref stands at."""

    @cached_property
    def started(self) -> Started:
        """How it began."""
        first = self.events[0]
        assert isinstance(first, Started), "a record that was vetted begins with its start"
        return first

    @cached_property
    def tip(self) -> str:
        """Where the branch stands; empty where it was not handed over."""
        return (open_store(self.repository).read_ref(HEADS + self.branch) or "") if self.branch else ""

    @cached_property
    def deeds(self) -> Mapping[str, Deed]:
        """What the record says of the commits of its steps."""
        return list_deeds(self.events)

    @cached_property
    def commits(self) -> Mapping[str, Commit]:
        """Everything beyond the bases, oldest first, by id."""
        found = read_beyond(self.repository, (self.record, *filter(None, (self.tip,))), self.bases)
        return {commit.id: commit for commit in found}

    @cached_property
    def steps(self) -> tuple[Commit, ...]:
        """Those of it that the record knows as steps, wherever they stand."""
        return tuple(commit for commit in self.commits.values() if commit.id in self.deeds)

    @cached_property
    def chain(self) -> tuple[Commit, ...]:
        """What the branch holds beyond its base, oldest first."""
        found: list[Commit] = []
        at = self.tip
        while at in self.commits:
            found.append(self.commits[at])
            at = self.parent(at)
        return tuple(reversed(found))

    @cached_property
    def base(self) -> str:
        """What the branch stands on; empty where it hangs in the air."""
        return self.parent(self.chain[0].id) if self.chain else self.started.task.base

    @cached_property
    def draft(self) -> Commit | None:
        """The files that the run may go on from, where no step holds them."""
        trees = {standing.draft(self.events), *(each.decision.tree for each in waiting(self.events))} - {""}
        head = follow(self.events).head
        above = self.commits[self.record].parents if self.record in self.commits else ()
        found = (self.commits[name] for name in above if name in self.commits and name not in self.deeds)
        return next((commit for commit in found if commit.tree in trees and commit.parents == (head,)), None)

    @cached_property
    def comparison(self) -> "Comparison":
        """What differs between its commits."""
        return Comparison(self.repository)

    def parent(self, commit: str) -> str:
        """Return what one of its commits was made on; empty for any other."""
        return next(iter(self.commits[commit].parents), "") if commit in self.commits else ""

    def read(self, name: str) -> bytes:
        """Return a file of the record."""
        return open_store(self.repository).blob(self.record, name) or b""

    def find_strange(self, identity: Identity) -> Iterator[str]:
        """Say what there is beside steps, and what of the record's own is not as git agent hands it over."""
        own = {commit.id for commit in (self.draft,) if commit is not None} | {self.record}
        known = {*self.deeds, *own}
        for name in self.commits.keys() - known:
            yield f"commit {name[:10]} is no step that its record knows"
        for commit in self.commits.values():
            if not {*commit.parents} <= known | self.bases:
                yield f"commit {commit.id[:10]} stands on what its record does not know"
        yield from self._find_odd(identity)

    def _find_odd(self, identity: Identity) -> Iterator[str]:
        entry = self.commits.get(self.record)
        if entry is None:
            yield "its record is no commit of its own"
            return
        who = f"{identity.name} <{identity.email}>"
        for commit, subject in ((entry, "handed over"), (self.draft, "draft")):
            said = f"{subject}\n\nAgent-Run: {self.run}\n"
            if commit is not None and (commit.author, commit.committer, commit.others, commit.message) != (
                *(who, who),
                (),
                said,
            ):
                yield f"commit {commit.id[:10]} of its record is not as git agent writes it"
        listed = self.repository.shared.names("ls-tree", "-r", "-z", "--full-tree", self.record)
        plain = {name.partition(b"\t")[2].decode("utf-8", "replace") for name in listed if name.startswith(b"100644 ")}
        if len(listed) != len(_PARTS) or plain != _PARTS:
            yield "its record holds other files than git agent keeps there"
        elif self.read("task.json") != plain_json(self.started.task) + b"\n":
            yield "its record tells of another task in one place than in the other"


class Comparison:
    """Compares commits, each two of them once."""

    def __init__(self, repository: Repository) -> None:
        self._reader = open_reader(repository)
        self._known: dict[tuple[str, str], ChangeSet] = {}

    def tree(self, commit: str) -> str:
        """Return the tree of a commit. Raises WorkspaceError."""
        return self._reader.trees(commit)[0]

    def differ(self, old: str, new: str) -> ChangeSet:
        """Tell what differs. Raises WorkspaceError."""
        if (old, new) not in self._known:
            self._known[old, new] = examine(self._reader, old, new)
        return self._known[old, new]


def read_record(repository: Repository, run: str) -> tuple[tuple[Event, ...], str]:
    """Read a record, and where its ref stands. Raises WorkspaceError, UsageError."""
    tip = tips(repository, run).get(run)
    if tip is None:
        raise UsageError("there is no record of its run")
    return vet(run, read_saved(repository, tip, LONGEST)), tip.object
