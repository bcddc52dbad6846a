"""A plugin that sees every test from outside of the other plugins."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from inspect import signature
from types import CodeType
from typing import Any, NamedTuple

import _pytest.unittest
import pytest

from bot.verify.probe.content import digest
from bot.verify.probe.guard import Guard, home_of
from bot.verify.probe.pipe import Pipe
from bot.verify.probe.seen import LONGEST, Test, Told, asks, fields, why
from bot.verify.probe.share import Share, count, file_of
from bot.verify.probe.tree import relative

TAKEN_BACK: tuple[tuple[str, object], ...] = (
    ("maxfail", 0),
    ("numprocesses", 0),
    ("lf", False),
    ("failedfirst", False),
    ("newfirst", False),
    ("stepwise", False),
    ("usepdb", False),
    ("trace", False),
    ("tx", []),
    ("dist", "no"),
    ("collectonly", False),
    ("setuponly", False),
    ("setupplan", False),
    ("continue_on_collection_errors", True),
    ("tbstyle", "no"),
    ("showlocals", False),
    ("reportchars", ""),
)
"""Options that would hide outcomes, or write what nobody reads, at length; a project sets them for people."""
MOST_VERBOSE = 1
"""Beyond it values are compared and shown however long they are."""


MOST_LEFT_OUT = 500
"""Tests that a project leaves out itself and that are reported one by one."""
around = (
    pytest.hookimpl(wrapper=True, tryfirst=True)
    if "wrapper" in signature(pytest.hookimpl.__call__).parameters
    else pytest.hookimpl(hookwrapper=True, tryfirst=True)
)
"""The quicker kind of wrapper, where there is one; for either, what is returned is what came."""
FUNCTIONS = (pytest.Function, _pytest.unittest.TestCaseFunction)


class Found(NamedTuple):
    """A test as it was collected, before anybody could change it."""

    place: tuple[str, int]
    function: Any
    code: CodeType | None


class Watch:
    """Reports what was collected and how each test ended."""

    def __init__(self, pipe: Pipe, guard: Guard, share: Share, *, narrow: bool) -> None:
        self.pipe, self.guard, self.share, self.narrow = pipe, guard, share, narrow
        self.prefix = ""
        self.collected: dict[str, Found] = {}
        self.left_out: set[str] = set()
        self.told_by_number = False
        self.elsewhere: set[str] = set()
        self.uncollected: set[str] = set()
        self.run: set[str] = set()
        self.standing: set[str] = set()
        """What of the tree stands in the place of something of pytest's; to be compared with the base."""
        self.test: Test | None = None
        self.runner = ""
        """A library that runs tests in another process, such as a forked one."""
        self.file = ""

    def place(self, path: str, line: int | None) -> tuple[str, int]:
        """Tell where something is, as the repository would."""
        return self.prefix + path, (line or 0) + 1

    @pytest.hookimpl(hookwrapper=True)
    def pytest_cmdline_parse(self) -> Generator[None, Any, None]:
        """Take back options that would hide outcomes."""
        outcome = yield
        if outcome.excinfo is not None:
            return
        config = outcome.get_result()
        for name, value in (*TAKEN_BACK, *((("no_cov", True),) if self.narrow else ())):
            if hasattr(config.option, name):
                setattr(config.option, name, value)
        config.option.verbose = min(config.option.verbose, MOST_VERBOSE)
        prefix = relative(str(getattr(config, "rootpath", None) or config.rootdir))
        self.prefix = "" if prefix == "." else prefix + "/"

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Keep pytest's cache out of the tree; as an option it would be unknown where a project has no cache."""
        known = getattr(config, "_inicache", None)
        if isinstance(known, dict):
            known["cache_dir"] = tempfile.gettempdir() + "/pytest-cache-" + str(os.getpid())

    @pytest.hookimpl(hookwrapper=True)
    def pytest_load_initial_conftests(self) -> Generator[None, Any, None]:
        """Report a conftest that cannot be imported."""
        outcome = yield
        error = outcome.excinfo[1] if outcome.excinfo is not None else None
        path = str(getattr(error, "path", ""))
        if error is not None and path:
            name = relative(path)
            self._uncollected(name, error.__cause__ or error, (name, 0), "")

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Count a test before anybody can take it away."""
        function = getattr(item, "_obj", None)
        function = getattr(function, "__func__", function)
        place = self.place(str(item.location[0]), item.location[1])
        self.collected[item.nodeid] = Found(place, function, getattr(function, "__code__", None))
        home = home_of(type(item))
        if home and place[0].endswith(".py"):
            self.standing.add(home + " runs tests of " + place[0] + " in its own way")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Report tests that the project leaves out, and keep our share of the others."""
        self.left_out = set(self.collected) - {item.nodeid for item in session.items}
        names = [item.nodeid for item in session.items]
        mine = self.share.files(count(names))
        self.elsewhere = {name for name in names if file_of(name) not in mine}
        session.items[:] = [item for item in session.items if item.nodeid not in self.elsewhere]
        # Of very many only the number is told: one of them that had passed before is missed all the same
        self.told_by_number = len(self.left_out) > MOST_LEFT_OUT
        for name in sorted(self.left_out) if self.share.number == 0 and not self.told_by_number else ():
            place = self.collected[name].place
            self.case(name, fields(Told("skipped", "left out after collection"), None, place))

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, Any, None]:
        """Report what cannot be collected, or is skipped as a whole."""
        module = isinstance(collector, pytest.Module)
        if module:
            self.guard.look()
        outcome = yield
        if module:
            self.guard.look()
        report = outcome.get_result() if outcome.excinfo is None else None
        name = collector.nodeid
        place = (self.prefix + file_of(name), 0)
        if report is not None and report.outcome == "failed":
            call = report.__dict__.get("call")
            error = call.excinfo.value if call is not None and call.excinfo is not None else None
            self._uncollected(name, error and (error.__cause__ or error), place, str(report.longrepr)[-LONGEST:])
        elif report is not None and report.outcome == "skipped":
            self.uncollected.add(name)
            if self.share.number == 0:
                self.case(name, fields(Told("skipped", why(report)), None, place))

    def _uncollected(self, name: str, error: BaseException | None, place: tuple[str, int], said: str) -> None:
        # Every share tells of it, as it decides the exit code of each.
        self.uncollected.add(name)
        self.case(name, fields(Told("error", "" if error is not None else said), error, place))

    @around
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Follow one test from before its setup to after its teardown."""
        name = item.nodeid
        found = self.collected.get(name) or Found(self.place(str(item.location[0]), item.location[1]), None, None)
        self._turn(item)
        self.test = test = Test(found.place)
        self.pipe.send("begin", id=self.prefix + name, path=test.path, line=test.line)
        result = yield
        self.test = None
        self.run.add(name)
        if self.runner and not test.reached:
            self.standing.add(self.runner + " runs tests where they cannot be followed")
            test.reached = test.called = True
        function = isinstance(item, FUNCTIONS)
        told = test.outcome(function=function)
        record = fields(told, test.raised, (test.path, test.line))
        # It waits for the next test to begin: one write instead of two.
        self.pipe.keep(
            "case",
            id=self.prefix + name,
            seconds=test.seconds(),
            asks="" if function else asks(item),
            code=digest(found.function, getattr(item, "originalname", "") or item.name),
            **record,
        )
        return result

    def _turn(self, item: pytest.Item) -> None:
        """Look at everything where a new file begins, and at what read it."""
        file = file_of(item.nodeid)
        if file != self.file:
            self.file = file
            self.guard.look()
            home = home_of(type(getattr(getattr(item, "module", None), "__loader__", None)))
            if home:
                self.standing.add(home + " reads " + self.prefix + file + " in its own way")

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtestloop(self) -> Generator[None, Any, None]:
        """Send what waits once the last test has ended."""
        yield
        self.pipe.flush()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep what pytest says of a phase."""
        if self.test is not None:
            self.test.reports.append(report)

    def case(self, name: str, record: dict[str, Any]) -> None:
        """Report one outcome that is not a test's run."""
        self.pipe.send("case", id=self.prefix + name, **record)
