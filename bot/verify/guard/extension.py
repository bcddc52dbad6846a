"""Whether a function does all that it did, and only asserts more."""

import ast
from collections.abc import Sequence
from itertools import takewhile

from bot.verify.guard.ending import Ending
from bot.verify.guard.harm import harm
from bot.verify.guard.marks import SILENCERS, dotted
from bot.verify.guard.normal import HARMLESS_CALLS, Function, Writer, meaningful

_LEAVING = frozenset({"exit", "_exit", "fail", *SILENCERS})
_ACTING = frozenset({"patch", "monkeypatch", "mocker", "setattr", "setitem", "__setattr__", "exec", "globals", "vars"})
_MUTATING = frozenset(
    {"clear", "pop", "popitem", "remove", "append", "extend", "update", "insert", "sort", "reverse", "add", "discard",
     "setdefault", "write", "writelines", "truncate", "write_text", "write_bytes", "unlink", "close"}
)  # fmt: skip
_BLOCKS = (ast.For, ast.If, ast.With)
_EXPECTING = frozenset({"raises", "warns", "assertRaises", "assertWarns", "assertRaisesRegex", "subTest"})


def only_adds(before: Function, after: Function, old: Writer, new: Writer, ending: Ending | None = None) -> bool:
    """Tell whether statements were only added, and only ones that assert something or prepare for it.

    `ending` tells what else may follow all that was there.
    """
    taken = frozenset(node.id for node in ast.walk(before) if isinstance(node, ast.Name))
    taken |= {node.arg for node in ast.walk(before) if isinstance(node, ast.arg)}
    adding = _Adding(old, new, taken)
    if adding.only(before.body, after.body):
        return True
    added = takewhile(ending.allows, reversed(after.body)) if ending is not None else ()
    return any(adding.only(before.body, after.body[: -count - 1]) for count, _ in enumerate(added))


class _Adding:
    def __init__(self, old: Writer, new: Writer, taken: frozenset[str]) -> None:
        self._old = old
        self._new = new
        self._taken = taken

    def only(self, before: Sequence[ast.stmt], after: Sequence[ast.stmt], *, last: bool = True) -> bool:
        """Tell whether all of the earlier statements are still there, in order, and the others do no harm.

        `last` tells that nothing of what was there before runs after these statements.
        """
        waiting = meaningful(before)
        for statement in meaningful(after):
            over = last and len(waiting) <= 1
            if waiting and self._keeps(waiting[0], statement, last=over):
                del waiting[0]
            elif not self._may_be_added(statement, last=last and not waiting):
                return False
        return not waiting

    def _keeps(self, before: ast.stmt, after: ast.stmt, *, last: bool) -> bool:
        if self._old.write(before) == self._new.write(after):
            return True
        if not isinstance(before, _BLOCKS) or not isinstance(after, _BLOCKS):
            return False
        over = last and not isinstance(before, ast.For)
        same = self._header(before, self._old) == self._header(after, self._new)
        return same and self.only(before.body, after.body, last=over)

    def _header(self, statement: ast.For | ast.If | ast.With, writer: Writer) -> str:
        parts = [value for name, value in ast.iter_fields(statement) if name != "body"]
        return f"{type(statement).__name__}{[writer.write(part) for part in parts if not isinstance(part, str)]}"

    def _may_be_added(self, statement: ast.stmt, *, last: bool) -> bool:
        bound = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and not _is_read(node)}
        if bound & self._taken or harm(statement, frozenset(self._taken)) or _acts(statement):
            return False
        return _is_asking(statement, self._new) and (last or not self._touches(statement))

    def _touches(self, statement: ast.stmt) -> bool:
        """Tell whether a statement may change something that the earlier ones look at afterwards."""
        for call in (node for node in ast.walk(statement) if isinstance(node, ast.Call)):
            name = _root(call.func)
            given = {
                node.id
                for each in (*call.args, *call.keywords)
                for node in ast.walk(each)
                if isinstance(node, ast.Name)
            }
            known = name in self._taken or name in HARMLESS_CALLS
            if getattr(call.func, "attr", "") in _MUTATING or (given & self._taken and not known):
                return True
        return False


def _is_asking(statement: ast.stmt, writer: Writer) -> bool:
    """Tell whether a statement asserts something, or prepares for it."""
    match statement:
        case ast.Assert():
            return True
        case ast.Expr(value=ast.Call(func=function)):
            return getattr(function, "attr", getattr(function, "id", "")).startswith("assert")
        case ast.Assign(targets=targets):
            stored = (node for target in targets for node in ast.walk(target))
            return not any(isinstance(node, (ast.Attribute, ast.Subscript)) for node in stored)
        case ast.With(items=[item]):
            return dotted(item.context_expr, writer).rpartition(".")[2] in _EXPECTING
        case _:
            return False


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_read(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _acts(statement: ast.stmt) -> bool:
    """Tell whether a statement names something that changes what others see, or ends the test."""
    names = {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(statement)}
    leaving = any(isinstance(node, (ast.Return, ast.Raise, ast.Yield, ast.YieldFrom)) for node in ast.walk(statement))
    return leaving or bool(names & (_ACTING | _LEAVING))
