"""Holds a run that was handed over against its commits and against what may be published, and trusts nothing of it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from bot.app.github.content import Rules, find_secrets, find_told, find_untruths, leaks
from bot.app.github.exhibit import Exhibit, read_record
from bot.app.github.provenance import find_lies, find_tip
from bot.core.approval import Decision
from bot.core.copies import trace_copies
from bot.core.event import Baselined, Decided, Event, Proved, Published, Redone, Started, Undone
from bot.core.handover import Handover
from bot.core.lineage import follow
from bot.core.redact import MARK, Redactor
from bot.core.report import Report
from bot.core.summary import summarize
from bot.core.task import Task
from bot.errors import AgentError, UsageError
from bot.git.bundle import HEADS
from bot.git.claims import refuse_false
from bot.git.names import is_ours
from bot.git.objects import AGENT, Identity
from bot.git.repository import Repository
from bot.git.trail import is_run

MOST_FAULTS = 20
UNPROVED = "needs a person: what proves the change was found on other files than these, before they were put here"


@dataclass(frozen=True, slots=True)
class Expectation:
    """What whoever publishes knows by itself."""

    repository: str
    """OWNER/NAME."""
    bases: frozenset[str]
    """Commits that a run may begin with, or its steps be made again on."""
    task: Task
    """As it would be asked for here: scope, protected paths and limits hold; where it came from has to be the same,
    and what was asked where that is not empty."""
    grants: tuple[Decision, ...] = ()
    """What a person allowed, as far as that is known here."""
    kept: tuple[Event, ...] = ()
    """The run's record as it was published before: what is handed over goes on from there, and is about the same."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Values that must not show up anywhere."""
    workflow_run: str = ""
    """The CI run that has to have written the claim; empty where any may."""
    identity: Identity = AGENT


@dataclass(frozen=True, slots=True)
class Inspection:
    """What was found."""

    report: Report | None = None
    """The record's, with the word that its outcome deserves here; None where there is no record that can be read."""
    events: tuple[Event, ...] = ()
    tip: str = ""
    """Where the branch stands; empty where there is nothing to push but the record."""
    commits: tuple[str, ...] = ()
    """Beyond the base, oldest first."""
    faults: tuple[str, ...] = ()
    """Sentences that may quote what strangers wrote; where there is one, nothing is to be pushed."""
    base: str = ""
    """What the commits stand on."""
    record: str = ""
    """Where the record stands."""
    proved: bool = False
    """Whether what proves the change was found on exactly the files at the tip."""


def inspect(repository: Repository, handover: Handover, expectation: Expectation) -> Inspection:
    """Look through all that is handed over; never raises for what a stranger may have written."""
    faults = tuple(_refuse_claim(handover, expectation))
    if faults or not handover.run:
        return Inspection(faults=faults)
    try:
        events, record = read_record(repository, handover.run)
        shown = Exhibit(repository, handover.run, handover.branch, expectation.bases, events, record)
        return _Case(shown, handover, expectation).close()
    except AgentError as error:
        return Inspection(faults=(Redactor(expectation.secrets).text(error.message),))


def _refuse_claim(handover: Handover, expectation: Expectation) -> Iterator[str]:
    if handover.repository.casefold() != expectation.repository.casefold():
        yield "it was handed over for another repository"
    if expectation.workflow_run and handover.workflow_run != expectation.workflow_run:
        yield "it was handed over by another run of the workflow"
    if handover.run and not is_run(handover.run):
        yield "what it calls its run is no name of one"
    elif handover.branch and (not handover.run or not is_ours(handover.branch, handover.run)):
        yield "the branch that it names is none that git agent makes for this run"


def _gist(decision: Decision) -> tuple[str, ...]:
    return decision.question.risk, decision.question.subject, decision.answer, decision.tree


@dataclass(frozen=True)
class _Case:
    shown: Exhibit
    claim: Handover
    expectation: Expectation

    @cached_property
    def redactor(self) -> Redactor:
        return Redactor(self.expectation.secrets)

    @cached_property
    def wanted(self) -> Task:
        """What it should be about, and the rules that hold."""
        task, kept = self.expectation.task, self.expectation.kept
        if not kept or not isinstance(kept[0], Started):
            return task
        begun = kept[0].task
        return begun.model_copy(update={"limits": task.limits, "protected": (*begun.protected, *task.protected)})

    def close(self) -> Inspection:
        shown = self.shown
        # Contents are looked at only where it is known whose they are
        faults = tuple(self._structure()) or tuple(self._substance())
        return Inspection(
            report=self._report(),
            events=shown.events,
            tip=shown.tip,
            commits=tuple(commit.id for commit in shown.chain),
            faults=tuple(dict.fromkeys(map(self.redactor.text, faults)))[:MOST_FAULTS],
            base=shown.base,
            record=shown.record,
            proved=self.proved,
        )

    def _structure(self) -> Iterator[str]:
        """Look whether all of it belongs together, and here."""
        shown, identity = self.shown, self.expectation.identity
        yield from self._agreement()
        yield from self._ground()
        yield from shown.find_strange(identity)
        yield from self._counting()
        for commit in shown.steps:
            yield from find_lies(commit, shown.deeds[commit.id], shown.run, identity)
        try:
            refuse_false(shown.repository, shown.run, shown.started.branch, shown.events)
        except UsageError as error:
            yield error.message

    def _agreement(self) -> Iterator[str]:
        """Hold the claim, the record and what is known here against each other."""
        started, wanted = self.shown.started, self.wanted
        asked = started.task
        if self.shown.branch and self.shown.branch not in {started.branch, *self._branches()}:
            yield "its branch is none that its record knows of"
        if (asked.source.kind, asked.source.ref) != (wanted.source.kind, wanted.source.ref):
            yield "its record is about another issue or order"
        if wanted.goal and asked.goal != wanted.goal and MARK not in asked.goal:
            yield "its record is about another task"
        # What is protected only since it began is held against its commits all the same
        ruled = set() if self.expectation.kept else set(wanted.protected) - set(asked.protected)
        if asked.scope != wanted.scope or ruled:
            yield "its record was made with other rules about paths"
        if self.shown.events[: len(self.expectation.kept)] != self.expectation.kept:
            yield "its record does not go on from the one that was published before"
        if trace_copies(self.shown.events).commits - self._theirs():
            yield "its record calls commits its own that are not handed over"
        if started.planning and self.shown.deeds:
            yield "it was to be a plan, and there are commits"
        # Once published, a record is what later runs are allowed things by
        given = {_gist(grant) for grant in self.expectation.grants if grant.by == "person"}
        said = (event.decision for event in self.shown.events if isinstance(event, Decided))
        if any(each.allowed and each.by == "person" and _gist(each) not in given for each in said):
            yield "its record says that a person allowed what nobody is known to have allowed"

    def _theirs(self) -> frozenset[str]:
        """Name the commits that a record may call its own: whoever wrote it may have meant somebody else's to go."""
        return trace_copies(self.expectation.kept).commits.union(self.shown.commits)

    def _branches(self) -> Iterator[str]:
        for event in self.shown.events:
            if isinstance(event, Undone | Redone | Published):
                yield from (place.ref.removeprefix(HEADS) for place in event.places)

    def _ground(self) -> Iterator[str]:
        """Look where the run began, and where its branch stands."""
        shown, claim, allowed = self.shown, self.claim.base, self.expectation.bases
        begun = shown.started.task.base
        if begun not in allowed or shown.base not in allowed:
            yield "it does not begin with the commit that the event is about"
            return
        if claim.then not in ("", begun):
            yield "it does not begin with the commit that it says"
        if shown.chain and shown.base != (claim.now if claim.state == "rebased" else begun):
            yield "its steps do not stand on the commit that it says"
        stands = find_tip(shown.events, shown.branch or shown.started.branch)
        if shown.tip and shown.tip != stands:
            yield "its branch does not stand where its record says"
        if not shown.tip and stands not in ("", begun):
            yield "its record tells of commits that are not handed over"
        trees = {event.verdict.tree for event in shown.events if isinstance(event, Baselined)}
        if trees - {shown.comparison.tree(begun)}:
            yield "its record judges another base than the run began with"

    def _counting(self) -> Iterator[str]:
        """Look whether the steps that count are the ones that the branch has."""
        shown = self.shown
        copies, held = trace_copies(shown.events), {commit.id for commit in shown.chain}
        live = {step.step for step in follow(shown.events).live}
        there = {made.step for made in copies.made if copies.find(made.step, held)}
        # Made again elsewhere, a step may bring nothing new
        moved = shown.base != shown.started.task.base
        if shown.tip and (there - live or (not moved and live - there)):
            yield "the steps on its branch are not those that count by its record"

    def _substance(self) -> Iterator[str]:
        """Look at what is in the commits and in the record."""
        shown, differ = self.shown, self.shown.comparison.differ
        rules = Rules(self.wanted, self.expectation.grants)
        whole = differ(shown.base, shown.tip or shown.base)
        for commit in shown.commits.values():
            if commit.id == shown.record:
                continue
            change = differ(shown.parent(commit.id), commit.id)
            yield from find_secrets(change, self.redactor)
            if commit.id in shown.deeds:
                yield from rules.refuse(change, whole)
                yield from leaks(f"the message of {commit.id[:10]}", commit.message, self.redactor)
        yield from rules.refuse_deletions(whole, shown.events)
        yield from leaks("the name of its branch", shown.branch, self.redactor)
        yield from find_untruths(shown.events, shown.parent, shown.started.task.base, differ)
        yield from self._telling()

    def _telling(self) -> Iterator[str]:
        """Look through what the record would publish, and whether it claims more than it shows."""
        shown = self.shown
        yield from find_told(shown, self.redactor)
        moved = any(isinstance(event, Undone | Redone | Published) for event in shown.events)
        if self._told().outcome == "verified" and not self.proved and not moved:
            yield "its record calls it verified, and holds no proof for these files"

    @cached_property
    def proved(self) -> bool:
        """Whether the files at the tip are those that were held against the base."""
        shown = self.shown
        seen = {event.commit for event in shown.events if isinstance(event, Proved)} & shown.commits.keys()
        return shown.tip in shown.commits and shown.commits[shown.tip].tree in {shown.commits[at].tree for at in seen}

    def _told(self) -> Report:
        """Fold the record; what was proved of copies of the steps is no word on the steps themselves."""
        head = follow(self.shown.events).head
        return summarize(e for e in self.shown.events if not isinstance(e, Proved) or e.commit == head)

    def _report(self) -> Report:
        told = self._told()
        if told.outcome != "verified" or self.proved or not self.shown.tip:
            return told
        return told.model_copy(update={"outcome": "partial", "findings": (UNPROVED, *told.findings)})
