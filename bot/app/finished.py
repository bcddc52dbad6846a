"""A run that stopped, and where its steps stand."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from bot.core.branches import INDEX
from bot.core.change import readable
from bot.core.check import Verdict
from bot.core.copies import Copies, trace_copies
from bot.core.event import Baselined, Committed, Event, Published, Redone, Reviewed, Started, Undone, Verified
from bot.core.lineage import Lineage, follow
from bot.core.standing import refuted, since, unreviewed
from bot.errors import GitFailed, UsageError
from bot.git.claims import refuse_false
from bot.git.journal import is_live
from bot.git.reconcile import reconcile
from bot.git.repository import Repository, open_repository
from bot.git.runs import find_run, is_from_here, read_events
from bot.git.shift import standing
from bot.git.store import open_store


@dataclass(frozen=True)
class Finished:
    """A run that nobody works on now."""

    repository: Repository
    run: str
    events: tuple[Event, ...]

    @cached_property
    def started(self) -> Started:
        """How it began."""
        first = self.events[0]
        assert isinstance(first, Started), "a run's first event is Started"
        return first

    @cached_property
    def lineage(self) -> Lineage:
        """Which steps count."""
        return follow(self.events)

    @cached_property
    def copies(self) -> Copies:
        """Which commits stand for them."""
        return trace_copies(self.events)

    @property
    def branch(self) -> str:
        """The run's own branch, by its short name."""
        return self.started.branch

    @property
    def ref(self) -> str:
        """The full name of the run's own branch."""
        return f"refs/heads/{self.branch}"

    @property
    def hooked(self) -> bool:
        """Whether it mends a commit that a hook refused, and that nobody has made yet."""
        return self.started.task.source.kind == "hook"

    @property
    def pull(self) -> str:
        """Address of the pull request that was opened for it; empty where there is none."""
        told = (event.where for event in reversed(self.events) if isinstance(event, Published))
        return next((where for where in told if "://" in where), "")

    @cached_property
    def local(self) -> bool:
        """Whether its record was written here; another one may name any command as a check."""
        return is_from_here(self.repository, self.run)

    @cached_property
    def own(self) -> bool:
        """Whether what is said of the steps that count was found here, and nobody had to doubt it since."""
        return self.local and not refuted(self.events) and not unreviewed(self.events)

    @cached_property
    def known(self) -> dict[str, Verdict]:
        """What was said here of trees that held; what a record from elsewhere says of them is not taken for true."""
        if not self.own:
            return {}
        told = since(self.events)
        verdicts = [e.verdict for e in told if isinstance(e, Baselined)]
        verdicts += [e.verdict for e in told if isinstance(e, Verified | Reviewed) and e.verdict.ok]
        return {verdict.tree: verdict for verdict in verdicts}

    @property
    def staged(self) -> str:
        """The commit whose files a person has staged by us; empty where they have none, or took it back."""
        moves = (event.places for event in reversed(self.events) if isinstance(event, Published | Undone | Redone))
        last = next((place.after for places in moves for place in places if place.ref == INDEX), "")
        return last if last != self.lineage.base else ""

    def held(self, tip: str) -> frozenset[str]:
        """List the commits that a tip has beyond the run's base."""
        return frozenset(between(self.repository, self.lineage.base, tip))

    def holds(self, tip: str) -> bool:
        """Say whether every step that counts counts at this tip, too."""
        held = self.held(tip)
        return all(self.copies.find(step.step, held) for step in self.lineage.live)

    def subject(self, step: int) -> str:
        """Return what a step is called."""
        return self._committed(step).subject

    def original(self, step: int) -> str:
        """Return the commit that a step was first made with."""
        return self._committed(step).commit

    def _committed(self, step: int) -> Committed:
        return next(event for event in self.events if isinstance(event, Committed) and event.step == step)


def open_finished(repository: Repository, prefix: str) -> Finished:
    """Find a run that nobody works on. Raises UsageError."""
    run = find_run(repository, prefix)
    if is_live(repository, run):
        raise UsageError(f"{run} is still running")
    finished = Finished(repository, run, read_events(repository, run))
    if finished.started.planning:
        raise UsageError(f"{run} is a plan: nothing was changed by it", f"to carry it out: git agent fix --plan {run}")
    if not repository.head and not finished.hooked:
        # It says what is to be done where there is no commit
        open_repository(repository.root)
    refuse_false(repository, run, finished.branch, finished.events)
    with suppress(UsageError, GitFailed):
        # A commit that a kill kept out of the record was never a step
        reconcile(repository, finished.branch, run, finished.lineage.head, finished.lineage.made + 1)
    return finished


def full_ref(repository: Repository) -> str:
    """Return the full name of the branch that the person is on; HEAD where it is detached."""
    return standing(repository)


def short(ref: str) -> str:
    """Return a branch's name as a person says it, or what stands for one."""
    return "the index" if ref == INDEX else ref.removeprefix("refs/heads/")


def parent(repository: Repository, commit: str) -> str:
    """Return what a commit was made on. Raises GitFailed."""
    return repository.shared.line("rev-parse", "--verify", "--end-of-options", f"{commit}^1")


def is_ancestor(repository: Repository, older: str, newer: str) -> bool:
    """Say whether one commit leads to another, or is it. Raises GitFailed."""
    answer = repository.shared.ask("merge-base", "--is-ancestor", older, newer)
    if answer.code > 1:
        # Neither a yes nor a no: what rests on it must not go on
        raise GitFailed(f"git does not know how {older[:10]} and {newer[:10]} are related: {answer.error}")
    return answer.code == 0


def between(repository: Repository, older: str, newer: str) -> Sequence[str]:
    """List the commits that one has and the other has not, newest first."""
    return repository.shared.output("rev-list", newer, f"^{older}", "--").decode("ascii").split()


def remote_refs(repository: Repository, commit: str) -> Collection[str]:
    """List the remote branches, as they were last heard of, that have a commit."""
    told = repository.shared.output("for-each-ref", "--format=%(refname)", f"--contains={commit}", "refs/remotes/")
    return tuple(readable(name) for name in told.splitlines())


def tip_of(repository: Repository, ref: str) -> str:
    """Return where a branch stands; empty when it is gone."""
    return open_store(repository).read_ref(ref) or ""
