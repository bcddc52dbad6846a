"""Tools that find definitions: Python by its own syntax tree, other languages by tree-sitter."""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated

from pydantic import Field

from bot.errors import NotFound, ToolError
from bot.protocols import Match
from bot.tools import disk, paths, text
from bot.tools.definitions import define
from bot.tools.search import show
from bot.tools.symbols import Symbol
from bot.tools.tool import Access, Arguments, Bench, Done, Tool

MOST = 300
MOST_MATCHES = 2000
MOST_USES = 10
MOST_FILES = 80


class Outline(Arguments):
    """List a file's definitions."""

    path: str


class FindSymbol(Arguments):
    """Find a name's definitions and uses."""

    name: Annotated[str, Field(min_length=1, max_length=200)]


def outline(args: Outline, bench: Bench) -> Done:
    """List the definitions of a file, one a line: `first-last  head`, indented by nesting. Raises NotFound."""
    place = paths.follow(bench.workspace, args.path, bench.task.scope)
    try:
        source = _source(place)
    except NotFound:
        raise paths.missing(bench.workspace, args.path) from None
    found = define({place.name: source}, bench.executor)[place.name]
    if not found:
        return Done(f"{place.name}: no definitions")
    rows = [f"{f'{s.line}-{s.end}' if s.end != s.line else s.line:>9}  {'  ' * s.depth}{s.text}" for s in found[:MOST]]
    more = [f"… {len(found) - MOST} more"] if len(found) > MOST else []
    return Done("\n".join([f"{place.name}:", *rows, *more]))


def find_symbol(args: FindSymbol, bench: Bench) -> Done:
    """Find where a name, dotted or not, is defined, and some of its uses. Raises NotFound."""
    wanted = re.sub(r"::|->|#", ".", args.name.strip().removesuffix("()"))
    last = wanted.rpartition(".")[2]
    if not re.fullmatch(r"[\w$]+", last):
        raise NotFound(f"{args.name!r} is not the name of a function, class or variable")
    mentions = _mentions(last, bench)
    defined = _defined(wanted, mentions, bench)
    places = {(path, s.line) for path, s in defined}
    uses = [m for m in mentions if (m.path, m.line) not in places]
    if not defined and not uses:
        raise NotFound(f"nothing is called {wanted!r}; search_text finds parts of names")
    rows = [
        f"{path}:{s.line}: {s.text}" + (f"  (to line {s.end})" if s.end > s.line else "") for path, s in defined[:50]
    ]
    shown = [show(m) for m in uses[:MOST_USES]]
    head = [f"{len(uses)} other lines name it" + (", such as:" if len(uses) > MOST_USES else ":")] if uses else []
    return Done("\n".join([*(rows or [f"no definition of {wanted} was found"]), *head, *shown]))


def _mentions(name: str, bench: Bench) -> list[Match]:
    """Find the lines that hold a name as a whole word."""
    matches = bench.workspace.search(name, limit=MOST_MATCHES, scope=bench.task.scope)
    whole = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    return [m for m in matches if whole.search(m.text)]


def _defined(wanted: str, mentions: Sequence[Match], bench: Bench) -> list[tuple[str, Symbol]]:
    """Return the definitions of a name, each with its file, among the files that mention it."""
    sources: dict[str, str] = {}
    for path in list(dict.fromkeys(m.path for m in mentions))[:MOST_FILES]:
        with suppress(ToolError, OSError):
            sources[path] = _source(paths.follow(bench.workspace, path, bench.task.scope))
    found = define(sources, bench.executor, wanted.rpartition(".")[2])
    return [(path, s) for path in found for s in found[path] if s.name == wanted or s.name.endswith(f".{wanted}")]


def _source(place: paths.Place) -> str:
    return text.decode(disk.read(place).data, place.name).body


OUTLINE = Tool("outline", Outline, Access.READ, outline)
FIND_SYMBOL = Tool("find_symbol", FindSymbol, Access.READ, find_symbol)
