"""Templates: a name that the last changes gave to something else, or took elsewhere, is followed where it was not."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bot.repair.worker.facts import Crash
from bot.repair.worker.past import Past
from bot.repair.worker.source import DEFINITIONS, Candidate, Edit, Source

PRIOR = 1.3
RENAMED = "renamed"
ALIKE = 0.6
"""How much of a definition has to be the same for it to be the one of another name."""
MOST = 200
"""Definitions that came or went, beyond which none are held against each other."""
NO_MODULE = re.compile(r"No module named '([\w.]+)'")
MISSING = ("NameError", "ImportError", "AttributeError", "ModuleNotFoundError", "TypeError")


class Definition(NamedTuple):
    """What a file defines at its top level or in a class of it."""

    path: str
    name: str
    owner: str
    """Name of the class; empty at the top level."""
    shape: str
    """Its text without its name."""


class Move(NamedTuple):
    """What became of a definition."""

    old: Definition
    new: Definition


def find_moves(past: Past) -> list[Move]:
    """Pair what went with what came: by its name in another place, else by a text that is much the same."""
    went: list[Definition] = []
    came: list[Definition] = []
    for path in past.edits:
        versions = past.versions(path)
        if versions is not None:
            now, then = ({(d.owner, d.name): d for d in define(source)} for source in versions)
            went += [then[key] for key in then if key not in now]
            came += [now[key] for key in now if key not in then]
    for path, text in past.created:
        went += _defined(path, text.encode())
    for path in past.deleted:
        came += _defined(path, past.tree.read(path))
    if len(went) + len(came) > MOST:
        return []
    return [Move(old, new) for old in went if (new := _successor(old, came)) is not None]


def _defined(path: str, content: bytes) -> list[Definition]:
    try:
        return list(define(Source(path, content)))
    except (SyntaxError, ValueError, RecursionError):
        return []


def define(source: Source) -> Iterator[Definition]:
    """List what a file defines: functions, classes, methods, constants."""
    for statement in source.tree.body:
        yield from _names(source, statement, "")
        if isinstance(statement, ast.ClassDef):
            for inner in statement.body:
                yield from _names(source, inner, statement.name)


def _names(source: Source, statement: ast.stmt, owner: str) -> Iterator[Definition]:
    name = ""
    if isinstance(statement, DEFINITIONS):
        name = statement.name
    elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        name = statement.targets[0].id
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        name = statement.target.id
    if name:
        shape = re.sub(rf"\b{re.escape(name)}\b", "_", source.text(statement))
        yield Definition(source.path, name, owner, shape[:4000])


def _successor(old: Definition, came: Sequence[Definition]) -> Definition | None:
    for new in came:
        if new.name == old.name and new.path != old.path:
            return new
    likeness = [(difflib.SequenceMatcher(None, old.shape, new.shape).ratio(), new) for new in came]
    best = max(likeness, key=lambda pair: (pair[0], pair[1].path == old.path), default=None)
    return best[1] if best is not None and best[0] >= ALIKE else None


def follow(source: Source, crash: Crash, moves: Sequence[Move], roots: Sequence[str]) -> Iterator[Candidate]:
    """Propose the new name, or the new home, for one that a crash says is missing."""
    if crash.name not in MISSING:
        return
    gone = NO_MODULE.search(crash.message)
    if gone:
        yield from _rehome(source, crash, gone[1], moves, roots)
    for old, new in moves:
        if re.search(rf"\b{re.escape(old.name)}\b", crash.message):
            home = module_of(new.path, roots)
            for lines in (range(crash.line, crash.line + 1), None):
                edits = list(_edits(source, old, new, home, lines))
                if edits:
                    yield Candidate(edits[0], RENAMED, PRIOR, crash.line, tuple(edits[1:]))


def _rehome(
    source: Source, crash: Crash, gone: str, moves: Sequence[Move], roots: Sequence[str]
) -> Iterator[Candidate]:
    """Import from the module that now has what a module which is gone had."""
    homes = dict.fromkeys(module_of(new.path, roots) for old, new in moves if module_of(old.path, roots) == gone)
    for home in filter(None, homes):
        edits: list[Edit] = []
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                parent = gone[: -len(node.module)]
                named = gone == node.module if not node.level else gone.endswith(f".{node.module}")
                if named and home.startswith(parent):
                    start, end = source.span(node)
                    text = source.content[start:end].decode()
                    new = text.replace(node.module, home[len(parent) :], 1)
                    edits.append(Edit(source.path, start, end, new))
        if edits:
            yield Candidate(edits[0], RENAMED, PRIOR, crash.line, tuple(edits[1:]))


def module_of(path: str, roots: Sequence[str]) -> str:
    """Return the dotted name that a file is imported by, given the folders that imports begin in."""
    for root in sorted(roots, key=len, reverse=True):
        if path.startswith(root):
            return ".".join(path[len(root) :].removesuffix(".py").removesuffix("/__init__").split("/"))
    return ""


def _edits(source: Source, old: Definition, new: Definition, home: str, lines: range | None) -> Iterator[Edit]:
    """List the edits that make a file, or some lines of it, follow a move."""
    for node in ast.walk(source.tree):
        line = getattr(node, "lineno", 0)
        last = getattr(node, "end_lineno", line)
        if not line or (lines is not None and not (line <= lines[-1] and last >= lines[0])):
            continue
        if isinstance(node, ast.ImportFrom) and any(alias.name == old.name for alias in node.names):
            yield from _imported(source, node, old, new, home)
        elif old.name == new.name:
            continue
        elif isinstance(node, ast.Name) and node.id == old.name and not old.owner and not source.formatted(node):
            yield Edit(source.path, *source.span(node), new.name)
        elif isinstance(node, ast.Attribute) and node.attr == old.name and not source.formatted(node):
            end = source.span(node)[1]
            yield Edit(source.path, end - len(old.name.encode()), end, new.name)


def _imported(source: Source, node: ast.ImportFrom, old: Definition, new: Definition, home: str) -> Iterator[Edit]:
    """Rewrite an import: another name, another module, or both."""
    names = [
        f"{new.name if alias.name == old.name else alias.name}{f' as {alias.asname}' if alias.asname else ''}"
        for alias in node.names
    ]
    module = "." * node.level + (node.module or "")
    if old.path == new.path or not home:
        yield Edit(source.path, *source.span(node), f"from {module} import {', '.join(names)}")
        return
    others = [name for name, alias in zip(names, node.names) if alias.name != old.name]
    moved = [name for name, alias in zip(names, node.names) if alias.name == old.name]
    indent = source.indent(node)
    rows = [f"from {module} import {', '.join(others)}"] if others else []
    rows.append(f"from {home} import {', '.join(moved)}")
    yield Edit(source.path, *source.span(node), f"{source.newline}{indent}".join(rows))
