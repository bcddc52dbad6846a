# ruff: noqa: N802 - the standard library's own names
"""Sees how the cases of a unittest suite end, from their own methods and from what the runner is told."""

from __future__ import annotations

import re
import unittest
from collections.abc import Callable
from functools import wraps
from inspect import iscoroutinefunction
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Any

from bot.verify.probe.clock import Patience
from bot.verify.probe.content import digest
from bot.verify.probe.guard import ASSERTING, Guard, traced_by_tree
from bot.verify.probe.loading import Collected, method_of
from bot.verify.probe.pipe import Pipe
from bot.verify.probe.seen import LONGEST, Told, asks, fields

__unittest = True
"""By this name unittest leaves our frames out of a traceback, as it does with its own."""
AROUND = re.compile(r"(setUpClass|tearDownClass|setUpModule|tearDownModule) \((.+)\)")


if TYPE_CHECKING:
    from collections.abc import Mapping

    Seen = Mapping[int, Collected]
    Errors = Mapping[str, BaseException]


class Stopped(AssertionError):
    """A test used more time than it may."""


class Case:
    """What was seen of one case."""

    __slots__ = ("called", "ended", "events", "given", "raised", "started")

    def __init__(self) -> None:
        self.started = perf_counter()
        self.raised: BaseException | None = None
        self.called = False
        self.ended = False
        self.given = ""
        self.events: list[tuple[str, Any]] = []
        """What the runner was told, each with an exception or a reason."""

    def last(self, kind: str) -> Any:
        """Return what the first event of a kind came with."""
        return next((value for told, value in self.events if told == kind), None)

    def error(self) -> BaseException | None:
        """Return the exception that speaks against the case."""
        told = self.last("failure") or self.last("error")
        return self.raised or (told if isinstance(told, BaseException) else None)

    def told(self, *, known: bool) -> Told:
        """Conclude from all of it; `known` says that its method could be watched."""
        kinds = {kind for kind, _ in self.events}
        if kinds & {"failure", "error"}:
            return Told("failed" if "failure" in kinds or self.raised is not None or not known else "error")
        if "expected" in kinds:
            return Told("xfailed")
        if "skip" in kinds and "success" not in kinds:
            return Told("skipped", str(self.last("skip"))[:LONGEST])
        doubt = self._doubt(known=known)
        if doubt or "unexpected" in kinds:
            return Told("failed", "reported as passed although " + doubt if doubt else "unexpected success")
        return Told("passed") if "success" in kinds and self.ended else Told("error", "not run to its end")

    def _doubt(self, *, known: bool) -> str:
        if self.raised is not None:
            return "it raised " + type(self.raised).__name__
        if known and not self.called:
            return "the test method was never called"
        return "it was given another " + self.given if self.given else ""


class Around:
    """Sees a test method begin, and how it ends."""

    __slots__ = ("case", "guard", "test")

    def __init__(self, case: Case, guard: Guard, test: Any) -> None:
        self.case, self.guard, self.test = case, guard, test

    def __enter__(self) -> None:
        self.case.called = True
        self.case.given = self.case.given or ("tracing function" if traced_by_tree() else "")
        self.guard.glance(case=True)
        own = [name for name in ASSERTING if name in vars(self.test) and name != CALL]
        self.case.given = self.case.given or ", ".join(own)

    def __exit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None:
        self.case.given = self.case.given or ("tracing function" if traced_by_tree() else "")
        if error is not None and not isinstance(error, unittest.SkipTest):
            self.case.raised = self.case.raised or error


CALL = "_callTestMethod"
"""What a case calls its method with; releases differ in whether they look that up before they say that it begins."""


def follow(test: Any, around: Around) -> None:
    """Watch the method that a case is about to call."""
    if CALL in vars(test):
        around.case.given = CALL
    call: Callable[[Any], Any] = getattr(test, CALL)

    def followed(method: Callable[..., Any]) -> Any:
        return call(watched(method, around))

    setattr(test, CALL, followed)


def watched(method: Callable[..., Any], around: Around) -> Callable[..., Any]:
    """Wrap a method, as a coroutine where it is one."""
    if iscoroutinefunction(method):

        @wraps(method)
        async def coroutine(*arguments: Any, **named: Any) -> Any:
            with around:
                return await method(*arguments, **named)

        return coroutine

    @wraps(method)
    def plain(*arguments: Any, **named: Any) -> Any:
        with around:
            return method(*arguments, **named)

    return plain


class Result(unittest.TestResult):
    """Reports each case as it ends; what the project's own result class would show is shown to nobody."""

    def __init__(self, pipe: Pipe, guard: Guard, collected: Seen, unimported: Errors) -> None:
        super().__init__()
        self.pipe, self.guard, self.collected, self.unimported = pipe, guard, collected, unimported
        self.patience = Patience(Stopped)
        self.cases: dict[int, Case] = {}
        self.around: dict[str, tuple[str, Any]] = {}
        """What went wrong, or was skipped, around the cases of a class or module."""
        self.bad = False

    def startTest(self, test: Any) -> None:
        """Begin to follow a case."""
        super().startTest(test)
        found = self.collected.get(id(test))
        self.cases[id(test)] = case = Case()
        if found is None:
            return
        self.pipe.send("begin", id=found.id, path=found.place[0], line=found.place[1])
        method = str(getattr(test, "_testMethodName", "") or "")
        if method and found.function is not None and not hasattr(test, "_testFunc"):
            case.given = "" if method_of(type(test), method) is found.function else "method than was collected"
            follow(test, Around(case, self.guard, test))
        self.patience.begin()

    def stopTest(self, test: Any) -> None:
        """Report a case."""
        self.patience.end()
        super().stopTest(test)
        found, case = self.collected.get(id(test)), self.cases.get(id(test))
        if found is None or case is None:
            return
        case.ended = True
        method = str(getattr(test, "_testMethodName", "") or "")
        known = CALL in vars(test)
        if known:
            delattr(test, CALL)
        told = case.told(known=known)
        if told.outcome == "failed" and "::" not in found.id:
            told = Told("error")
        self.bad = self.bad or told.outcome in ("failed", "error")
        record = fields(told, self.unimported.get(method) or case.error(), found.place)
        seconds = round(perf_counter() - case.started, 4)
        code = digest(found.function, method)
        self.pipe.keep("case", id=found.id, seconds=seconds, asks=asks(test), code=code, **record)

    def _event(self, test: Any, kind: str, value: Any) -> None:
        case = self.cases.get(id(getattr(test, "test_case", test)))
        around = AROUND.fullmatch(str(getattr(test, "description", "")))
        if case is not None:
            case.events.append((kind, value))
        elif around is not None:
            self.around.setdefault(around[2], (kind, value))
            if around[1].startswith("tearDown") and kind != "skip":
                self._left(around[2], around[1], value)

    def _left(self, owner: str, what: str, error: Any) -> None:
        """Report what went wrong when all cases of a class or module had ended."""
        self.bad = True
        parts = owner.split(".")
        within = [case for case in self.collected.values() if case.id.split("::")[1:2] == parts[-1:]]
        path = within[0].place[0] if within else "/".join(parts) + ".py"
        name = path + "::" + (parts[-1] + "::" if within else "") + what
        self.pipe.send("case", id=name, **fields(Told("error"), error, (path, 0)))

    def addSuccess(self, test: Any) -> None:
        """Note it."""
        super().addSuccess(test)
        self._event(test, "success", "")

    def addFailure(self, test: Any, err: Any) -> None:
        """Note it."""
        super().addFailure(test, err)
        self._event(test, "failure", err[1])

    def addError(self, test: Any, err: Any) -> None:
        """Note it."""
        super().addError(test, err)
        self._event(test, "error", err[1])

    def addSkip(self, test: Any, reason: str) -> None:
        """Note it."""
        super().addSkip(test, reason)
        self._event(test, "skip", reason)

    def addExpectedFailure(self, test: Any, err: Any) -> None:
        """Note it."""
        super().addExpectedFailure(test, err)
        self._event(test, "expected", "")

    def addUnexpectedSuccess(self, test: Any) -> None:
        """Note it."""
        super().addUnexpectedSuccess(test)
        self._event(test, "unexpected", "")

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        """Count what goes wrong in a part of a case as the case's own."""
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._event(test, "failure", err[1])
