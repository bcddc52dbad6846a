"""The one way through: a task goes in, a report comes out."""

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, TypeAlias

from bot import __version__
from bot.agent.loop import Agent
from bot.app import consoles
from bot.app.assemble import choose_approver, make_agent
from bot.app.bay import Bay, choose_bay
from bot.app.desk import Desk, choose_signer
from bot.app.missing import suggest_carry
from bot.app.modelling import Chosen, choose_model
from bot.app.signals import interruptible
from bot.app.survey import survey
from bot.app.surveying import ProjectSurveyor, choose_surveyor
from bot.core.check import Check, Verdict
from bot.core.event import Baselined, Ended, Event, Started
from bot.core.message import Usage
from bot.core.render import markdown
from bot.core.report import Report
from bot.core.summary import summarize
from bot.core.talk import Planned
from bot.core.task import Mode, Request, Task
from bot.errors import Billed, Interrupted, WorkspaceError
from bot.forge.local import LocalForge
from bot.git.disposal import sweep
from bot.git.record import RunRef
from bot.git.runs import new_run_id
from bot.git.signals import uninterrupted
from bot.git.signing import Signer
from bot.git.since import read_changes
from bot.git.workspace import GitWorkspace, choose_branch, open_workspace
from bot.protocols import Trace
from bot.tools.tool import Bench
from bot.trace.terminal import Terminal
from bot.verify.interpreter import OWN
from bot.verify.ladder import Ladder

Premise: TypeAlias = Callable[[Bench, Verdict], str]
"""Says, once the base was judged and before any model is asked, why not to go on; empty to go on.

It may raise WorkspaceError, which ends the run as it does elsewhere.
"""


def take_for_granted(_bench: Bench, _verdict: Verdict) -> str:
    """Go on, whatever the base is like."""
    return ""


class Around(NamedTuple):
    """What whoever asks for a run has already; what is None is made for it."""

    bay: Bay | None = None
    terminal: Terminal | None = None


NOTHING = Around()


def perform(
    desk: Desk,
    request: Request,
    premise: Premise = take_for_granted,
    plan: Planned | None = None,
    around: Around = NOTHING,
) -> Report:
    """Carry out a request, by a plan that a person agreed to where there is one, and deliver its report.

    Raises UsageError before anything is created.
    """
    mode = request.mode
    terminal = around.terminal or Terminal(consoles.progress())
    chosen = choose_model(mode.model, desk, watch=terminal.watch, cost=request.task.limits.cost)
    chosen.load()
    bay = around.bay or choose_bay(desk)
    signer = choose_signer(desk, request.task.base) if mode.sign else None
    run = new_run_id()
    with terminal.hiding(bay.redactor):
        terminal.tell_choice(chosen.model.name, chosen.why)
        approver = choose_approver(mode.consent, desk.settings.trust, terminal.ask)
        surveyor = choose_surveyor(chosen.model, desk.repository, request.task, bay.executor)
        agent = make_agent(chosen, approver, bay.redactor, planning=mode.planning, surveyor=surveyor)
        agent = replace(agent, watch=terminal.watch)
        ref = RunRef(desk.repository, run, render=render)
        traces: tuple[Trace, ...] = (ref, terminal)
        report = record(_Run(desk, bay, chosen, agent, request, run, signer, premise, plan, surveyor), traces)
    deliver(report, mode)
    return report


def deliver(report: Report, mode: Mode) -> None:
    """Show the report where the request came from."""
    if mode.forge == "local":
        LocalForge(consoles.results()).publish(report)
    # A person reads already; what is not deleted in that time the next run finds
    sweep()


def render(events: Sequence[Event]) -> str:
    """Write the report that stands beside the trace in the run's ref."""
    return markdown(summarize(events))


def make_bench(desk: Desk, bay: Bay, task: Task, workspace: GitWorkspace, ladder: Ladder) -> Bench:
    """Put together what the tools of a run work with.

    What changed before is always read from git: in a record secrets are blotted out.
    """
    past = read_changes(desk.repository, task.since, task.base, task.scope)
    return Bench(workspace, bay.executor, ladder, task, workspace.temp, past=past)


@dataclass(frozen=True, slots=True)
class _Run:
    desk: Desk
    bay: Bay
    chosen: Chosen
    agent: Agent
    request: Request
    run: str
    signer: Signer | None = None
    premise: Premise = take_for_granted
    plan: Planned | None = None
    surveyor: ProjectSurveyor | None = None

    def events(self) -> Generator[Event, None, None]:
        """Open the workspace, work in it, and drop it."""
        repository = self.desk.repository
        task = self.request.task
        # What CI says is no sentence of a person that would make a name
        words = "red-ci" if task.source.kind == "ci" else slug(self.agent.redactor.text(task.goal))
        # Nothing is committed for a plan
        branch = "" if self.request.mode.planning else choose_branch(repository, words, self.run)
        opened = open_workspace(repository, base=self.request.task.base, run=self.run, branch=branch)
        with opened as workspace, self.surveyor.ahead() if self.surveyor else nullcontext():
            workspace.signer = self.signer
            # Nobody wrote there yet: the base is found in the worktree as it is in the folder for its checks
            workspace.expect(workspace.head)
            ladder = self.bay.ladder(workspace.root, self.desk.settings.checks, reuse=True)
            project = survey(workspace.root, workspace.files(), task.scope)
            bench = make_bench(self.desk, self.bay, task, workspace, ladder)
            started = self._started(branch, ladder.checks, project).model_copy(update={"past": bench.past})
            work = self.agent.work(started, bench, self.plan)
            yield from self._advise(self._ask_premise(work, bench))

    def _ask_premise(self, events: Iterator[Event], bench: Bench) -> Iterator[Event]:
        """End where the base, once it was judged, is not what the request takes it for."""
        for event in events:
            yield event
            if isinstance(event, Baselined):
                end = self._object(bench, event.verdict)
                if end is not None:
                    yield end
                    return

    def _object(self, bench: Bench, verdict: Verdict) -> Ended | None:
        try:
            why, stop = self.premise(bench, verdict), "needs_human"
        except WorkspaceError as error:
            why, stop = error.message, "workspace"
        return Ended(at=self.agent.clock(), stop=stop, detail=self.agent.redactor.text(why)) if why else None

    def _advise(self, events: Iterator[Event]) -> Iterator[Event]:
        """Add to the end what the base lacked, where the person's checkout has it."""
        advice: tuple[str, ...] = ()
        for event in events:
            if isinstance(event, Baselined):
                carried = (*self.desk.settings.carry, *self.bay.built)
                advice = suggest_carry(self.desk.repository, event.verdict.results, carried)
            if isinstance(event, Ended) and advice:
                told = self.agent.redactor.text("; ".join(filter(None, (event.detail, *advice))))
                yield event.model_copy(update={"detail": told})
            else:
                yield event

    def _started(self, branch: str, checks: tuple[Check, ...], project: str) -> Started:
        interpreter = self.bay.interpreter
        return Started(
            run=self.run,
            task=self.request.task,
            branch=branch,
            version=__version__,
            model=self.agent.model.name,
            isolation=self.bay.executor.isolation,
            python=f"{interpreter.path}, {interpreter.origin}",
            checks=checks,
            project=project,
            background=self.request.background,
            trust=self.desk.settings.trust,
            planning=self.request.mode.planning,
            built=self.bay.built,
            outdated=self.bay.outdated,
            prepare=self.desk.settings.prepare,
            notes=(*self.desk.notes, *self.bay.notes, *self.chosen.notes, *self._warnings()),
            priced=self.chosen.priced,
        )

    def _warnings(self) -> Iterator[str]:
        if self.bay.interpreter.origin == OWN:
            yield "the project has no environment of its own: its checks run with git agent's interpreter"


def slug(goal: str) -> str:
    """Make the readable part of a branch name."""
    words = re.sub(r"[^a-z0-9]+", "-", goal.lower()).strip("-")
    return words[:30].strip("-") or "fix"


class Work(Protocol):
    """A run, new or taken up again."""

    @property
    def agent(self) -> Agent:
        """Who does it."""
        ...

    def events(self) -> Generator[Event, None, None]:
        """Do it, and tell what happens."""
        ...


def record(work: Work, traces: Sequence[Trace], past: Sequence[Event] = ()) -> Report:
    """Do the work, keep every event before the next one can happen, and fold all of them, past ones too."""
    events = list(past)

    def keep(event: Event) -> None:
        # Half a line in the journal, or a ref that moved without our knowing, could not be continued from
        with uninterrupted():
            events.append(event)
            for trace in traces:
                trace.record(event)

    with interruptible():
        try:
            with closing(work.events()) as stream:
                for event in stream:
                    keep(event)
        except KeyboardInterrupt as stop:
            if len(events) == len(past):
                raise
            if isinstance(events[-1], Ended):
                # It came too late to stop anything
                return summarize(events)
            detail = "stopped by a signal; verified commits are kept"
            billed = stop.billed if isinstance(stop, Interrupted) else Billed()
            usage = Usage.of(billed)
            keep(Ended(at=work.agent.clock(), stop="interrupted", detail=detail, usage=usage))
    return summarize(events)
