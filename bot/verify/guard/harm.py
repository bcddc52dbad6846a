"""Code that reaches beyond its own test: replaces parts of what others use, or ends what runs them."""

import ast
import re
from collections.abc import Iterator

from bot.verify.guard.normal import FUNCTIONS, bound_by
from bot.verify.guard.words import show

_HARMLESS = frozenset({"sys.argv", "sys.stdin", "sys.stdout", "sys.stderr"})
_ENVIRONMENT = ("PYTEST", "PYTHON", "GIT_AGENT", "COVERAGE", "HYPOTHESIS")
_CALLS = frozenset(
    {"exec", "execfile", "_exit", "abort", "_getframe", "currentframe", "settrace", "setprofile", "reload", "setattr",
     "delattr", "__setattr__", "__delattr__", "get_referrers", "get_objects", "addaudithook"}
)  # fmt: skip
_ENDINGS = frozenset({"atexit.register", "pytest.exit", "os.execv", "os.execve", "sys.exit"})
_FETCHING = frozenset({"globals", "vars", "__import__", "import_module", "getmodule"})
_STOPPED = re.compile(r"addCleanup\([\w.]+\.stop\)|enterContext\(|\.undo\b|MonkeyPatch\.context\(")
_NAMESPACE = re.compile(r"(?:__dict__|__builtins__|builtins|globals\(\)|vars\(.*\))")
_CHANGING = frozenset({"insert", "append", "extend", "update", "pop", "setdefault", "clear", "remove", "__setitem__"})
_LOADING = ("sys.modules", "sys.path", "sys.meta_path", "sys.path_hooks", "builtins.__dict__")


def imported_names(tree: ast.AST) -> frozenset[str]:
    """List every name that an import binds, at whatever depth."""
    return frozenset(
        name for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom)) for name in bound_by(node)
    )


def harm(node: ast.AST, imported: frozenset[str], *, loading: bool = False) -> str:
    """Say how code reaches beyond itself; empty when it is not seen to. `loading` tells that it runs when loaded."""
    names = imported | imported_names(node)
    names |= _aliases(node, names)
    return next(_harms(node, names, loading=loading), "")


def _harms(node: ast.AST, names: frozenset[str], *, loading: bool) -> Iterator[str]:
    text = ast.unparse(node)
    if not _STOPPED.search(text) and ("MonkeyPatch()" in text or ("patch" in text and ".start()" in text)):
        yield "replaces something and does not put it back"
    for part in ast.walk(node):
        if isinstance(part, (ast.Attribute, ast.Subscript)) and isinstance(part.ctx, (ast.Store, ast.Del)):
            if _is_foreign(part, names):
                yield f"replaces {show(part)}"
        elif isinstance(part, ast.Global) and isinstance(node, FUNCTIONS):
            yield f"binds {', '.join(part.names)} for the whole file"
        elif isinstance(part, ast.Call) and _is_harmful(part, names, loading=loading):
            yield f"calls {show(part)}"


def _aliases(node: ast.AST, names: frozenset[str]) -> set[str]:
    """List the variables that hold something that came from a module, as it is."""
    found: set[str] = set()
    for part in ast.walk(node):
        match part:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
            ):
                found |= {name} if _is_handed_on(value, names | found) else set()
            case ast.For(target=ast.Name(id=name), iter=ast.Tuple(elts=parts) | ast.List(elts=parts)):
                found |= {name} if any(_is_handed_on(each, names | found) for each in parts) else set()
            case _:
                pass
    return found


def _is_handed_on(node: ast.expr, names: frozenset[str]) -> bool:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    if isinstance(node, ast.Call):
        return _called(node) in _FETCHING
    return isinstance(node, ast.Name) and node.id in names


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _is_foreign(target: ast.expr, names: frozenset[str]) -> bool:
    """Tell whether what is assigned to belongs to a module, or to something that came from one."""
    root: ast.expr = target
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        if isinstance(root, ast.Attribute) and root.attr in ("__dict__", "__globals__", "__code__", "__builtins__"):
            return True
        root = root.value
    if isinstance(root, ast.Call):
        return _called(root) in _FETCHING
    if not isinstance(root, ast.Name) or root.id not in names | {"__builtins__", "__builtin__"}:
        return False
    return show(target) not in _HARMLESS and not _is_plain_variable(target)


def _is_plain_variable(target: ast.expr) -> bool:
    """Recognise a variable of the environment that no tool of tests listens to."""
    match target:
        case ast.Subscript(value=ast.Attribute(attr="environ"), slice=ast.Constant(value=str(name))):
            return not name.upper().startswith(_ENVIRONMENT)
        case _:
            return False


def _is_harmful(call: ast.Call, names: frozenset[str], *, loading: bool) -> bool:
    name = ast.unparse(call.func) if isinstance(call.func, (ast.Name, ast.Attribute)) else ""
    last = name.rpartition(".")[2]
    if name in _ENDINGS:
        return loading or name != "sys.exit"
    if last in ("setattr", "delattr"):
        return loading or (name == last and bool(call.args) and _is_from(call.args[0], names))
    owner = name.removesuffix(f".{last}")
    if last in _CHANGING and (owner in _LOADING or _NAMESPACE.search(owner)):
        return True
    if last == "eval":
        return loading
    return last in _CALLS and (last != "reload" or loading or name == "importlib.reload")


def _is_from(node: ast.expr, names: frozenset[str]) -> bool:
    """Tell whether something belongs to a module."""
    return any(isinstance(part, ast.Name) and part.id in names for part in ast.walk(node))
