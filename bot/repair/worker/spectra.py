"""Which lines each test passes, which variables had which types there, and where failing tests crashed."""

from __future__ import annotations

import ast
import math
import os
import re
import subprocess
import sys
import types
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bot.repair.worker.facts import Crash
from bot.repair.worker.follow import Follower
from bot.repair.worker.items import run_item
from bot.repair.worker.tree import Tree
from bot.repair.worker.witness import VARIABLE, Notes

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
    elsewhere: Sequence[int] = ()
    """Failing tests that pass lines of the project in processes which they start; by their place among the failing."""


class Tracer:
    """Traces tests one by one, and the processes that they start."""

    def __init__(self, tree: Tree, notes: Path) -> None:
        self.tree = tree
        self.notes = notes
        self.lines: set[Line] = set()
        self.variables: dict[str, dict[int, dict[str, set[str]]]] = {}
        self.budget = 0
        self.outcome = ""
        """How the last test ended."""
        self.elsewhere = False
        """Whether the last test passed lines of the project in a process that it started."""
        self._follower = Follower(tree.own, self._note, self._leave)
        self._forked: Notes | None = None
        os.register_at_fork(after_in_child=self._part)
        call_witness(tree.root, notes)

    def _part(self) -> None:
        """Note in a file what a fork of this process passes: what it knows is lost with it."""
        self._forked = Notes(str(self.notes), "f", str(self.tree.root))

    def _note(self, path: str, frame: types.FrameType, number: int) -> bool:
        self.lines.add((path, number))
        if self._forked is not None:
            self._forked.add((str(self.tree.root / path), number))
        self._leave(path, frame, number)
        return self.budget > 0

    def _leave(self, path: str, frame: types.FrameType, _: int) -> None:
        if not self.budget:
            return
        self.budget -= 1
        seen = self.variables.setdefault(path, {}).setdefault(frame.f_code.co_firstlineno, {})
        for name, value in list(frame.f_locals.items()):
            seen.setdefault(name, set()).add(type(value).__name__)

    def trace(
        self, item: pytest.Item, limit: float, *, hooks: bool, wall: float = 0.0
    ) -> tuple[set[Line], BaseException | None]:
        """Run a test and return the lines that it passed and the exception that ended it."""
        self.lines, self.budget = set(), LOCALS
        with self._follower.following():
            run = run_item(item, limit, hooks=hooks, wall=wall)
        self.outcome = run.outcome
        told, self.elsewhere = read(self.notes)
        self.lines |= {(path, number) for name, number in told if (path := self.tree.own(name)) is not None}
        return self.lines, run.error


def read(folder: Path) -> tuple[set[Line], bool]:
    """Read and remove the notes of a folder; also tells whether any came from a process that was started anew."""
    found: set[Line] = set()
    anew = False
    for file in list(folder.iterdir()):
        rows = [row.split("\t") for row in file.read_text("utf-8", "replace").split("\n")]
        file.unlink()
        here = {(row[0], int(row[1])) for row in rows if len(row) == 2 and row[1].isdigit()}
        anew = anew or (file.name.startswith("x") and bool(here))
        found |= here
    return found, anew


def call_witness(root: Path, notes: Path) -> None:
    """Let processes that are started from now on tell which lines of the project they pass."""
    place = notes.parent / "witness"
    place.mkdir(exist_ok=True)
    (place / "sitecustomize.py").write_bytes(Path(__file__).with_name("witness.py").read_bytes())
    told = {VARIABLE: os.pathsep.join((str(place), str(notes), str(root)))}

    def extend(environment: MutableMapping[str, str]) -> None:
        found = environment.get("PYTHONPATH")
        environment.update(told, PYTHONPATH=os.pathsep.join([str(place), *([found] if found else [])]))

    extend(os.environ)
    begin = subprocess.Popen.__init__

    def begin_told(self: Any, *given: Any, **named: Any) -> None:
        if isinstance(named.get("env"), Mapping):
            named["env"] = dict(named["env"])
            extend(named["env"])
        begin(self, *given, **named)

    subprocess.Popen.__init__ = begin_told  # type: ignore[method-assign]


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


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """List what an exception stands for: itself, or those that it only gathers."""
    if error is None:
        return
    parts = getattr(error, "failures", None) if type(error).__name__ == "MultipleDoctestFailures" else None
    parts = parts or getattr(error, "exceptions", None)
    for part in parts if isinstance(parts, (list, tuple)) else ():
        kept = getattr(part, "exc_info", None)
        found = kept[1] if isinstance(kept, tuple) else part
        if isinstance(found, BaseException):
            yield found
    if not parts:
        yield error


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
    example = getattr(error, "example", None)
    if example is not None:
        got, want = str(getattr(error, "got", "")).strip(), str(example.want).strip()
        return (got, want) if _literal(got) and _literal(want) else None
    if not isinstance(error, AssertionError):
        return None
    first = str(error).split("\n", 1)[0][:4000]
    for pattern in (EQUAL, UNITTEST):
        found = pattern.match(first)
        if found and _literal(found[1]) and _literal(found[2]):
            return found[1], found[2]
    return None


def _literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


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
