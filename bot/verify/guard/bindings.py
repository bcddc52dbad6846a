"""What the statements of a module bind, and which of them do something else."""

import ast
import builtins
from collections.abc import Iterator
from pathlib import PurePosixPath

from bot.verify.guard.normal import bound_by


class Bindings:
    """Sorts the statements of a module by what they do."""

    def __init__(self, path: str) -> None:
        self.imports: dict[str, str] = {}
        self.stars: list[str] = []
        self.bound: set[str] = set()
        self.twice: set[str] = set()
        self.definitions: list[ast.stmt] = []
        self.loose: list[ast.stmt] = []
        self._package = list(PurePosixPath(path).parent.parts)

    def take(self, statement: ast.stmt) -> None:
        """Sort one statement in."""
        match statement:
            case ast.Import() | ast.ImportFrom():
                self._import(statement)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                self._define(name, statement)
            case ast.Assign() | ast.AnnAssign() if (names := constant_names(statement)) is not None:
                for name in names:
                    self._define(name, statement)
            case ast.If() if self._is_for_types(statement):
                pass
            case _:
                self.loose.append(statement)
                self.bound.update(_bound_in(statement))

    def _define(self, name: str, statement: ast.stmt) -> None:
        if name in self.imports:
            self.twice.add(name)
        self.bound.add(name)
        if statement not in self.definitions:
            self.definitions.append(statement)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        origin = "" if isinstance(node, ast.Import) else self._origin(node)
        if origin == "__future__":
            return
        for alias, name in zip(node.names, bound_by(node), strict=True):
            if alias.name == "*":
                self.stars.append(origin)
                continue
            whole = alias.name if alias.asname or origin else name
            self._bind(name, f"{origin}.{whole}" if origin else whole)

    def _bind(self, name: str, target: str) -> None:
        earlier = self.imports.get(name, target)
        if name in self.bound:
            self.twice.add(name)
        self.imports[name] = target if earlier == target else f"{earlier}|{target}"

    def _origin(self, node: ast.ImportFrom) -> str:
        above = self._package[: len(self._package) - node.level + 1] if node.level else []
        return ".".join([*above, *([node.module] if node.module else [])])

    def _is_for_types(self, node: ast.If) -> bool:
        """Recognise what only type checkers read."""
        test, names = node.test, {"TYPE_CHECKING": "typing.TYPE_CHECKING", "typing": "typing"}
        name = test.value if isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING" else test
        if not isinstance(name, ast.Name) or name.id in self.bound or node.orelse:
            return False
        return self.imports.get(name.id) == names.get(name.id, "-") and all(map(self._is_new, node.body))

    def _is_new(self, statement: ast.stmt) -> bool:
        """Tell whether a statement only binds names that mean nothing yet: code can see to it that it is run."""
        match statement:
            case ast.Import() | ast.ImportFrom():
                names: tuple[str, ...] | None = bound_by(statement)
            case ast.Assign() | ast.AnnAssign():
                names = constant_names(statement)
            case _:
                names = None
        return names is not None and not {*names} & {*self.imports, *self.bound, *dir(builtins), "*"}


def constant_names(statement: ast.Assign | ast.AnnAssign) -> tuple[str, ...] | None:
    """List the variables that an assignment binds; None when it binds something else too."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    flat = [part for target in targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
    names = [part.id for part in flat if isinstance(part, ast.Name)]
    inside = any(isinstance(node, ast.NamedExpr) for node in ast.walk(statement))
    return tuple(names) if len(names) == len(flat) and not inside else None


def is_main(node: ast.If) -> bool:
    """Recognise the usual last lines, which start the tests of the file."""
    usual = ("__name__ == '__main__'", ["unittest.main()"])
    return not node.orelse and (ast.unparse(node.test), [ast.unparse(each) for each in node.body]) == usual


def _bound_in(statement: ast.stmt) -> Iterator[str]:
    for node in ast.walk(statement):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Import() | ast.ImportFrom():
                yield from bound_by(node)
            case _:
                pass
