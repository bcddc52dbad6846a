"""The normal form of code: two pieces that ask the same read the same, however they are laid out."""

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Reach: TypeAlias = Callable[[str], str]
"""Says what a name that a function does not bind itself stands for."""

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
HARMLESS_CALLS = frozenset(
    {"abs", "all", "any", "bool", "dict", "enumerate", "float", "format", "frozenset", "hasattr", "int", "isinstance",
     "issubclass", "join", "len", "list", "max", "min", "range", "repr", "round", "set", "sorted", "str", "sum",
     "tuple", "type", "zip"}
)  # fmt: skip
"""Functions that change nothing and end nothing."""
_DEFINITIONS = (*FUNCTIONS, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SILENT = frozenset({"ctx", "kind", "type_comment", "annotation", "returns", "type_ignores", "simple"})
_LOOKING = frozenset({"locals", "eval", "exec", "vars", "globals", "dir"})
"""Where one of these is called, the names of local variables are no matter of taste."""


class Scope(NamedTuple):
    """The names that a function binds."""

    own: frozenset[str] = frozenset()
    """Variables that could have any other name."""
    local: frozenset[str] = frozenset()
    nested: frozenset[str] = frozenset()
    """Bound only in a part of the function, such as a comprehension."""


class Writer:
    """Writes nodes in their normal form, without docstrings, messages, layout and annotations that only annotate."""

    def __init__(self, reach: Reach, scope: Scope = Scope()) -> None:  # noqa: B008 - a scope cannot be changed
        self._reach = reach
        self._scope = scope
        self._numbers: dict[str, int] = {}

    def write(self, node: object) -> str:
        """Write a node, a list of nodes or a plain value."""
        match node:
            case ast.Name(id=name):
                return self._name(name)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Constant(value=value):
                return f"={value!r}"
            case ast.ExceptHandler(type=kind, name=name, body=body):
                return f"except({self.write(kind)},{self._name(name) if name else ''},{self.body(body)})"
            case ast.AST():
                return self._node(node)
            case _:
                return f"[{','.join(map(self.write, node))}]" if isinstance(node, list) else repr(node)

    def body(self, statements: Sequence[ast.stmt]) -> str:
        """Write statements, without those that do nothing."""
        return f"[{';'.join(map(self.write, meaningful(statements)))}]"

    def annotation(self, node: ast.expr | None) -> str:
        """Write an annotation that does something where it stands; nothing of one that only tells a type."""
        return f":{self.write(node)}" if node is not None and _calls(node) else ""

    def _node(self, node: ast.AST) -> str:
        match node:
            case ast.Assert(test=test, msg=msg):
                told = self.write(msg) if msg is not None and _acts(msg) else ""
                return f"assert({self.write(test)}{told})"
            case ast.AnnAssign(target=target, value=value, annotation=told):
                return f"Assign([{self.write(target)}],{self.write(value)}){self.annotation(told)}"
            case ast.arg(annotation=told) | ast.FunctionDef(returns=told) | ast.AsyncFunctionDef(returns=told):
                return f"{self._fields(node)}{self.annotation(told)}"
            case ast.Call(func=called, args=[_, value], keywords=[]) if self.write(called) == "@typing.cast":
                return self.write(value)
            case ast.ClassDef() if node.bases or node.decorator_list:
                return f"{self._fields(node)}{list(_annotated(node))}"
            case _:
                return self._fields(node)

    def _fields(self, node: ast.AST) -> str:
        found = [
            self.body(value) if _is_body(name, value) else self.write(value)
            for name, value in ast.iter_fields(node)
            if name not in _SILENT
        ]
        return f"{type(node).__name__}({','.join(found)})"

    def _name(self, name: str) -> str:
        if name in self._scope.own:
            return f"${self._numbers.setdefault(name, len(self._numbers))}"
        if name in self._scope.local:
            return f"%{name}"
        reached = self._reach(name)
        return f"%{reached}" if name in self._scope.nested else reached

    def _attribute(self, node: ast.Attribute) -> str:
        """Write a dotted name as one, so that it does not matter how its beginning was imported."""
        whole = self.write(node.value)
        if whole.startswith("@"):
            return self._reach(f"{whole}.{node.attr}")
        return f"{whole}.{node.attr}"


def meaningful(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Leave out statements that do nothing; a docstring that holds a doctest does something."""
    return [statement for statement in statements if not _is_idle(statement)]


def parameters(function: Function | ast.Lambda) -> tuple[ast.arg, ...]:
    """List all parameters of a function."""
    told = function.args
    starred = [extra for extra in (told.vararg, told.kwarg) if extra is not None]
    return (*told.posonlyargs, *told.args, *told.kwonlyargs, *starred)


def scope_of(function: Function, *, rename: bool = True) -> Scope:
    """Tell which names a function binds; without `rename` all of them keep their names."""
    found = _Bound()
    for statement in function.body:
        found.visit(statement)
    arguments = {parameter.arg for parameter in parameters(function)}
    fixed = arguments | found.fixed - found.foreign
    own = found.own - fixed - found.nested - found.foreign
    if not rename or found.read & _LOOKING:
        own, fixed = set(), fixed | own | (found.own - found.foreign)
    both = found.own & found.nested - found.foreign
    return Scope(frozenset(own), frozenset(fixed | both), frozenset(found.nested - fixed - both))


class _Bound(ast.NodeVisitor):
    """Collects what the statements of one function bind."""

    def __init__(self) -> None:
        self.own: set[str] = set()
        self.fixed: set[str] = set()
        self.nested: set[str] = set()
        self.foreign: set[str] = set()
        """Declared to belong to the module or to a function around."""
        self.read: set[str] = set()

    def visit(self, node: ast.AST) -> None:
        """Collect the names of a node and of what is in it."""
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                self.read.add(name)
            case ast.Name(id=name):
                self.own.add(name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                self.foreign.update(names)
            case ast.Import() | ast.ImportFrom():
                self.fixed.update(bound_by(node))
            case ast.ExceptHandler(name=str(name)):
                self.own.add(name)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                self.fixed.add(name)
            case _:
                pass
        if isinstance(node, (*_DEFINITIONS, *_COMPREHENSIONS, ast.Lambda)):
            self._enter(node)
        else:
            self.generic_visit(node)

    def _enter(self, node: ast.AST) -> None:
        """Collect the names of something that has a scope of its own."""
        if isinstance(node, _DEFINITIONS):
            self.fixed.add(node.name)
        if isinstance(node, (*FUNCTIONS, ast.Lambda)):
            self.nested.update(parameter.arg for parameter in parameters(node))
        inner = _Bound()
        for child in ast.iter_child_nodes(node):
            inner.visit(child)
        self.nested |= inner.own | inner.fixed | inner.nested
        self.foreign |= inner.foreign
        self.read |= inner.read


def bound_by(node: ast.Import | ast.ImportFrom) -> tuple[str, ...]:
    """List the names that an import binds."""
    whole = isinstance(node, ast.Import)
    return tuple(alias.asname or (alias.name.partition(".")[0] if whole else alias.name) for alias in node.names)


def _acts(message: ast.expr) -> bool:
    """Tell whether the message of an assertion does something, such as skipping the test."""
    calls = (node for node in ast.walk(message) if isinstance(node, ast.Call))
    acting = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
    return any(isinstance(node, acting) for node in ast.walk(message)) or any(
        getattr(call.func, "attr", getattr(call.func, "id", "")) not in HARMLESS_CALLS for call in calls
    )


def _calls(annotation: ast.expr) -> bool:
    """Tell whether an annotation runs something beside looking up names."""
    acting = (ast.Call, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
    return any(isinstance(part, acting) for part in ast.walk(annotation))


def _annotated(node: ast.ClassDef) -> Iterator[str]:
    """List the annotated attributes of a class, which make the fields of a dataclass and its like."""
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield f"{statement.target.id}:{ast.dump(statement.annotation)}"


def _is_body(name: str, value: object) -> bool:
    return name in ("body", "orelse", "finalbody") and isinstance(value, list)


def _is_idle(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass():
            return True
        case ast.Expr(value=ast.Constant(value=str(text))):
            return ">>>" not in text
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.AnnAssign(target=ast.Name(), value=None, annotation=told):
            return not _calls(told)
        case _:
            return False
