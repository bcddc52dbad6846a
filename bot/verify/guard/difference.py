"""The first place where two versions of the same code part, as a person reads it."""

import ast
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import TypeAlias

from bot.verify.guard.normal import Function, meaningful
from bot.verify.guard.words import show

Write: TypeAlias = Callable[[ast.AST], str]


def tell_functions(before: Function, after: Function, old: Write, new: Write) -> str:
    """Say where two functions part; empty when they are not seen to."""
    if type(before) is not type(after):
        return f"is {'no coroutine any more' if isinstance(after, ast.FunctionDef) else 'a coroutine now'}"
    if old(before.args) != new(after.args):
        return f"takes ({show(after.args)}) instead of ({show(before.args)})"
    marks = _marks(before, after, old, new)
    return marks or tell_statements(before.body, after.body, old, new)


def tell_statements(
    before: Sequence[ast.stmt], after: Sequence[ast.stmt], old: Write = ast.dump, new: Write = ast.dump
) -> str:
    """Say where two blocks part; empty when they are not seen to."""
    return next(_partings(meaningful(before), meaningful(after), old, new), "")


def _marks(before: Function, after: Function, old: Write, new: Write) -> str:
    was, now = {old(each) for each in before.decorator_list}, {new(each) for each in after.decorator_list}
    come = [f"has @{show(each)} now" for each in after.decorator_list if new(each) not in was]
    gone = [f"has no @{show(each)} any more" for each in before.decorator_list if old(each) not in now]
    return "; ".join((*come, *gone)[:1])


def _partings(before: Sequence[ast.stmt], after: Sequence[ast.stmt], old: Write, new: Write) -> Iterator[str]:
    matcher = SequenceMatcher(None, [*map(old, before)], [*map(new, after)], autojunk=False)
    for tag, start, end, first, last in matcher.get_opcodes():
        if tag == "delete":
            yield f"no longer does: {_head(before[start])}"
        elif tag == "insert":
            yield f"also does: {_head(after[first])}"
        elif tag == "replace":
            yield from _replaced(before[start:end], after[first:last], old, new)


def _replaced(before: Sequence[ast.stmt], after: Sequence[ast.stmt], old: Write, new: Write) -> Iterator[str]:
    was, now = before[0], after[0]
    if _head(was) == _head(now):
        yield from (
            told
            for name in ("body", "orelse", "finalbody", "handlers", "cases")
            for told in _partings(getattr(was, name, []), getattr(now, name, []), old, new)
        )
    yield f"{_head(was)} became {_head(now)}"


def _head(node: ast.AST) -> str:
    """Write the first line of a statement, decorators aside."""
    told = ast.unparse(node).splitlines()
    return show(node) if len(told) == 1 else next((line for line in told if not line.startswith("@")), told[0])
