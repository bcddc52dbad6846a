"""The text of a Python file beside its tree, and edits of it that leave the rest to the letter."""

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from subjects.item import tree_of

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Token: TypeAlias = tokenize.TokenInfo


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters of one file and what takes their place."""

    kind: str
    start: int
    end: int
    text: str

    def apply(self, source: str) -> str:
        """Return the edited text."""
        return source[: self.start] + self.text + source[self.end :]


@dataclass(frozen=True)
class Source:
    """A file that can be parsed."""

    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed text."""
        return ast.parse(self.text)

    @cached_property
    def dump(self) -> str:
        """The tree in words, to compare with."""
        return tree_of(self.text)

    @cached_property
    def lines(self) -> list[str]:
        """The lines as Python counts them, with their ends."""
        return io.StringIO(self.text, newline="").readlines()

    @cached_property
    def starts(self) -> list[int]:
        """Where each line starts; one more for the end."""
        found = [0]
        for line in self.lines:
            found.append(found[-1] + len(line))
        return found

    @cached_property
    def tokens(self) -> list[Token]:
        """All tokens."""
        return list(tokenize.generate_tokens(io.StringIO(self.text, newline="").readline))

    def place(self, line: int, column: int) -> int:
        """Turn what a token says of its place into a character's number."""
        return self.starts[line - 1] + column

    def at(self, line: int, column: int) -> int:
        """Turn what a node says of its place, which counts bytes, into a character's number."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword | ast.alias) -> tuple[int, int]:
        """Return where a node starts and ends."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self.at(node.lineno, node.col_offset), self.at(end_line, end_column)

    def of(self, node: ast.expr | ast.stmt) -> str:
        """Return the text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    @cached_property
    def functions(self) -> list[Function]:
        """All functions, those inside of others too."""
        return [node for node in ast.walk(self.tree) if isinstance(node, Function)]

    @cached_property
    def inside(self) -> list[tuple[Function, ast.AST]]:
        """All nodes that run when a function does, each once, with the outermost function around it."""
        seen: set[int] = set()
        found = []
        for function in self.functions:
            for node in _run_nodes(function):
                if id(node) not in seen:
                    seen.add(id(node))
                    found.append((function, node))
        return found


def _run_nodes(function: Function) -> Iterator[ast.AST]:
    """Walk a body without annotations, and without formatted strings, whose parts have no true places before 3.12."""
    waiting: list[ast.AST] = list(reversed(function.body))
    while waiting:
        node = waiting.pop()
        yield node
        for name, value in reversed(list(ast.iter_fields(node))):
            if name in ("annotation", "returns", "decorator_list"):
                continue
            children = value if isinstance(value, list) else [value]
            waiting += [x for x in reversed(children) if isinstance(x, ast.AST) and not isinstance(x, ast.JoinedStr)]
