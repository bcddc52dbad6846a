"""Decorators before and after: cases more or fewer, and new reasons not to run."""

import ast
import copy
from collections.abc import Iterator, Sequence
from itertools import islice, product

from bot.core.proof import ChangeKind
from bot.verify.guard.marks import Cases, Mark, is_silencing, read_cases, read_marks, values_of
from bot.verify.guard.modules import shape_of
from bot.verify.guard.normal import Function, Reach, Writer, parameters, scope_of
from bot.verify.guard.words import show

MOST = 200
"""Cases of one test that are tried out."""
_PLAIN = (
    ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.Name, ast.Attribute, ast.UnaryOp, ast.unaryop,
    ast.expr_context,
)  # fmt: skip


def compare_marks(before: Function, after: Function, old: Writer, new: Writer) -> tuple[ChangeKind, str] | None:
    """Say what the decorators of a function do now that they did not; None when that is nothing."""
    earlier, later = read_marks(before.decorator_list, old), read_marks(after.decorator_list, new)
    found = [*_fresh(earlier, later, new), *_gone(earlier, later)]
    found += _compare_cases(_cases(earlier, old), _cases(later, new))
    found += _given(before, earlier, later, new)
    if [each.text for each in earlier if each.kind == "other"] != [each.text for each in later if each.kind == "other"]:
        found.append(("altered", f"its decorators are {', '.join(show(each.node) for each in later) or 'gone'}"))
    order: tuple[ChangeKind, ...] = ("silenced", "weakened", "altered", "extended")
    return min(found, key=lambda each: order.index(each[0]), default=None)


def instances(function: Function, reach: Reach) -> Iterator[str]:
    """Write a function in its normal form once for each case that it is run with, as if that were all of it."""
    writer = Writer(reach)
    marks = read_marks(function.decorator_list, writer)
    told = [read_cases(mark, writer) for mark in marks if mark.kind == "cases"]
    names = [name for cases in told for name in cases.names]
    bound = scope_of(function)
    if not told or set(names) & (bound.own | bound.nested) or not set(names) <= {a.arg for a in parameters(function)}:
        return
    for chosen in islice(product(*(cases.nodes for cases in told)), MOST):
        taken = [values_of(node, len(cases.names)) for node, cases in zip(chosen, told, strict=True)]
        values = [value for each in taken if each is not None for value in each]
        if len(values) == len(names) and all(map(_is_plain, values)):
            yield shape_of(_filled(function, dict(zip(names, values, strict=True)), marks), reach)


def _filled(function: Function, values: dict[str, ast.expr], marks: Sequence[Mark]) -> Function:
    filled = copy.deepcopy(function)
    filled.decorator_list = [mark.node for mark in marks if mark.kind != "cases"]
    filled.args.args = [each for each in filled.args.args if each.arg not in values]
    filled.body = [_Filling(values).visit(statement) for statement in filled.body]
    return filled


class _Filling(ast.NodeTransformer):
    """Puts values in the place of names."""

    def __init__(self, values: dict[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace a name."""
        return self._values.get(node.id, node)


def _is_plain(node: ast.expr) -> bool:
    return all(isinstance(part, _PLAIN) for part in ast.walk(node))


def _fresh(earlier: Sequence[Mark], later: Sequence[Mark], new: Writer) -> Iterator[tuple[ChangeKind, str]]:
    known, kept = {each.text for each in earlier}, {each.text for each in later}
    left = [each for each in earlier if each.text not in kept and each.kind == "silencer"]
    for mark in later:
        if mark.text in known or mark.kind == "fixture":
            continue
        old = next((each for each in left if each.name == mark.name), None)
        if mark.kind == "silencer" and old is not None:
            yield "altered", f"@{show(old.node)} became @{show(mark.node)}"
            continue
        if mark.kind == "silencer" or (mark.kind == "other" and is_silencing(mark.node, new)):
            yield "silenced", f"@{show(mark.node)}"
        elif mark.kind == "mark":
            yield "silenced", f"@{show(mark.node)}, by which a run may leave it out"
        elif mark.kind == "example":
            yield "extended", f"@{show(mark.node)}"


def _gone(earlier: Sequence[Mark], later: Sequence[Mark]) -> Iterator[tuple[ChangeKind, str]]:
    kept = {each.text for each in later}
    for mark in earlier:
        if mark.text in kept:
            continue
        if mark.kind == "silencer":
            yield "extended", f"@{show(mark.node)} is gone"
        elif mark.kind == "example":
            yield "weakened", f"@{show(mark.node)} is gone"
        elif mark.kind in ("mark", "fixture"):
            yield "altered", f"@{show(mark.node)} is gone or changed"


def _cases(marks: Sequence[Mark], writer: Writer) -> dict[tuple[str, ...], tuple[Cases, Mark]]:
    found = ((read_cases(mark, writer), mark) for mark in marks if mark.kind == "cases")
    return {cases.names: (cases, mark) for cases, mark in found}


def _compare_cases(
    earlier: dict[tuple[str, ...], tuple[Cases, Mark]], later: dict[tuple[str, ...], tuple[Cases, Mark]]
) -> Iterator[tuple[ChangeKind, str]]:
    for names, (cases, mark) in earlier.items():
        if names not in later:
            yield "weakened", f"no longer runs with @{show(mark.node)}"
            continue
        other, fresh = later[names]
        if cases.rest != other.rest or (cases.values is None) != (other.values is None):
            yield "altered", f"its cases are @{show(fresh.node)}"
        elif cases.values is not None and other.values is not None:
            yield from _compare_values(cases.values, other, fresh)


def _given(
    before: Function, earlier: Sequence[Mark], later: Sequence[Mark], new: Writer
) -> Iterator[tuple[ChangeKind, str]]:
    """Name what a test is given by cases now, and got from a fixture before."""
    known = {name for cases, _ in _cases(earlier, new).values() for name in cases.names}
    asked = {parameter.arg for parameter in parameters(before)} - known
    for cases, mark in _cases(later, new).values():
        if taken := asked.intersection(cases.names):
            yield "altered", f"{', '.join(sorted(taken))} comes from @{show(mark.node)}"


def _compare_values(values: Sequence[str], other: Cases, mark: Mark) -> Iterator[tuple[ChangeKind, str]]:
    assert other.values is not None, "only written values are compared"
    gone = [value for value in values if value not in other.values]
    if gone:
        fresh = [node for node, text in zip(other.nodes, other.values, strict=True) if text not in values]
        silent = next((node for node in fresh if is_silencing(node, Writer(str))), None)
        if silent is not None:
            yield "silenced", show(silent)
        else:
            yield "weakened", f"{len(gone)} cases are gone or changed: @{show(mark.node)}"
    elif len(other.values) > len(values):
        yield "extended", "more cases"
