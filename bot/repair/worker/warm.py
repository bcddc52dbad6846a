"""The project's tests, collected once and run again and again in forks of this process."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, Callable, NamedTuple

import pytest

from bot.repair.worker import fork
from bot.repair.worker.cold import arguments
from bot.repair.worker.facts import NO_FACTS, Crash, Facts
from bot.repair.worker.items import needs_hooks, run_item
from bot.repair.worker.job import Job
from bot.repair.worker.live import Module, imported
from bot.repair.worker.observe import Recorder, instrument
from bot.repair.worker.source import Source
from bot.repair.worker.spectra import Spectrum, Tracer, crash_of, difference_of
from bot.repair.worker.view import View

SHARE = 0.35
"""Part of the time that may go into finding out how the tests stand."""
FIRST_LIMIT = 1.0
LATER_LIMIT = 0.1
"""Seconds of processor time for a test, until one needed more and afterwards."""
TRACED_FAILING = 8
TRACED_SAME_FILE = 60
TRACED_OTHER = 40
USAGE_ERROR = 4
DETAILED = ("-vvv",)
"""Messages of assertions are cut short without it; -q takes one away."""


class Standing(NamedTuple):
    """How a test stands before anything is changed."""

    outcome: str
    seconds: float
    hooks: bool


class Session:
    """A pytest plugin that holds on to the collected tests instead of running them."""

    def __init__(self, job: Job, use: Callable[[Session], None]) -> None:
        self.job = job
        self.use = use
        self.items: list[pytest.Item] = []
        self.standings: list[Standing] = []
        self.errors: list[BaseException] = []
        """What went wrong while tests were collected."""
        self.modules: dict[str, Module | None] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Take over from pytest once everything is collected."""
        self.items = session.items
        self.job.tree.refused |= {
            path for item in self.items if (path := self.job.tree.own(str(item.path))) is not None
        }
        self.job.tree.forget()
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

    def open(self) -> int:
        """Collect the tests and use them; returns pytest's exit code."""
        code = int(pytest.main([*arguments(), *DETAILED], plugins=[self]))
        if code == USAGE_ERROR and not self.errors:
            code = int(pytest.main([*arguments(), *DETAILED, "-o", "addopts="], plugins=[self]))
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
        end = time.monotonic() + self.job.seconds * SHARE

        def run_all() -> object:
            found, limit = [], FIRST_LIMIT
            slowest = 0.0
            for i in order:
                if time.monotonic() > end:
                    break
                hooks = needs_hooks(self.items[i])
                run = run_item(self.items[i], limit, hooks=hooks)
                slowest = max(slowest, run.seconds if run.outcome == "passed" else 0.0)
                limit = max(LATER_LIMIT, 10 * slowest) if run.outcome == "timeout" else limit
                found.append((i, run.outcome, run.seconds, hooks))
            return found

        answer: Any = fork.ask(run_all, self.job.seconds * SHARE + 5, (self.job.pipe,)) or []
        self.standings = [Standing("unknown", 0.0, hooks=False)] * len(self.items)
        for i, outcome, seconds, hooks in answer:
            self.standings[i] = Standing(outcome, seconds, hooks)
        self._second_look()

    def _second_look(self) -> None:
        """Run what failed once more with pytest's whole protocol: some tests fail only without it."""
        doubtful = [i for i, s in enumerate(self.standings) if s.outcome == "failed" and not s.hooks]
        if not doubtful:
            return

        def run_doubtful() -> object:
            return [
                (i, run.outcome, run.seconds) for i in doubtful for run in [run_item(self.items[i], 1.0, hooks=True)]
            ]

        answer: Any = fork.ask(run_doubtful, 5 + self.job.seconds * SHARE, (self.job.pipe,)) or []
        for i, outcome, seconds in answer:
            if outcome != "failed":
                self.standings[i] = Standing(outcome, seconds, hooks=True)

    def having(self, *outcomes: str) -> list[int]:
        """List the tests with some outcomes."""
        return [i for i, s in enumerate(self.standings) if s.outcome in outcomes]

    @property
    def slowest(self) -> float:
        """Seconds of the slowest test that passes."""
        return max((self.standings[i].seconds for i in self.having("passed")), default=0.01)

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
        limit = max(0.25, 10 * self.slowest)
        tree, items, standings = self.job.tree, self.items, self.standings

        def follow() -> object:
            tracer, crashes, differences = Tracer(tree), [], []
            lines: list[set[tuple[str, int]]] = []
            for i in [*failing, *passing]:
                covered, error = tracer.trace(items[i], limit, hooks=standings[i].hooks)
                lines.append(covered)
                crash = crash_of(error, tree) if error is not None and i in failing else None
                difference = difference_of(error)
                crashes += [tuple(crash)] if crash is not None else []
                differences += [difference] if difference is not None else []
            return lines[: len(failing)], lines[len(failing) :], tracer.variables, crashes, differences

        answer: Any = fork.ask(follow, 30 + self.job.seconds * SHARE, (self.job.pipe,))
        return None if answer is None else Spectrum(*answer)

    def module(self, path: str) -> Module | None:
        """Return the imported module of a file, or None if it is not Python that was imported."""
        if path not in self.modules:
            self.modules[path] = self._import(path)
        return self.modules[path]

    def _import(self, path: str) -> Module | None:
        found = next(imported(str(self.job.tree.root / path)), None)
        try:
            return None if found is None else Module(Source(path, self.job.tree.read(path)), found)
        except (OSError, SyntaxError, ValueError):
            return None

    def look(self, path: str, tests: Sequence[int], spectrum: Spectrum) -> View | None:
        """Watch the expressions of a file while some tests run."""
        module = self.module(path)
        if module is None:
            return None
        crashes = tuple(Crash(*crash) for crash in spectrum.crashes if crash[0] == path)
        differences = tuple(spectrum.differences)
        variables = spectrum.variables.get(path, {})
        answer: Any = fork.ask(lambda: self._watch(module, tests), 30.0, (self.job.pipe,))
        types, signs, truths, attributes = answer or NO_FACTS[:4]
        return View(module.source, Facts(types, signs, truths, attributes, variables, crashes, differences))

    def _watch(self, module: Module, tests: Sequence[int]) -> object:
        body = module.source.content[module.source.base :]
        tree, keys = instrument(body)
        recorder = Recorder(keys)
        recorder.install()
        before = compile(body, module.filename, "exec", dont_inherit=True)
        after = compile(tree, module.filename, "exec", dont_inherit=True)
        if not module.swap(before, after):
            module.rerun(after)
        sys.stdout.flush()
        for i in tests:
            run_item(self.items[i], max(0.25, 10 * self.slowest), hooks=self.standings[i].hooks)
        return recorder.observed()
