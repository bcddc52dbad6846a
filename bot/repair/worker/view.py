"""A source file beside what was observed of it: what the templates work with."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import NamedTuple

from bot.repair.worker.facts import Facts
from bot.repair.worker.source import COMPREHENSIONS, DEFINITIONS, FUNCTIONS, Candidate, Edit, Source, key

ATOMS = (
    ast.Name, ast.Constant, ast.Call, ast.Subscript, ast.Attribute, ast.List, ast.ListComp, ast.Dict, ast.Set,
    ast.JoinedStr, ast.DictComp, ast.SetComp,
)  # fmt: skip
LOOSE = (ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Lambda)
OPEN_PARENTS = (ast.stmt, ast.keyword, ast.List, ast.Set, ast.Dict, ast.Slice, ast.Tuple)
QUOTE = re.compile("[\"']")
WHOLE = re.compile(r"[\w.]+(\([\w., ]*\))?")
"""A name, a number, an attribute or a simple call: what needs no parentheses."""
JOINED = re.compile(rb"[\w\])}\"']")
LITERAL_TYPES = {ast.List: "list", ast.ListComp: "list", ast.Compare: "bool", ast.Dict: "dict", ast.JoinedStr: "str"}


class Visible(NamedTuple):
    """A name that may be used at some place."""

    name: str
    types: set[str]
    kind: str
    """local, comprehension, lambda, import, function, class or constant."""

    @property
    def near(self) -> bool:
        """Whether the name is a variable of the function."""
        return self.kind in ("local", "comprehension")


class Material(NamedTuple):
    """What the source of one function is made of."""

    names: tuple[str, ...]
    expressions: dict[str, ast.expr]
    attributes: frozenset[str]
    strings: frozenset[str]
    numbers: frozenset[float]


class View:
    """One file as the templates see it."""

    def __init__(self, source: Source, facts: Facts) -> None:
        self.source = source
        self.facts = facts
        self.module_names = _module_names(source.tree)
        self._materials: dict[ast.AST, Material] = {}
        self._begun: dict[ast.AST, dict[str, set[str]]] = {}
        self._scopes: dict[ast.AST, list[Visible]] = {}
        self._double: bool | None = None
        self.notes: dict[ast.AST, object] = {}
        """What templates worked out about functions, kept for the next one that asks."""

    def replace(self, node: ast.expr, text: str, template: str, prior: float) -> Candidate:
        """Propose other text for an expression."""
        start, end = self.source.span(node)
        if isinstance(node, LOOSE) and self._bracketed(node) and WHOLE.fullmatch(text):
            start, end = start - 1, end + 1
        return Candidate(Edit(self.source.path, start, end, text), template, prior, node.lineno)

    def _bracketed(self, node: ast.expr) -> bool:
        """Whether parentheses around an expression are its own, and stand apart from other words."""
        parent, name = self.source.parents[node]
        if self.content_around(node) != "()" or (isinstance(parent, ast.Call) and name == "args"):
            return False
        start, end = self.source.span(node)
        beside = self.source.content[max(start - 2, 0) : start - 1] + self.source.content[end + 1 : end + 2]
        return not JOINED.search(beside)

    def rewrite(self, span: tuple[int, int], text: str, template: str, prior: float, line: int) -> Candidate:
        """Propose other text for a span of bytes; its line ends become those of the file."""
        text = text.replace("\r\n", "\n").replace("\n", self.source.newline)
        return Candidate(Edit(self.source.path, *span, text), template, prior, line)

    def types(self, node: ast.expr) -> set[str]:
        """Tell the types that an expression had, or those that it must have."""
        seen = self.facts.types.get(key(node))
        if seen:
            return set(seen)
        if isinstance(node, ast.Constant):
            return {type(node.value).__name__}
        literal = LITERAL_TYPES.get(type(node))
        return {literal} if literal else set()

    def spell(self, value: object) -> str:
        """Return the source of a constant, in the quotes that most strings of the file have."""
        text = repr(value)
        if self._double is None:
            strings = [n for n in ast.walk(self.source.tree) if isinstance(n, ast.Constant) and type(n.value) is str]
            quotes = [mark[0] for n in strings if (mark := QUOTE.search(self.text(n)[:3]))]
            self._double = quotes.count('"') > quotes.count("'")
        return f'"{text[1:-1]}"' if self._double and text[0] == "'" and '"' not in text else text

    def text(self, node: ast.AST) -> str:
        """Return the source of a node."""
        return self.source.text(node)

    def atomic(self, node: ast.expr) -> bool:
        """Whether an expression can be an operand as it is written."""
        return isinstance(node, ATOMS) or (isinstance(node, ast.Tuple) and self.text(node).startswith("("))

    def operand(self, node: ast.expr) -> str:
        """Return an expression's source, in parentheses where it needs them under any operator."""
        return self.text(node) if self.atomic(node) else f"({self.text(node)})"

    def side(self, node: ast.expr) -> str:
        """Return the source of one side of an operator, with the parentheses that it may have had."""
        kept = isinstance(node, ast.UnaryOp) and self.content_around(node) == "()"
        return f"({self.text(node)})" if kept or isinstance(node, LOOSE) else self.text(node)

    def content_around(self, node: ast.AST) -> str:
        """Return the characters just before and after a node."""
        start, end = self.source.span(node)
        return (self.source.content[start - 1 : start] + self.source.content[end : end + 1]).decode("ascii", "replace")

    def clause(self, node: ast.expr, operator: str) -> str:
        """Return the source of a condition as part of a longer one."""
        if isinstance(node, ast.BoolOp):
            same = ("and" if isinstance(node.op, ast.And) else "or") == operator
            return self.text(node) if same else f"({self.text(node)})"
        return f"({self.text(node)})" if isinstance(node, (ast.IfExp, ast.Lambda)) else self.text(node)

    def enclose(self, node: ast.expr, text: str) -> str:
        """Put parentheses around new text where the place of the old expression asks for them."""
        parent, name = self.source.parents[node]
        free = isinstance(parent, OPEN_PARENTS) or (isinstance(parent, ast.Call) and name == "args")
        free = free or (isinstance(parent, ast.Subscript) and name == "slice")
        free = free or self._bracketed(node)
        return text if free else f"({text})"

    def arguments(self, call: ast.Call) -> tuple[list[str], list[str]]:
        """Return the source of a call's positional and keyword arguments."""
        named = [f"{k.arg}={self.text(k.value)}" if k.arg else f"**{self.text(k.value)}" for k in call.keywords]
        return [self.text(a) for a in call.args], named

    def renamed(self, node: ast.AST, names: Mapping[str, str]) -> str:
        """Return the source of a node with other names in it."""
        found = [n for n in ast.walk(node) if isinstance(n, ast.Name) and not self.source.formatted(n)]
        start, end = self.source.span(node)
        text, position = b"", start
        for name in sorted(found, key=self.source.span):
            first, last = self.source.span(name)
            text += self.source.content[position:first] + names.get(name.id, name.id).encode()
            position = last
        return (text + self.source.content[position:end]).decode()

    def material(self, node: ast.AST) -> Material:
        """Return what the function around a node is made of."""
        function = node if isinstance(node, FUNCTIONS) else self.source.function(node)
        root = function or self.source.tree
        if root not in self._materials:
            self._materials[root] = _gather(self.source, root)
        return self._materials[root]

    def scope(self, node: ast.AST) -> list[Visible]:
        """List the names that may be used at a node, nearest first."""
        if node not in self._scopes:
            self._scopes[node] = self._look(node)
        return self._scopes[node]

    def variables(self, node: ast.AST) -> list[Visible]:
        """List the variables of the functions and comprehensions around a node."""
        return [visible for visible in self.scope(node) if visible.near]

    def _look(self, node: ast.AST) -> list[Visible]:
        found: dict[str, Visible] = {}
        current = node
        for parent in self.source.ancestors(node):
            name = self.source.field(current)
            if isinstance(parent, COMPREHENSIONS):
                bound = parent.generators
                if isinstance(current, ast.comprehension):
                    bound = bound[: bound.index(current)]
                self._bind(found, parent, [g.target for g in bound])
            elif isinstance(parent, ast.comprehension) and name == "ifs":
                self._bind(found, parent, [parent.target])
            elif isinstance(parent, ast.Lambda):
                for argument in parent.args.args:
                    found.setdefault(argument.arg, Visible(argument.arg, set(), "lambda"))
            elif isinstance(parent, FUNCTIONS):
                seen = self._variables(parent)
                for variable in self.material(parent).names:
                    found.setdefault(variable, Visible(variable, seen.get(variable, set()), "local"))
            current = parent
        for visible in self.module_names:
            found.setdefault(visible.name, visible)
        return list(found.values())

    def _variables(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, set[str]]:
        first = function.decorator_list[0].lineno if function.decorator_list else function.lineno
        seen = self.facts.variables.get(first) or self.facts.variables.get(function.lineno, {})
        if function not in self._begun:
            self._begun[function] = _begun(function)
        return {**self._begun[function], **{name: types for name, types in seen.items() if types}}

    def _bind(self, found: dict[str, Visible], root: ast.AST, targets: list[ast.expr]) -> None:
        for target in targets:
            for name in ast.walk(target):
                if isinstance(name, ast.Name):
                    seen: set[str] = set()
                    for use in ast.walk(root):
                        if isinstance(use, ast.Name) and use.id == name.id:
                            seen |= self.facts.types.get(key(use), set())
                    found.setdefault(name.id, Visible(name.id, seen, "comprehension"))


def _module_names(tree: ast.Module) -> list[Visible]:
    found: list[Visible] = []
    for statement in tree.body:
        if isinstance(statement, FUNCTIONS):
            found.append(Visible(statement.name, {"function"}, "function"))
        elif isinstance(statement, ast.ClassDef):
            found.append(Visible(statement.name, {"type"}, "class"))
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            names = [(alias.asname or alias.name).split(".")[0] for alias in statement.names]
            found += [Visible(name, {"module"}, "import") for name in names]
        elif isinstance(statement, ast.Assign):
            stored = [n for target in statement.targets for n in ast.walk(target)]
            found += [Visible(n.id, set(), "constant") for n in stored if isinstance(n, ast.Name)]
    return found


def _constructed(value: ast.expr) -> str | None:
    """Tell the type that a call of a collection's name makes."""
    name = value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else None
    return name if name in ("set", "list", "dict", "deque", "frozenset", "tuple") else None


def _begun(function: ast.AST) -> dict[str, set[str]]:
    """Tell the types of variables that are set to literals, and of inner functions."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            name = type(node.value.value).__name__ if isinstance(node.value, ast.Constant) else None
            name = name or LITERAL_TYPES.get(type(node.value)) or _constructed(node.value)
            for target in node.targets if name else ():
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, set()).add(str(name))
        elif isinstance(node, FUNCTIONS) and node is not function:
            found.setdefault(node.name, set()).add("function")
    return found


def _bound(root: ast.AST) -> list[str]:
    """List the names that a function binds, in order; inner scopes are left out."""
    names: list[str] = []
    if isinstance(root, FUNCTIONS):
        a = root.args
        extra = [x for x in (a.vararg, a.kwarg) if x]
        names += [x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs, *extra)]
    todo = list(reversed(getattr(root, "body", [])))
    while todo:
        node = todo.pop()
        if isinstance(node, DEFINITIONS):
            names.append(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.append(node.id)
        elif not isinstance(node, (ast.Lambda, *COMPREHENSIONS)):
            todo += reversed(list(ast.iter_child_nodes(node)))
    return list(dict.fromkeys(names))


def _gather(source: Source, root: ast.AST) -> Material:
    expressions: dict[str, ast.expr] = {}
    attributes, strings, numbers = set(), set(), set()
    for node in ast.walk(root):
        if not isinstance(node, ast.expr) or source.formatted(node):
            continue
        if isinstance(node, ast.Attribute):
            attributes.add(node.attr)
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str) and len(node.value) < 20:
                strings.add(node.value)
            elif isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
                numbers.add(node.value)
        if isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and node.lineno == node.end_lineno:
            text = source.text(node)
            if len(text) < 60:
                expressions.setdefault(text, node)
    names = tuple(_bound(root)) if isinstance(root, FUNCTIONS) else ()
    return Material(names, expressions, frozenset(attributes), frozenset(strings), frozenset(numbers))
