"""Lines that run when a module is imported, and that what failing tests do depends on: constants, tables, members."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Iterable, Iterator
from importlib import util
from pathlib import Path
from typing import NamedTuple

from bot.repair.worker.source import DEFINITIONS
from bot.repair.worker.spectra import Line
from bot.repair.worker.tree import Tree

USED = 0.5
"""What a definition is worth beside the lines that use it."""
MEMBER = 0.35
"""The same for members of a class that are not used by name."""
FARTHEST = 3
"""Definitions from which a definition was made, and so on."""
HOPS = 4
"""Modules that hand a name on to each other."""
Known = tuple[dict[str, ast.stmt], dict[str, tuple[types.ModuleType, str]]]


class Seed(NamedTuple):
    """Names and attributes that are used somewhere in a module."""

    module: types.ModuleType
    names: frozenset[str]
    attributes: frozenset[str]
    weight: float


class Reach:
    """Finds definitions outside of functions."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._parsed: dict[str, ast.Module | None] = {}
        self._names: dict[str, Known] = {}

    def widen(self, scores: dict[Line, float], tests: Iterable[types.FunctionType]) -> dict[Line, float]:
        """Add the definitions that suspicious lines and failing tests use, with a part of their suspicion."""
        found = dict(scores)
        seeds = [*self._lines(scores), *self._tests(tests, max(scores.values(), default=1.0))]
        seeds.sort(key=lambda seed: -seed.weight)
        seen: set[tuple[str, str]] = set()
        for _ in range(FARTHEST):
            seeds = [later for seed in seeds for later in self._definitions(seed, found, seen)]
        return found

    def _lines(self, scores: dict[Line, float]) -> Iterator[Seed]:
        files: dict[str, dict[int, float]] = {}
        for (path, number), score in scores.items():
            files.setdefault(path, {})[number] = score
        modules = {getattr(m, "__file__", None): m for m in list(sys.modules.values())}
        for path, lines in files.items():
            module = modules.get(str(self.tree.root / path))
            parsed = None if module is None else self.parse(module)
            if module is None or parsed is None:
                continue
            for node in ast.walk(parsed):
                score = lines.get(node.lineno, 0.0) if isinstance(node, ast.stmt) else 0.0
                if score and not isinstance(node, DEFINITIONS):
                    yield seed_of(module, node, score)

    def _tests(self, tests: Iterable[types.FunctionType], weight: float) -> Iterator[Seed]:
        for function in tests:
            module = sys.modules.get(function.__module__)
            if module is not None:
                names = frozenset(_names(function.__code__))
                yield Seed(module, names, names, weight)

    def parse(self, module: types.ModuleType) -> ast.Module | None:
        """Parse the file of a module that belongs to the project."""
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or not self.tree.holds(file):
            return None
        if file not in self._parsed:
            try:
                self._parsed[file] = ast.parse(Path(file).read_bytes())
            except (OSError, SyntaxError, ValueError):
                self._parsed[file] = None
        return self._parsed[file]

    def home(self, module: types.ModuleType, name: str) -> tuple[types.ModuleType, ast.stmt] | None:
        """Find where a name of a module is defined, through modules that only hand it on."""
        for _ in range(HOPS):
            here, taken = self._known(module)
            if name in here:
                return module, here[name]
            if name not in taken:
                return None
            module, name = taken[name]
        return None

    def _known(self, module: types.ModuleType) -> Known:
        """List what a module defines at its top, and what it takes from others."""
        if module.__name__ not in self._names:
            parsed = self.parse(module)
            body = parsed.body if parsed is not None else []
            here = {name: statement for statement in reversed(body) for name in _bound(statement)}
            taken = {name: (home, there) for name, home, there in _imports(body, module)}
            self._names[module.__name__] = here, taken
        return self._names[module.__name__]

    def _definitions(self, seed: Seed, found: dict[Line, float], seen: set[tuple[str, str]]) -> Iterator[Seed]:
        for module, name in _sources(seed):
            home = None if (module.__name__, name) in seen else self.home(module, name)
            seen.add((module.__name__, name))
            if home is None or (home[0] is not module and (home[0].__name__, name) in seen):
                continue
            seen.add((home[0].__name__, name))
            path = self.tree.own(home[0].__file__ or "")
            for statement, share in _parts(home[1], seed.attributes):
                weight = seed.weight * share
                for number in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1):
                    if path is not None:
                        found[path, number] = max(found.get((path, number), 0.0), weight)
                yield seed_of(home[0], statement, weight)


def seed_of(module: types.ModuleType, node: ast.AST, weight: float) -> Seed:
    """List the names and attributes that a node reads, without those of blocks that it holds."""
    names: set[str] = set()
    attributes: set[str] = set()
    todo: list[ast.AST] = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, ast.Name):
            names.add(part.id)
        elif isinstance(part, ast.Attribute):
            attributes.add(part.attr)
        todo += [child for child in ast.iter_child_nodes(part) if not isinstance(child, ast.stmt)]
    return Seed(module, frozenset(names), frozenset(attributes), weight)


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _names(inner)


def _sources(seed: Seed) -> Iterator[tuple[types.ModuleType, str]]:
    """List where names come from: this module, or one of which an attribute is used."""
    for name in sorted(seed.names):
        value = vars(seed.module).get(name)
        if isinstance(value, types.ModuleType):
            yield from ((value, attribute) for attribute in sorted(seed.attributes & vars(value).keys()))
        elif name in vars(seed.module):
            yield seed.module, name


def _bound(statement: ast.stmt) -> set[str]:
    """List the names that a statement at the top of a module defines."""
    if isinstance(statement, ast.ClassDef):
        return {statement.name}
    if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        return set()
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}


def _parts(statement: ast.stmt, attributes: frozenset[str]) -> Iterator[tuple[ast.stmt, float]]:
    """List the statements that may be changed, with their worth: of a class, those that make its members."""
    if not isinstance(statement, ast.ClassDef):
        yield statement, USED
        return
    for member in statement.body:
        if isinstance(member, (ast.Assign, ast.AnnAssign)):
            yield member, USED if _bound(member) & attributes else MEMBER


def _imports(body: list[ast.stmt], module: types.ModuleType) -> Iterator[tuple[str, types.ModuleType, str]]:
    """List the names that a module takes from others: the name here, the other module, and the name there."""
    for statement in body:
        if not isinstance(statement, ast.ImportFrom):
            continue
        wanted = "." * statement.level + (statement.module or "")
        try:
            full = util.resolve_name(wanted, module.__package__ or "") if statement.level else wanted
        except (ImportError, ValueError):
            continue
        home = sys.modules.get(full)
        if home is not None:
            yield from ((alias.asname or alias.name, home, alias.name) for alias in statement.names)
