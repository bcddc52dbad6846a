"""What tests of several kinds need so that they can be run again and again, and say the same each time."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Callable

import pytest

SETTINGS = "_hypothesis_internal_use_settings"


def calm(items: Sequence[pytest.Item], *, repeatable: bool) -> None:
    """Keep tests that draw their own examples from reducing those that fail, which takes long and tells us nothing.

    Where it has to be repeatable, they also draw the same examples each time.
    """
    hypothesis: Any = sys.modules.get("hypothesis")
    if hypothesis is None:
        return
    own = [(function, now) for item in items for function, now in _drawing(item)]
    if own and repeatable:
        _warm_up(hypothesis)
    phases = [p for p in hypothesis.Phase if p.name in ("explicit", "reuse", "generate")]
    changes: dict[str, Any] = {"phases": phases, "deadline": None}
    if repeatable:
        changes.update(derandomize=True, database=None, suppress_health_check=list(hypothesis.HealthCheck))
    for function, now in own:
        setattr(function, SETTINGS, hypothesis.settings(now, **changes))


def _drawing(item: pytest.Item) -> Iterator[tuple[Any, Any]]:
    """Find the function of a test that draws its own examples, and how it does."""
    given = getattr(item, "obj", None)
    function = getattr(given, "__func__", given)
    now = getattr(function, SETTINGS, None)
    if now is not None:
        yield function, now


def _warm_up(hypothesis: Any) -> None:
    """Let everything be loaded that is loaded when first used, which each fork of this process would do again."""

    def check(value: int) -> None:
        assert value < 0

    trial = hypothesis.given(hypothesis.strategies.integers())(check)
    with suppress(Exception):
        hypothesis.settings(database=None, max_examples=2, derandomize=True)(trial)()


def renew(item: pytest.Item) -> None:
    """Make a test as it was before it first ran, and chance what it was then."""
    random.seed(0)
    begin: Callable[[], None] | None = getattr(item, "_initrequest", None)
    if begin is not None:
        begin()
    if hasattr(item, "_excinfo"):
        vars(item).pop("_excinfo", None)
        _collect_parts(item)
    if hasattr(item, "dtest"):
        _refresh(item.dtest)
    counts = getattr(sys.modules.get("_pytest.subtests"), "failed_subtests_key", None)
    if counts is not None and counts in item.config.stash:
        item.config.stash[counts].clear()


def _collect_parts(item: Any) -> None:
    """Let the failures of parts of a test be kept like its own: they are else only reported."""
    own = getattr(type(item), "addSubTest", None)
    if own is None:
        return

    def keep(_: Any, __: Any, failure: Any) -> None:
        if failure is not None:
            item._addexcinfo(failure)  # noqa: SLF001 - where pytest keeps failures of its own

    item.addSubTest = keep


def _refresh(test: Any) -> None:
    """Give a doctest the names that its module has now: it has a copy of them, and what it left there."""
    kept = {"__name__": "__main__", **_names(test)}
    test.globs.clear()
    test.globs.update(kept)


def _names(test: Any) -> dict[str, Any]:
    """Find the module that a doctest is part of; one in a text file is part of none."""
    name = str(test.name)
    while name:
        module = sys.modules.get(name)
        if module is not None and getattr(module, "__file__", None) == test.filename:
            return dict(vars(module))
        name = name.rpartition(".")[0]
    return {}
