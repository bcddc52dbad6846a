"""How the names of a function are used, and what an edit does to that."""

from __future__ import annotations

import ast
import re
from collections import Counter
from typing import Callable

from bot.repair.worker.source import FUNCTIONS, Candidate
from bot.repair.worker.view import View, Visible

WORD = re.compile(r"\b[^\W\d]\w*\b")
FORSAKEN = 0.55
"""For an edit after which a variable is not read any more."""
ADOPTED = 1.5
"""For an edit that reads a variable which was not read before."""
EMPTY = (ast.Constant, ast.List, ast.Dict, ast.Tuple, ast.Set)
INDEX = ast.Module([], [])
"""Stands for the file itself among the functions that notes are taken of."""
COLLECTIONS = frozenset({"set", "list", "dict", "deque"})
ONLY_READ = frozenset(
    {"len", "sorted", "sum", "min", "max", "any", "all", "str", "int", "list", "set", "tuple", "print"}
)
RESERVED = frozenset({"self", "cls"})


class Usage:
    """The names that one function binds, how often it reads each, and which ones it only sets up."""

    def __init__(self, root: ast.AST) -> None:
        nodes = list(ast.walk(root))
        names = [n for n in nodes if isinstance(n, ast.Name)]
        self.reads = Counter(n.id for n in names if isinstance(n.ctx, ast.Load))
        self.bound = {n.id for n in names if isinstance(n.ctx, ast.Store)}
        self.bound |= {n.name for n in nodes if isinstance(n, FUNCTIONS) and n is not root}
        if isinstance(root, FUNCTIONS):
            self.bound |= {a.arg for a in (*root.args.posonlyargs, *root.args.args, *root.args.kwonlyargs)}
        self.idle = {n for n in self.bound if not self.reads[n] and n not in RESERVED and not n.startswith("_")}
        self.stale = _stale(nodes)


def _stale(nodes: list[ast.AST]) -> set[str]:
    """List the variables that are set to a literal once and never changed: counters that nobody counts up."""
    stores: Counter[str] = Counter()
    begun: set[str] = set()
    changed: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stores[node.id] += 1
        elif isinstance(node, ast.Assign):
            targets, values = node.targets, [node.value]
            if len(targets) == 1 and isinstance(targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
                targets, values = targets[0].elts, node.value.elts
            if all(_empty(value) for value in values):
                begun |= {t.id for t in targets if isinstance(t, ast.Name)}
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.value, ast.Name):
            changed.add(node.value.id)
        elif isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in ONLY_READ):
            changed |= {a.id for a in node.args if isinstance(a, ast.Name)}
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            changed.add(node.target.id)
    return {name for name in begun - changed if stores[name] == 1}


def _empty(value: ast.expr) -> bool:
    """Whether an expression is a constant, or makes a collection with nothing in it."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in COLLECTIONS and not value.args
    return isinstance(value, EMPTY) and not getattr(value, "elts", None)


def usage(view: View, node: ast.AST) -> Usage:
    """Return how names are used in the function around a node."""
    root = node if isinstance(node, FUNCTIONS) else view.source.function(node) or view.source.tree
    known = view.notes.get(root)
    if not isinstance(known, Usage):
        known = view.notes[root] = Usage(root)
    return known


class Index:
    """What a whole file uses: attributes of each object, keywords of each function, types that are asked for."""

    def __init__(self, tree: ast.Module, text: Callable[[ast.AST], str]) -> None:
        self.attributes: dict[str, Counter[str]] = {}
        self.keywords: dict[str, Counter[tuple[str, str]]] = {}
        self.kinds: Counter[str] = Counter()
        self.bound = _bound_outside(tree)
        """Names of the module, and of all definitions, imports and caught exceptions."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                self.attributes.setdefault(node.value.id, Counter())[node.attr] += 1
            elif isinstance(node, ast.ClassDef):
                methods = Counter(n.name for n in node.body if isinstance(n, FUNCTIONS) and not n.name.startswith("__"))
                self.attributes.setdefault("self", Counter()).update(methods)
            elif isinstance(node, ast.Call):
                self._add_call(node, text)

    def _add_call(self, node: ast.Call, text: Callable[[ast.AST], str]) -> None:
        if isinstance(node.func, (ast.Name, ast.Attribute)):
            known = self.keywords.setdefault(name_of(node.func), Counter())
            for keyword in node.keywords:
                if keyword.arg and keyword.value.lineno == keyword.value.end_lineno:
                    known[keyword.arg, text(keyword.value)] += 1
            if name_of(node.func) == "isinstance" and len(node.args) == 2:
                self.kinds[text(node.args[1])] += 1


def stale(view: View, node: ast.AST) -> set[str]:
    """List the variables of all functions around a node that are only ever set up."""
    roots = [outer for outer in view.source.ancestors(node) if isinstance(outer, FUNCTIONS)]
    return set().union(*(usage(view, root).stale for root in roots))


def _bound_outside(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    todo: list[tuple[ast.AST, bool]] = [(tree, True)]
    while todo:
        node, outside = todo.pop()
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            found.add(node.name)
            outside = outside and isinstance(node, ast.ClassDef)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        elif outside and isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        todo += [(child, outside) for child in ast.iter_child_nodes(node)]
    return found


def name_of(node: ast.Name | ast.Attribute) -> str:
    """Return the last part of a dotted name."""
    return node.id if isinstance(node, ast.Name) else node.attr


def index(view: View) -> Index:
    """Return what the file of a view uses."""
    known = view.notes.get(INDEX)
    if not isinstance(known, Index):
        known = view.notes[INDEX] = Index(view.source.tree, view.text)
    return known


def idle(view: View, node: ast.AST) -> list[Visible]:
    """List the names at a node that its function binds and never reads."""
    names = usage(view, node).idle
    return [visible for visible in view.scope(node) if visible.name in names]


def judge(view: View, known: Usage, candidate: Candidate) -> float:
    """Weigh an edit by the names that it takes away and brings in."""
    factor = 1.0
    for edit in candidate.edits:
        if edit.path != view.source.path:
            continue
        old = Counter(WORD.findall(view.source.content[edit.start : edit.end].decode()))
        new = set(WORD.findall(edit.text))
        gone = [n for n in old if n not in new and n in known.bound and 0 < known.reads[n] <= old[n]]
        factor *= FORSAKEN if gone else 1.0
        factor *= ADOPTED if new & known.idle - old.keys() else 1.0
    return factor
