"""Which lines each test passes, which variables had which types there, and where failing tests crashed."""

from __future__ import annotations

import ast
import math
import re
import sys
import types
from typing import Any, NamedTuple

import pytest

from bot.repair.worker.facts import Crash
from bot.repair.worker.items import run_item
from bot.repair.worker.tree import Tree

Line = tuple[str, int]
LOCALS = 6000
"""Line events of one test for which the types of variables are noted."""


class Spectrum(NamedTuple):
    """What tracing a few tests told; plain values only, so that a forked child can hand it over."""

    failing: list[set[Line]]
    passing: list[set[Line]]
    variables: dict[str, dict[int, dict[str, set[str]]]]
    crashes: list[tuple[str, int, str, str, tuple[str, ...]]]
    differences: list[tuple[str, str]]
    """Source of the actual and the expected value."""


class Tracer:
    """Traces tests one by one."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.lines: set[Line] = set()
        self.variables: dict[str, dict[int, dict[str, set[str]]]] = {}
        self.budget = 0

    def _enter(self, frame: types.FrameType, _: str, __: Any) -> Any:
        path = self.tree.own(frame.f_code.co_filename)
        if path is None:
            return None

        def inside(frame: types.FrameType, event: str, _: Any) -> Any:
            if event == "line":
                self.lines.add((path, frame.f_lineno))
            if self.budget and event in ("line", "return"):
                self.budget -= 1
                seen = self.variables.setdefault(path, {}).setdefault(frame.f_code.co_firstlineno, {})
                for name, value in frame.f_locals.items():
                    seen.setdefault(name, set()).add(type(value).__name__)
            return inside

        self.lines.add((path, frame.f_lineno))
        return inside

    def trace(self, item: pytest.Item, limit: float, *, hooks: bool) -> tuple[set[Line], BaseException | None]:
        """Run a test and return the lines that it passed and the exception that ended it."""
        self.lines, self.budget = set(), LOCALS
        sys.settrace(self._enter)
        try:
            run = run_item(item, limit, hooks=hooks)
        finally:
            sys.settrace(None)
        return self.lines, run.error


def crash_of(error: BaseException, tree: Tree) -> Crash | None:
    """Find the last line of the project's own that an exception passed."""
    if isinstance(error, SyntaxError) and error.filename:
        path = tree.own(error.filename)
        return Crash(path, error.lineno or 1, type(error).__name__, str(error.msg)) if path else None
    last: Line | None = None
    trace = error.__traceback__
    while trace is not None:
        path = tree.own(trace.tb_frame.f_code.co_filename)
        if path is not None:
            last = (path, trace.tb_lineno)
        trace = trace.tb_next
    if last is None:
        return None
    return Crash(*last, type(error).__name__, str(error)[:300], _offered(error))


def _offered(error: BaseException) -> tuple[str, ...]:
    """List what the object or the module at fault has instead."""
    subject: object = None
    if isinstance(error, AttributeError):
        subject = getattr(error, "obj", None)
    elif isinstance(error, ImportError) and error.name:
        subject = sys.modules.get(error.name)
    if subject is None:
        return ()
    return tuple(name for name in dir(subject) if not name.startswith("__"))[:400]


EQUAL = re.compile(r"assert (.+?) == (.+)$")
UNITTEST = re.compile(r"(.+?) != (.+?)(?: : .*)?$")


def difference_of(error: BaseException | None) -> tuple[str, str] | None:
    """Read the actual and the expected value from the message of a failed assertion."""
    if not isinstance(error, AssertionError):
        return None
    first = str(error).split("\n", 1)[0][:4000]
    for pattern in (EQUAL, UNITTEST):
        found = pattern.match(first)
        if found:
            try:
                ast.literal_eval(found[1])
                ast.literal_eval(found[2])
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                continue
            return found[1], found[2]
    return None


def suspicion(spectrum: Spectrum) -> dict[Line, float]:
    """Rank lines by Ochiai's formula; a line at which a failing test crashed counts for more."""
    failing = len(spectrum.failing)
    lines: set[Line] = set().union(*spectrum.failing)
    scores: dict[Line, float] = {}
    for line in lines:
        failed = sum(line in covered for covered in spectrum.failing)
        passed = sum(line in covered for covered in spectrum.passing)
        scores[line] = failed / math.sqrt(failing * (failed + passed))
    for path, number, *_ in spectrum.crashes:
        scores[path, number] = max(scores.get((path, number), 0.3), min(1.2, scores.get((path, number), 0.5) * 1.25))
    return scores
