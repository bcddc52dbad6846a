"""Mends annotations that mypy complains of and that have one right answer."""

import ast
import re
from collections.abc import Iterator, Sequence

from bot.models.offline.imports import Import, add
from bot.models.offline.literal import returned
from bot.models.offline.scopes import Scope, own
from bot.models.offline.source import Mend, parse, segment

ANY = "*"
"""Stands for all parameters of a line that need it."""
OPEN = re.compile(r"\b(?:None|Optional|Any|object)\b")
IGNORE = re.compile(r"\s*#\s*type:\s*ignore(?:\[(?P<codes>[^\]]*)\])?(?=\s*(?:#|$))")


def mend_optional(text: str, faults: Sequence[tuple[int, str]], *, union: bool) -> Mend | None:
    """Say in the annotation that None is allowed, for each (line, parameter); an empty name stands for a variable."""
    tree = parse(text)
    if tree is None:
        return None
    notes = {segment(text, note): note for line, name in faults for note in _annotations(tree, line, name)}
    bar = union or _has_bars(tree)
    new = text
    for place in sorted(notes, reverse=True):
        new = _allow_none(new, place, notes[place], bar=bar)
    if new == text:
        return None
    if not bar:
        new = add(new, Import("typing", "Optional")) or new
    return Mend(new, "say where None is allowed")


def _has_bars(tree: ast.Module) -> bool:
    """Whether the file writes unions with a bar already, or can."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            return any(item.name == "annotations" for item in node.names)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and _is_none(node.right):
            return True
    return False


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _annotations(tree: ast.Module, line: int, name: str) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and name:
            last = node.body[0].lineno if node.body else node.lineno
            if node.lineno <= line <= last:
                yield from (
                    arg.annotation for arg in _with_none(node.args) if arg.annotation and _means(arg, name, line)
                )
        if isinstance(node, ast.AnnAssign) and not name and node.lineno == line and node.value and _is_none(node.value):
            yield node.annotation


def _means(arg: ast.arg, name: str, line: int) -> bool:
    """Whether a fault is about a parameter: by its name, or, where a star stands for that, by its place."""
    if name != ANY or arg.annotation is None:
        return arg.arg == name
    return arg.annotation.lineno == line and not OPEN.search(ast.unparse(arg.annotation))


def _with_none(args: ast.arguments) -> Iterator[ast.arg]:
    """Give the parameters whose default is None."""
    plain = [*args.posonlyargs, *args.args]
    defaults = [*zip(plain[len(plain) - len(args.defaults) :], args.defaults, strict=True)]
    named = zip(args.kwonlyargs, args.kw_defaults, strict=True)
    yield from (arg for arg, default in [*defaults, *named] if default is not None and _is_none(default))


def _allow_none(text: str, place: tuple[int, int, int, int], note: ast.expr, *, bar: bool) -> str:
    first, start, last, end = place
    if first != last:
        return text
    rows = text.split("\n")
    row = rows[first - 1]
    written = row[start:end]
    if isinstance(note, ast.Constant) and isinstance(note.value, str):
        inner = written[1:-1]
        new = f"{written[0]}{inner} | None{written[-1]}" if bar else f"Optional[{written}]"
    else:
        new = f"{written} | None" if bar else f"Optional[{written}]"
    rows[first - 1] = row[:start] + new + row[end:]
    return "\n".join(rows)


def mend_returns(text: str, lines: Sequence[int]) -> Mend | None:
    """Annotate functions that give nothing back with `-> None`, and those that plainly give one type with that."""
    tree = parse(text)
    if tree is None:
        return None
    rows = text.split("\n")
    for node in [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]:
        if node.lineno not in lines or node.returns is not None:
            continue
        note = "None" if _gives_nothing(node) else returned(node)
        if not note:
            continue
        first = node.body[0]
        at = _header_end(rows, node.lineno, first.lineno)
        if at is not None:
            line, col = at
            rows[line] = f"{rows[line][:col]} -> {note}{rows[line][col:]}"
    new = "\n".join(rows)
    return Mend(new, "annotate what functions plainly return") if new != text and parse(new) else None


def _gives_nothing(function: Scope) -> bool:
    for node in own(function):
        if isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
            return False
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return False
    return True


def _header_end(rows: Sequence[str], first: int, body: int) -> tuple[int, int] | None:
    """Find the colon that ends a function's header: row index and column."""
    for index in range(first - 1, min(body, first + 30)):
        found = re.search(r"\)(?P<colon>\s*:)\s*(?:#.*)?$|\)(?P<inline>:)\s+\S", rows[index])
        if found:
            return index, found.start("colon") if found["colon"] else found.start("inline")
    return None


def drop_ignores(text: str, faults: Sequence[tuple[int, str]]) -> Mend | None:
    """Remove `type: ignore` comments, or the codes in them, that hide nothing; each fault is (line, codes)."""
    rows = text.split("\n")
    for line, codes in faults:
        if 0 < line <= len(rows):
            unneeded = {code.strip() for code in codes.split(",") if code.strip()}
            rows[line - 1] = IGNORE.sub(lambda found, gone=unneeded: _kept(found, gone), rows[line - 1], count=1)  # type: ignore[misc]
    new = "\n".join(rows)
    return Mend(new, "drop `type: ignore` comments that hide nothing") if new != text else None


def _kept(found: re.Match[str], unneeded: set[str]) -> str:
    """Return what stays of a comment."""
    codes = [code.strip() for code in (found["codes"] or "").split(",") if code.strip()]
    left = [code for code in codes if code not in unneeded]
    return f"  # type: ignore[{', '.join(left)}]" if unneeded and left else ""
