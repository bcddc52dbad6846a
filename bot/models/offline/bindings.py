"""What the names of a file stand for, and how a file gets at something that it does not have yet."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from bot.models.offline.edits import parents
from bot.models.offline.imports import Import
from bot.models.offline.outdated import Target
from bot.models.offline.scopes import own
from bot.models.offline.vocabulary import BUILTINS

Statement: TypeAlias = ast.Import | ast.ImportFrom
VERSIONS = frozenset({"version_info", "PY2", "PY3", "hexversion", "python_version", "PY_VERSION"})
"""Names in the conditions of code that is for one version only."""
EXCUSES = frozenset({"ImportError", "ModuleNotFoundError", "NameError", "AttributeError", "Exception"})
"""What is caught where the other version of something is tried first."""


class Bound(NamedTuple):
    """What one name stands for."""

    dotted: str
    node: Statement
    item: ast.alias

    @property
    def plain(self) -> bool:
        """Whether it is `import a.b`, which binds the first part only."""
        return isinstance(self.node, ast.Import) and not self.item.asname


@dataclass(slots=True)
class Names:
    """The names of one file."""

    tree: ast.Module
    around: dict[ast.AST, ast.AST] = field(init=False)
    bound: dict[str, Bound] = field(init=False)
    """What is imported, by the name that it has here; without names that are imported in two ways."""
    stored: frozenset[str] = field(init=False)
    """Names that the file binds in another way."""
    top: frozenset[str] = field(init=False)
    """Those of them that are assigned outside of functions."""

    def __post_init__(self) -> None:
        self.around = parents(self.tree)
        found: dict[str, set[str]] = {}
        last: dict[str, Bound] = {}
        for name, bound in self._imported():
            found.setdefault(name, set()).add(bound.dotted)
            last[name] = bound
        self.stored = frozenset(_stored(self.tree))
        assigned = (node for node in own(self.tree) if isinstance(node, ast.Name))
        self.top = frozenset(node.id for node in assigned if not isinstance(node.ctx, ast.Load))
        self.bound = {name: last[name] for name, kinds in found.items() if len(kinds) == 1}

    def _imported(self) -> Iterator[tuple[str, Bound]]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for item in node.names:
                    root = item.name.partition(".")[0]
                    yield item.asname or root, Bound(item.name if item.asname else root, node, item)
            if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                for item in node.names:
                    yield item.asname or item.name, Bound(f"{node.module}.{item.name}", node, item)

    def dotted(self, node: ast.AST) -> str:
        """Return the full name of an expression; empty when it is none, or not surely."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.bound or self._shadowed(node):
            return ""
        return ".".join([self.bound[node.id].dotted, *reversed(parts)])

    def _shadowed(self, node: ast.Name) -> bool:
        """Whether a definition around a name gives it another meaning."""
        outer = self.around.get(node)
        while outer is not None:
            if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and node.id in _own(outer):
                return True
            outer = self.around.get(outer)
        return node.id in self.top

    def excused(self, node: ast.AST) -> bool:
        """Whether code is for one version only, or is tried to see whether it works."""
        outer = self.around.get(node)
        while outer is not None:
            if isinstance(outer, ast.If | ast.IfExp) and VERSIONS & _words(outer.test):
                return True
            if isinstance(outer, ast.Try) and any(_excuses(handler) for handler in outer.handlers):
                return True
            outer = self.around.get(outer)
        return False

    def modules(self) -> Iterator[tuple[str, str]]:
        """Give each imported module and how it is written here."""
        for name, bound in self.bound.items():
            if not self.excused(bound.node):
                yield bound.dotted, name
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from ((item.name, item.name) for item in node.names if not item.asname)

    def reach(self, wanted: Target, *, short: bool) -> tuple[str, Import | None] | None:
        """Say how to write something here, and what must be imported for it; None when a name is in the way."""
        if not wanted.module:
            root = wanted.name.partition(".")[0]
            return None if root in self.stored or root in self.bound or root not in BUILTINS else (wanted.name, None)
        known = dict(self.modules())
        if wanted.dotted in known:
            return known[wanted.dotted], None
        if wanted.module in known:
            return f"{known[wanted.module]}.{wanted.name}" if wanted.name else known[wanted.module], None
        if short and wanted.name.isidentifier() and self._free(wanted.name):
            return wanted.name, Import(wanted.module, wanted.name)
        root = wanted.module.partition(".")[0]
        if not self._free(root) and not (root in self.bound and self.bound[root].dotted == root):
            return None
        return wanted.dotted, Import(wanted.module)

    def _free(self, name: str) -> bool:
        return name not in self.stored and name not in self.bound and name not in BUILTINS


def _own(outer: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
    """Return what a function binds other than by an import."""
    args = outer.args
    given = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
    return {arg.arg for arg in given} | {
        node.id for node in ast.walk(outer) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }


def _stored(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case _:
                pass


def _words(node: ast.AST) -> set[str]:
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return names | {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}


def _excuses(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or bool(EXCUSES & _words(handler.type))
