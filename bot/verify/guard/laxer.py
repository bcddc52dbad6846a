"""Ways in which one assertion asks less than another."""

import ast
from collections.abc import Callable, Iterator

_TOLERANCES = ("approx", "isclose")
_WIDER = ("rel", "abs", "delta", "rel_tol", "abs_tol", "rtol", "atol", "places", "decimal", "significant")
_TRUTH = frozenset({"assertTrue", "assertFalse", "assertIsNotNone", "assertIsNone", "assertIsInstance", "assertIn"})
_BROAD = frozenset({"Exception", "BaseException", "object"})
_MATCHING = frozenset({"match", "check", "expected_regex"})


def laxer(before: ast.AST, after: ast.AST) -> str:
    """Say how one assertion asks less than another; empty when nothing tells so."""
    reasons: tuple[Callable[[ast.AST, ast.AST], str], ...] = (
        _always, _tolerance, _raises, _method, _comparison, _logic
    )  # fmt: skip
    old, new = _asked(before), _asked(after)
    if (
        isinstance(before, ast.Assert)
        and isinstance(after, ast.Expr)
        and _name(getattr(new, "func", new)) not in _TRUTH
    ):
        reasons = (_always, _tolerance)  # a function of their own may compare as well
    return next((reason for judge in reasons if (reason := judge(old, new))), "")


def _asked(node: ast.AST) -> ast.AST:
    if isinstance(node, ast.Assert):
        return node.test
    return node.value if isinstance(node, ast.Expr) else node


def _always(before: ast.AST, after: ast.AST) -> str:
    return "is always true" if _is_true(after) and not _is_true(before) else ""


def _is_true(node: ast.AST) -> bool:
    """Recognise what is true whatever the code does."""
    match node:
        case ast.Constant(value=value):
            return bool(value)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return bool(parts)
        case ast.BoolOp(op=how, values=parts):
            return any(map(_is_true, parts)) if isinstance(how, ast.Or) else all(map(_is_true, parts))
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is() | ast.LtE() | ast.GtE()], comparators=[right]):
            return ast.dump(left) == ast.dump(right)
        case ast.Call(func=ast.Attribute(attr=name), args=[first, *rest]):
            same = name in ("assertEqual", "assertIs") and bool(rest) and ast.dump(first) == ast.dump(rest[0])
            return same or (name == "assertTrue" and _is_true(first))
        case _:
            return isinstance(node, ast.Lambda)


def _tolerance(before: ast.AST, after: ast.AST) -> str:
    old, new = dict(_numbers(before)), dict(_numbers(after))
    for name, value in new.items():
        earlier = old.get(name)
        fewer = name in ("places", "decimal", "significant")
        if earlier is not None and (value < earlier if fewer else value > earlier):
            return f"{name} was widened"
        if earlier is None and not fewer:
            return f"allows a difference ({name})"
    if old.keys() - new.keys():
        return "says less about the difference allowed"
    called = {name: _calls(after, name) > _calls(before, name) for name in _TOLERANCES}
    return next((f"{name} instead of equality" for name, more in called.items() if more), "")


def _numbers(node: ast.AST) -> Iterator[tuple[str, float]]:
    for part in ast.walk(node):
        if isinstance(part, ast.keyword) and part.arg in _WIDER:
            number = _number(part.value)
            if number is not None:
                yield part.arg, number
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "assertAlmostEqual" and len(node.args) > 2:  # noqa: PLR2004
        number = _number(node.args[2])
        if number is not None:
            yield "places", number


def _number(node: ast.expr) -> float | None:
    try:
        return float(ast.literal_eval(node))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, OverflowError):
        return None


def _calls(node: ast.AST, name: str) -> int:
    return sum(isinstance(part, ast.Call) and _name(part.func) == name for part in ast.walk(node))


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _raises(before: ast.AST, after: ast.AST) -> str:
    if not (
        isinstance(before, ast.Call) and isinstance(after, ast.Call) and _name(after.func).lower().endswith("raises")
    ):
        return ""
    if {each.arg for each in before.keywords} & _MATCHING - {each.arg for each in after.keywords}:
        return "no longer looks at the message"
    old, new = set(_kinds(before)), set(_kinds(after))
    return "expects any error" if new & _BROAD - old or new > old else ""


def _kinds(call: ast.Call) -> Iterator[str]:
    for first in call.args[:1]:
        for part in first.elts if isinstance(first, ast.Tuple) else [first]:
            yield _name(part)


def _method(before: ast.AST, after: ast.AST) -> str:
    if not (isinstance(before, ast.Call) and isinstance(after, ast.Call)):
        return ""
    old, new = _name(before.func), _name(after.func)
    if old == new and old.startswith("assert") and len(before.args) == len(after.args) > 1:
        same = ast.dump(before.args[0]) == ast.dump(after.args[0])
        return "expects something else" if same else ""
    return f"{old} became {new}" if old not in _TRUTH and new in _TRUTH else ""


def _comparison(before: ast.AST, after: ast.AST) -> str:
    if not isinstance(before, ast.Compare):
        return ""
    if not isinstance(after, ast.Compare):
        return "no comparison any more" if not isinstance(after, ast.BoolOp) else ""
    if ast.dump(before.left) != ast.dump(after.left):
        return ""
    old, new = [type(op) for op in before.ops], [type(op) for op in after.ops]
    if old != new:
        exact = ast.Eq in old or ast.Is in old
        return "no equality any more" if exact and not (ast.Eq in new or ast.Is in new) else ""
    return "expects something else"


def _logic(before: ast.AST, after: ast.AST) -> str:
    if isinstance(after, ast.BoolOp):
        parts = {ast.dump(part) for part in after.values}
        if isinstance(after.op, ast.Or) and ast.dump(before) in parts:
            return "accepts something else too"
    if isinstance(before, ast.BoolOp) and isinstance(before.op, ast.And):
        parts = {ast.dump(part) for part in before.values}
        if ast.dump(after) in parts:
            return "asks for a part only"
    return ""
