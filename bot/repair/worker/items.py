"""Runs single collected tests, over and over, within one pytest session."""

from __future__ import annotations

import copy
import time
from typing import NamedTuple

import pytest
from _pytest.runner import runtestprotocol

from bot.repair.worker.fork import OutOfTime, alarm, disarm

MARKS = ("skip", "skipif", "xfail")
FIXTURES = frozenset({"caplog", "record_property", "recwarn", "subtests"})


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


def run_item(item: pytest.Item, limit: float, *, hooks: bool = False) -> Run:
    """Run a test within a limit of processor time, with pytest's whole protocol or, a hundred times faster, without."""
    begun = time.perf_counter()
    outcome, error = _protocol(item, limit) if hooks else _direct(item, limit)
    return Run(outcome, time.perf_counter() - begun, error)


def _direct(item: pytest.Item, limit: float) -> tuple[str, BaseException | None]:
    state = item.session._setupstate
    try:
        try:
            alarm(limit)
            _prepare(item)
            state.setup(item)
            _protect(item)
            item.runtest()
        finally:
            disarm()
    except BaseException as error:  # noqa: BLE001 - the test may raise anything at all
        result = _judge(error)
    else:
        result = _unittest(item)
    _teardown(item, limit)
    return result


def _prepare(item: pytest.Item) -> None:
    if hasattr(item, "_initrequest"):
        item._initrequest()
    if hasattr(item, "_excinfo"):
        item._excinfo = None


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
    if isinstance(error, OutOfTime):
        return "timeout", None
    if isinstance(error, pytest.skip.Exception):
        return "skipped", None
    return "failed", error


def _unittest(item: pytest.Item) -> tuple[str, BaseException | None]:
    """Look where tests in unittest style leave their failure."""
    kept = getattr(item, "_excinfo", None)
    if not kept:
        return "passed", None
    item._excinfo = None  # type: ignore[attr-defined]
    return _judge(kept[0].value)


def _teardown(item: pytest.Item, limit: float) -> None:
    try:
        alarm(limit)
        item.session._setupstate.teardown_exact(None)
    except BaseException:  # noqa: BLE001, S110 - a broken teardown shows when the patch is confirmed
        pass
    finally:
        disarm()


def _protocol(item: pytest.Item, limit: float) -> tuple[str, BaseException | None]:
    caught: list[BaseException] = []

    class Watch:
        """Keeps the exception that reports only describe."""

        def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> None:
            if call.excinfo is not None:
                caught.append(call.excinfo.value)

    watch = Watch()
    item.config.pluginmanager.register(watch)
    try:
        alarm(limit)
        reports = runtestprotocol(item, log=False, nextitem=None)
    except BaseException as error:  # noqa: BLE001 - as above
        disarm()
        return _judge(error)
    finally:
        disarm()
        item.config.pluginmanager.unregister(watch)
    if any(isinstance(error, OutOfTime) for error in caught):
        return "timeout", None
    if any(report.failed for report in reports):
        return "failed", caught[0] if caught else None
    return ("skipped" if any(report.skipped for report in reports) else "passed"), None
