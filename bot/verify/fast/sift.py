"""Asks the quick checks what a change made worse, within a given time."""

import time
from collections.abc import Generator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from bot.core.change import FileChange
from bot.core.check import Check, Rung
from bot.core.hook import Sifted, Unjudged
from bot.errors import Unprepared
from bot.protocols import Cleaner, Contents
from bot.verify.detection.packages import touched
from bot.verify.fast.asking import Asking
from bot.verify.fast.bounded import Bounded
from bot.verify.fast.course import Course, Findings
from bot.verify.fast.memory import Memory
from bot.verify.fast.named import Names
from bot.verify.fast.narrow import choose, sort_out
from bot.verify.fast.plan import Plan
from bot.verify.fast.settings import Read
from bot.verify.fast.weighing import EMPTY, Scales
from bot.verify.fingerprint import fingerprint
from bot.verify.impact import Graph
from bot.verify.ladder import Ladder
from bot.verify.reuse import OPEN

READING = 0.6
"""Part of the time that finding out what imports what may take."""


class Side(NamedTuple):
    """A tree that a merge brings in, and what the merged one changes of it."""

    tree: str
    files: tuple[FileChange, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A change of one tree into another, and how long to look at it."""

    tree: str
    base: str
    """The tree before; the empty one before a first commit."""
    files: tuple[FileChange, ...]
    seconds: float
    kept: Path | None
    """Where to keep what another question may need again; no code of the project may reach it."""
    contents: Contents | None = None
    """Who says what the trees hold; where nobody does, the files in the folder are looked at."""
    highest: Rung = Rung.UNIT
    """The last rung that is asked."""
    others: tuple["Side", ...] = ()
    """What a merge brings in besides."""


@dataclass(frozen=True, slots=True)
class Sieve:
    """What was found out, and how to ask for it again."""

    sifted: Sifted
    asked: tuple[Check, ...]
    """The checks that fail, and cheap ones that do not, as they were asked."""


def sift(ladder: Ladder, cleaner: Cleaner, question: Question) -> Generator[Check, None, Sieve]:
    """Hold a tree against the one before: yields each check before it runs, returns what got worse."""
    began = time.monotonic()
    until = began + question.seconds
    findings = Findings(question.seconds)
    quick = choose(ladder.checks, question.highest)
    ready = _ready(ladder, cleaner, until)
    try:
        with ready.clean(question.tree) as root:
            near = touched(quick, [file.path for file in question.files], root)
            yield from _course(ladder, ready, question, root, until, findings).follow(near)
    except Unprepared as error:
        findings.unjudged += [Unjudged(check=check.name, why=error.message) for check in quick]
    verdict = findings.verdict(question.tree)
    sifted = Sifted(
        tree=question.tree,
        base=question.base,
        verdict=verdict,
        old=verdict.comparison.failing,
        unjudged=tuple(findings.unjudged),
        seconds=time.monotonic() - began,
    )
    return Sieve(sifted, tuple(findings.asked))


def _ready(ladder: Ladder, cleaner: Cleaner, until: float) -> Cleaner:
    """Return a cleaner whose folders are made ready for checks within what is left of the time."""
    made = ladder.preparation
    if made is None:
        return cleaner
    bounded = Bounded(made.executor, until)
    return replace(made, executor=bounded, seconds=min(made.seconds, bounded.left)).around(cleaner)


def _asking(ladder: Ladder, kept: Path | None, until: float) -> Asking:
    """Let mypy remember what it finds out, where that can be believed another time."""
    reuse, outside = ladder.reuse(), ladder.outside
    if kept is None or outside is None or ladder.executor.isolation in OPEN:
        return Asking(ladder, reuse, until)
    told = (
        reuse.environment if reuse is not None else fingerprint(outside, ladder.interpreter, ladder.executor.isolation)
    )
    return Asking(replace(ladder, warmth=Memory(kept, told)) if told is not None else ladder, reuse, until)


def _course(
    ladder: Ladder, cleaner: Cleaner, question: Question, root: Path, until: float, findings: Findings
) -> Course:
    def reader(tree: str) -> Read:
        return lambda path: cleaner.read(tree, path) if tree not in EMPTY else None

    def read() -> Graph | None:
        moment = until - question.seconds * (1 - READING)
        return Names(question.kept).read(root, question.tree, question.contents, moment)

    changed = sort_out(question.files)
    excused = ladder.excused | {check.name for check in ladder.checks if check.borrowed}
    asking = _asking(ladder, question.kept, until)
    before, after = reader(question.base), reader(question.tree)
    scales = Scales(asking, cleaner.clean, root, question.tree, question.base, changed, before, excused)
    others = tuple(
        replace(scales, base=side.tree, changed=sort_out(side.files), read=reader(side.tree))
        for side in question.others
    )
    return Course(Plan(root, changed, before, after), replace(scales, others=others), findings, read)
