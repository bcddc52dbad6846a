"""Takes a run up again where it stopped: a new worktree, the same events, the same branch."""

import shutil
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from rich.text import Text

from bot import __version__
from bot.agent.context import quote
from bot.agent.loop import Agent
from bot.agent.pending import CUT, moved
from bot.agent.planning import tell_edit
from bot.app import consoles
from bot.app.assemble import choose_approver, make_agent
from bot.app.bay import Bay, choose_bay
from bot.app.consent import Said, grant
from bot.app.desk import Desk, choose_signer, make_mode, open_desk
from bot.app.modelling import Chosen, choose_model
from bot.app.moving import settle_run
from bot.app.perform import deliver, make_bench, record, render
from bot.app.surveying import choose_surveyor
from bot.core import escape, standing
from bot.core.allowance import waiting
from bot.core.check import Check
from bot.core.event import Baselined, Decided, Ended, Event, Resumed, Started
from bot.core.limits import current, exceeded
from bot.core.lineage import Lineage, follow
from bot.core.report import Report
from bot.core.talk import Replied, Told
from bot.core.task import Limits
from bot.core.terms import Terms, differ
from bot.errors import UsageError, WorkspaceError
from bot.git.claims import refuse_false
from bot.git.journal import is_live
from bot.git.leftovers import remove_leftovers
from bot.git.locks import release
from bot.git.reconcile import reconcile
from bot.git.record import RunRef
from bot.git.repository import Repository, open_repository
from bot.git.runs import find_run, read_all
from bot.git.signing import Signer
from bot.git.store import open_store
from bot.git.trail import PREFIX
from bot.git.workspace import bring_back, open_workspace
from bot.trace.terminal import Terminal

GOAL = 72
"""Characters of a task that are repeated."""
WENT = "A person took steps back or forth: the files are as at {place} now. Look at them before you go on."
LOST = "The run stopped and was taken up again; edits that no commit held are lost: the files are as at {place}."


class Past(NamedTuple):
    """What is known of a run before it is taken up."""

    run: str
    events: tuple[Event, ...]
    started: Started
    lineage: Lineage
    own: bool
    """Whether all that is on record was found here, or judged again here."""

    @property
    def refs(self) -> tuple[str, ...]:
        """The full name of its branch; a plan has none."""
        return () if self.started.planning else (f"refs/heads/{self.started.branch}",)

    @property
    def place(self) -> str:
        """Where the branch stands, in words."""
        return f"step {self.lineage.step}" if self.lineage.step else "the base"


def resume(directory: Path, prefix: str, flags: Mapping[str, object], said: Said, *, quiet: bool) -> Report:
    """Go on with a run, the newest one that can be when none is named. Raises UsageError before anything is made."""
    repository = open_repository(directory)
    run = find_run(repository, prefix) if prefix else _newest(repository)
    settle_run(repository, run)
    # Held from here on: nobody else takes it up between our look and our first word
    with RunRef(repository, run, render=render, resume=True) as ref:
        past = _look_up(run, tuple(ref.events), own=ref.own)
        _refuse_strange(repository, past)
        given = grant(run, past.events, said)
        desk = _open_desk(directory, past, flags)
        limits = _limits(desk, past, flags)
        mode = make_mode(desk, planning=past.started.planning, quiet=quiet)
        # Who says yes to one thing where nobody sits at a terminal does not say no to the next
        if given and (desk.settings.consent, mode.consent) == ("auto", "no"):
            mode = mode.model_copy(update={"consent": "later"})
        _refuse(past, said.words or given, limits, asking=mode.consent == "ask")
        asked = sum(isinstance(event, Replied) for event in past.events)
        console = consoles.progress()
        terminal = Terminal(console)
        cost = (limits or current(past.events, past.started.task.limits)).cost
        chosen = choose_model(desk.settings.model or past.started.model, desk, asked, terminal.watch, cost)
        chosen.load()
        bay = choose_bay(desk)
        task = past.started.task
        signer = choose_signer(desk, task.base) if mode.sign else None
        _tidy(repository, past)
        console.print(Text(f"run {run}: {escape.line(task.goal, GOAL) or 'mend what fails'}", style="bold"))
        with terminal.hiding(bay.redactor):
            agent = make_agent(
                chosen,
                choose_approver(mode.consent, desk.settings.trust, terminal.ask),
                bay.redactor,
                planning=mode.planning,
                foreign=_foreign(past, desk, flags),
                surveyor=choose_surveyor(chosen.model, repository, task, bay.executor),
            )
            again = _Again(
                desk, bay, chosen, replace(agent, watch=terminal.watch), past, said.words, limits, signer, given
            )
            report = record(again, (ref, terminal), past.events)
    deliver(report, mode)
    return report


def _tidy(repository: Repository, past: Past) -> None:
    """Take away what the process that is gone left, and bring the branch to what the record says."""
    remove_leftovers(repository)
    release(repository, (PREFIX + past.run, *past.refs))
    if past.refs:
        reconcile(repository, past.started.branch, past.run, past.lineage.head, past.lineage.made + 1)


def _look_up(run: str, events: tuple[Event, ...], *, own: bool) -> Past:
    started = events[0]
    if not isinstance(started, Started):
        raise WorkspaceError(f"the record of {run} does not begin with its start")
    return Past(run, events, started, follow(events), own)


def _refuse_strange(repository: Repository, past: Past) -> None:
    """Refuse to go on by a record that cannot be true. Raises UsageError."""
    if not past.started.planning:
        refuse_false(repository, past.run, past.started.branch, past.events)
    elif past.lineage.made:
        raise UsageError(f"{past.run} was to be a plan, and its record tells of commits", "it can be looked at")


def _open_desk(directory: Path, past: Past, flags: Mapping[str, object]) -> Desk:
    """Open the desk of a run; one that is not known to be from here may name any command. Raises UsageError."""
    if past.own or flags.get("trust"):
        return open_desk(directory, flags, past.started.task.base)
    desk = open_desk(directory, {**flags, "trust": "untrusted"}, past.started.task.base)
    level = desk.settings.isolation
    if level == "process" or (level != "landlock" and not shutil.which("bwrap")):
        text = f"nothing tells that the record of {past.run} was made here: what it names is only run with bubblewrap"
        raise UsageError(text, "or with --isolation landlock; if you know who made it: --trust trusted")
    if any(open_store(desk.repository).read_ref(ref) == past.lineage.base for ref in past.refs):
        text = f"there is a branch {past.started.branch} here, and nothing tells that {past.run} made it"
        raise UsageError(text, "give it another name, then resume")
    return desk


def _foreign(past: Past, desk: Desk, flags: Mapping[str, object]) -> int:
    """Count the events whose answers do not count: nothing tells that they are ours, or all is to be refused now."""
    ours = past.own or flags.get("trust") == "trusted"
    return 0 if ours and desk.settings.consent != "no" else len(past.events)


def _newest(repository: Repository) -> str:
    for run, events in read_all(repository):
        if events and not is_live(repository, run) and _unfinished(events):
            return run
    raise UsageError("there is no run to go on with", "git agent log lists them; name one to go on all the same")


def _unfinished(events: Sequence[Event]) -> bool:
    ended = last_end(events)
    return ended is None or ended.stop in ("interrupted", "workspace", "model")


def last_end(events: Sequence[Event]) -> Ended | None:
    """Return how a run ended, if it did and was not taken up since."""
    for event in reversed(events):
        if isinstance(event, Ended):
            return event
        if isinstance(event, Resumed):
            return None
    return None


def _limits(desk: Desk, past: Past, flags: Mapping[str, object]) -> Limits | None:
    """Return what the whole run may spend, where a person says something new about it."""
    given = tuple(name[4:] for name, value in flags.items() if value is not None and name.startswith("max_"))
    if not given:
        return None
    wanted = desk.settings.limits()
    before = current(past.events, past.started.task.limits)
    return before.model_copy(update={name: getattr(wanted, name) for name in given})


def _refuse(past: Past, said: object, limits: Limits | None, *, asking: bool = False) -> None:
    """Refuse what would stop again at once. Raises UsageError."""
    end = last_end(past.events)
    if end is None or end.stop in CUT:
        return
    if not said and not moved(past.events) and not (asking and waiting(past.events)):
        _refuse_ended(past, end)
    allowed = limits or current(past.events, past.started.task.limits)
    # What passed since it ended was not worked
    name = exceeded(past.events, allowed, 0.0)
    if name is not None:
        text = f"{past.run} stopped at its limit on {name} ({getattr(allowed, name):g})"
        raise UsageError(text, f"allow more in all: --max-{name} N")


def _refuse_ended(past: Past, end: Ended) -> None:
    """Refuse where a run came to its end, or where somebody has to say something first. Raises UsageError."""
    if end.stop == "done":
        raise UsageError(f"{past.run} is finished", f'to ask for more: git agent resume {past.run} --tell "…"')
    if end.stop == "needs_human" and not any(isinstance(event, Replied) for event in past.events):
        raise UsageError(f"{past.run} ended before it began: {end.detail}", "start anew: git agent fix")
    if waiting(past.events):
        hint = 'to allow exactly that: --approve; to say what to do instead: --tell "…"'
        raise UsageError(f"{past.run} {end.detail}", hint)
    if end.stop == "needs_human":
        raise UsageError(f"{past.run} waits for an answer: {end.detail}", '--tell "…" gives it')


@dataclass(frozen=True, slots=True)
class _Again:
    desk: Desk
    bay: Bay
    chosen: Chosen
    agent: Agent
    past: Past
    words: str
    limits: Limits | None
    signer: Signer | None = None
    given: tuple[Decided, ...] = ()
    """What the person allowed just now."""

    def events(self) -> Generator[Event, None, None]:
        """Lay the files out as they were, and go on."""
        started, head = self.past.started, self.past.lineage.head
        branch = "" if started.planning else started.branch
        opened = open_workspace(self.desk.repository, base=started.task.base, run=self.past.run, branch=branch, at=head)
        with opened as workspace:
            workspace.signer = self.signer
            with workspace.clean(started.task.base) as root:
                before = standing.terms(self.past.events).checks
                ladder = self.bay.ladder_again(root, self.desk.settings.checks, before, reuse=True)
            draft = standing.draft(self.past.events)
            kept = bring_back(workspace, draft)
            bench = make_bench(self.desk, self.bay, started.task, workspace, ladder)
            resumed = self._resumed(draft if kept else "", ladder.checks)
            news: tuple[Event, ...] = (resumed, *self.given, *self._told(lost=not kept))
            yield from self.agent.resume(self.past.events, news, bench)

    def _resumed(self, draft: str, checks: tuple[Check, ...]) -> Resumed:
        terms = self._terms(checks)
        anew = self._anew(terms)
        again = (f"all that was verified before was judged again when the run was taken up: {anew}",) if anew else ()
        return Resumed(
            commit=self.past.lineage.head,
            tree=draft,
            version=__version__,
            model=self.agent.model.name,
            isolation=terms.isolation,
            limits=self.limits,
            terms=terms,
            anew=anew,
            notes=(*self.desk.notes, *self.bay.notes, *self.chosen.notes, *again),
            priced=self.chosen.priced,
        )

    def _terms(self, checks: tuple[Check, ...]) -> Terms:
        bay = self.bay
        return Terms(
            version=__version__,
            isolation=bay.executor.isolation,
            python=f"{bay.interpreter.path}, {bay.interpreter.origin}",
            checks=checks,
            prepare=self.desk.settings.prepare,
            built=bay.built,
            outdated=bay.outdated,
        )

    def _anew(self, now: Terms) -> str:
        """Say why verdicts of before do not hold any more; empty when they do."""
        if not self.past.own:
            return "nothing tells that its record was made here"
        if not any(isinstance(event, Baselined) for event in self.past.events):
            return ""
        return differ(standing.terms(self.past.events), now) or standing.unreviewed(self.past.events)

    def _told(self, *, lost: bool) -> Sequence[Told]:
        if not any(isinstance(event, Baselined) for event in self.past.events):
            return ()
        changed = WENT if moved(self.past.events) else LOST if lost else ""
        plan = tell_edit(self.past.events)
        revised = quote(self.past.events, "A person changed the plan. It is now:", plan) if plan else ""
        said = (changed.format(place=self.past.place), revised, self.words)
        return tuple(Told(text=text) for text in said if text)
