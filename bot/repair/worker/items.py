"""Runs single collected tests, over and over, within one pytest session."""

from __future__ import annotations

import copy
from time import perf_counter
from typing import Any, NamedTuple

import pytest
from _pytest.runner import runtestprotocol

from bot.repair.worker.fork import OutOfTime, alarm, disarm, rang
from bot.repair.worker.kinds import renew

MARKS = ("skip", "skipif", "xfail")
FIXTURES = frozenset({"caplog", "record_property", "recwarn", "subtests"})
WALL = 1.0
WALL_SHARE = 20
"""Seconds by the clock for a test: so many, and so many times its processor time."""


class Run(NamedTuple):
    """How one test ended."""

    outcome: str
    """passed, failed, skipped or timeout."""
    seconds: float
    error: BaseException | None = None


def needs_hooks(item: pytest.Item) -> bool:
    """Whether a test makes no sense without pytest's own protocol around it."""
    names = frozenset(getattr(item, "fixturenames", ()))
    return bool(names & FIXTURES) or any(item.get_closest_marker(mark) for mark in MARKS)


def run_item(item: pytest.Item, limit: float, *, hooks: bool = False, wall: float = 0.0) -> Run:
    """Run a test within a limit of processor time, with pytest's whole protocol or, a hundred times faster, without.

    The time by the clock is bounded too: by `wall`, and where that is less by a share of the limit.
    """
    begun = perf_counter()
    renew(item)
    alone = _protocol if hooks else _direct
    outcome, error = alone(item, limit, max(wall, WALL + WALL_SHARE * limit))
    return Run(outcome, perf_counter() - begun, error)


def _direct(item: pytest.Item, limit: float, wall: float) -> tuple[str, BaseException | None]:
    state = item.session._setupstate
    try:
        try:
            alarm(limit, wall)
            state.setup(item)
            _protect(item)
            item.runtest()
        finally:
            disarm()
    except BaseException as error:  # noqa: BLE001 - the test may raise anything at all
        result = _judge(error)
    else:
        result = ("timeout", None) if rang() else _unittest(item)
    _teardown(item, limit, wall)
    return result


def _protect(item: pytest.Item) -> None:
    """Give the test its own copy of its parameters, which it may change."""
    params = getattr(getattr(item, "callspec", None), "params", {})
    values = getattr(item, "funcargs", {})
    for name in params:
        if name in values:
            try:
                values[name] = copy.deepcopy(values[name])
            except Exception:  # noqa: BLE001, S112 - the value is the project's; what cannot be copied is shared
                continue


def _judge(error: BaseException) -> tuple[str, BaseException | None]:
    if isinstance(error, OutOfTime) or rang():
        return "timeout", None
    if isinstance(error, pytest.skip.Exception) or type(error).__name__ == "SkipTest":
        return "skipped", None
    return "failed", error


def _unittest(item: pytest.Item) -> tuple[str, BaseException | None]:
    """Look where tests in unittest style leave their failure."""
    kept = getattr(item, "_excinfo", None)
    if not kept:
        return "passed", None
    vars(item).pop("_excinfo", None)
    errors = [one.value for one in kept]
    # A part of the test that was skipped does not outweigh another that failed
    return _judge(next((e for e in errors if not isinstance(e, pytest.skip.Exception)), errors[0]))


def _teardown(item: pytest.Item, limit: float, wall: float) -> None:
    state = item.session._setupstate
    try:
        alarm(limit, wall)
        state.teardown_exact(None)
    except BaseException:  # noqa: BLE001 - a broken teardown shows when the patch is confirmed
        disarm()
        _abandon(item)
    finally:
        disarm()


def _abandon(item: pytest.Item) -> None:
    """Forget what a teardown left standing: the next test must not find it."""
    item.session._setupstate.stack.clear()
    known: dict[str, Any] = getattr(item.session._fixturemanager, "_arg2fixturedefs", {})
    for definitions in known.values():
        for definition in definitions:
            definition.cached_result = None
            definition._finalizers.clear()


class _Watch:
    """Keeps the exception that reports only describe."""

    def __init__(self) -> None:
        self.caught: list[BaseException] = []
        self.failed = False

    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> None:
        if call.excinfo is not None:
            self.caught.append(call.excinfo.value)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what the parts of a test report for themselves; its own report is not logged."""
        self.failed = self.failed or report.failed


def _protocol(item: pytest.Item, limit: float, wall: float) -> tuple[str, BaseException | None]:
    watch = _Watch()
    item.config.pluginmanager.register(watch)
    try:
        alarm(limit, wall)
        reports = runtestprotocol(item, log=False, nextitem=None)
    except BaseException as error:  # noqa: BLE001 - as above
        disarm()
        _abandon(item)
        return _judge(error)
    finally:
        disarm()
        item.config.pluginmanager.unregister(watch)
    if rang() or any(isinstance(error, OutOfTime) for error in watch.caught):
        return "timeout", None
    if watch.failed or any(report.failed for report in reports):
        return "failed", watch.caught[0] if watch.caught else None
    return ("skipped" if any(report.skipped for report in reports) else "passed"), None
