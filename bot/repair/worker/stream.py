"""Hands out candidates best first, and makes them only when their turn comes."""

from __future__ import annotations

import ast
import heapq
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Callable, NamedTuple

from bot.repair.worker import (
    branches,
    calls,
    conditions,
    definitions,
    literals,
    names,
    operands,
    operators,
    order,
    patterns,
    sequences,
    shapes,
    statements,
    unread,
    values,
)
from bot.repair.worker.echoes import Echoes
from bot.repair.worker.faults import mend_faults
from bot.repair.worker.rules import CHEAP, HEADS, HEAVY, Rule
from bot.repair.worker.source import DEFINITIONS, FUNCTIONS, Candidate, Definition
from bot.repair.worker.spectra import Line
from bot.repair.worker.usage import Usage, judge, usage
from bot.repair.worker.view import View

FAMILIES = (
    branches, calls, conditions, definitions, literals, names, operands, operators, order, patterns, sequences, shapes,
    statements, unread, values,
)  # fmt: skip
"""Importing a family registers its templates."""
LIGHT_BOUND = 1.0
HEAVY_BOUND = 0.35
FAULT_BOUND = 1.2
HEAVY_WEIGHT = 0.8
WORST = 25
"""Lines that the expensive templates are spent on."""
LINES = 250
"""Lines that are looked at at all."""
FILES = 10
DEFINED = 0.5
"""What the defaults of a suspicious function, or a constant that it uses, are worth beside its own lines."""


class Scored(NamedTuple):
    """A candidate and how much is expected of it."""

    score: float
    candidate: Candidate


class Group(NamedTuple):
    """Candidates of one statement that have not been made yet."""

    weight: float
    bound: float
    """What the prior of no candidate is above."""
    view: View
    place: ast.AST
    make: Callable[[], Iterator[Candidate]]


def weigh(suspicion: float) -> float:
    """Turn the suspicion of a line into a factor for the priors of its templates."""
    return math.pow(0.1 + suspicion, 1.7)


class Stream:
    """The candidates for a set of suspicious lines."""

    def __init__(self, suspicion: dict[Line, float], look: Callable[[str], View | None]) -> None:
        ranked = sorted(suspicion, key=lambda line: (-suspicion[line], line))[:LINES]
        self.suspicion = {line: suspicion[line] for line in ranked}
        self.worst = frozenset(ranked[:WORST])
        self.look = look
        self._heap: list[tuple[float, int, Group | Scored]] = []
        self._count = itertools.count()
        self._seen: dict[tuple[object, ...], float] = {}
        """The best score of each edit so far: two templates may propose the same."""
        self._echoes = Echoes()
        for path in list(dict.fromkeys(path for path, _ in ranked))[:FILES]:
            self._add_file(path)

    def __iter__(self) -> Iterator[Scored]:
        """Yield candidates, best first."""
        while self._heap:
            _, _, entry = heapq.heappop(self._heap)
            if isinstance(entry, Scored):
                if entry.score >= self._seen[entry.candidate.edits]:
                    yield entry
            else:
                self._open(entry)

    def _push(self, score: float, entry: Group | Scored) -> None:
        heapq.heappush(self._heap, (-score, next(self._count), entry))

    def _open(self, group: Group) -> None:
        content, known = group.view.source.content, usage(group.view, group.place)
        root = group.view.source.function(group.place) or group.view.source.tree
        for candidate in group.make():
            if self._weigh(group, known, candidate):
                echo = self._echoes.join(candidate, content[candidate.edit.start : candidate.edit.end], root)
                if echo is not None:
                    self._weigh(group, known, echo)

    def _weigh(self, group: Group, known: Usage, candidate: Candidate) -> bool:
        """Queue a candidate, unless it was there before with as good a score."""
        score = min(group.bound, candidate.prior * judge(group.view, known, candidate)) * group.weight
        if score <= self._seen.get(candidate.edits, 0.0):
            return False
        self._seen[candidate.edits] = score
        self._push(score, Scored(score, candidate))
        return True

    def _add_file(self, path: str) -> None:
        view = self.look(path)
        if view is None:
            return
        here = {line: score for (name, line), score in self.suspicion.items() if name == path}
        used: set[str] = set()
        for statement in view.source.statements:
            header = view.source.header(statement)
            score = max((here.get(line, 0.0) for line in header), default=0.0)
            if isinstance(statement, DEFINITIONS):
                self._add_definition(view, statement, here)
                continue
            if score:
                used |= {n.id for n in view.source.expressions(statement) if isinstance(n, ast.Name)}
                used |= {n.attr for n in view.source.expressions(statement) if isinstance(n, ast.Attribute)}
                self._add(view, statement, CHEAP, LIGHT_BOUND, weigh(score))
                if any((path, line) in self.worst for line in header):
                    self._add(view, statement, HEAVY, HEAVY_BOUND, weigh(score) * HEAVY_WEIGHT)
        highest = max(here.values())
        self._add_constants(view, used, highest)
        self._push_group(
            Group(weigh(highest), FAULT_BOUND, view, view.source.tree, lambda: _changing(view, mend_faults(view)))
        )

    def _push_group(self, group: Group) -> None:
        self._push(group.bound * group.weight, group)

    def _add(self, view: View, statement: ast.stmt, rules: list[Rule], bound: float, weight: float) -> None:
        nodes = [statement, *view.source.expressions(statement)]
        self._push_group(Group(weight, bound, view, statement, lambda: propose(view, nodes, rules)))

    def _add_definition(self, view: View, definition: Definition, here: dict[int, float]) -> None:
        """Add what can be wrong with the head of a function or class: defaults, decorators, bases."""
        body = range(definition.lineno, (definition.end_lineno or definition.lineno) + 1)
        score = max((here.get(line, 0.0) for line in body), default=0.0) * DEFINED
        if not score:
            return
        nodes: list[ast.AST] = [definition]
        if isinstance(definition, FUNCTIONS):
            nodes += [*definition.args.defaults, *(d for d in definition.args.kw_defaults if d)]
        rules = [*CHEAP, *HEADS]
        self._push_group(Group(weigh(score), LIGHT_BOUND, view, definition, lambda: propose(view, nodes, rules)))

    def _add_constants(self, view: View, used: set[str], highest: float) -> None:
        """Add what is assigned outside of functions and used by suspicious lines."""
        for statement in view.source.statements:
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and view.source.function(statement) is None:
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                if used & {getattr(t, "id", "") for target in targets for t in ast.walk(target)}:
                    self._add(view, statement, CHEAP, LIGHT_BOUND, weigh(highest * DEFINED))


def propose(view: View, nodes: Sequence[ast.AST], rules: list[Rule]) -> Iterator[Candidate]:
    """Apply templates to nodes; what would change nothing is left out."""
    for node in nodes:
        for rule in rules:
            if isinstance(node, rule.kinds):
                yield from _changing(view, rule.propose(view, node))


def _changing(view: View, candidates: Iterator[Candidate]) -> Iterator[Candidate]:
    for candidate in candidates:
        content = view.source.content
        if any(
            edit.path != view.source.path or content[edit.start : edit.end] != edit.text.encode()
            for edit in candidate.edits
        ):
            yield candidate
