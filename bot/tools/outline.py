"""Tools that find definitions: Python by its syntax tree, other languages in this first form by a plain pattern."""

import re
from typing import Annotated

from pydantic import Field

from bot.core.policy import refuse_read
from bot.errors import NotFound, ToolError
from bot.tools import disk, paths, text
from bot.tools.search import show
from bot.tools.symbols import Symbol, symbols
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
    place = paths.follow(bench.workspace, args.path)
    try:
        found = _symbols(place)
    except NotFound:
        raise paths.missing(bench.workspace, args.path) from None
    if not found:
        return Done(f"{place.name}: no definitions")
    rows = [f"{f'{s.line}-{s.end}' if s.end != s.line else s.line:>9}  {'  ' * s.depth}{s.text}" for s in found[:MOST]]
    more = [f"… {len(found) - MOST} more"] if len(found) > MOST else []
    return Done("\n".join([f"{place.name}:", *rows, *more]))


def find_symbol(args: FindSymbol, bench: Bench) -> Done:
    """Find where a name, dotted or not, is defined, and some of its uses. Raises NotFound."""
    wanted = args.name.strip().removesuffix("()")
    last = re.split(r"\.|::", wanted)[-1]
    if not re.fullmatch(r"[\w$]+", last):
        raise NotFound(f"{args.name!r} is not the name of a function, class or variable")
    matches = [m for m in bench.workspace.search(last, limit=MOST_MATCHES) if refuse_read(m.path) is None]
    mentions = [m for m in matches if re.search(rf"(?<![\w$]){re.escape(last)}(?![\w$])", m.text)]
    defined: list[tuple[str, Symbol]] = []
    for path in list(dict.fromkeys(m.path for m in mentions))[:MOST_FILES]:
        defined += [(path, s) for s in _quiet_symbols(path, bench) if s.name == wanted or s.name.endswith(f".{wanted}")]
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


def _symbols(place: paths.Place) -> tuple[Symbol, ...]:
    source = text.decode(disk.read(place).data, place.name).body
    return symbols(source, python=place.name.endswith((".py", ".pyi", ".pyw")))


def _quiet_symbols(path: str, bench: Bench) -> tuple[Symbol, ...]:
    """Return the definitions of a file, none when it cannot be read."""
    try:
        return _symbols(paths.follow(bench.workspace, path))
    except (ToolError, OSError):
        return ()


OUTLINE = Tool("outline", Outline, Access.READ, outline)
FIND_SYMBOL = Tool("find_symbol", FindSymbol, Access.READ, find_symbol)
