"""A source file as bytes and as a tree, with the way from one to the other."""

from __future__ import annotations

import ast
import bisect
import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, Union

BOM = b"\xef\xbb\xbf"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = (*FUNCTIONS, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases", "decorator_list", "returns", "annotation")
POSITIONED = sys.version_info >= (3, 12)
"""Whether the interpreter knows where the expressions of an f-string stand."""
Key = tuple[int, int, int, int]
Definition = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef]


class Edit(NamedTuple):
    """A span of bytes of one file and the text that takes its place."""

    path: str
    start: int
    end: int
    text: str


class Candidate(NamedTuple):
    """Edits that a template proposes together, most often a single one."""

    edit: Edit
    template: str
    prior: float
    line: int
    more: tuple[Edit, ...] = ()
    """Edits that go with the first one; none of them overlap."""

    @property
    def edits(self) -> tuple[Edit, ...]:
        """All edits, the first one first."""
        return (self.edit, *self.more)

    @property
    def files(self) -> dict[str, list[Edit]]:
        """The edits by file."""
        found: dict[str, list[Edit]] = {}
        for edit in self.edits:
            found.setdefault(edit.path, []).append(edit)
        return found


def replace_span(content: bytes, edit: Edit) -> bytes:
    """Carry out an edit."""
    return content[: edit.start] + edit.text.encode() + content[edit.end :]


def replace_spans(content: bytes, edits: Sequence[Edit]) -> bytes:
    """Carry out edits of one file that do not overlap."""
    for edit in sorted(edits, key=lambda e: -e.start):
        content = replace_span(content, edit)
    return content


def key(node: ast.AST) -> Key:
    """Identify a node by where it stands."""
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


class Source:
    """One parsed file. Raises SyntaxError and ValueError when the content is not Python in UTF-8."""

    def __init__(self, path: str, content: bytes) -> None:
        self.path = path
        self.content = content
        self.base = len(BOM) if content.startswith(BOM) else 0
        body = content[self.base :]
        body.decode("utf-8")
        self.tree = ast.parse(body)
        self.lines = body.splitlines(keepends=True)
        self.newline = "\r\n" if b"\r\n" in body else "\n"
        self.offsets = [self.base]
        for line in self.lines:
            self.offsets.append(self.offsets[-1] + len(line))
        self.offsets.append(len(content))
        self.parents: dict[ast.AST, tuple[ast.AST, str]] = {}
        for node in ast.walk(self.tree):
            for name, value in ast.iter_fields(node):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        self.parents[child] = (node, name)
        self.statements = [node for node in ast.walk(self.tree) if isinstance(node, ast.stmt)]

    def parent(self, node: ast.AST) -> ast.AST:
        """Return the node around a node."""
        return self.parents[node][0]

    def field(self, node: ast.AST) -> str:
        """Name the field of its parent that a node stands in."""
        return self.parents[node][1]

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Walk outwards."""
        while node in self.parents:
            node = self.parents[node][0]
            yield node

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return the bytes that a node covers."""
        line, column, end_line, end_column = key(node)
        return self.offsets[line - 1] + column, self.offsets[end_line - 1] + end_column

    def text(self, node: ast.AST) -> str:
        """Return the source of a node."""
        start, end = self.span(node)
        return self.content[start:end].decode()

    def function(self, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """Find the function around a node."""
        return next((n for n in self.ancestors(node) if isinstance(n, FUNCTIONS)), None)

    def formatted(self, node: ast.AST) -> bool:
        """Whether a node stands in an f-string, whose inner positions are not to be trusted before 3.12."""
        if POSITIONED and node in self.parents and not isinstance(self.parent(node), ast.JoinedStr):
            return self.field(node) == "format_spec"
        for outer in self.ancestors(node):
            if isinstance(outer, ast.JoinedStr):
                return True
            if isinstance(outer, ast.stmt):
                return False
        return False

    def header(self, statement: ast.stmt) -> range:
        """Return the lines of a statement without its blocks."""
        end = statement.end_lineno or statement.lineno
        block = getattr(statement, "body", None)
        if isinstance(block, list) and block:
            end = max(statement.lineno, block[0].lineno - 1)
        return range(statement.lineno, end + 1)

    def expressions(self, statement: ast.stmt) -> Iterator[ast.expr]:
        """List the expressions of a statement without those of its blocks."""
        for name, value in ast.iter_fields(statement):
            if name in BLOCKS:
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    for node in ast.walk(child):
                        if isinstance(node, ast.expr) and not self.formatted(node):
                            yield node

    def indent(self, statement: ast.stmt) -> str:
        """Return the white space before a statement."""
        line = self.lines[statement.lineno - 1].decode()
        return line[: len(line) - len(line.lstrip())]

    def alone(self, statement: ast.stmt) -> bool:
        """Whether a statement has its lines to itself."""
        before = self.lines[statement.lineno - 1][: statement.col_offset]
        last = self.lines[(statement.end_lineno or statement.lineno) - 1][statement.end_col_offset :].strip()
        return not before.strip() and (not last or last.startswith(b"#"))

    def whole(self, statement: ast.stmt) -> tuple[int, int]:
        """Return the bytes of a statement's lines, decorators and line ends included."""
        decorators = getattr(statement, "decorator_list", None)
        first = decorators[0].lineno if decorators else statement.lineno
        return self.offsets[first - 1], self.offsets[statement.end_lineno or statement.lineno]

    def block_text(self, statements: list[ast.stmt]) -> str:
        """Return the lines of adjacent statements, always ended by a line end."""
        text = self.content[self.whole(statements[0])[0] : self.whole(statements[-1])[1]].decode()
        return text if text.endswith("\n") else text + self.newline

    def reindent(self, statements: list[ast.stmt], indent: str) -> str:
        """Return the lines of adjacent statements at another depth."""
        old = self.indent(statements[0])
        lines = self.block_text(statements).splitlines(keepends=True)
        return "".join(indent + x[len(old) :] if x.startswith(old) and x.strip() else x for x in lines)

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        """Return the block that a statement stands in."""
        parent, name = self.parents[statement]
        value = getattr(parent, name)
        return value if isinstance(value, list) else [statement]

    @cached_property
    def bodies(self) -> list[tuple[int, int]]:
        """The bytes that the bodies of functions cover, outermost ones only."""
        found: list[tuple[int, int]] = []
        for node in sorted((n for n in ast.walk(self.tree) if isinstance(n, FUNCTIONS)), key=lambda n: n.lineno):
            start, end = self.offsets[node.body[0].lineno - 1], self.whole(node)[1]
            if node.body[0].lineno > node.lineno and (not found or start >= found[-1][1]):
                found.append((start, end))
        return found

    def within_function(self, start: int, end: int) -> bool:
        """Whether a span lies in the body of a function."""
        place = bisect.bisect_right(self.bodies, (start, len(self.content) + 1)) - 1
        return place >= 0 and self.bodies[place][0] <= start and end <= self.bodies[place][1]

    def top(self, start: int, end: int) -> ast.stmt | None:
        """Find the definition of the module that holds a span."""
        for statement in self.tree.body:
            if isinstance(statement, DEFINITIONS):
                first, last = self.whole(statement)
                if first <= start and end <= last:
                    return statement
        return None
