"""Places of a tree that a text names outright: paths, lines of a stack trace, modules."""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from bot.core.retrieval.query import bound

MOST = 300
"""Mentions of one text that are looked up."""
SHARED = 3
"""Files of one name up to which a mention of it may mean each of them."""

_RUN = re.compile(
    r"(?P<path>[\w.@+~/\\-]++)"
    r"(?:\"?, line (?P<at>\d{1,7})(?:, in (?P<name>[^\W\d]\w*+))?|:(?P<line>\d{1,7})|#L(?P<mark>\d{1,7}))?"
)
_SUFFIX = re.compile(r"\.\w{1,12}\Z")
_LEAST = 2
"""Parts of a path or of a module's name that two must share to be taken for the same."""


class Mention(NamedTuple):
    """A file that a text names."""

    path: str
    line: int = 0
    """0 where no line is told."""
    name: str = ""
    """Of a definition in it, as far as one is told."""
    trace: bool = False
    """Whether it stands in a stack trace."""


class Places:
    """The paths of a tree, by all that they may be called."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = frozenset(paths)
        self._named: dict[str, list[str]] = {}
        for path in sorted(self.paths):
            self._named.setdefault(path.rpartition("/")[2], []).append(path)
        self._modules: dict[str, list[str]] = {}
        for path in sorted(path for path in self.paths if path.endswith(".py")):
            parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
            for start in range(len(parts) - _LEAST + 1):
                self._modules.setdefault(".".join(parts[start:]), []).append(path)

    def resolve(self, mention: str) -> tuple[str, ...]:
        """Return the files that a path may mean; it may begin below or above the tree's root."""
        path = mention.replace("\\", "/").rstrip("./").removeprefix("./")
        if path in self.paths:
            return (path,)
        parts = path.split("/")
        alike = [(_shared(parts, each.split("/")), each) for each in self._named.get(parts[-1], ())]
        best = max((count for count, _ in alike), default=0)
        if best < min(_LEAST, len(parts)):
            return ()
        found = tuple(each for count, each in alike if count == best)
        return found if len(found) <= SHARED else ()

    def module(self, dotted: str) -> tuple[tuple[str, ...], str]:
        """Return the files that a dotted name may be of, and what it names in them."""
        parts = dotted.split(".")
        for end in range(len(parts), _LEAST - 1, -1):
            found = self._modules.get(".".join(parts[:end]), ())
            if found:
                return tuple(found[:SHARED]), ".".join(parts[end:])
        return (), ""


def find_mentions(text: str, places: Places) -> tuple[Mention, ...]:
    """List the files that a text names, in its order, each line once."""
    found: dict[Mention, None] = {}
    for run in _RUN.finditer(bound(text)):
        if len(found) >= MOST:
            break
        found.update(dict.fromkeys(_read(run, places)))
    return tuple(found)


def _read(run: re.Match[str], places: Places) -> Iterator[Mention]:
    path = run["path"]
    if "/" in path or "\\" in path or (_SUFFIX.search(path) and path.strip(".")) or _is_file(path, places.paths):
        line = int(run["at"] or run["line"] or run["mark"] or 0)
        trace = run["at"] is not None or run["line"] is not None
        known = places.resolve(path)
        yield from (Mention(each, line, run["name"] or "", trace) for each in known)
        if not known and "." in path and "/" not in path:
            paths, name = places.module(path.strip("."))
            yield from (Mention(each, 0, name) for each in paths)


def _is_file(word: str, paths: Collection[str]) -> bool:
    """Tell whether a word without a dot is a file at the root, and not a word of prose that is called the same."""
    return word in paths and not word.islower()


def _shared(one: list[str], other: list[str]) -> int:
    """Count the parts that two paths have in common at their ends; all of the shorter one, or none is enough."""
    count = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        count += 1
    return count
