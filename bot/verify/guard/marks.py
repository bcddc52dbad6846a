"""Decorators of tests and fixtures: which cases a test is run with, and what may keep it from running."""

import ast
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from bot.verify.guard.normal import Function, Writer

Kind: TypeAlias = Literal["cases", "silencer", "mark", "example", "fixture", "other"]

SILENCERS = frozenset(
    {"skip", "skipif", "xfail", "skipIf", "skipUnless", "expectedFailure", "skip_if", "importorskip", "SkipTest"}
)
_FIXTURES = ("pytest.fixture", "pytest.yield_fixture", "pytest_asyncio.fixture")


class Mark(NamedTuple):
    """One decorator."""

    kind: Kind
    name: str
    """Dotted, as imported."""
    text: str
    """Normal form of the whole."""
    node: ast.expr


class Cases(NamedTuple):
    """The values that a test is run with, one after another."""

    names: tuple[str, ...]
    values: tuple[str, ...] | None
    """Normal forms; None when they are not written out at this place."""
    rest: str
    """Everything that matters beside them."""
    nodes: tuple[ast.expr, ...] = ()


def read_marks(decorators: Sequence[ast.expr], writer: Writer) -> tuple[Mark, ...]:
    """Read decorators in their order."""
    return tuple(_read(node, writer) for node in decorators)


def dotted(node: ast.expr, writer: Writer) -> str:
    """Write what is called or used, without the arguments."""
    return writer.write(node.func if isinstance(node, ast.Call) else node).lstrip("@%")


def keyword(node: ast.expr, name: str) -> ast.expr | None:
    """Find a keyword argument of a call."""
    found = node.keywords if isinstance(node, ast.Call) else []
    return next((each.value for each in found if each.arg == name), None)


def is_silencing(node: ast.AST, writer: Writer) -> bool:
    """Tell whether something in a node names what skips tests or lets them fail."""
    return any(
        isinstance(part, (ast.Attribute, ast.Name)) and writer.write(part).rpartition(".")[2].lstrip("@%#") in SILENCERS
        for part in ast.walk(node)
    )


def read_cases(mark: Mark, writer: Writer) -> Cases:
    """Read the values of a parametrisation."""
    call = mark.node
    arguments = call.args if isinstance(call, ast.Call) else []
    names = arguments[0] if arguments else keyword(call, "argnames")
    values = arguments[1] if len(arguments) > 1 else keyword(call, "argvalues")
    words = _words(names)
    others = [
        f"{each.arg}={writer.write(each.value)}"
        for each in (call.keywords if isinstance(call, ast.Call) else [])
        if each.arg not in ("ids", "argnames", "argvalues")
    ]
    if not isinstance(values, (ast.List, ast.Tuple)) or any(isinstance(each, ast.Starred) for each in values.elts):
        return Cases(words, None, f"{writer.write(values)}{others}")
    nodes = tuple(_plain(each, writer) for each in values.elts)
    return Cases(words, tuple(_case(each, writer, several=len(words) > 1) for each in nodes), str(others), nodes)


def values_of(node: ast.expr, count: int) -> tuple[ast.expr, ...] | None:
    """Take one case apart, into as many values as there are names; None when it cannot be."""
    if count == 1:
        return (node,)
    if isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) == count:
        return tuple(node.elts)
    return None


def requested(function: Function) -> Iterator[str]:
    """Name the fixtures that a function asks for without having a parameter of their name."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            yield from named_fixtures(node)


def named_fixtures(call: ast.Call) -> Iterator[str]:
    """Name the fixtures that a call asks for by their names."""
    if getattr(call.func, "attr", "") in ("usefixtures", "getfixturevalue"):
        yield from (each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str))


def _read(node: ast.expr, writer: Writer) -> Mark:
    name = dotted(node, writer)
    last = name.rpartition(".")[2]
    kind: Kind = "other"
    if last == "parametrize" and isinstance(node, ast.Call):
        kind = "cases"
    elif last in SILENCERS:
        kind = "silencer"
    elif name.startswith("pytest.mark."):
        kind = "mark"
    elif name == "hypothesis.example":
        kind = "example"
    elif name in _FIXTURES:
        kind = "fixture"
    return Mark(kind, name, writer.write(node), node)


def _words(node: ast.expr | None) -> tuple[str, ...]:
    match node:
        case ast.Constant(value=str(text)):
            return tuple(word.strip() for word in text.split(",") if word.strip())
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return tuple(str(part.value) for part in parts if isinstance(part, ast.Constant))
        case _:
            return ()


def _plain(node: ast.expr, writer: Writer) -> ast.expr:
    """Take a case out of the call that only gives it an id."""
    if not isinstance(node, ast.Call) or dotted(node, writer) != "pytest.param":
        return node
    if {each.arg for each in node.keywords} - {"id"} or any(isinstance(each, ast.Starred) for each in node.args):
        return node
    return node.args[0] if len(node.args) == 1 else ast.Tuple(elts=node.args, ctx=ast.Load())


def _case(node: ast.expr, writer: Writer, *, several: bool) -> str:
    if several and isinstance(node, (ast.Tuple, ast.List)):
        return f"({','.join(map(writer.write, node.elts))})"
    return writer.write(node)
