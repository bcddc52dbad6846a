"""Reads the commands of a noxfile from its syntax tree; nothing of it is run."""

import ast
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from bot.verify.detection.commands import ROOT, UNKNOWN, Named, bare, harmless, join

Words: TypeAlias = tuple[str, ...]
_ROOTS = ("Path(__file__).parent", "Path(__file__).parent.resolve()", "Path.cwd()", "os.getcwd()")


def read_sessions(text: str, file: str) -> Iterator[Named]:
    """List what the sessions run, those that are run by default first."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    constants = _assigned(module.body, {})
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef) and _is_session(node)]
    default = _default(module.body, constants)
    ranked = sorted(functions, key=lambda node: _rank(_name(node), default))
    for node in ranked:
        yield from _session(node, file, constants)


def _rank(name: str, default: Sequence[str]) -> tuple[int, int]:
    return (0 if name.startswith(("test", "unit")) else 1, default.index(name) if name in default else len(default))


def _default(body: Sequence[ast.stmt], constants: Mapping[str, Words]) -> Words:
    for node in body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "nox.options.sessions":
            return _words(node.value, constants)
    return ()


def _is_session(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(found).partition("(")[0] in ("nox.session", "session") for found in node.decorator_list)


def _name(node: ast.FunctionDef) -> str:
    for found in node.decorator_list:
        for keyword in found.keywords if isinstance(found, ast.Call) else ():
            if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                return str(keyword.value.value)
    return node.name


def _session(node: ast.FunctionDef, file: str, outer: Mapping[str, Words]) -> Iterator[Named]:
    constants = _assigned(node.body, outer)
    folder, where = "", f"session {_name(node)}"
    for call in _calls(node):
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        words = tuple(word for argument in call.args for word in _words(argument, constants))
        if method in ("chdir", "cd"):
            folder = join(folder, words[0]) if words else UNKNOWN
        elif method in ("run", "run_always", "run_install") and (argv := bare(words)):
            yield Named(argv, file, where, folder, _variables(call, constants))


def _variables(call: ast.Call, known: Mapping[str, Words]) -> tuple[tuple[str, str], ...]:
    """Return the variables that a command is given."""
    given = next((word.value for word in call.keywords if word.arg == "env"), None)
    if not isinstance(given, ast.Dict):
        return ()
    keys = [_words(key, known) if key is not None else () for key in given.keys]
    pairs = zip(keys, (_words(value, known) for value in given.values), strict=True)
    return harmless((name[0], value[0]) for name, value in pairs if len(name) == len(value) == 1)


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    """Walk to the calls of a function's session in the order in which they stand."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="session" | "s" | "sess"))):
                yield child
            case _:
                pass
        yield from _calls(child)


def _assigned(body: Sequence[ast.stmt], outer: Mapping[str, Words]) -> dict[str, Words]:
    """Collect what names are given whose value can be read."""
    known = dict(outer)
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                known[name] = _words(value, known)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                known[name] = _words(value, known)
            case _:
                pass
    return known


def _words(node: ast.expr, known: Mapping[str, Words]) -> Words:
    """Return the words that an argument stands for; one that is not known is marked."""
    found: Words = (UNKNOWN,)
    match node:
        case ast.Constant(value=value):
            found = (str(value),) if isinstance(value, str | int | float) else ()
        case ast.List(elts=items) | ast.Tuple(elts=items):
            found = tuple(word for item in items for word in _words(item, known))
        case ast.Starred(value=value):
            found = _words(value, known)
        case ast.JoinedStr(values=parts):
            found = ("".join("".join(_words(part, known)) or UNKNOWN for part in parts),)
        case ast.FormattedValue(value=value):
            found = _words(value, known)
        case ast.Name(id=name):
            found = known.get(name, found)
        case ast.Attribute(attr="posargs"):
            found = ()
        case ast.Attribute() | ast.Call() if ast.unparse(node) in _ROOTS:
            found = (ROOT,)
        case ast.Call():
            found = _called(node, known)
        case _:
            found = _chosen(node, known)
    return found


def _chosen(node: ast.expr, known: Mapping[str, Words]) -> Words:
    """Choose what holds when nothing is given on the command line."""
    match node:
        case ast.BoolOp(op=ast.Or(), values=values):
            return _words(values[-1], known)
        case ast.IfExp(orelse=orelse) if "posargs" in ast.unparse(node.test):
            return _words(orelse, known)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return (*_words(left, known), *_words(right, known))
        case _:
            return (UNKNOWN,)


def _called(node: ast.Call, known: Mapping[str, Words]) -> Words:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="split"), args=[]):
            return tuple(text.split())
        case ast.Call(func=ast.Attribute(attr="split"), args=[ast.Constant(value=str(text))]):
            return tuple(_split(text))
        case ast.Call(func=ast.Name(id="str" | "list" | "tuple"), args=[inner]):
            return _words(inner, known)
        case _:
            return (UNKNOWN,)


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return [UNKNOWN]
