"""What a Python file imports, by name and as far as it can be told without running it."""

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

WILD = frozenset({"runpy", "subprocess", "multiprocessing", "pexpect", "pkgutil", "importlib.util"})
"""Modules with which a file may run code that its own imports do not name."""
ANY = "*"
"""Stands for the rest of a name that is only known when the file runs."""
_LOADERS = frozenset({"import_module", "__import__"})
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<dots>\.*)(?P<origin>[\w.]*)[ \t]+import[ \t]+\(?(?P<names>[\w*,. \t]*)"
    r"|import[ \t]+(?P<modules>[\w., \t]+))",
    re.MULTILINE,
)
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z")
_NAMED = re.compile(r"[\w./-]*\.pyi?\Z")


@dataclass(frozen=True, slots=True)
class Imports:
    """What one file names."""

    modules: frozenset[str]
    """Dotted names: of modules, and of what is imported from them; with a star behind the start of many."""
    strings: frozenset[str]
    """Dotted names and Python files that stand in strings."""
    wild: bool
    """Whether it may run code that it does not name."""


def read_imports(source: bytes, path: str) -> Imports:
    """Read the imports of a file; `path` is what relative ones start from."""
    package = path.split("/")[:-1]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _guess(source.decode("utf-8", "replace"), package)
    nodes = list(ast.walk(tree))
    modules = frozenset(name for node in nodes for name in _modules(node, package))
    words = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    strings = frozenset(word for word in words if _DOTTED.match(word) or _NAMED.match(word))
    return Imports(modules, strings, wild=_is_wild(modules) or any(map(_imports_by_name, nodes)))


def _modules(node: ast.AST, package: list[str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from _from("." * node.level, node.module or "", [alias.name for alias in node.names], package)
    elif isinstance(node, ast.Call) and node.args and _called(node.func) in _LOADERS:
        yield from _computed(node.args[0], package)


def _called(function: ast.expr) -> str:
    return getattr(function, "attr", "") or getattr(function, "id", "")


def _computed(name: ast.expr, package: list[str]) -> Iterator[str]:
    """Name what may be loaded under a name that is put together: all that begins so, or lies beside or below."""
    if isinstance(name, ast.Constant):
        return
    start = _begin(name)
    own = ".".join(package)
    if not start or start.startswith("."):
        # A package at the top would be everything
        start = f"{own}{start}" if start else f"{own}."
    if start.strip("."):
        yield f"{start.lstrip('.')}{ANY}"


def _begin(name: ast.expr) -> str:
    """Return the text that an expression begins with, as far as it stands there."""
    while isinstance(name, (ast.BinOp, ast.JoinedStr, ast.Call)):
        if isinstance(name, ast.BinOp):
            name = name.left
        elif isinstance(name, ast.Call):
            name = name.func.value if isinstance(name.func, ast.Attribute) else ast.Constant("")
        else:
            name = name.values[0] if name.values else ast.Constant("")
    text = name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else ""
    return re.split(r"[%{]", text)[0]


def _from(dots: str, origin: str, names: list[str], package: list[str]) -> Iterator[str]:
    above = package[: len(package) - len(dots) + 1] if dots else []
    start = ".".join([*above, *filter(None, [origin])])
    yield from (f"{start}.{name}".lstrip(".") if name != "*" else start for name in names)


def _is_wild(modules: frozenset[str]) -> bool:
    loaders = ("importlib", "importlib.import_module")
    return any(name in loaders or name.startswith(tuple(WILD)) for name in modules)


def _imports_by_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in ("__import__", "exec", "testdir", "pytester")


def _guess(text: str, package: list[str]) -> Imports:
    """Read what looks like an import in a file that our own Python cannot parse."""
    found: set[str] = set()
    for match in _IMPORT.finditer(text):
        words = [word.split()[0] for word in (match["names"] or match["modules"] or "").split(",") if word.strip()]
        found |= {*(words if match["modules"] else _from(match["dots"], match["origin"], words, package))}
    return Imports(frozenset(found), frozenset(), wild=True)
