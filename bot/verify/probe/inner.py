"""A plugin that sees every phase of a test from inside of the other plugins, and the test function itself.

It is registered once all others are, as the last one to wrap is the one nearest to the test.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import wraps
from inspect import iscoroutinefunction
from sys import getprofile, setprofile
from types import TracebackType
from typing import Any
from unittest import TestCase

import _pytest.unittest
import pytest

from bot.verify.probe.clock import Patience
from bot.verify.probe.guard import ASSERTING, Guard, traced_by_tree
from bot.verify.probe.seen import Test
from bot.verify.probe.tree import in_library, in_tree, relative
from bot.verify.probe.watch import Watch


class Around:
    """Sees a test function begin, and how it ends."""

    __slots__ = ("guard", "instance", "test")

    def __init__(self, test: Test, guard: Guard, instance: object) -> None:
        self.test, self.guard, self.instance = test, guard, instance

    def __enter__(self) -> None:
        self.test.called = True
        case = isinstance(self.instance, TestCase)
        self.guard.glance(case=case)
        if case:
            changed = [name for name in ASSERTING if name in vars(self.instance)]
            self.test.silenced = "it was given another " + ", ".join(changed) if changed else ""
        if traced_by_tree():
            self.test.silenced = "code of the tree decides which lines are run"

    def __exit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None:
        self.test.saw(error)
        if traced_by_tree():
            self.test.silenced = "code of the tree decides which lines are run"


def follow(function: Callable[..., Any], around: Around) -> Callable[..., Any]:
    """Wrap a test function so that its beginning and its end are seen."""
    if iscoroutinefunction(function):

        @wraps(function)
        async def followed(*arguments: Any, **named: Any) -> Any:
            with around:
                return await function(*arguments, **named)
    else:

        @wraps(function)
        def followed(*arguments: Any, **named: Any) -> Any:
            with around:
                return function(*arguments, **named)

    return followed


class Inner:
    """Is called before the test is, and after every phase; costs little."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.patience = Patience(pytest.fail.Exception)
        self.release: Callable[[], None] | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        """Begin with a test; a plugin that repeats failing ones does so again."""
        if self.watch.test is not None:
            self.watch.test.forget()
        self.patience.begin()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        """Make sure that the test function is seen."""
        if self.watch.test is not None:
            self.release = self._hold(item, self.watch.test)
        self.patience.begin()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self) -> None:
        """Watch over the time of tidying up."""
        self.patience.begin()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        """See what a phase raised, and what a unittest case noted down before anybody can remove it."""
        self.patience.end()
        if self.release is not None:
            self.release = self.release()
        test = self.watch.test
        if test is not None:
            if call.excinfo is not None:
                test.saw(call.excinfo.value)
            for noted in getattr(item, "_excinfo", None) or ():
                test.saw(noted.value)

    def _hold(self, item: Any, test: Test) -> Callable[[], None] | None:
        """Make sure that the item's function is seen; return what ends that."""
        test.reached = True
        if not isinstance(item, (pytest.Function, _pytest.unittest.TestCaseFunction)):
            return None
        function, found = item.obj, self.watch.collected.get(item.nodeid)
        plain = getattr(function, "__func__", function)
        code = getattr(plain, "__code__", None)
        # Without code of its own it is an object that is called; any other is known by its code.
        if found is None or code is not found.code or (code is None and plain is not found.function):
            return self._profile(test, found.code if found is not None else None, code)
        case = getattr(item, "instance", None) or getattr(item, "_testcase", None)
        followed = follow(function, Around(test, self.watch.guard, case))
        if isinstance(item, _pytest.unittest.TestCaseFunction) and iscoroutinefunction(function):
            setattr(case, item.name, followed)
            return lambda: delattr(case, item.name)
        item.obj = followed
        return lambda: setattr(item, "obj", function)

    def _profile(self, test: Test, code: Any, instead: Any) -> Callable[[], None]:
        """Watch for the beginning of a function that something else was put before."""
        if instead is not None and in_tree(instead.co_filename):
            self.watch.standing.add(relative(instead.co_filename) + " calls test functions in its own way")
        former = getprofile()
        if code is None or former is not None:
            self.watch.standing.add("something unknown calls the test functions of " + test.path)
            test.called = True
            return lambda: None

        def profile(frame: Any, _event: str, _argument: object) -> None:
            if frame.f_code is code:
                test.called = True
                setprofile(None)

        setprofile(profile)
        return lambda: setprofile(None)


class Between:
    """Sees what every phase raises from inside of wrappers that the tree has; they could keep it to themselves."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    def _saw(self, outcome: Any) -> None:
        if outcome.excinfo is not None and self.watch.test is not None:
            self.watch.test.saw(outcome.excinfo[1])

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_setup(self) -> Generator[None, Any, None]:
        """See what setting up raises."""
        self._saw((yield))

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_call(self) -> Generator[None, Any, None]:
        """See what the test raises."""
        self._saw((yield))

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_teardown(self) -> Generator[None, Any, None]:
        """See what tidying up raises."""
        self._saw((yield))


def _homes(caller: Any) -> list[str]:
    """List the files of those who answer a hook."""
    codes = (getattr(found.function, "__code__", None) for found in caller.get_hookimpls())
    return [code.co_filename for code in codes if code is not None and "/_pytest/" not in code.co_filename]


OURS = (__file__, __file__.replace("inner", "watch"))
PHASES = ("pytest_runtest_setup", "pytest_runtest_call", "pytest_runtest_teardown")


class Last:
    """Registers the inner plugins when nobody else is expected to register any more."""

    def __init__(self, watch: Watch) -> None:
        self.watch, self.inner = watch, Inner(watch)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, Any, None]:
        """Stand nearest to the tests."""
        manager = session.config.pluginmanager
        manager.register(self.inner)
        if any(in_tree(path) for name in PHASES for path in _homes(getattr(manager.hook, name))):
            manager.register(Between(self.watch))
        others = [path for path in _homes(manager.hook.pytest_runtest_protocol) if path not in OURS]
        if others and all(in_library(path) for path in others):
            self.watch.runner = "/".join(others[0].split("/")[-2:])
        yield
