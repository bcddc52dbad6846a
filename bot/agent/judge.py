"""From a changed tree to a commit, to feedback, or to a rollback."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from bot.agent.answer import GONE, TOGETHER, Answer, tell_rollback
from bot.agent.asking import STOPPED, Asking, about_change, stop, wait
from bot.agent.planning import tell_course
from bot.core import limits, standing
from bot.core.approval import Refusal
from bot.core.change import ChangeSet
from bot.core.check import Check, Rung, Verdict
from bot.core.diff import read_lines
from bot.core.doubts import merge_files
from bot.core.event import (
    Acted,
    Baselined,
    Checking,
    Committed,
    Event,
    Proved,
    Redone,
    Reviewed,
    RolledBack,
    Started,
    Undone,
    Verified,
)
from bot.core.lineage import follow
from bot.core.policy import refusals, secret_findings, tell
from bot.core.redact import Redactor
from bot.core.render import commit_message
from bot.core.talk import Replied, Told
from bot.errors import Denied, Unverified
from bot.tools.tool import Bench
from bot.verify.audit import Auditor
from bot.verify.digest import digest
from bot.verify.proof import Prover

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Judge:
    """Holds candidates against the last verified commit."""

    bench: Bench
    log: Sequence[Event]
    model: str
    redactor: Redactor
    asking: Asking

    def baseline(self) -> Generator[Event, None, Verdict]:
        """Judge the base."""
        return (yield from self._climb(self.bench.workspace.tree(), None))

    def review(self) -> Generator[Event, None, None]:
        """Judge the base again, and where the branch stands: what was said of them before does not hold any more."""
        workspace, lineage = self.bench.workspace, follow(self.log)
        draft = workspace.tree()
        workspace.restore(lineage.base)
        change, verdict = workspace.diff(lineage.base), (yield from self.baseline())
        yield Baselined(verdict=verdict)
        if lineage.live:
            workspace.restore(lineage.head)
            change = workspace.diff(lineage.base)
            verdict = yield from self._weigh(change, verdict)
        yield Reviewed(step=lineage.step, commit=lineage.head, verdict=verdict, change=change)
        workspace.restore(draft)

    def candidate(self, subject: str, body: str, call_id: str = "") -> Generator[Event, None, Answer]:
        """Audit and judge what changed; commit it when nothing got worse, else give feedback or roll back."""
        settled = self.settled()
        if settled is not None:
            return settled
        change = self.bench.workspace.diff()
        if not change:
            return Answer(ok=False, kind="no_change", text="nothing changed since the last verified commit")
        refused = yield from self._admit(change, call_id)
        if refused is not None:
            return refused
        # What a model writes may come from what it was shown; a commit is not an event, so nothing else redacts it.
        subject, body = self.redactor.text(subject), self.redactor.text(body)
        told = self._told(change.tree)
        insists = told is not None and bool(self._started.task.goal)
        # Asked often enough, a test that fails now and then would pass: what was said of a tree is not asked again.
        verdict = told or (yield from self._weigh(change, standing.before(self.log)))
        yield Verified(verdict=verdict, change=change)
        if verdict.better or (verdict.ok and insists):
            return (yield from self._commit(change, verdict, subject, body))
        text = f"{self._neutral()}\n{digest(verdict)}" if verdict.ok else f"{digest(verdict)}{self._advice(verdict)}"
        return (yield from self._refuse(Unverified.kind, text, self._failures()))

    def proof(self) -> Generator[Event, None, None]:
        """Hold the whole change against the base, when there is one."""
        lineage = follow(self.log)
        if not lineage.live or self._proved(lineage.head):
            return
        files = merge_files(file for change in standing.changes(self.log) for file in change.files)
        prover = Prover(self.bench.ladder, self.bench.workspace)
        proving = prover.prove(standing.base(self.log), standing.before(self.log), files, self._started.task.goal)
        proof, audit = yield from self._watched(proving, lineage.live[-1].tree)
        yield Proved(commit=lineage.head, proof=proof, audit=audit)

    def _proved(self, head: str) -> bool:
        told = standing.settle(standing.since(self.log))
        last = next((event for event in reversed(told) if isinstance(event, Proved)), None)
        return last is not None and last.commit == head

    def settled(self) -> Answer | None:
        """Return the answer to a candidate whose fate was sealed before the run stopped and nobody was told of."""
        for event in reversed(self.log):
            match event:
                case Committed():
                    return self._committed(event, standing.before(self.log))
                case RolledBack():
                    return tell_rollback(Unverified.kind, event.reason, event.to)
                case Acted() | Told() | Replied() | Started():
                    return None
                case _:
                    pass
        return None

    def _admit(self, change: ChangeSet, call_id: str) -> Generator[Event, None, Answer | None]:
        """Audit a change: refuse what nobody may allow, ask about what somebody may."""
        found = self._refusals(change)
        if any(refusal.risk is None for refusal in found):
            return (yield from self._deny("refused by policy", tell(found)))
        put_off: list[str] = []
        for question in about_change(change, found, self.log, self._original):
            decision = yield from self.asking.decide(call_id, question, whole=True, tree=change.tree)
            if decision.answer == "stop":
                return Answer(ok=False, kind=Denied.kind, text=STOPPED, end=stop(f"step {question.why}"))
            if decision.answer == "wait":
                put_off.append(question.why)
            elif not decision.allowed:
                reasons = tell([each for each in found if each.risk == question.risk]) or (question.why,)
                said = "a person did not allow it" if decision.by == "person" else "refused by policy"
                return (yield from self._deny(said, reasons))
        if put_off:
            return Answer(ok=False, kind=Denied.kind, text=STOPPED, end=wait(f"step {'; it '.join(put_off)}"))
        return None

    def _deny(self, said: str, reasons: Sequence[str]) -> Generator[Event, None, Answer]:
        text = f"{said}:\n" + "\n".join(f"- {reason}" for reason in reasons)
        return (yield from self._refuse(Denied.kind, text, self._failures() + 1, reasons[0]))

    def _refusals(self, change: ChangeSet) -> tuple[Refusal, ...]:
        task = self._started.task
        whole = self.bench.workspace.diff(task.base)
        found = refusals(change, task, limits.current(self.log, task.limits), whole)
        return (*found, *map(Refusal, (*secret_findings(change), *self._shown(change))))

    def _original(self, path: str) -> bytes | None:
        return self.bench.workspace.read(self._started.task.base, path)

    def _shown(self, change: ChangeSet) -> Iterator[str]:
        """Name what a change would publish of the secrets that this process holds."""
        if self.redactor.holds("\n".join(change.paths)):
            yield "the name of a file holds a secret of this process"
        added = "\n".join(line.text for line in read_lines(change.patch) if line.sign == "+")
        if self.redactor.holds(added):
            yield "an added line holds a secret of this process"

    def _neutral(self) -> str:
        rest = (
            " If these failures are not yours to mend, call checkpoint again as it is."
            if self._started.task.goal
            else ""
        )
        return f"Nothing got worse, but nothing that failed on the base passes either.{rest}"

    def _advice(self, verdict: Verdict) -> str:
        """Say what is asked of tests that are gone, and of new ones that fail."""
        known = {case.id for result in standing.before(self.log).results for case in result.cases}
        fresh = any("::" in name and name not in known for name in _failing_tests(verdict))
        gone = bool(verdict.comparison.removed)
        return (GONE if gone else "") + (TOGETHER if fresh else "")

    def _told(self, tree: str) -> Verdict | None:
        """Return what was said of a tree since the last commit, when nothing got worse on it."""
        told: Verdict | None = None
        for event in standing.settle(standing.since(self.log)):
            if isinstance(event, Committed | Undone | Redone):
                told = None
            elif isinstance(event, Verified) and event.verdict.tree == tree and event.verdict.ok:
                told = told or event.verdict
        return told

    def _climb(self, tree: str, before: Verdict | None, paths: Sequence[str] = ()) -> Generator[Event, None, Verdict]:
        climbing = self.bench.ladder.judge(self.bench.workspace, tree, before, paths)
        return (yield from self._watched(climbing, tree))

    def _weigh(self, change: ChangeSet, before: Verdict) -> Generator[Event, None, Verdict]:
        verdict = yield from self._climb(change.tree, before, change.paths)
        auditor = Auditor(self.bench.ladder, self.bench.workspace, before, verdict)
        return (yield from self._watched(auditor.hold(change.files), change.tree))

    def _watched(self, checks: Generator[Check, None, T], tree: str) -> Generator[Event, None, T]:
        """Tell of each check before it runs, and look afterwards whether one of them reached out."""
        while True:
            try:
                check = next(checks)
            except StopIteration as end:
                told: T = end.value
                self.bench.unsettle()
                self.bench.workspace.guard()
                return told
            yield Checking(check=check.name, tree=tree)

    def _commit(self, change: ChangeSet, verdict: Verdict, subject: str, body: str) -> Generator[Event, None, Answer]:
        step = follow(self.log).made + 1
        started = self._started
        message = commit_message(
            subject or started.task.goal,
            body,
            run=started.run,
            step=step,
            verdict=verdict,
            model=self.model,
            task=started.task,
        )
        commit = self.bench.workspace.commit(change.tree, message)
        subject = message.partition("\n")[0]
        made = Committed(step=step, commit=commit, tree=change.tree, subject=subject, body=body)
        yield made
        return self._committed(made, verdict)

    def _committed(self, made: Committed, verdict: Verdict) -> Answer:
        left = [result.check for result in verdict.results if result.status != "passed"]
        rest = f"\n{digest(verdict)}" if left else " Every check passes."
        told = f"committed {made.commit[:10]} as step {made.step}: {made.subject}.{rest}{tell_course(self.log)}"
        return Answer(ok=True, text=told)

    def _refuse(self, kind: str, text: str, failures: int, why: str = "") -> Generator[Event, None, Answer]:
        bound = limits.current(self.log, self._started.task.limits).attempts
        if failures < bound:
            return Answer(ok=False, kind=kind, text=f"not committed (attempt {failures} of {bound}):\n{text}")
        rejected = self.bench.workspace.rollback()
        yield RolledBack(
            to=rejected.to, kept=rejected.kept, reason=f"{failures} attempts did not pass{why and f': {why}'}"
        )
        return tell_rollback(kind, text, rejected.to)

    @property
    def _started(self) -> Started:
        first = self.log[0]
        assert isinstance(first, Started), "a run's first event is Started"
        return first

    def _failures(self) -> int:
        """Count the attempts at the present step that did not pass."""
        count = 0
        for event in reversed(standing.settle(self.log)):
            match event:
                case Committed() | RolledBack() | Undone() | Redone():
                    break
                case Verified() if not event.verdict.better:
                    count += 1
                case Acted() if event.call.name == "checkpoint" and event.result.error == Denied.kind:
                    count += 1
                case Told() if event.error == Denied.kind:
                    count += 1
                case _:
                    pass
        return count


def _failing_tests(verdict: Verdict) -> Iterator[str]:
    tests = (result for result in verdict.results if result.rung in (Rung.UNIT, Rung.INTEGRATION))
    return (name for result in tests for name in result.bad if name in verdict.comparison.broken)
