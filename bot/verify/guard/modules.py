"""A Python file taken apart: tests, fixtures, other definitions, imports, and what it does when it is loaded."""

import ast
import dataclasses
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal, TypeAlias

from bot.verify.guard.bindings import Bindings, constant_names
from bot.verify.guard.marks import Mark, named_fixtures, read_marks
from bot.verify.guard.normal import (
    FUNCTIONS,
    Function,
    Reach,
    Writer,
    meaningful,
    parameters,
    scope_of,
)

Role: TypeAlias = Literal["test", "fixture", "function", "class", "suite", "constant", "hook"]

LONGEST = 1_000_000
"""Characters of a file that is read."""
SETTERS = frozenset(
    {
        "setup_module", "teardown_module", "setup_function", "teardown_function", "setUpModule", "tearDownModule",
        "load_tests", "setup", "teardown", "setup_class", "teardown_class", "setup_method", "teardown_method", "setUp",
        "tearDown", "setUpClass", "tearDownClass", "asyncSetUp", "asyncTearDown", "run", "debug", "runTest", "__call__",
        "__init__", "__new__", "__init_subclass__", "__getattribute__", "__getattr__", "__del__",
    }
)  # fmt: skip
"""Functions that act on tests without being asked for."""
SPECIAL = frozenset(
    {"pytestmark", "collect_ignore", "collect_ignore_glob", "pytest_plugins", "__test__", "__path__", "__name__"}
)
"""Variables that are settings."""
_UNTYPED = ("hypothesis.", "unittest.", "staticmethod", "classmethod", "property")
_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.MULTILINE)
_LINE_END = re.compile(r"\r\n|\r|\n")
_UNICODE = frozenset({"utf-8", "utf8"})
_ASCII = frozenset({"ascii", "us-ascii", "latin-1", "latin1", "iso-8859-1"})
"""Encodings that mean the same where nothing but ASCII is written."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Something in a file that has a name."""

    path: str
    name: str
    """Qualified."""
    role: Role
    node: ast.stmt
    shape: str
    """Normal form, in which names say where they come from."""
    classes: tuple[ast.ClassDef, ...] = ()
    """Those around it, outermost first."""
    earlier: str = ""
    """What its name stood for before, when it is bound more than once."""

    @property
    def last(self) -> str:
        """Its name within the class."""
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Module:
    """One version of a file."""

    path: str
    pieces: Mapping[str, Piece]
    imports: Mapping[str, str]
    """Names that imports bind, and what they stand for."""
    stars: frozenset[str]
    loose: tuple[tuple[str, ast.stmt], ...]
    """Normal form of what it does when loaded, beside defining and importing."""
    bound: frozenset[str]
    used: frozenset[str]
    requested: frozenset[str]
    """Names of the fixtures that its tests and fixtures ask for."""
    last_is_loose: bool = False

    def reach(self, name: str) -> str:
        """Say what a name of the module stands for."""
        if name.startswith("@"):
            return name
        if name in self.imports:
            return f"&{self.imports[name]}|{name}" if name in self.bound else f"@{self.imports[name]}"
        return f"#{name}" if name in self.bound else name


def is_test_file(path: str) -> bool:
    """Tell whether tests are collected from a file, as long as nothing else is configured."""
    name = PurePosixPath(path).name
    return name.endswith("_test.py") or (name.startswith("test_") and name.endswith(".py")) or name == "tests.py"


def read(path: str, text: str) -> Module | None:
    """Take a file apart; None when it cannot be read."""
    if len(text) > LONGEST or _is_recoded(text):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.removeprefix("\ufeff"))
        return _take_apart(path, tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def collected(piece: Piece, reach: Reach) -> bool:
    """Tell whether a test is found by a runner of tests, by its name and those of its classes."""
    return piece.last.startswith("test") and all(_is_collected(node, reach) for node in piece.classes)


def uses_self(function: Function) -> bool:
    """Tell whether a method needs the object that it belongs to."""
    first = parameters(function)[:1]
    return any(
        isinstance(node, ast.Name) and node.id in ("super", "__class__", *(each.arg for each in first))
        for statement in function.body
        for node in ast.walk(statement)
    )


def _is_collected(node: ast.ClassDef, reach: Reach) -> bool:
    writer = Writer(reach)
    if any(writer.write(base).rpartition(".")[2].endswith("TestCase") for base in node.bases):
        return True
    methods = {each.name for each in node.body if isinstance(each, FUNCTIONS)}
    return node.name.startswith("Test") and not methods & {"__init__", "__new__"}


def _is_recoded(text: str) -> bool:
    """Tell whether the bytes of a file mean something else to Python than to us."""
    # Not `splitlines`, which ends lines where Python does not
    head = "\n".join(_LINE_END.split(text, maxsplit=2)[:2])
    plain = _UNICODE | _ASCII if text.isascii() else _UNICODE
    return any(found.lower().replace("_", "-") not in plain for found in _COOKIE.findall(head))


def _take_apart(path: str, tree: ast.Module) -> Module:
    bindings = Bindings(path)
    for statement in meaningful(tree.body):
        bindings.take(statement)
    names = frozenset(
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )
    module = Module(
        path=path,
        pieces={},
        imports=bindings.imports,
        stars=frozenset(bindings.stars),
        loose=(),
        bound=frozenset(bindings.bound),
        used=names,
        requested=frozenset(_requests(tree)),
    )
    writer = Writer(module.reach)
    pieces: dict[str, Piece] = {}
    for statement in bindings.definitions:
        for piece in _pieces(statement, module, ()):
            known = pieces.get(piece.name)
            pieces[piece.name] = _over(known.shape if known is not None else "", piece)
    for name in bindings.twice & pieces.keys():
        pieces[name] = _over(f"@{bindings.imports[name]}", pieces[name])
    loose = tuple((writer.write(statement), statement) for statement in bindings.loose)
    last = bool(bindings.loose) and bindings.loose[-1] is tree.body[-1]
    return dataclasses.replace(module, pieces=pieces, loose=loose, last_is_loose=last)


def _requests(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            yield from (parameter.arg for parameter in parameters(node))
        elif isinstance(node, ast.Call):
            yield from named_fixtures(node)


def _over(earlier: str, piece: Piece) -> Piece:
    """Keep in a piece that something else had its name before it."""
    told = f"{earlier}{piece.earlier}"
    return dataclasses.replace(piece, earlier=told, shape=f"{told} then {piece.shape}") if told else piece


def _pieces(statement: ast.stmt, module: Module, classes: tuple[ast.ClassDef, ...]) -> Iterator[Piece]:
    prefix = "".join(f"{node.name}." for node in classes)
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            shape = shape_of(statement, module.reach)
            yield Piece(module.path, f"{prefix}{name}", _role(statement, module), statement, shape, classes)
        case ast.ClassDef(name=name) if _is_suite(statement):
            shape = header_of(statement, module.reach)
            yield Piece(module.path, f"{prefix}{name}", "suite", statement, shape, classes)
            for inner in meaningful(statement.body):
                if isinstance(inner, (*FUNCTIONS, ast.ClassDef)):
                    yield from _pieces(inner, module, (*classes, statement))
        case ast.ClassDef(name=name):
            shape = Writer(module.reach).write(statement)
            yield Piece(module.path, f"{prefix}{name}", "class", statement, shape, classes)
        case ast.Assign() | ast.AnnAssign():
            shape = Writer(module.reach).write(statement)
            for name in constant_names(statement) or ():
                yield Piece(module.path, name, "constant", statement, shape, classes)
        case _:
            pass


def shape_of(function: Function, reach: Reach, *, rename: bool = True, alone: bool = False) -> str:
    """Write a function in its normal form, without its name; `alone` leaves out the object of a method."""
    outer, inner = Writer(reach), Writer(reach, scope_of(function, rename=rename))
    arguments = function.args if not alone else alone_of(function)
    marks = sorted(mark.text for mark in read_marks(function.decorator_list, outer) if mark.kind == "cases")
    others = [mark.text for mark in read_marks(function.decorator_list, outer) if mark.kind != "cases"]
    kind = type(function).__name__
    if any(map(_reads_annotations, read_marks(function.decorator_list, outer))):
        others += [f"{each.arg}:{outer.write(each.annotation)}" for each in parameters(function)]
    left_out = function.args.args[:1] if alone else []
    returned = "".join(map(outer.annotation, (*(each.annotation for each in left_out), function.returns)))
    return f"{kind}{marks}{others}({outer.write(arguments)}{returned}){inner.body(function.body)}"


def alone_of(function: Function) -> ast.arguments:
    """List the parameters of a method as if it were a function."""
    told = function.args
    return ast.arguments(**{**dict(ast.iter_fields(told)), "args": told.args[1:]})


def header_of(node: ast.ClassDef, reach: Reach) -> str:
    """Write what a class says beside its methods."""
    writer = Writer(reach)
    return (
        f"{writer.write(node.decorator_list)}({writer.write(node.bases)},{writer.write(node.keywords)})"
        f"{writer.body(attributes(node))}"
    )


def attributes(node: ast.ClassDef) -> Sequence[ast.stmt]:
    """List the statements of a class that define neither a method nor a class."""
    return [each for each in meaningful(node.body) if not isinstance(each, (*FUNCTIONS, ast.ClassDef))]


def _reads_annotations(mark: Mark) -> bool:
    """Tell whether a decorator may do something with the annotations of a function."""
    return "Ellipsis" in mark.text or (mark.kind == "other" and not mark.name.startswith(_UNTYPED))


def _is_suite(node: ast.ClassDef) -> bool:
    return node.name.startswith("Test") or any(
        (isinstance(each, FUNCTIONS) and each.name.startswith("test"))
        or (isinstance(each, ast.ClassDef) and _is_suite(each))
        for each in node.body
    )


def _role(function: Function, module: Module) -> Role:
    if any(mark.kind == "fixture" for mark in read_marks(function.decorator_list, Writer(module.reach))):
        return "fixture"
    if function.name.startswith("pytest_") or function.name in SETTERS:
        return "hook"
    return "test" if function.name.startswith("test") else "function"
