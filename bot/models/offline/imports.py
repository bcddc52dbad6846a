"""Adds an import where a tidy person would put it."""

import ast
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from bot.models.offline.source import indent_of, parse
from bot.models.offline.vocabulary import MODULES

Statement: TypeAlias = ast.Import | ast.ImportFrom


class Import(NamedTuple):
    """One name to bring into a module."""

    module: str
    name: str = ""
    """Empty to import the module itself."""
    alias: str = ""

    def __str__(self) -> str:
        tail = f" as {self.alias}" if self.alias else ""
        return f"from {self.module} import {self.name}{tail}" if self.name else f"import {self.module}{tail}"


def read_import(line: str, bound: str) -> Import | None:
    """Read from one line of code the import that binds a name, or None."""
    tree = parse(line.strip().rstrip("\\").rstrip("(").strip())
    for node in tree.body if tree else ():
        if isinstance(node, ast.Import):
            for item in node.names:
                if (item.asname or item.name) == bound:
                    return Import(item.name, "", item.asname or "")
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for item in node.names:
                if (item.asname or item.name) == bound and node.module != "__future__":
                    return Import(node.module, item.name, item.asname or "")
    return None


def add(text: str, wanted: Import) -> str | None:
    """Return the text with the import added; None when it does not parse or has it already."""
    tree = parse(text)
    if tree is None:
        return None
    leading = _leading(tree)
    if any(_same(statement, wanted) for statement in leading):
        return None
    lines = text.split("\n")
    joined = next((_join(lines, s, wanted) for s in leading if _joins(s, wanted)), None)
    return "\n".join(joined if joined is not None else _place(lines, tree, leading, wanted))


def _leading(tree: ast.Module) -> list[Statement]:
    """Return the imports at the top of a module."""
    found: list[Statement] = []
    for node in tree.body:
        if isinstance(node, Statement):
            found.append(node)
        elif not _is_docstring(node) or found:
            break
    return found


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _same(node: Statement, wanted: Import) -> bool:
    names = [(item.name, item.asname or "") for item in node.names]
    if isinstance(node, ast.Import):
        return not wanted.name and (wanted.module, wanted.alias) in names
    return node.module == wanted.module and not node.level and (wanted.name, wanted.alias) in names


def _joins(node: Statement, wanted: Import) -> bool:
    plain = isinstance(node, ast.ImportFrom) and node.module == wanted.module and not node.level
    return plain and bool(wanted.name) and not wanted.alias and node.names[0].name != "*"


def _join(lines: Sequence[str], node: Statement, wanted: Import) -> list[str] | None:
    """Add a name to a `from … import …` that is there; None when its form is unusual."""
    first, last = node.lineno, node.end_lineno or node.lineno
    names = [item.name for item in node.names]
    later = [name for name in names if name > wanted.name] if names == sorted(names) else []
    if last == first:
        head, _, tail = lines[first - 1].partition(" import ")
        if "#" in tail or ";" in tail or "\\" in tail or "(" in tail:
            return None
        at = names.index(later[0]) if later else len(names)
        written = [part.strip() for part in tail.split(",")]
        row = f"{head} import {', '.join([*written[:at], wanted.name, *written[at:]])}"
        return [*lines[: first - 1], row, *lines[first:]]
    if lines[last - 1].strip() != ")" or not lines[last - 2].rstrip().endswith(","):
        return None
    at = next((i for i in range(first, last) if later and lines[i].strip().rstrip(",") == later[0]), last - 1)
    return [*lines[:at], f"{indent_of(lines[last - 2])}{wanted.name},", *lines[at:]]


def _section(module: str) -> int:
    if module == "__future__":
        return 0
    return 1 if module.partition(".")[0] in MODULES else 2


def _section_of(node: Statement) -> int:
    if isinstance(node, ast.ImportFrom):
        return 3 if node.level else _section(node.module or "")
    return _section(node.names[0].name)


def _order(node: Statement) -> tuple[bool, str]:
    if isinstance(node, ast.ImportFrom):
        return True, (node.module or "").lower()
    return False, node.names[0].name.lower()


def _place(lines: list[str], tree: ast.Module, leading: Sequence[Statement], wanted: Import) -> list[str]:
    """Put a new statement among its like, or in a section of its own."""
    section = _section(wanted.module)
    likes = _likes(leading, section, wanted)
    if likes:
        key = (bool(wanted.name), wanted.module.lower())
        after = [node for node in likes if _order(node) < key]
        at = (after[-1].end_lineno or after[-1].lineno) if after else likes[0].lineno - 1
        return [*lines[:at], str(wanted), *lines[at:]]
    before = [node for node in leading if _section_of(node) < section]
    if before:
        at = before[-1].end_lineno or before[-1].lineno
        gap = [] if at < len(lines) and not lines[at].strip() else [""]
        return [*lines[:at], "", str(wanted), *gap, *lines[at:]]
    if leading:
        at = leading[0].lineno - 1
        return [*lines[:at], str(wanted), "", *lines[at:]]
    return _first(lines, tree, wanted)


def _likes(leading: Sequence[Statement], section: int, wanted: Import) -> list[Statement]:
    """Return the imports of the block that the new one belongs to."""
    same = [node for node in leading if _section_of(node) == section]
    root = wanted.module.partition(".")[0]
    kin = [node for node in same if _order(node)[1].partition(".")[0] == root.lower()]
    if not kin or section != 2:  # noqa: PLR2004 - third party and own modules stand in blocks of their own
        return same
    return [node for node in same if _joined(same, node, kin[0])]


def _joined(nodes: Sequence[Statement], one: Statement, other: Statement) -> bool:
    """Whether no gap in line numbers lies between two imports."""
    first, last = sorted((one.lineno, other.lineno))
    between = [node for node in nodes if first <= node.lineno <= last]
    return all((a.end_lineno or a.lineno) + 1 == b.lineno for a, b in pairwise(between))


def _first(lines: list[str], tree: ast.Module, wanted: Import) -> list[str]:
    """Put the first import of a module below its docstring and leading comments."""
    at = 0
    if tree.body and _is_docstring(tree.body[0]):
        at = tree.body[0].end_lineno or 1
        rest = lines[at:]
        head = [*lines[:at], ""]
    else:
        while at < len(lines) and lines[at].startswith("#"):
            at += 1
        rest = lines[at:]
        head = [*lines[:at], ""] if at else []
    while rest and not rest[0].strip():
        rest = rest[1:]
    if not rest:
        return [*head, str(wanted), ""]
    gap = ["", ""] if rest[0].startswith(("def ", "class ", "@", "async ")) else [""]
    return [*head, str(wanted), *gap, *rest]
