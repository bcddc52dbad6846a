"""Observe, decide, act, verify, commit: the loop. It yields what happened and keeps nothing else."""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TypeAlias

from bot.agent import calls, compress, context, guards, pending, planning, retelling
from bot.agent.answer import BROKEN, NUDGE, OBJECTION, Broken
from bot.agent.asking import Asking, Permit
from bot.agent.inquiry import Inquiry
from bot.agent.judge import Judge
from bot.agent.memory import Memory
from bot.agent.pending import Pending
from bot.core import allowance, standing
from bot.core.check import CheckResult, Verdict
from bot.core.doubts import object_to
from bot.core.event import Acted, Baselined, Ended, Event, Paused, Proved, Reviewed, Started
from bot.core.message import Reply, Searching, ToolCall
from bot.core.redact import Redactor
from bot.core.talk import Planned, Replied, Surveyed, Told
from bot.errors import BadArguments, Denied, Unverified, WorkspaceError
from bot.protocols import Approver, Model, Surveyor
from bot.tools import excerpt
from bot.tools.control import Ask, Checkpoint, Finish, Plan
from bot.tools.tool import Access, Bench
from bot.verify.digest import digest

Events: TypeAlias = Generator[Event, None, None]


@dataclass(frozen=True, slots=True)
class Agent:
    """A model with tools, and someone to ask."""

    model: Model
    tools: calls.Tools
    approver: Approver
    redactor: Redactor
    clock: Callable[[], float] = time.time
    pause: Callable[[float], None] = time.sleep
    window: int = 0
    """Tokens that a prompt may have; 0 where nothing is known."""
    surveyor: Surveyor | None = None
    """Who looks the project over for a task, once the base was judged."""
    watch: Callable[[Searching], None] | None = None
    """Is told how far a search for a patch is."""
    foreign: int = 0
    """How many events of the record nothing tells to be of ours: what was allowed there does not count."""

    def work(self, started: Started, bench: Bench, plan: Planned | None = None) -> Iterator[Event]:
        """Work on a task until it is done or may cost no more; each event is redacted before anybody sees it."""
        return self._run((started, plan) if plan is not None else (started,), (), started, bench)

    def resume(self, past: Sequence[Event], news: Sequence[Event], bench: Bench) -> Iterator[Event]:
        """Go on with a run that stopped: `news` says so, and whatever the model has to hear of it."""
        started = past[0]
        assert isinstance(started, Started), "a run's first event is Started"
        excerpt.reserve(retelling.references(past), bench.store)
        return self._run(news, past, started, bench)

    def _run(self, news: Sequence[Event], past: Sequence[Event], started: Started, bench: Bench) -> Iterator[Event]:
        memory = Memory.of(past, planning.offer(self.tools, started))
        most = compress.answer_bytes(self.window) if self.window else bench.most
        turns = _Turns(self, replace(bench, most=most, watch=self.watch), memory, memory.log)
        begun = pending.find(past)
        for event in turns.run(started, news, begun, pending.refuse(begun, past, news)):
            kept = self.redactor.event(event.model_copy(update={"at": self.clock()}))
            memory.add(kept)
            yield kept


@dataclass(frozen=True, slots=True)
class _Turns:
    agent: Agent
    bench: Bench
    memory: Memory
    log: Sequence[Event]
    """What was yielded so far: what `memory` holds, to which `Agent` adds."""

    def run(self, started: Started, news: Sequence[Event], begun: Pending | None, void: str) -> Events:
        try:
            # Told only once its open calls are answered: a service wants the answers right behind the calls
            yield from (event for event in news if not isinstance(event, Told))
            if standing.unreviewed(self.log):
                yield from self._review(started)
            if isinstance(self.log[-1], Ended):
                return
            if begun is not None:
                yield from self._void(begun, void) if void else self._catch_up(begun)
            yield from (event for event in news if isinstance(event, Told))
            if not any(isinstance(event, Baselined) for event in self.log):
                yield from self._baseline(started)
                yield from self._survey()
            yield from self._work(started)
        except WorkspaceError as error:
            yield Ended(stop="workspace", detail=error.message)
        except OSError as error:
            # A disk that is full, a limit on processes or open files: the machine's no, in the middle of anything
            where = f": {error.filename}" if error.filename else ""
            yield Ended(stop="workspace", detail=f"the system refused: {error.strerror or type(error).__name__}{where}")

    def _work(self, started: Started) -> Events:
        agent = self.agent
        while not isinstance(self.log[-1], Ended):
            inquiry = Inquiry(agent.model, self.memory, agent.clock, agent.pause, agent.window, self._keep)
            reply = yield from inquiry.ask(started.task.limits)
            if reply is None:
                return
            yield from self._answer(reply) if reply.calls else self._silent(reply)
            yield from self._watch()

    def _keep(self, text: str) -> str:
        return excerpt.keep(text, self.bench.store)

    def _catch_up(self, begun: Pending) -> Events:
        """Carry out what is left of the last reply."""
        yield from self._answer(begun.reply, begun.answered) if begun.reply.calls else self._silent(begun.reply)
        yield from self._watch()

    def _void(self, begun: Pending, why: str) -> Events:
        """Answer open calls without executing them."""
        for call in begun.open:
            yield Acted(call=call, result=calls.failure(call, "not_executed", why))

    def _baseline(self, started: Started) -> Events:
        verdict = yield from self._judge.baseline()
        yield Baselined(verdict=verdict)
        yield from self._weigh(verdict, started)

    def _survey(self) -> Events:
        """Have the project looked over for the task."""
        if self.agent.surveyor is None or isinstance(self.log[-1], Ended):
            return
        since = self.agent.clock()
        found = self.agent.surveyor.survey(standing.base(self.log))
        yield Surveyed(map=found.map, hints=found.hints, seconds=self.agent.clock() - since)

    def _review(self, started: Started) -> Events:
        """Judge again what stands, and stop where it does not hold."""
        yield from self._judge.review()
        reviewed = self.log[-1]
        assert isinstance(reviewed, Reviewed), "a review ends with what it found"
        yield from self._weigh(standing.base(self.log), started, begun=bool(reviewed.step))
        if reviewed.step and not reviewed.verdict.ok and not isinstance(self.log[-1], Ended):
            detail = f"what was verified before does not hold when it is judged again:\n{digest(reviewed.verdict)}"
            yield Ended(stop="needs_human", detail=detail)

    def _weigh(self, verdict: Verdict, started: Started, *, begun: bool = False) -> Events:
        """End where the base leaves nothing to do, or nothing to judge by."""
        if not verdict.results:
            yield Ended(stop="needs_human", detail="no check was found: declare one with --check NAME=COMMAND")
        elif verdict.green and not started.task.goal and not begun:
            yield Ended(stop="done", detail="every check passes on the base: nothing to do")
        elif all(result.status == "errored" for result in verdict.results):
            yield Ended(stop="needs_human", detail=f"the base cannot be judged: {_reasons(verdict.results)}")

    @property
    def _judge(self) -> Judge:
        return Judge(self.bench, self.log, self.agent.model.name, self.agent.redactor, self._asking)

    @property
    def _asking(self) -> Asking:
        return Asking(self.agent.approver, self.agent.redactor, self.log, self.agent.foreign)

    def _answer(self, reply: Reply, answered: Sequence[Acted] = ()) -> Events:
        """Answer every call in its order; once the run is over, the rest are answered unexecuted."""
        end = pending.wanted_end(answered)
        for batch in calls.batches(reply.calls[len(answered) :], self.agent.tools):
            if end is not None:
                for call in batch:
                    yield Acted(call=call, result=calls.failure(call, "not_executed", "the run is over"))
                continue
            end = yield from self._batch(batch, reply)
            if allowance.waiting(self.log):
                # What waits, and what comes behind it, is done when somebody has allowed it
                break
        if end is not None:
            yield from self._end(end)

    def _end(self, end: Ended) -> Events:
        """End the run; what is called done has to be proved first, and a model may mend what speaks against it once."""
        if end.stop == "done":
            told = any(isinstance(event, Proved) for event in standing.settle(standing.since(self.log)))
            yield from self._judge.proof()
            last = self.log[-1]
            if isinstance(last, Proved) and not last.audit.sound and not told:
                yield Told(text=context.quote(self.log, OBJECTION, object_to(last.audit)))
                return
        yield end

    def _batch(self, batch: Sequence[ToolCall], reply: Reply) -> Generator[Event, None, Ended | None]:
        tools, log = self.agent.tools, self.log
        refused = {c.id: calls.refuse(c, reply, tools) or planning.refuse_unplanned(log, c, tools) for c in batch}
        alone = batch[0] if len(batch) == 1 and refused[batch[0].id] is None else None
        if alone is not None and self._steers(alone):
            return (yield from self._steer(alone))
        permit = Permit(self.bench)
        if alone is not None:
            permit = yield from self._asking.permit(alone, self.bench)
            if permit.held:
                return permit.end
            refused[alone.id] = calls.failure(alone, Denied.kind, permit.refused) if permit.refused else None
        wanted = tuple(call for call in batch if refused[call.id] is None)
        writes = any(self.agent.tools[call.name].access is not Access.READ for call in wanted)
        before = self.bench.workspace.tree() if writes else ""
        done = calls.execute(wanted, self.agent.tools, permit.bench) if wanted else ()
        if any(self.agent.tools[call.name].access is Access.EXECUTE for call in wanted):
            self.bench.workspace.guard()
        after = self.bench.workspace.tree() if writes else ""
        results = {result.call_id: result for result in done}
        for call in batch:
            result = refused[call.id] or results[call.id]
            yield Acted(call=call, result=result, tree=after if after != before else "")
        return permit.end

    def _steers(self, call: ToolCall) -> bool:
        return self.agent.tools[call.name].access is Access.CONTROL

    def _steer(self, call: ToolCall) -> Generator[Event, None, Ended | None]:
        try:
            wish = self.agent.tools[call.name].parse(call)
        except BadArguments as error:
            yield Acted(call=call, result=calls.failure(call, error.kind, error.message))
            return None
        match wish:
            case Plan():
                yield planning.note_plan(wish)
                yield Acted(call=call, result=calls.success(call, "noted"))
            case Checkpoint():
                answer = yield from self._judge.candidate(wish.subject, wish.body, call.id)
                if not answer.held:
                    yield Acted(call=call, result=answer.reply_to(call))
                return answer.end
            case Ask():
                yield Acted(call=call, result=calls.success(call, "a person was asked; the run waits"))
                yield Paused(question=wish.question)
                return Ended(stop="needs_human", detail=wish.question)
            case Finish():
                return (yield from self._finish(call, wish.summary))
            case _:
                raise AssertionError(f"{call.name} steers the run, but the loop does not know it")
        return None

    def _finish(self, call: ToolCall, summary: str) -> Generator[Event, None, Ended | None]:
        if self.bench.workspace.diff():
            text = "refused: there are changes that are not verified; call checkpoint first"
            yield Acted(call=call, result=calls.failure(call, Unverified.kind, text))
            return None
        if missed := planning.miss(self.log):
            yield Acted(call=call, result=calls.failure(call, planning.UNPLANNED, missed))
            return None
        yield Acted(call=call, result=calls.success(call, "the run ends here"))
        return Ended(stop="done", detail=summary)

    def _silent(self, reply: Reply) -> Events:
        """Take a reply without calls for a claim that the work is done: judge what changed, or end."""
        if reply.finish in BROKEN:
            yield self._broken(BROKEN[reply.finish])
        elif missed := planning.miss(self.log):
            yield Told(text=missed)
        elif self._judge.settled() or self.bench.workspace.diff():
            subject = reply.text.strip().partition("\n")[0]
            answer = yield from self._judge.candidate(subject, "")
            told = context.quote(self.log, "What you changed was judged:", answer.text)
            yield answer.end or Told(text=told, error=answer.error)
        elif reply.text.strip() or self._nudged():
            detail = reply.text.strip()[:2000] or "the model has nothing more to do"
            yield from self._end(Ended(stop="done", detail=detail))
        else:
            yield Told(text=NUDGE)

    def _broken(self, told: Broken) -> Event:
        """Ask again for a reply that was declined or cut off, unless that came of it before."""
        replies = takewhile(lambda event: not isinstance(event, Acted), reversed(self.log))
        again = sum(isinstance(event, Told) and event.text == told.words for event in replies)
        return Told(text=told.words) if again < told.bound else Ended(stop="model", detail=told.why, error=told.error)

    def _nudged(self) -> bool:
        # A stop may lie between a reply and what becomes of it
        said = [event for event in self.log if isinstance(event, Replied | Acted | Told)][-2:]
        return isinstance(said[0], Told) and said[0].text == NUDGE

    def _watch(self) -> Events:
        """Tell a model that gets nowhere, then stop it."""
        if isinstance(self.log[-1], Acted):
            said = guards.watch(self.log)
            if said is not None:
                yield said


def _reasons(results: Sequence[CheckResult]) -> str:
    """Tell each reason once, with the checks that it holds for."""
    told: dict[str, list[str]] = {}
    for result in results:
        told.setdefault(result.summary, []).append(result.check)
    return "; ".join(f"{', '.join(names)}: {summary}" for summary, names in told.items())
