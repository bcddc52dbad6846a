"""Which test files a change reaches, the nearest first."""

from collections.abc import Iterator, Sequence

from bot.verify.fast.narrow import Changed
from bot.verify.impact import Graph

DOCUMENTS = (".md", ".rst", ".adoc")
"""Endings of files that people read."""


def reach(graph: Graph, changed: Changed) -> tuple[str, ...]:
    """List the files that use what was changed, over no or few imports first; last those that may run anything."""
    seeds = [path for path in changed.paths if path.endswith(".py")]
    seeds += [seed for path in changed.paths if not path.endswith((".py", ".pyi")) for seed in _users(graph, path)]
    if not seeds:
        return ()
    steps = graph.steps(tuple(dict.fromkeys(seeds)))
    near = (path for path in sorted(steps, key=lambda path: (steps[path], path)) if path in graph.files)
    wild = (path for path, told in sorted(graph.files.items()) if told.wild)
    return tuple(dict.fromkeys((*near, *wild)))


def _users(graph: Graph, path: str) -> Iterator[str]:
    """Guess who uses a file that is no module: whoever names it, or else the modules that it lies beside or below."""
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


def concerns_tests(paths: Sequence[str]) -> bool:
    """Tell whether anything but documents was changed."""
    return any(not path.lower().endswith(DOCUMENTS) for path in paths)
