"""Definitions in a source file: from the syntax tree for Python, from a pattern where no grammar can help."""

import ast
import re
import threading
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
LARGEST = 500_000
"""Characters of a Python file that is parsed here: a tree takes seconds for a million, and a gigabyte."""

_ONE = threading.Lock()
"""Reads may run side by side; a syntax tree is not made by two of them at once, which Python 3.11 cannot."""

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


def of_python(source: str) -> tuple[Symbol, ...] | None:
    """List the definitions of a Python file, in their order; None for one that does not parse."""
    if len(source) > LARGEST:
        return None
    try:
        with _ONE, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return tuple(_walk(ast.parse(source), "", 0))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def by_pattern(source: str) -> tuple[Symbol, ...]:
    """List what looks like a definition in most languages."""
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
