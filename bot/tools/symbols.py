"""Definitions in a source file: from the syntax tree for Python, from a pattern of usual keywords for all else."""

import ast
import re
import warnings
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

DEFINITION = re.compile(
    r"^(?P<indent>[ \t]*)(?:(?:export|default|pub(?:\([\w:]+\))?|public|private|protected|internal|static|final"
    r"|abstract|async|unsafe|virtual|override|inline|extern|const|open|data|sealed|partial|declare) +)*"
    r"(?:def|class|function\*?|func|fn|fun|interface|trait|struct|enum|type|impl|module|namespace|record|object"
    r"|protocol|macro_rules!|sub|const|let|var) +(?:\([^)]*\) *)?(?P<name>[A-Za-z_$][\w$]*)"
)
"""A definition in most languages; calls and plain assignments are not."""

_Scope: TypeAlias = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.stmt


class Symbol(NamedTuple):
    """One definition."""

    name: str
    """Dotted, from the outermost class or function."""
    line: int
    end: int
    text: str
    """The definition's head on one line."""
    depth: int


def symbols(source: str, *, python: bool) -> tuple[Symbol, ...]:
    """List the definitions of a file, in their order; a Python file that does not parse is read by pattern."""
    if python:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return tuple(_walk(ast.parse(source), "", 0))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
    return tuple(_by_pattern(source))


def _walk(scope: _Scope, prefix: str, depth: int) -> Iterator[Symbol]:
    for node in ast.iter_child_nodes(scope):
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                name = prefix + node.name
                start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                yield Symbol(name, start, node.end_lineno or node.lineno, _head(node), depth)
                yield from _walk(node, f"{name}.", depth + 1)
            case ast.Assign() | ast.AnnAssign() if isinstance(scope, ast.Module | ast.ClassDef):
                yield from _assigned(node, prefix, depth)
            case ast.If() | ast.Try() | ast.With() | ast.ExceptHandler():
                yield from _walk(node, prefix, depth)  # type: ignore[arg-type]
            case _:
                pass


def _assigned(node: ast.Assign | ast.AnnAssign, prefix: str, depth: int) -> Iterator[Symbol]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        if isinstance(target, ast.Name):
            yield Symbol(prefix + target.id, node.lineno, node.end_lineno or node.lineno, target.id, depth)


def _head(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    if isinstance(node, ast.ClassDef):
        bases = ", ".join(ast.unparse(base) for base in node.bases)
        return f"class {node.name}({bases})" if bases else f"class {node.name}"
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{word} {node.name}({ast.unparse(node.args)}){returns}"


def _by_pattern(source: str) -> Iterator[Symbol]:
    for number, line in enumerate(source.split("\n"), 1):
        found = DEFINITION.match(line[:1000])
        if found:
            depth = min(4, len(found["indent"].expandtabs(4)) // 4)
            yield Symbol(found["name"], number, number, line.strip().rstrip("{ ")[:200], depth)
