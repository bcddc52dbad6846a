"""Judges commits one after the other, each in a clean tree and against the one before it."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias, TypeVar

from bot.app.bay import Bay, choose_bay
from bot.app.desk import Desk
from bot.app.missing import suggest_carry
from bot.app.proving.claim import read_claim
from bot.app.proving.target import SHORT, Listed, Target
from bot.app.proving.uncommitted import Search
from bot.app.proving.values import Judged, Proved, ProvedCommit, Uncommitted
from bot.app.stepping import finish
from bot.core.change import ChangeSet
from bot.core.check import Check, CheckResult, Rung, Verdict
from bot.core.doubts import Doubt, Work
from bot.core.policy import describe_reach
from bot.core.proof import Audit, Proof
from bot.core.report import summarize_check
from bot.git.audit import changes
from bot.git.repository import Repository
from bot.git.snapshot import Snapshots, open_snapshots
from bot.git.store import open_store
from bot.protocols import Cleaner
from bot.verify.audit import Auditor
from bot.verify.compare import compare, without
from bot.verify.digest import digest
from bot.verify.ladder import Ladder
from bot.verify.proof import Proven, Prover

T = TypeVar("T")


class Stage(NamedTuple):
    """What happens now."""

    commit: str
    check: str


Judging: TypeAlias = Generator[Stage, None, Judged]


def climb(ladder: Ladder, cleaner: Cleaner, tree: str, before: Verdict | None) -> Verdict:
    """Judge a tree without telling anybody about each check."""
    return finish(ladder.judge(cleaner, tree, before))


def judge(desk: Desk, target: Target, *, reuse: bool = False, brief: bool = False, bay: Bay | None = None) -> Judging:
    """Judge the base, then each commit; yields what happens as it happens. Raises UsageError.

    `reuse` lets checks answer with what they said before of the same tree in the same environment. `brief` asks only
    whether something got worse: not what fails without the change, nor what became of each piece of the evidence.
    """
    bay = bay or choose_bay(desk)
    with open_snapshots(desk.repository) as snapshots:
        # What the empty tree is checked by, it cannot say
        with snapshots.clean(target.base or target.tip) as root:
            found = bay.ladder(root, desk.settings.checks, reuse=reuse)
        # Who wrote a commit had the project's own versions, and could not know what others say
        ladder = replace(found, excused=frozenset(check.name for check in found.checks if check.borrowed))
        return (yield from _Proof(desk, bay, snapshots, ladder, target, brief).run())


@dataclass(slots=True)
class _Proof:
    desk: Desk
    bay: Bay
    snapshots: Snapshots
    ladder: Ladder
    target: Target
    brief: bool = False
    commits: list[ProvedCommit] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    files: list[tuple[str, ...]] = field(default_factory=list)

    @property
    def repository(self) -> Repository:
        return self.desk.repository

    def run(self) -> Judging:
        base = yield from self._base()
        before = base
        for listed in self.target.commits:
            change = changes(self.repository, before.tree, listed.commit)
            verdict = yield from self._judge(listed.commit, before, change)
            yield from self._prove(listed, before, verdict, change)
            if verdict.ok:
                before = verdict
        proved = Proved(
            base=self.target.base,
            base_checks=tuple(map(summarize_check, base.results)),
            commits=tuple(self.commits),
            target=self.target.words,
            tip=self.target.tip,
            notes=(*self.target.notes, *self.desk.notes, *self.bay.notes, *self._lacking(base)),
        )
        # It leaves us as words, as JSON and in files that are handed on
        hide = self.bay.redactor.record
        verdicts, files = tuple(map(hide, self.verdicts)), tuple(self.files)
        return Judged(hide(proved), hide(base), verdicts, files, self.ladder.checks)

    def _lacking(self, base: Verdict) -> Iterator[str]:
        """Say what keeps the base from telling more."""
        if not any(check.rung in (Rung.UNIT, Rung.INTEGRATION) for check in self.ladder.checks):
            yield "no test was found: nothing here says what the code does"
        if not self._stranger:
            yield from suggest_carry(self.repository, base.results, (*self.desk.settings.carry, *self.bay.built))

    @property
    def _stranger(self) -> bool:
        """Whether what others wrote is judged, which is not shown the files of a checkout that they know nothing of."""
        return self.target.foreign or self.desk.settings.trust == "untrusted"

    def _base(self) -> Generator[Stage, None, Verdict]:
        if self.target.base:
            tree = open_store(self.repository).tree(self.target.base)
            return (yield from self._told(self.target.base, self.ladder.judge(self.snapshots, tree, None)))
        return Verdict(tree=open_store(self.repository).write_tree(()))

    def _judge(self, commit: str, before: Verdict, change: ChangeSet) -> Generator[Stage, None, Verdict]:
        if before.results:
            verdict = yield from self._told(
                commit, self.ladder.judge(self.snapshots, change.tree, before, change.paths)
            )
            auditor = Auditor(self.ladder, self.snapshots, before, verdict)
            return _left_to_a_person((yield from self._told(commit, auditor.hold(change.files))))
        return _from_nothing((yield from self._told(commit, self.ladder.judge(self.snapshots, change.tree, None))))

    def _told(self, commit: str, checks: Generator[Check, None, T], why: str = "") -> Generator[Stage, None, T]:
        """Say which commit each check is of, and what for."""
        while True:
            try:
                check = next(checks)
            except StopIteration as end:
                told: T = end.value
                return told
            yield Stage(commit, check.name + why)

    def _prove(
        self, listed: Listed, before: Verdict, verdict: Verdict, change: ChangeSet
    ) -> Generator[Stage, None, None]:
        commit = listed.commit
        message = self.repository.git.output("log", "-1", "--format=%B", commit).decode("utf-8", "replace")
        claim, contradiction = read_claim(message, verdict)
        proven = yield from self._proven(commit, before, verdict, change)
        doubts = self._doubts(change, before, verdict, proven.audit)
        missing = () if verdict.ok else self._missing(commit, before, verdict)
        complaints = ("" if verdict.green and verdict.ok else digest(verdict), *contradiction)
        self.commits.append(
            ProvedCommit(
                commit=commit,
                tree=verdict.tree,
                subject=message.partition("\n")[0],
                ok=verdict.ok,
                green=verdict.green,
                sound=verdict.sound,
                claim=claim,
                checks=tuple(map(summarize_check, verdict.results)),
                detail="\n".join(filter(None, complaints)),
                contradiction=contradiction,
                doubts=tuple(doubt.text for doubt in doubts if doubt.grave),
                proof=proven.proof,
                audit=proven.audit,
                uncommitted=missing,
                notes=(*_merge(listed), *describe_reach(change), *(doubt.text for doubt in doubts if not doubt.grave)),
            )
        )
        self.verdicts.append(verdict)
        self.files.append(change.paths)

    def _proven(
        self, commit: str, before: Verdict, verdict: Verdict, change: ChangeSet
    ) -> Generator[Stage, None, Proven]:
        if self.brief or not verdict.ok:
            reason = "it was not asked for" if verdict.ok else "the commit does not hold"
            return Proven(Proof(reason=reason), Audit(reason=reason))
        proving = Prover(self.ladder, self.snapshots).prove(before, verdict, change.files)
        return (yield from self._told(commit, proving, ", without the change"))

    def _doubts(self, change: ChangeSet, before: Verdict, after: Verdict, audit: Audit) -> Sequence[Doubt]:
        """Say why the verdict on a commit is not enough by itself."""
        known = audit if after.ok and not self.brief else None
        # Where nothing was before, there is no evidence that could have been changed
        files = change.files if before.results else ()
        # What was built, and where submodules stand, is as the settings' base has it, however many commits ago that was
        since = changes(self.repository, self.desk.base, change.tree).paths if self.bay.built else ()
        stale = self.bay.stale(since)
        changed = after.comparison.changed
        prepare = self.desk.settings.prepare
        return Work(files, [change.patch], self.ladder.checks, before, after, changed, known, stale, prepare).doubts()

    def _missing(self, commit: str, before: Verdict, verdict: Verdict) -> tuple[Uncommitted, ...]:
        if self._stranger:
            return ()
        search = Search(self.repository, self.snapshots, self.ladder)
        return tuple(search.find(commit, before, verdict))


def _left_to_a_person(verdict: Verdict) -> Verdict:
    """Blame nobody for tests that are gone when that is all: their author may have had a reason, which is asked for."""
    compared = verdict.comparison
    withdrawn = (*compared.withdrawn, *compared.removed)
    left = compared.model_copy(update={"removed": (), "withdrawn": withdrawn})
    softened = verdict.model_copy(update={"comparison": left})
    return softened if softened.ok else verdict


def _from_nothing(verdict: Verdict) -> Verdict:
    """Hold a verdict against an empty tree, on which nothing can have failed before."""
    nothing = tuple(
        CheckResult(check=result.check, rung=result.rung, status="passed")
        for result in verdict.results
        if result.status != "errored"
    )
    compared = compare(Verdict(tree="", results=nothing), verdict.results)
    return verdict.model_copy(update={"comparison": without(compared, verdict.comparison.flaky)})


def _merge(listed: Listed) -> tuple[str, ...]:
    if len(listed.parents) <= 1:
        return ()
    others = ", ".join(parent[:SHORT] for parent in listed.parents[1:])
    return (f"a merge, held against its first parent; what it brings in from {others} is judged as one change",)
