"""Runs plausible candidates side by side on many inputs, and lets those that do the same vote together."""

from __future__ import annotations

import io
import marshal
import os
import sys
from collections.abc import Iterator, Sequence
from random import Random
from time import monotonic
from types import FunctionType
from typing import Any

from bot.repair.worker import fork, guard
from bot.repair.worker.ballot import WILD, Ballot, Choice, Given, Voter, is_roundabout, steady_ones, weigh_edit
from bot.repair.worker.bed import Bed
from bot.repair.worker.inputs import Call, Recorder, kin_of, make_calls, write_call
from bot.repair.worker.items import run_item
from bot.repair.worker.outcomes import Outcome, Outside, alike, call
from bot.repair.worker.pool import Child, Pool
from bot.repair.worker.restore import AS_BEFORE
from bot.repair.worker.source import replace_spans
from bot.repair.worker.stream import Scored
from bot.repair.worker.warm import Session
from bot.repair.worker.watched import functions_of

MOST = 10
"""Candidates that take part."""
MADE = 120
"""Inputs that are made from recorded ones."""
SHARE = 0.1
LONGEST = 1.5
"""Seconds for all of it, and the part of the time that it may take where that is less."""
RECORDING = 0.35
"""Part of that for running tests again."""
PASSING = 40
"""Passing tests that are run for their inputs."""
LIMIT = 0.04
"""Seconds of processor time for one call."""
SILENCE = 1.0
"""Seconds after which a call that waits for something is given up."""
LATE = 8
"""Calls of one version that may take too long."""
DEATHS = 3
"""Calls of one version that may end its process."""
OUTWARD = (
    "os.", "shutil.", "subprocess.", "socket.connect", "socket.bind", "socket.send", "socket.getaddrinfo", "ctypes.",
    "signal.", "pty.", "fcntl.", "resource.", "syslog.", "tempfile.", "sqlite3.", "winreg.",
)  # fmt: skip
HARMLESS = frozenset({"os.listdir", "os.scandir", "os.walk", "os.fwalk", "os.getxattr", "os.listxattr"})
READING = frozenset({"r", "rb", "rt"})


def settle(session: Session, targets: Sequence[int], found: Sequence[Scored]) -> None:
    """Tell confirmed candidates again, in the order that what they do gives them, each kind once.

    Nothing is told where there is but one, or where nothing could be found out in time.
    """
    voters = sorted(found, key=lambda scored: -scored.score)[:MOST]
    # Functions are called with arguments that nobody meant: whatever they delete must be out of their reach
    if len(voters) < 2 or not (session.job.contained or guard.find_version()):
        return
    budget = min(LONGEST, SHARE * session.job.seconds)
    vote = Vote(session, targets, voters, budget)
    answer: Any = fork.ask(vote.run, budget + SILENCE, (session.job.pipe,))
    if not answer:
        return
    groups, question = answer
    for rank, members in enumerate(groups, 1):
        best = voters[members[0]]
        session.job.propose(best.candidate, best.score, rank=rank, alike=len(members))
    if question:
        session.job.tell("question", one=1, other=2, call=question[0], answers=list(question[1:]))


class Vote:
    """One vote; runs in a child of the warm session, with further children of its own."""

    def __init__(self, session: Session, targets: Sequence[int], voters: Sequence[Scored], budget: float) -> None:
        self.session = session
        self.targets = list(targets)
        self.voters = list(voters)
        self.bed = Bed(session, targets)
        self.bed.load(voters)
        self.budget = budget
        self.end = 0.0
        self.group = 0
        self.functions: list[FunctionType] = []

    def run(self) -> object:
        """Return the candidates group by group, and a question; None where nothing was found out."""
        self.end, self.group = monotonic() + self.budget, os.getpgid(0)
        self.functions = list(dict.fromkeys(function for scored in self.voters for function in self._functions(scored)))
        recorded = self._record() if self.functions else []
        inputs = self._inputs(recorded)
        if not inputs:
            return None
        original, *rows = self._evaluate(inputs)
        steady, original, rows = steady_ones([each.function for each in inputs], original, rows)
        ballot = Ballot([self._voter(self.voters[member]) for member in steady], original, rows)
        if not any(ballot.seen):
            return None
        groups = ballot.groups()
        question = self._ask(ballot, [(group.members[0], steady[group.members[0]]) for group in groups[:2]], inputs)
        told = [[steady[member] for member in group.members] for group in groups]
        wild = [[member] for member in range(len(self.voters)) if member not in steady]
        return [*told, *wild], tuple(question) if question else None

    def _ask(self, ballot: Ballot, best: Sequence[tuple[int, int]], inputs: Sequence[Call]) -> Choice | None:
        """Find a call on which the best two differ, of those that would be the same ones with either of them.

        An object may have been made by code that one of them changes, unless both change what is called alone.
        """
        if len(best) < 2:
            return None
        (one, first), (other, second) = best
        edited = {*self._functions(self.voters[first]), *self._functions(self.voters[second])}
        given = [self._given(each, edited) for each in inputs]
        return ballot.choose(one, other, given)

    def _functions(self, scored: Scored) -> Iterator[FunctionType]:
        for path, edits in scored.candidate.files.items():
            module = self.session.module(path)
            if module is not None:
                yield from functions_of(module, edits)

    def _voter(self, scored: Scored) -> Voter:
        size, roundabout = 0.0, False
        # A line that is what it was is the smallest edit of all
        for path, edits in () if scored.candidate.template in AS_BEFORE else scored.candidate.files.items():
            module = self.session.module(path)
            content = module.source.content if module is not None else b""
            size += sum(weigh_edit(content[e.start : e.end].decode(errors="replace"), e.text) for e in edits)
            texts = (text.decode(errors="replace") for text in (content, replace_spans(content, edits)))
            roundabout = roundabout or is_roundabout(*texts)
        return Voter(scored.score, scored.candidate.prior, size, scored.candidate.template, roundabout)

    def _given(self, each: Call, edited: set[FunctionType]) -> Given | None:
        function = self.functions[each.function]
        owner, _, name = function.__qualname__.rpartition(".")
        method = bool(owner) and function.__code__.co_varnames[:1] in (("self",), ("cls",))
        if method and name == "__init__":
            each, name, method = each._replace(args=each.args[1:]), owner, False
        if kin_of(each) and not {function} >= edited:
            return None
        private = name.startswith("_") and not name.endswith("__")
        return Given(
            write_call(each, name if method or name == owner else function.__qualname__, method=method),
            each.seen,
            private,
        )

    def _record(self) -> list[list[Call]]:
        """Run tests with the best candidate in place: the code as it was may call its own functions with anything."""
        self.bed.swap_in(self.voters[0])
        recorder = Recorder(self.functions)
        items, standings = self.session.items, self.session.standings
        files = {items[i].location[0] for i in self.targets}
        near = [i for i in self.session.having("passed") if items[i].location[0] in files]
        end = monotonic() + self.budget * RECORDING
        for i in [*self.targets, *near[:PASSING]]:
            if monotonic() > end or recorder.full:
                break
            limit = max(0.05, min(3 * standings[i].seconds, end - monotonic()))
            recorder.watch(lambda i=i, limit=limit: run_item(items[i], limit, hooks=standings[i].hooks))  # type: ignore[misc]
        self.bed.restore()
        return recorder.calls

    def _inputs(self, recorded: Sequence[Sequence[Call]]) -> list[Call]:
        called = [calls for calls in recorded if calls]
        random = Random(0)  # noqa: S311 - a repeatable sample, no secret
        inputs = [each for calls in called for each in calls]
        made = [each for calls in called for each in make_calls(calls, MADE // len(called), random)]
        random.shuffle(made)
        return inputs + made

    def _evaluate(self, inputs: Sequence[Call]) -> list[list[Outcome | None]]:
        """Run the original and each candidate on all inputs, side by side: each gets as far as the others."""
        versions: list[Scored | None] = [None, *self.voters]
        rows: list[list[Outcome | None]] = [[None] * len(inputs) for _ in versions]
        waiting = [(n, 0) for n in range(len(versions))]
        deaths = [0] * len(versions)
        pool = Pool(len(versions), ())
        try:
            while (waiting or pool.children) and monotonic() < self.end:
                while waiting and pool.free:
                    number, first = waiting.pop(0)
                    self._start(pool, versions[number], (number, first), inputs[first:])
                for child, ended in pool.events():
                    number, first = child.payload
                    if not ended:
                        continue
                    last = self._collect(child, rows[number], first)
                    deaths[number] += last < len(inputs)
                    if last < len(inputs) - 1 and deaths[number] <= DEATHS:
                        rows[number][last] = Outcome("late", text="no answer")
                        waiting.append((number, last + 1))
            for child in pool.children.values():
                self._collect(child, rows[child.payload[0]], child.payload[1])
        finally:
            pool.close()
        return rows

    def _start(self, pool: Pool, version: Scored | None, payload: tuple[int, int], inputs: Sequence[Call]) -> None:
        pool.start("vote", payload, lambda pipe: self._answer(version, inputs, pipe), SILENCE)

    def _collect(self, child: Child, row: list[Outcome | None], first: int) -> int:
        """Take over what a child told; returns the first input that it did not come to."""
        told = io.BytesIO(child.data)
        while True:
            try:
                outcome = marshal.load(told)  # noqa: S302 - plain values from a fork of this very process
            except (EOFError, ValueError, TypeError):
                return first
            row[first] = Outcome(*outcome) if outcome else None
            first += 1

    def _answer(self, version: Scored | None, inputs: Sequence[Call], pipe: int) -> None:
        """Tell what comes of each input, in a child, and where that is not the same twice."""
        os.setpgid(0, self.group)
        if version is not None:
            self.bed.try_on(version)
        if not guard.seal(pipe) and not self.session.job.contained:
            return
        sys.addaudithook(stay_inside)
        late = 0
        wild: set[int] = set()
        for each in inputs:
            given = (each.args, each.named)
            outcome = None
            if each.function not in wild and late < LATE:
                outcome = call(self.functions[each.function], given, LIMIT)
                late += outcome.kind == "late"
                again = outcome if outcome.kind == "late" else call(self.functions[each.function], given, LIMIT)
                if outcome.kind == "outside" or not alike(outcome, again):
                    wild.add(each.function)
                    outcome = Outcome(WILD)
            told: Any = outcome and tuple(outcome)
            fork.send(pipe, marshal.dumps(told))


def stay_inside(event: str, args: tuple[Any, ...]) -> None:
    """Refuse what reaches out of the process: nobody asked for these calls."""
    if event == "open":
        _, mode, flags = args
        if (flags & os.O_ACCMODE != os.O_RDONLY) if mode is None else (mode not in READING):
            raise Outside
    elif event.startswith(OUTWARD) and event not in HARMLESS:
        raise Outside
