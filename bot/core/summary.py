"""The story of a run, folded from its events into its report."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from bot.core.allowance import seal
from bot.core.approval import Decision
from bot.core.change import FileChange
from bot.core.check import Verdict, mended
from bot.core.course import Course
from bot.core.doubts import Doubt, Work, merge_files, tell
from bot.core.event import (
    Acted,
    Baselined,
    Committed,
    Decided,
    Ended,
    Event,
    Proved,
    Published,
    Redone,
    Resumed,
    Reviewed,
    RolledBack,
    Started,
    Undone,
    Verified,
)
from bot.core.limits import Clock, cost_of
from bot.core.lineage import Lineage
from bot.core.message import Usage
from bot.core.proof import Audit, Proof
from bot.core.report import OutcomeWord, Report, Spent, Step, summarize_check
from bot.core.stale import stale_builds
from bot.core.talk import Replied
from bot.core.undecided import Undecideds


def summarize(events: Iterable[Event]) -> Report:
    """Fold a run's events into its report. The first event is always Started."""
    fold = _Fold()
    for event in events:
        fold.add(event)
    return fold.report()


class _Part(NamedTuple):
    """A change, and what was said of it."""

    files: tuple[FileChange, ...]
    patch: str
    verdict: Verdict


@dataclass(slots=True)
class _Fold:
    started: Started | None = None
    baseline: Verdict | None = None
    judged: Verified | None = None
    proved: Proved | None = None
    reviewed: Reviewed | None = None
    last: Verdict | None = None
    """The verdict on the tree that the branch stands at."""
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    lineage: Lineage = field(default_factory=Lineage)
    stop: str = "interrupted"
    detail: str = ""
    turns: int = 0
    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    pr: str = ""
    course: Course = field(default_factory=Course)
    allowed: list[Decision] = field(default_factory=list)
    """What was allowed since the last step."""
    waits: list[Decided] = field(default_factory=list)
    """The questions that wait for a yes."""
    undecided: Undecideds = field(default_factory=Undecideds)
    clock: Clock = field(default_factory=Clock)

    def add(self, event: Event) -> None:
        self.lineage = self.lineage.add(event)
        self.course, self.clock = self.course.add(event), self.clock.add(event)
        self.undecided = self.undecided.add(event)
        self.usage += cost_of(event)
        if not isinstance(event, Decided | Ended | Published):
            self.waits.clear()
        match event:
            case Started():
                self.started = event
            case Baselined():
                self.baseline = self.last = event.verdict
            case Replied():
                self.turns += 1
                self.stop, self.detail = "interrupted", ""
            case Resumed():
                self._resume(event)
            case Reviewed():
                self._review(event)
            case Acted():
                self.calls += 1
            case Verified():
                self.judged = event
            case Committed() | RolledBack() | Undone() | Redone():
                self._move(event)
            case _:
                self._note(event)

    def _resume(self, event: Resumed) -> None:
        assert self.started is not None, "a run's first event is Started"
        self.stop, self.detail = "interrupted", ""
        changed: dict[str, str] = {name: value for name in ("model", "isolation") if (value := getattr(event, name))}
        notes = dict.fromkeys((*self.started.notes, *event.notes))
        terms = dict(event.terms) if event.terms is not None else {}
        priced = self.started.priced and event.priced
        self.started = self.started.model_copy(update={**changed, **terms, "notes": tuple(notes), "priced": priced})
        if event.anew:
            self.proved = None

    def _review(self, event: Reviewed) -> None:
        """Let what was said before of the steps that count be: they were judged again, together."""
        self.reviewed, self.last, self.verdicts = event, event.verdict, {event.step: event.verdict}
        told = tuple(map(summarize_check, event.verdict.results))
        self.steps = [
            step.model_copy(update={"checks": told}) if step.commit and step.number == event.step else step
            for step in self.steps
        ]

    def _note(self, event: Event) -> None:
        match event:
            case Proved():
                self.proved = event
            case Ended():
                self.stop, self.detail = event.stop, event.detail
            case Published():
                self.pr = event.where if event.where.startswith(("https://", "http://")) else self.pr
            case Decided() if event.decision.allowed:
                question = event.decision.question.model_copy(update={"shown": ""})
                self.allowed.append(event.decision.model_copy(update={"question": question}))
            case Decided() if event.decision.answer == "wait":
                self.waits.append(event)
            case _:
                pass

    def _move(self, event: Committed | RolledBack | Undone | Redone) -> None:
        self._settle(event)
        self.allowed.clear()

    def _settle(self, event: Committed | RolledBack | Undone | Redone) -> None:
        match event:
            case Committed():
                assert self.judged is not None, "a commit follows the verdict on its tree"
                step = _step(self.judged, event.subject, number=event.step, commit=event.commit)
                self.steps.append(step.model_copy(update={"allowed": tuple(self.allowed)}))
                self.last = self.verdicts[event.step] = self.judged.verdict
                self.judged = None
            case RolledBack():
                self.steps.append(_step(self.judged, f"rolled back: {event.reason}", kept=event.kept))
                self.judged = None
            case Undone() | Redone():
                self.last = self.verdicts.get(self.lineage.step) if self.lineage.step else self.baseline
                live = {step.step for step in self.lineage.live}
                self.steps = [
                    step.model_copy(update={"undone": bool(step.commit) and step.number not in live})
                    for step in self.steps
                ]

    def report(self) -> Report:
        assert self.started is not None, "a run's first event is Started"
        task = self.started.task
        doubts = self._doubts()
        return Report(
            run=self.started.run,
            branch=self.started.branch,
            base=task.base,
            tip=self.lineage.head,
            outcome=self._outcome(clean=not any(doubt.grave for doubt in doubts)),
            stop=self.stop,
            detail=self.detail,
            task=task,
            model=self.started.model,
            python=self.started.python,
            plan=self.course.steps,
            design=self.course.design,
            plan_done=self.course.done,
            planning=self.started.planning,
            steps=tuple(self.steps),
            baseline=tuple(map(summarize_check, self.baseline.results)) if self.baseline else (),
            proof=self._proof(),
            audit=self._audit() or Audit(),
            findings=tell(doubts, self.baseline, self.last),
            notes=self.started.notes,
            usage=self._spent(),
            pr=self.pr,
            waits=tuple(each.decision.question for each in self.waits),
            seal=seal(self.waits),
        )

    def _live(self) -> list[Step]:
        return [step for step in self.steps if step.commit and not step.undone]

    def _doubts(self) -> tuple[Doubt, ...]:
        """Return what a person should know of the change beside what the checks said."""
        assert self.started is not None
        steps = self._live()
        if self.baseline is None or self.last is None or not steps:
            return ()
        parts = tuple(self._parts(steps))
        files = merge_files(file for part in parts for file in part.files)
        changed = dict.fromkeys(case for part in parts for case in part.verdict.comparison.changed)
        work = Work(
            files=files,
            patches=[part.patch for part in parts],
            checks=self.started.checks,
            prepare=self.started.prepare,
            before=self.baseline,
            after=self.last,
            changed=tuple(changed),
            audit=self._audit(),
            undecided=self.undecided,
            stale=(*self.started.outdated, *stale_builds([file.path for file in files], self.started.built)),
            past=self.started.settled,
        )
        return work.doubts()

    def _parts(self, steps: Iterable[Step]) -> Iterator[_Part]:
        """Return what was judged by itself, oldest first; what was judged again together is one part."""
        done = 0
        if self.reviewed is not None and self.reviewed.step:
            done = self.reviewed.step
            yield _Part(self.reviewed.change.files, self.reviewed.change.patch, self.reviewed.verdict)
        for step in steps:
            if step.number > done:
                yield _Part(step.files, step.patch, self.verdicts[step.number])

    def _satisfied(self) -> bool:
        assert self.started is not None
        wanted = self.started.task.acceptance
        if self.last is None or (self.reviewed is not None and self.reviewed.step and not self.reviewed.verdict.ok):
            return False
        if not wanted:
            # Where all that fails is to be mended, what a linter complained about before is part of it
            return self.last.green or (bool(self.started.task.goal) and self.last.ok and self.last.sound)
        results = [self.last.result(name) for name in wanted]
        return self.last.ok and all(result is not None and result.status == "passed" for result in results)

    def _outcome(self, *, clean: bool) -> OutcomeWord:
        assert self.started is not None
        if self._live():
            return "verified" if self.stop == "done" and clean and self._satisfied() else "partial"
        if self.stop in ("model", "workspace"):
            return "failed"
        green = not self.started.task.goal and self._satisfied() and not self.steps
        planned = self.started.planning and bool(self.course.steps)
        return "nothing" if self.stop == "done" and (green or planned) else "gave_up"

    def _audit(self) -> Audit | None:
        """Return what became of the evidence, when it was looked at where the branch stands now."""
        return self.proved.audit if self.proved is not None and self.proved.commit == self.lineage.head else None

    def _proof(self) -> Proof:
        if self.proved is not None and self.proved.commit == self.lineage.head:
            return self.proved.proof
        if self.baseline is None or self.last is None:
            return Proof(reason="the base was not judged")
        red = self.baseline.bad
        if not red:
            return Proof(reason="no reproduction: every check passed on the base")
        green = mended(self.baseline, self.last) if self._live() else ()
        return Proof(red=red, green=green, reason="" if green else "nothing that failed on the base passes now")

    def _spent(self) -> Spent:
        return Spent(
            turns=self.turns,
            calls=self.calls,
            input=self.usage.input,
            output=self.usage.output,
            cached=self.usage.cached,
            cost=round(self.usage.cost, 6),
            priced=self.started is None or self.started.priced,
            seconds=round(self.clock.seconds, 3),
        )


def _step(judged: Verified | None, subject: str, *, number: int = 0, commit: str = "", kept: str = "") -> Step:
    if judged is None:
        return Step(subject=subject, kept=kept)
    change = judged.change
    return Step(
        subject=subject,
        number=number,
        commit=commit,
        tree=judged.verdict.tree,
        checks=tuple(map(summarize_check, judged.verdict.results)),
        fixed=judged.verdict.comparison.fixed,
        files=change.files,
        patch=change.patch,
        kept=kept,
    )
