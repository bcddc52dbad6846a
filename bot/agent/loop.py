"""Observe, decide, act, verify, commit: the loop. It yields what happened and keeps nothing else."""

import random
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bot.agent import calls, context
from bot.agent.judge import Judge
from bot.core import limits, recovery
from bot.core.check import CheckResult
from bot.core.doubts import object_to
from bot.core.event import (
    Acted,
    Baselined,
    Ended,
    Event,
    Paused,
    Planned,
    Proved,
    Replied,
    Retried,
    Started,
    Told,
)
from bot.core.message import Reply, ToolCall, ToolResult, ToolSpec
from bot.core.redact import Redactor
from bot.errors import BadArguments, ModelError, Unverified, WorkspaceError
from bot.protocols import Approver, Model
from bot.tools.control import Ask, Checkpoint, Finish, Plan
from bot.tools.tool import Access, Bench

Events: TypeAlias = Generator[Event, None, None]

OBJECTION = (
    "Not yet: the change touches what it is judged by, and this speaks against it. Mend it and call checkpoint, "
    "or call finish again and leave it to a person:"
)
NUDGE = "There was no call in your reply. Call a tool to go on, or `finish` to end."


@dataclass(frozen=True, slots=True)
class Agent:
    """A model with tools, and someone to ask."""

    model: Model
    tools: calls.Tools
    approver: Approver
    redactor: Redactor
    clock: Callable[[], float] = time.time
    pause: Callable[[float], None] = time.sleep

    def work(self, started: Started, bench: Bench) -> Iterator[Event]:
        """Work on a task until it is done or may cost no more; each event is redacted before anybody sees it."""
        log: list[Event] = []
        turns = _Turns(self, bench, log, tuple(tool.spec for tool in self.tools.values()))
        for event in turns.run(started):
            kept = self.redactor.event(event.model_copy(update={"at": self.clock()}))
            log.append(kept)
            yield kept


@dataclass(frozen=True, slots=True)
class _Turns:
    agent: Agent
    bench: Bench
    log: Sequence[Event]
    """What was yielded so far; filled by `Agent.work`."""
    specs: tuple[ToolSpec, ...]

    def run(self, started: Started) -> Events:
        yield started
        try:
            yield from self._work(started)
        except WorkspaceError as error:
            yield Ended(stop="workspace", detail=error.message)

    def _work(self, started: Started) -> Events:
        yield from self._baseline(started)
        while not isinstance(self.log[-1], Ended):
            limit = limits.exceeded(self.log, started.task.limits, self.agent.clock())
            if limit is not None:
                yield Ended(stop=f"limit:{limit}", detail=f"the limit on {limit} is reached")
                return
            reply = yield from self._ask(started)
            if reply is None:
                return
            yield from self._answer(reply) if reply.calls else self._silent(reply)
            yield from self._watch()

    def _baseline(self, started: Started) -> Events:
        verdict = yield from self._judge.baseline()
        yield Baselined(verdict=verdict)
        if not verdict.results:
            yield Ended(stop="needs_human", detail="no check was found: declare one with --check NAME=COMMAND")
        elif verdict.green and not started.task.goal:
            yield Ended(stop="done", detail="every check passes on the base: nothing to do")
        elif all(result.status == "errored" for result in verdict.results):
            yield Ended(stop="needs_human", detail=f"the base cannot be judged: {_reasons(verdict.results)}")

    @property
    def _judge(self) -> Judge:
        return Judge(self.bench, self.log, self.agent.model.name, self.agent.redactor)

    def _ask(self, started: Started) -> Generator[Event, None, Reply | None]:
        failures = 0
        while True:
            since = self.agent.clock()
            try:
                reply = self.agent.model.reply(context.prompt(self.log, self.specs))
            except ModelError as error:
                failures += 1
                wait = recovery.remedy(error.kind, failures, error.wait, random.random())  # noqa: S311 - jitter
                if wait is None or self._late(started, wait):
                    yield Ended(stop="model", detail=error.message)
                    return None
                yield Retried(error=error.kind, message=error.message, wait=wait)
                self.agent.pause(wait)
            else:
                yield Replied(reply=reply, seconds=self.agent.clock() - since)
                return reply

    def _late(self, started: Started, wait: float) -> bool:
        seconds = started.task.limits.seconds
        return seconds is not None and self.agent.clock() + wait - self.log[0].at > seconds

    def _answer(self, reply: Reply) -> Events:
        """Answer every call in its order; once the run is over, the rest are answered unexecuted."""
        end: Ended | None = None
        for batch in calls.batches(reply.calls, self.agent.tools):
            if end is not None:
                for call in batch:
                    yield Acted(call=call, result=calls.failure(call, "not_executed", "the run is over"))
                continue
            end = yield from self._batch(batch, reply)
        if end is not None:
            yield from self._end(end)

    def _end(self, end: Ended) -> Events:
        """End the run; what is called done has to be proved first, and a model may mend what speaks against it once."""
        if end.stop == "done":
            told = any(isinstance(event, Proved) for event in self.log)
            yield from self._judge.proof()
            last = self.log[-1]
            if isinstance(last, Proved) and not last.audit.sound and not told:
                yield Told(text=f"{OBJECTION}\n{object_to(last.audit)}")
                return
        yield end

    def _batch(self, batch: Sequence[ToolCall], reply: Reply) -> Generator[Event, None, Ended | None]:
        refused = {call.id: calls.refuse(call, reply, self.agent.tools) for call in batch}
        if len(batch) == 1 and refused[batch[0].id] is None and self._steers(batch[0]):
            return (yield from self._steer(batch[0]))
        wanted = tuple(call for call in batch if refused[call.id] is None)
        done = calls.execute(wanted, self.agent.tools, self.bench, self.agent.approver) if wanted else ()
        if any(self.agent.tools[call.name].access is Access.EXECUTE for call in wanted):
            self.bench.workspace.guard()
        results = {result.call_id: result for result in done}
        for call in batch:
            result = refused[call.id] or results[call.id]
            yield Acted(call=call, result=result)
        return None

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
                yield Planned(steps=tuple(wish.steps))
                yield Acted(call=call, result=_ok(call, "noted"))
            case Checkpoint():
                answer = yield from self._judge.candidate(wish.subject, wish.body)
                result = _ok(call, answer.text) if answer.ok else calls.failure(call, answer.kind, answer.text)
                yield Acted(call=call, result=result)
            case Ask():
                yield Acted(call=call, result=_ok(call, "a person was asked; the run waits"))
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
        yield Acted(call=call, result=_ok(call, "the run ends here"))
        return Ended(stop="done", detail=summary)

    def _silent(self, reply: Reply) -> Events:
        """Take a reply without calls for a claim that the work is done: judge what changed, or end."""
        if self.bench.workspace.diff():
            subject = reply.text.strip().partition("\n")[0]
            answer = yield from self._judge.candidate(subject, "")
            yield Told(text=answer.text)
        elif reply.text.strip() or self._nudged():
            detail = reply.text.strip()[:2000] or "the model has nothing more to do"
            yield from self._end(Ended(stop="done", detail=detail))
        else:
            yield Told(text=NUDGE)

    def _nudged(self) -> bool:
        return len(self.log) > 1 and isinstance(self.log[-2], Told) and self.log[-2].text == NUDGE

    def _watch(self) -> Events:
        """Tell a model that goes round in circles, then stop it."""
        if not isinstance(self.log[-1], Acted):
            return
        repeated = calls.repetition(self.log)
        if repeated >= calls.STOP_AFTER:
            yield Ended(stop="limit:loop", detail="the same calls gave the same results again and again")
        elif repeated == calls.HINT_AFTER:
            yield Told(text="You have made the same call with the same result three times. Do something else.")


def _ok(call: ToolCall, text: str) -> ToolResult:
    return ToolResult(call_id=call.id, ok=True, output=text)


def _reasons(results: Sequence[CheckResult]) -> str:
    """Tell each reason once, with the checks that it holds for."""
    told: dict[str, list[str]] = {}
    for result in results:
        told.setdefault(result.summary, []).append(result.check)
    return "; ".join(f"{', '.join(names)}: {summary}" for summary, names in told.items())
