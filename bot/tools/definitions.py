"""What files define, asked of whoever knows their language best; no file can break the one who asks."""

import json
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

from pydantic import TypeAdapter, ValidationError

from bot.protocols import Command, Executor
from bot.tools import grammars
from bot.tools.languages import LANGUAGES, language_of
from bot.tools.symbols import Symbol, by_pattern, of_python

PROGRAM = Path(grammars.__file__)
PIECE = 100_000
"""Characters of one argument; the system allows a few more."""
GRACE = 15.0
"""Seconds that the program may need beyond its own time."""

DEEPEST = 20

Sources: TypeAlias = Mapping[str, str]
"""Decoded contents by names, of which only the suffix counts."""

_ANSWER = TypeAdapter(tuple[int, list[tuple[str, int, int, str, int]] | None])
_ONE = threading.Lock()
"""Reads may run side by side, but one program at a time keeps what they may use together bounded."""


def define(sources: Sources, executor: Executor, wanted: str = "") -> dict[str, tuple[Symbol, ...]]:
    """List the definitions of each source, in their order; with `wanted`, those of that last name suffice."""
    found = {name: of_python(source) for name, source in sources.items() if language_of(name) == "python"}
    asked = {name: source for name, source in sources.items() if found.get(name) is None and language_of(name)}
    known: dict[str, tuple[Symbol, ...] | None] = {**found, **(ask(asked, executor, wanted) if asked else {})}
    return {name: _or_pattern(known.get(name), source) for name, source in sources.items()}


def _or_pattern(known: tuple[Symbol, ...] | None, source: str) -> tuple[Symbol, ...]:
    return by_pattern(source) if known is None else known


def ask(sources: Sources, executor: Executor, wanted: str = "") -> dict[str, tuple[Symbol, ...] | None]:
    """Ask the grammars; None where they fell over a source, and what they had no time for is left out."""
    spec = find_spec("tree_sitter")
    if spec is None or spec.origin is None:
        return {}
    names = list(sources)
    with _ONE, tempfile.TemporaryDirectory(prefix="git-agent-") as folder:
        files = list(_copies(Path(folder), sources))
        chosen = {language: LANGUAGES[language] for _, language in files}
        told = json.dumps(
            {
                "place": str(Path(spec.origin).parents[1]),
                "wanted": wanted,
                "grammars": {name: (known.package, known.function, known.query) for name, known in chosen.items()},
                "files": files,
            }
        )
        pieces = [told[at : at + PIECE] for at in range(0, len(told), PIECE)]
        command = Command(
            argv=(sys.executable, "-I", "-S", str(PROGRAM), *pieces),
            cwd=Path(folder),
            timeout=grammars.TOTAL + GRACE,
            writable=False,
            report=True,
        )
        report = executor.execute(command).report
    return dict(_read(report, names))


def _copies(folder: Path, sources: Sources) -> Iterator[tuple[str, str]]:
    """Write the sources under names that nothing is to be feared from; yields each name and language."""
    for number, (name, source) in enumerate(sources.items()):
        (folder / str(number)).write_bytes(source.encode())
        yield str(number), language_of(name)


def _read(report: bytes, names: Sequence[str]) -> Iterator[tuple[str, tuple[Symbol, ...] | None]]:
    """Read the answers; a parser that was taken over may have written anything."""
    for line in filter(None, report.split(b"\n")):
        try:
            index, rows = _ANSWER.validate_json(line)
        except ValidationError:
            continue
        if 0 <= index < len(names):
            yield names[index], None if rows is None else tuple(_symbol(*row) for row in rows)


def _symbol(name: str, first: int, last: int, head: str, depth: int) -> Symbol:
    line = max(1, first)
    return Symbol(" ".join(name.split()), line, max(line, last), " ".join(head.split()), min(max(0, depth), DEEPEST))
