"""Records types, truth values and comparisons of every expression of a file while tests run."""

from __future__ import annotations

import ast
import builtins
import operator
from collections import defaultdict
from typing import Any

from bot.repair.worker.source import FUNCTIONS, Key, key

SEE = "__git_agent_see__"
COMPARE = "__git_agent_compare__"
ORDER = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}
PLAIN = (int, float, str, list, dict, set, tuple, type(None), bytes)
WATCHED = (
    ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.IfExp, ast.Compare,
    ast.List, ast.ListComp, ast.SetComp, ast.DictComp,
)  # fmt: skip
ENOUGH = 400
"""Times that one expression is looked at."""
Observed = tuple[dict[Key, set[str]], dict[Key, set[str]], dict[Key, set[bool]], dict[Key, set[str]]]


class Instrument(ast.NodeTransformer):
    """Wraps each expression that is read in a call that takes note of its value."""

    def __init__(self, first: int = 0) -> None:
        self.first = first
        self.keys: list[Key] = []

    def visit(self, node: ast.AST) -> Any:
        """Wrap what is watched, and leave alone what must stay as it is."""
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            node.body = [self.visit(statement) for statement in node.body]
            return node
        if isinstance(node, (ast.JoinedStr, ast.Import, ast.ImportFrom)) or type(node).__name__ in (
            "Match",
            "TypeAlias",
        ):
            return node
        if isinstance(node, ast.AnnAssign):
            node.value = self.visit(node.value) if node.value else None
            return node
        where = key(node) if isinstance(node, ast.expr) else None
        self._descend(node)
        if where is None or not isinstance(node, WATCHED) or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return node
        return self._wrap(node, where)

    def _descend(self, node: ast.AST) -> None:
        """Visit the parts of a node; of what is called only the object that a method belongs to."""
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                node.func.value = self.visit(node.func.value)
            elif not isinstance(node.func, ast.Name):
                node.func = self.visit(node.func)
            node.args = [self.visit(argument) for argument in node.args]
            node.keywords = [self.visit(keyword) for keyword in node.keywords]
        elif not (isinstance(node, ast.Name)):
            self.generic_visit(node)

    def _wrap(self, node: ast.expr, where: Key) -> ast.expr:
        self.keys.append(where)
        number = ast.Constant(self.first + len(self.keys) - 1)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in ORDER:
            name = ast.Constant(ORDER[type(node.ops[0])])
            call = ast.Call(ast.Name(COMPARE, ast.Load()), [number, name, node.left, node.comparators[0]], [])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("super", "locals"):
            return node
        else:
            call = ast.Call(ast.Name(SEE, ast.Load()), [number, node], [])
        return ast.copy_location(call, node)


class Recorder:
    """Takes the notes."""

    def __init__(self, keys: list[Key]) -> None:
        self.keys = keys
        self.types: dict[int, set[str]] = defaultdict(set)
        self.signs: dict[int, set[str]] = defaultdict(set)
        self.truths: dict[int, set[bool]] = defaultdict(set)
        self.attributes: dict[int, set[str]] = defaultdict(set)
        self.count: dict[int, int] = defaultdict(int)

    def install(self) -> None:
        """Make the two functions known everywhere."""
        setattr(builtins, SEE, self.see)
        setattr(builtins, COMPARE, self.compare)

    def see(self, number: int, value: Any) -> Any:
        """Note a value."""
        if self.count[number] < ENOUGH:
            self.count[number] += 1
            self.types[number].add(type(value).__name__)
            if isinstance(value, PLAIN):
                self.truths[number].add(bool(value))
            elif len(self.attributes[number]) < 60:
                self.attributes[number].update(a for a in getattr(value, "__dict__", ()) if not a.startswith("__"))
        return value

    def compare(self, number: int, name: str, left: Any, right: Any) -> Any:
        """Compare, and note how the sides stand."""
        result = getattr(operator, name)(left, right)
        if self.count[number] < ENOUGH * 5:
            self.count[number] += 1
            self.types[number].add(type(result).__name__)
            if isinstance(result, bool):
                self.truths[number].add(result)
            try:
                sign = "eq" if left == right else "lt" if left < right else "gt"
            except Exception:  # noqa: BLE001 - comparing the project's objects may raise anything
                sign = "ne"
            self.signs[number].add(sign)
        return result

    def observed(self, span: range) -> Observed:
        """Return the notes of one file, whose places have these numbers, by place."""
        return (
            {self.keys[n]: self.types[n] for n in span if n in self.types},
            {self.keys[n]: self.signs[n] for n in span if n in self.signs},
            {self.keys[n]: self.truths[n] for n in span if n in self.truths},
            {self.keys[n]: self.attributes[n] for n in span if n in self.attributes},
        )


def instrument(content: bytes, first: int = 0) -> tuple[ast.Module, list[Key]]:
    """Parse a file and wrap its expressions; returns the tree and the place of each wrapped one.

    They are numbered from `first` on.
    """
    transformer = Instrument(first)
    tree: ast.Module = transformer.visit(ast.parse(content))
    return ast.fix_missing_locations(tree), transformer.keys
