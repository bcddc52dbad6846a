"""Which test files a change reaches, the nearest first."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from bot.verify.fast.narrow import Changed
from bot.verify.impact import Graph

DOCUMENTS = (".md", ".rst", ".adoc")
"""Endings of files that people read."""


def reach(graph: Graph, changed: Changed, root: Path) -> tuple[str, ...]:
    """List the files that use what was changed, over no or few imports first; last those that may run anything.

    The folder at `root` holds the tree of the graph.
    """
    seeds = [path for path in changed.paths if path.endswith(".py")]
    seeds += [
        seed for path in changed.paths if not path.endswith((".py", ".pyi")) for seed in _users(graph, path, root)
    ]
    if not seeds:
        return ()
    steps = graph.steps(tuple(dict.fromkeys(seeds)))
    near = (path for path in sorted(steps, key=lambda path: (steps[path], path)) if path in graph.files)
    wild = (path for path, told in sorted(graph.files.items()) if told.wild)
    return tuple(dict.fromkeys((*near, *wild)))


def _users(graph: Graph, path: str, root: Path) -> Iterator[str]:
    """Guess who uses a file that is no module.

    That is whoever names it, or else the modules that it lies beside or below, or else whoever speaks of its folders.
    """
    folder, _, name = path.rpartition("/")
    naming = [file for file, told in graph.files.items() if name in told.strings]
    if naming or name.lower().endswith(DOCUMENTS):
        yield from naming
        return
    while folder:
        beside = [file for file in graph.files if file.rpartition("/")[0] == folder]
        if beside:
            yield from beside
            return
        folder = folder.rpartition("/")[0]
    yield from _speaking(graph.files, path, root)


def _speaking(files: Iterable[str], path: str, root: Path) -> Iterator[str]:
    """Find the files in which a part of a path stands as a name of its own, or what finds all of its kind."""
    name = path.rpartition("/")[2]
    ending = name.rpartition(".")[2]
    parts = [re.escape(part) for part in path.split("/")] + [rf"\*\.{re.escape(ending)}"] * (ending != name)
    wanted = re.compile(rf"[\"'/](?:{'|'.join(parts)})[\"'/]".encode("utf-8", "surrogateescape"))
    for file in files:
        with suppress(OSError):
            if wanted.search((root / file).read_bytes()):
                yield file


def concerns_tests(paths: Sequence[str]) -> bool:
    """Tell whether anything but documents was changed."""
    return any(not path.lower().endswith(DOCUMENTS) for path in paths)
