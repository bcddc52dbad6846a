"""What a test demands, statement by statement, and whether it demands less than before."""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from bot.core.proof import ChangeKind
from bot.verify.guard.difference import tell_statements
from bot.verify.guard.laxer import laxer
from bot.verify.guard.marks import SILENCERS, dotted
from bot.verify.guard.normal import FUNCTIONS, Function, Writer, meaningful
from bot.verify.guard.words import show

Leaving: TypeAlias = Literal["", "silenced", "weakened"]
Found: TypeAlias = tuple[ChangeKind, str]

_ASKING = ("assert", "fail", "expect", "check", "verify", "ensure", "should", "must", "validate")
_EXPECTING = frozenset(
    {"raises", "warns", "deprecated_call", "assertRaises", "assertRaisesRegex", "assertWarns", "assertWarnsRegex",
     "assertLogs", "assertNoLogs"}
)  # fmt: skip
_LEAVING = frozenset({"exit", "_exit", "xfail", "skip", "skipTest", "importorskip", "abort"})


class Demand(NamedTuple):
    """One assertion, and what it stands below."""

    text: str
    """Normal form."""
    context: tuple[str, ...]
    node: ast.stmt | ast.expr
    around: tuple[str, ...] = ()
    """The context as a person reads it."""
    inside: tuple[ast.stmt, ...] = ()
    """What is to fail in the way that it demands."""


def demands(function: Function, writer: Writer) -> list[Demand]:
    """List what a function demands, in order."""
    return list(_within(function.body, writer, (), ()))


def weaker(before: Function, after: Function, old: Writer, new: Writer) -> Found | None:
    """Say how a test demands less than before; None when nothing tells so."""
    earlier, later = demands(before, old), demands(after, new)
    leaving = Counter(_leaving(after)) - Counter(_leaving(before))
    if leaving:
        told, kind = next(iter(leaving))
        return kind, f"leaves early: {told}"
    if earlier and not later:
        return "weakened", "asserts nothing any more"
    return _compare(earlier, later)


def _compare(earlier: Sequence[Demand], later: Sequence[Demand]) -> Found | None:
    kept = Counter((each.text, each.context) for each in later)
    lost: list[Demand] = []
    for each in earlier:
        if kept[each.text, each.context] > 0:
            kept[each.text, each.context] -= 1
        else:
            lost.append(each)
    spare: list[Demand] = []
    for each in reversed(later):  # the last ones of a kind are the new ones
        if kept[each.text, each.context] > 0:
            kept[each.text, each.context] -= 1
            spare.insert(0, each)
    found = list(_explain(lost, spare))
    return next((each for each in found if each[0] == "weakened"), found[0] if found else None)


def _explain(lost: Sequence[Demand], spare: list[Demand]) -> Iterator[Found]:
    for each in lost:
        other = _partner(each, spare)
        if other is None:
            yield "weakened", f"no longer asks: {show(each.node)}"
            continue
        spare.remove(other)
        if other.text == each.text:
            yield _moved(each, other)
        elif reason := laxer(each.node, other.node):
            yield "weakened", f"{reason}: {show(each.node)} became {show(other.node)}"
        elif ast.dump(each.node) == ast.dump(other.node) and each.inside:
            yield "altered", f"below `{show(each.node)}`: {tell_statements(each.inside, other.inside)}"
        else:
            yield "altered", f"{show(each.node)} became {show(other.node)}"


def _partner(lost: Demand, spare: Sequence[Demand]) -> Demand | None:
    """Find what an assertion became: the same elsewhere, or one about the same thing, or else the next."""
    about = ast.dump(subject(lost.node))
    return (
        next((each for each in spare if each.text == lost.text), None)
        or next((each for each in spare if ast.dump(subject(each.node)) == about), None)
        or next(iter(spare), None)
    )


def subject(node: ast.AST) -> ast.AST:
    """Tell what an assertion is about: the left side of a comparison, the first argument of a call."""
    match node:
        case ast.Assert(test=ast.Compare(left=left)):
            return left
        case ast.Assert(test=ast.UnaryOp(operand=inner)) | ast.Assert(test=inner):
            return subject(inner) if isinstance(inner, ast.Call) and _asks(inner) else inner
        case ast.Expr(value=ast.Call() as call):
            return subject(call)
        case ast.Call(args=[first, *_]) if not isinstance(first, ast.Compare):
            return first
        case _:
            return node


def _moved(before: Demand, after: Demand) -> Found:
    here = next((each for each in after.around if each not in before.around), "")
    gone = next((each for each in before.around if each not in after.around), "")
    if here and gone and len(before.around) == len(after.around):
        return "altered", f"`{gone}` became `{here}`: {show(after.node)}"
    if here:
        return "weakened", f"is now below `{here}`: {show(after.node)}"
    return "altered", f"is no longer below `{' / '.join(before.around)}`: {show(after.node)}"


def _within(
    statements: Sequence[ast.stmt], writer: Writer, context: tuple[str, ...], around: tuple[str, ...]
) -> Iterator[Demand]:
    for statement in meaningful(statements):
        if isinstance(statement, (ast.Assert, ast.Raise)) or _is_asking(statement):
            yield Demand(writer.write(statement), context, statement, around)
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            yield from _expected(statement, writer, context, around)
        for words, label, inner in _blocks(statement, writer):
            yield from _within(inner, writer, (*context, words), (*around, label))


def _expected(
    statement: ast.With | ast.AsyncWith, writer: Writer, context: tuple[str, ...], around: tuple[str, ...]
) -> Iterator[Demand]:
    body = writer.body(statement.body)
    for item in statement.items:
        call = item.context_expr
        if isinstance(call, ast.Call) and dotted(call, writer).rpartition(".")[2] in _EXPECTING:
            yield Demand(f"{writer.write(call)}{body}", context, call, around, tuple(statement.body))


def _blocks(statement: ast.stmt, writer: Writer) -> Iterator[tuple[str, str, Sequence[ast.stmt]]]:
    """List the blocks in a statement, with their headers in normal form and for a person."""
    header, label = _header(statement, writer)
    for name in ("body", "orelse", "finalbody"):
        inner = getattr(statement, name, None)
        if inner:
            mark = "" if name == "body" else f"{name} of "
            yield f"{mark}{header}", f"{mark}{label}", inner
    for handler in getattr(statement, "handlers", ()):
        words = f"except {show(handler.type)}" if handler.type is not None else "except"
        yield f"{header} {writer.write(handler.type)}", words, handler.body
    for case in getattr(statement, "cases", ()):
        yield f"{header} {writer.write(case.pattern)}{writer.write(case.guard)}", label, case.body


def _header(statement: ast.stmt, writer: Writer) -> tuple[str, str]:
    kind = type(statement).__name__.removeprefix("Async").lower()
    match statement:
        case ast.If(test=told) | ast.While(test=told) | ast.Match(subject=told):
            return f"{kind} {writer.write(told)}", f"{kind} {show(told)}"
        case ast.For(target=target, iter=values) | ast.AsyncFor(target=target, iter=values):
            return f"for {writer.write(target)} {writer.write(values)}", f"for {show(target)} in {show(values)}"
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return f"with {writer.write(items)}", f"with {', '.join(map(show, items))}"
        case ast.Try(handlers=handlers) | ast.TryStar(handlers=handlers):
            return f"try {[writer.write(each) for each in handlers]}", "try"
        case _:
            name = getattr(statement, "name", "")
            return f"{kind} {name}", f"def {name}"


def _is_asking(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value.value if isinstance(statement.value, ast.Await) else statement.value
    return isinstance(value, ast.Call) and _asks(value)


def _asks(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name.lstrip("_").lower().startswith(_ASKING) or name in _EXPECTING


def _leaving(function: Function) -> Iterator[tuple[str, Literal["silenced", "weakened"]]]:
    """List what ends a test before its end."""
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
            continue
        if isinstance(node, (ast.Return, ast.Continue, ast.Break)):
            yield type(node).__name__.lower(), "weakened"
        elif isinstance(node, ast.Call) or (isinstance(node, ast.Raise) and node.exc is not None):
            called = node.func if isinstance(node, ast.Call) else node.exc
            name = getattr(called, "attr", getattr(called, "id", "")) if called is not None else ""
            if name in _LEAVING or name in SILENCERS:
                yield show(node), "silenced"
        waiting += ast.iter_child_nodes(node)
