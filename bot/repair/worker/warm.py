"""The project's tests, collected once and run again and again in forks of this process."""

from __future__ import annotations

import ast
import importlib
import random
import signal
import types
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property, partial
from time import monotonic
from typing import Any, Callable, NamedTuple

import pytest
from _pytest.doctest import DoctestItem

from bot.repair.worker import fork
from bot.repair.worker.cold import USAGE_ERROR, attempts
from bot.repair.worker.expressions import watch
from bot.repair.worker.facts import NO_FACTS, Crash, Facts
from bot.repair.worker.items import needs_hooks, run_item
from bot.repair.worker.job import Job
from bot.repair.worker.kinds import calm
from bot.repair.worker.live import Module, imported
from bot.repair.worker.nursery import neutral
from bot.repair.worker.observe import Observed
from bot.repair.worker.roll import FIRST_LIMIT, call_roll
from bot.repair.worker.source import Source
from bot.repair.worker.spectra import Spectrum, crash_of
from bot.repair.worker.state import State
from bot.repair.worker.trail import Trail
from bot.repair.worker.view import View
from bot.repair.worker.vocabulary import spoken

SHARE = 0.35
"""Part of the time that may go into finding out how the tests stand."""
LESSER_SHARE = 0.06
"""The same for tests of other files than those that were asked for."""
TRACED_FAILING = 8
TRACED_SAME_FILE = 60
TRACED_OTHER = 40
ALL_BUT_FEW = 0.95
WATCHED = 30.0
"""Seconds for watching the expressions of one file."""
DETAILED = ("-vvv",)
"""Messages of assertions are cut short without it; -q takes one away."""


class Standing(NamedTuple):
    """How a test stands before anything is changed."""

    outcome: str
    seconds: float
    hooks: bool
    mark: tuple[str, int] = ("", 0)
    """What the failure was like."""


class Session:
    """A pytest plugin that holds on to the collected tests instead of running them."""

    def __init__(self, job: Job, use: Callable[[Session], None]) -> None:
        self.job = job
        self.use = use
        self.items: list[pytest.Item] = []
        self.standings: list[Standing] = []
        self.errors: list[BaseException] = []
        """What went wrong while tests were collected."""
        self.missed: list[str] = []
        """Files of the wanted tests that pytest does not collect by itself."""
        self.modules: dict[str, Module | None] = {}
        self.preludes: dict[int, list[int]] = {}
        """Tests that must run before others, which fail in another way without them."""
        self.foreign: set[int] = set()
        """Failing tests that run the project in processes of their own, which no change of this one reaches."""
        self.observed: dict[str, Observed] = {}
        self.canaries: list[int] = []
        """Quick tests that pass when they run alone."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Take over from pytest once everything is collected."""
        if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:  # else nobody would know how a child ended
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self.items = session.items
        self.job.tree.refused |= {
            path
            for item in self.items
            # The examples of a doctest stand in the code itself
            if not isinstance(item, DoctestItem) and (path := self.job.tree.own(str(item.path))) is not None
        }
        self.job.tree.forget()
        calm(self.items, repeatable=True)
        self.job.nursery.teach(neutral(self.job.tree))
        self.use(self)
        return True

    def pytest_exception_interact(self, call: pytest.CallInfo[None]) -> None:
        """Keep what broke a collection."""
        if call.excinfo is not None:
            self.errors.append(call.excinfo.value)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_load_initial_conftests(self) -> Any:
        """Keep what broke the first conftest files."""
        outcome = yield
        if outcome.excinfo is not None:
            self.errors.append(outcome.excinfo[1])

    def open(self, files: Sequence[str] = ()) -> int:
        """Collect the tests, of some files alone if they are named, and use them; returns pytest's exit code."""
        code = 0
        for given in attempts(str(self.job.scratch / "cache")):
            code = int(pytest.main([*given, *DETAILED, *files], plugins=[self]))
            if code != USAGE_ERROR or self.errors:
                break
        return code

    def crashes(self) -> Iterator[Crash]:
        """Find the lines of the project that broke the collection."""
        for error in self.errors:
            current: BaseException | None = error
            while current is not None:
                crash = crash_of(current, self.job.tree)
                if crash is not None:
                    yield crash
                    break
                current = current.__cause__ or current.__context__ or getattr(current, "cause", None)

    def number(self, tests: Sequence[str]) -> list[int]:
        """Find the tests that were asked for: by id, by file, by class, or by function with all its parameters."""
        marks = tuple(f"{test}{end}" for test in tests for end in ("::", "["))
        names = [item.nodeid for item in self.items]
        return [i for i, name in enumerate(names) if name in tests or name.startswith(marks)]

    def stand(self) -> None:
        """Run everything once in a child, the wanted files first, as far as the time allows."""
        first = {self.items[i].location[0] for i in self.number(self.job.tests)}
        order = sorted(range(len(self.items)), key=lambda i: self.items[i].location[0] not in first if first else False)
        self.standings = [Standing("unknown", 0.0, hooks=False)] * len(self.items)
        asked = [i for i in order if self.items[i].location[0] in first]
        self._call(asked or order, lambda i: needs_hooks(self.items[i]), SHARE)
        late = [i for i in self.number(self.job.tests) if self.standings[i].outcome == "unknown"]
        if late:  # others took all of the time
            self._call(late, lambda i: needs_hooks(self.items[i]), SHARE)
        if asked:  # the others are only set against these
            self._call(order[len(asked) :], lambda i: needs_hooks(self.items[i]), LESSER_SHARE)
        # Some tests fail only without pytest's whole protocol
        doubtful = [i for i, s in enumerate(self.standings) if s.outcome == "failed" and not s.hooks]
        self._call(doubtful, lambda _: True, SHARE)

    def _call(self, order: Sequence[int], hooked: Callable[[int], bool], share: float) -> None:
        asked = frozenset(self.number(self.job.tests))
        for called in call_roll(self.items, order, hooked, self.job.seconds * share, (self.job.pipe,)):
            again = self.standings[called.item].outcome != "unknown"
            if again and called.outcome in ("failed", "died"):
                continue
            outcome = called.outcome
            if outcome == "died":
                # A test that ends the process would take each candidate's with it, unless it is what is to be mended
                outcome = "failed" if called.item in asked else "unknown"
                if outcome == "unknown":
                    self.job.leave("left", [self.items[called.item].nodeid], "it ends the process that it runs in")
            if called.starts and outcome in ("failed", "timeout"):
                self.foreign.add(called.item)
            self.standings[called.item] = Standing(outcome, called.seconds, hooked(called.item), called.mark)

    def having(self, *outcomes: str) -> list[int]:
        """List the tests with some outcomes."""
        return [i for i, s in enumerate(self.standings) if s.outcome in outcomes]

    @cached_property
    def state(self) -> State:
        """What the modules of the project hold before anything is changed."""
        return State(self.job.tree)

    @property
    def slowest(self) -> float:
        """Seconds of the slowest test that passes."""
        return max((self.standings[i].seconds for i in self.having("passed")), default=0.01)

    def usual(self, targets: Sequence[int]) -> float:
        """Seconds that all but a few passing tests of the same files stay below; of all files where there is none."""
        files = {self.items[i].location[0] for i in targets}
        passing = sorted(self.standings[i].seconds for i in self.having("passed") if self.items[i].location[0] in files)
        return passing[int(len(passing) * ALL_BUT_FEW)] if passing else self.slowest

    def sample(self, targets: Sequence[int]) -> tuple[list[int], list[int]]:
        """Choose failing tests to trace, quickest first, and passing ones to set them against."""
        quick = sorted(targets, key=lambda i: (self.standings[i].outcome == "timeout", self.standings[i].seconds))
        crashed = [i for i in quick if self.standings[i].outcome == "failed"]
        failing = crashed[:TRACED_FAILING] or quick[:2]
        files = {self.items[i].location[0] for i in failing}
        passing = self.having("passed")
        same = [i for i in passing if self.items[i].location[0] in files]
        other = [i for i in passing if self.items[i].location[0] not in files]
        random.Random(0).shuffle(other)  # noqa: S311 - a repeatable sample, no secret
        return failing, same[:TRACED_SAME_FILE] + other[:TRACED_OTHER]

    def trace(self, failing: Sequence[int], passing: Sequence[int]) -> Spectrum | None:
        """Trace tests in a child."""
        notes = self.job.scratch / "notes"
        notes.mkdir(exist_ok=True)
        answer: Any = fork.ask(
            lambda: Trail(self, notes).follow(failing, passing), 30 + self.job.seconds * SHARE, (self.job.pipe,)
        )
        if answer is None:
            return None
        *told, self.preludes, self.canaries, loaded = answer
        self._adopt(loaded)
        spectrum = Spectrum(*told)
        traced = {failing[number] for number in spectrum.elsewhere}
        self.foreign = traced | (self.foreign - set(failing))
        return spectrum

    def lead_up(self, preludes: dict[int, list[int]], i: int) -> None:
        """Run what a test cannot do without."""
        for j in preludes.get(i, ()):
            run_item(self.items[j], max(0.25, 10 * self.slowest), hooks=self.standings[j].hooks)

    def _adopt(self, names: Sequence[str]) -> None:
        """Import what tests import while they run: it is changed in this process, for all of its forks."""
        for name in names:
            fork.alarm(FIRST_LIMIT)
            # The project's own code, which may raise anything at all
            with suppress(BaseException):
                importlib.import_module(name)
            fork.disarm()

    def module(self, path: str) -> Module | None:
        """Return the imported module of a file, or None if it is not Python that was imported."""
        if path not in self.modules:
            self.modules[path] = self._import(path)
        return self.modules[path]

    def _import(self, path: str) -> Module | None:
        found = next(imported(str(self.job.tree.root / path)), None)
        source = None if found is None else self._source(path)
        return None if found is None or source is None else Module(source, found)

    def _source(self, path: str) -> Source | None:
        try:
            return Source(path, self.job.tree.read(path))
        except (OSError, SyntaxError, ValueError):
            return None

    def functions(self, tests: Sequence[int]) -> list[types.FunctionType]:
        """List the functions that tests are written as."""
        found = [getattr(self.items[i], "obj", None) for i in tests]
        plain = [getattr(function, "__func__", function) for function in found]
        return [function for function in plain if isinstance(function, types.FunctionType)]

    def look(self, path: str, tests: Sequence[int], spectrum: Spectrum) -> View | None:
        """Watch the expressions of a file while some tests run."""
        module = self.module(path)
        if module is None and not self.foreign:
            return None
        crashes = tuple(Crash(*crash) for crash in spectrum.crashes if crash[0] == path)
        differences = tuple((ast.literal_eval(one), ast.literal_eval(other)) for one, other in spectrum.differences)
        variables = spectrum.variables.get(path, {})
        source = self._source(path) if module is None else module.source
        if source is None:
            return None
        if path not in self.observed:
            self.watch([path], tests)
        kinds, signs, truths, attributes = self.observed.get(path, NO_FACTS[:4])
        heard = spoken(self.items[i] for i in tests if self.standings[i].outcome != "passed")
        return View(source, Facts(kinds, signs, truths, attributes, variables, crashes, differences, *heard))

    def watch(self, paths: Sequence[str], tests: Sequence[int]) -> None:
        """Watch the expressions of files while some tests run; once for all of them, as far as that can be."""
        modules = [module for path in paths if (module := self.module(path)) is not None]
        here = [i for i in tests if i not in self.foreign]
        end = monotonic() + WATCHED / 3

        def again(i: int) -> None:
            if monotonic() < end:
                run_item(self.items[i], max(0.25, 10 * self.slowest), hooks=self.standings[i].hooks)

        runs = [partial(again, i) for i in here]
        answer: Any = fork.ask(lambda: watch(modules, runs), WATCHED, (self.job.pipe,)) if modules and here else None
        self.observed.update(answer or {})
