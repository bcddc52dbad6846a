"""Python text as lines and tokens, also when it does not parse."""

import ast
import difflib
import io
import re
import tokenize
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

LONGEST_TEXT = 400_000
LONGEST_LINE = 2_000

Sort: TypeAlias = Literal["string", "open", "comment", "name", "number", "op", "space"]

TOKEN = re.compile(
    r"""(?P<string>[rbfuRBFU]{0,2}(?:\"\"\"|'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))
    |(?P<open>[rbfuRBFU]{0,2}["'].*)
    |(?P<comment>\#.*)
    |(?P<name>[^\W\d]\w*)
    |(?P<number>\d[\w.]*)
    |(?P<op>\*\*=|//=|>>=|<<=|\.\.\.|[!=<>+\-*/%&|^@:]=|->|\*\*|//|<<|>>|<>|&&|\|\||\+\+|[^\s\w])
    |(?P<space>\s+)""",
    re.VERBOSE,
)


class Piece(NamedTuple):
    """A token of one line."""

    sort: str
    text: str
    start: int
    end: int


class Hunk(NamedTuple):
    """Lines `start` to `end` (counted from 1, inclusive) become `text`; `end < start` inserts before `start`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Mend:
    """A whole new text for one file, and what was done to it in a few words."""

    text: str
    what: str


def scan(line: str) -> tuple[Piece, ...]:
    """Split one line into tokens; what is not Python becomes single characters."""
    if len(line) > LONGEST_LINE:
        return ()
    return tuple(Piece(found.lastgroup or "op", found.group(), *found.span()) for found in TOKEN.finditer(line))


def code_end(line: str) -> int:
    """Return where the code of a line ends, before white space and a comment."""
    pieces = [piece for piece in scan(line) if piece.sort not in ("space", "comment")]
    return pieces[-1].end if pieces else 0


def indent_of(line: str) -> str:
    """Return the white space that a line begins with."""
    return line[: len(line) - len(line.lstrip())]


def parse(text: str) -> ast.Module | None:
    """Parse a text; None when it is not Python, or more of it than we read."""
    if len(text) > LONGEST_TEXT:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def names_in(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Give each name token of a text that tokenizes: line, column, name, and the token before it."""
    before = ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME:
                yield token.start[0], token.start[1], token.string, before
            if token.type not in (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT):
                before = token.string
    except (tokenize.TokenError, SyntaxError, ValueError):
        return


def column(line: str, offset: int) -> int:
    """Turn an offset in UTF-8 bytes, as ast gives it, into one in characters."""
    return len(line.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "ignore"))


def segment(text: str, node: ast.expr) -> tuple[int, int, int, int]:
    """Return a node's first line, first column, last line and last column, in characters."""
    lines = text.split("\n")
    last = node.end_lineno or node.lineno
    first_column = column(lines[node.lineno - 1], node.col_offset)
    return node.lineno, first_column, last, column(lines[last - 1], node.end_col_offset or 0)


def hunks(old: str, new: str) -> tuple[Hunk, ...]:
    """List the line ranges that turn one text into another, last first, so that earlier numbers stay true."""
    before, after = (text.removesuffix("\n").split("\n") if text else [] for text in (old, new))
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return tuple(
        Hunk(i1 + 1, i2, "".join(f"{line}\n" for line in after[j1:j2]))
        for tag, i1, i2, j1, j2 in reversed(matcher.get_opcodes())
        if tag != "equal"
    )


def respell(text: str, places: Iterable[tuple[int, int, str]], new: str) -> str:
    """Put a new name where an old one stands; a place is line, column in characters, and old name."""
    lines = text.split("\n")
    for line, start, old in sorted(set(places), reverse=True):
        row = lines[line - 1]
        if row[start : start + len(old)] == old:
            lines[line - 1] = row[:start] + new + row[start + len(old) :]
    return "\n".join(lines)


def module_of(path: str) -> str:
    """Return the dotted name that a file is usually imported by."""
    stem = path.removesuffix(".py").removesuffix("/__init__").removeprefix("./").removeprefix("src/")
    return stem.replace("/", ".")


def enclosing(tree: ast.Module, line: int) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, ...]:
    """Return the definitions around a line, outermost first."""
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return tuple(sorted(found, key=lambda node: node.lineno))


def place(path: str, text: str, line: int) -> str:
    """Name the place that a line is in, as a person would: `ledger.Account.due`."""
    tree = parse(text)
    around = [node.name for node in enclosing(tree, line)] if tree else []
    return ".".join([module_of(path).rsplit(".", 1)[-1], *around])
