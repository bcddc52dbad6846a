"""On which definitions the rest of a project leans: how many files mention a name and know where it comes from."""

import re
from collections.abc import Collection, Iterable, Mapping
from heapq import nlargest
from math import sqrt
from typing import NamedTuple

from bot.core.evidence import is_test
from bot.tools.mapping.kinds import is_aside
from bot.tools.mapping.tags import Tags, last

COUNTED = 5
"""Definitions by which a file is judged: one that has many is not better for that."""
STRANGER = 0.1
"""Worth of a mention in a file that does not name where the name comes from."""
TEST = 0.3
"""Worth of a test's mention: it tells of what is tested, not of what is leaned on."""
PLAIN = 0.3
"""Worth of a name that is a single word in small letters, which prose and other things have as well."""
MEMBER = 0.5
"""Worth of a definition for each one that it is inside of: whoever mentions it mentions that one first."""
FLOOR = 1e-4
"""Worth of a definition that only its own file mentions: shown where there is room left."""
SHORTEST = 3

_ENTRANCES = frozenset({"__init__", "__main__", "index", "mod", "lib", "main"})
"""Files that go by the name of their folder."""
_PLAIN = re.compile(r"[a-z]+\d*")


class Ranked(NamedTuple):
    """A file, and how much is leaned on it."""

    path: str
    score: float
    names: Mapping[str, float]
    """Dotted names of its definitions that anybody leans on, each with its share."""


class _Place(NamedTuple):
    """Where a name is defined."""

    path: str
    dotted: str


def rank(tags: Mapping[str, Tags]) -> tuple[Ranked, ...]:
    """Order the files that bear something, the most important first; the same files always give the same order."""
    tests = frozenset(path for path in tags if is_test(path))
    bearing = [path for path in tags if path not in tests and not is_aside(path)]
    defined = _defined(tags, bearing)
    stems = {path: _stem(path) for path in bearing}
    users = _mentions(tags, {*defined, *stems.values()})
    knowing = {stem: frozenset(users[stem]) for stem in {*stems.values()}}
    scores: dict[str, dict[str, float]] = {}
    for name, places in defined.items():
        alone = _weigh(name) / len(places)
        for path, dotted in places:
            close = knowing[stems[path]].intersection(users[name])
            near = len(close) - (path in close) - (1 - TEST) * len(close & tests)
            # Who defines a name mentions it as well
            far = STRANGER * (len(users[name]) - 1 - len(close) + (path in close)) / len(places)
            share = alone * MEMBER ** dotted.count(".") * (near + far)
            if share > 0 or not ("." in dotted or name.isupper()):
                scores.setdefault(path, {})[dotted] = max(share, FLOOR)
    ranked = (Ranked(path, _sum(names.values()), names) for path, names in scores.items())
    return tuple(sorted(ranked, key=lambda each: (-each.score, each.path)))


def _defined(tags: Mapping[str, Tags], paths: Iterable[str]) -> dict[str, list[_Place]]:
    """Return where each name is defined that others may lean on; what a file has twice counts where it stands first."""
    found: dict[str, list[_Place]] = {}
    for path in paths:
        own: dict[str, str] = {}
        for dotted in tags[path].names:
            own.setdefault(last(dotted), dotted)
        for name, dotted in own.items():
            if len(name) >= SHORTEST and name[0] != "_":
                found.setdefault(name, []).append(_Place(path, dotted))
    return found


def _mentions(tags: Mapping[str, Tags], names: Collection[str]) -> dict[str, list[str]]:
    """Return the files that mention each of some names."""
    wanted, found = frozenset(names), {name: list[str]() for name in names}
    for path, each in tags.items():
        for name in wanted.intersection(each.words):
            found[name].append(path)
    return found


def _stem(path: str) -> str:
    """Return the name by which others speak of a file."""
    *folders, name = path.split("/")
    stem = name.partition(".")[0]
    return folders[-1] if stem in _ENTRANCES and folders else stem


def _weigh(name: str) -> float:
    return PLAIN if _PLAIN.fullmatch(name) else 1.0


def _sum(shares: Collection[float]) -> float:
    return round(sum(map(sqrt, nlargest(COUNTED, shares))), 6)
