"""Which tests matter for a change: those that import what was changed, directly or by way of others."""

import os
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from bot.core.check import CheckResult, file_of
from bot.verify.detection.project import SKIP
from bot.verify.imports import ANY, Imports, read_imports

SLOW = 2.0
"""Seconds of a suite from which on it is worth asking the nearest tests first."""
SHARE = 0.4
"""Part of the suite's time that they may take at most."""
START, RUNS = 0.3, 3
"""Seconds that any run takes to begin, and how many it takes until a failure is sure."""
WORTH = 0.8
"""Part of the whole suite that all of this may take at most."""
MOST = 5000
LARGEST = 1_000_000
CONFTEST, PACKAGE = "conftest.py", "__init__.py"
"""Files that count for everything below their folder."""
DEPTH = 4
"""Packages through which a name is followed to where it comes from."""


def nearest(root: Path, paths: Sequence[str], before: CheckResult) -> tuple[str, ...]:
    """Name the files whose tests to ask first; none when all are to be asked, or nothing would be gained."""
    if before.seconds <= SLOW or before.narrowed or not paths or not all(map(_is_code, paths)):
        return ()
    known = dict.fromkeys(file_of(case.id) for case in before.cases if "::" in case.id)
    graph = read_graph(root)
    if graph is None:
        return ()
    reached = graph.reached(paths)
    chosen = tuple(path for path in known if path in reached and path in graph.files)
    fresh = tuple(path for path in paths if path in graph.files and path not in known and _holds_tests(path))
    asked = frozenset(chosen)
    whole = sum(case.seconds for case in before.cases)
    share = sum(case.seconds for case in before.cases if file_of(case.id) in asked)
    begin = START + max(0.0, before.seconds - whole) * len(chosen) / max(1, len(known))
    # Once for all of them, and for the few that fail once more on either tree
    pays = RUNS * begin + share < WORTH * before.seconds
    return (*chosen, *fresh) if chosen and share < SHARE * whole and pays else ()


def _is_code(path: str) -> bool:
    name = PurePosixPath(path).name
    return name.endswith(".py") and name not in (CONFTEST, "setup.py", "sitecustomize.py", "noxfile.py")


def _holds_tests(path: str) -> bool:
    name = PurePosixPath(path).name
    return name.startswith("test_") or name.endswith("_test.py")


@dataclass(frozen=True, slots=True)
class Graph:
    """The Python files of a tree and what each names."""

    files: Mapping[str, Imports]

    def reached(self, paths: Sequence[str]) -> frozenset[str]:
        """Name the files that import one of these, or something that does, and those that may run anything."""
        return frozenset(self.steps(paths)) | {path for path, told in self.files.items() if told.wild}

    def steps(self, paths: Sequence[str]) -> Mapping[str, int]:
        """Tell over how many imports each file that uses one of these reaches it; the nearest come first."""
        users = Users({*self.files, *paths}, self.files)
        for path, told in self.files.items():
            users.add(path, told)
        found = dict.fromkeys(paths, 0)
        waiting = deque(paths)
        loading = {user: 1 for path in paths for user in users.passing.get(path, ()) if user not in found}
        found |= loading
        waiting += loading
        while waiting:
            path = waiting.popleft()
            for user in users.real.get(path, ()):
                if user not in found:
                    found[user] = found[path] + 1
                    waiting.append(user)
        return found


class Uses(NamedTuple):
    """What a dotted name stands for."""

    real: tuple[str, ...]
    passing: tuple[str, ...]


class Users:
    """The imports of a tree turned around; files that are gone may still be asked for."""

    def __init__(self, paths: Collection[str], files: Mapping[str, Imports]) -> None:
        self.files = files
        self.paths = frozenset(paths)
        self.real: dict[str, list[str]] = {}
        """Who uses what is in a file."""
        self.passing: dict[str, list[str]] = {}
        """Who loads a file on the way to another: what that file imports in turn is not used for that."""
        self.places: dict[str, list[str]] = {}
        """Under which names a file may be imported: nobody knows which folder the search starts from."""
        self.named: dict[str, list[str]] = {}
        self._uses: dict[tuple[str, int], Uses] = {}
        self._folders: dict[str, tuple[str, ...]] = {}
        for path in paths:
            self.named.setdefault(path.rpartition("/")[2], []).append(path)
            parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
            for start in range(len(parts)):
                self.places.setdefault(".".join(parts[start:]), []).append(path)

    def add(self, path: str, told: Imports) -> None:
        """Note what one file uses."""
        for name in told.modules | told.strings:
            uses = self._find(name, DEPTH)
            for place in uses.real:
                self.real.setdefault(place, []).append(path)
            for place in uses.passing:
                self.passing.setdefault(place, []).append(path)
        for name in told.strings:
            for place in self.named.get(name.rpartition("/")[2], ()):
                self.real.setdefault(place, []).append(path)
        for above in self._above(path.rpartition("/")[0]):
            if above != path:
                group = self.real if above.endswith(CONFTEST) else self.passing
                group.setdefault(above, []).append(path)

    def _above(self, folder: str) -> tuple[str, ...]:
        """Name the files that count for everything in a folder."""
        if folder not in self._folders:
            own = (f"{folder}/{name}".lstrip("/") for name in (CONFTEST, PACKAGE))
            higher = self._above(folder.rpartition("/")[0]) if folder else ()
            self._folders[folder] = (*(path for path in own if path in self.paths), *higher)
        return self._folders[folder]

    def _find(self, name: str, depth: int) -> Uses:
        """Find what a dotted name stands for; a package may have it from somewhere else."""
        known = self._uses.get((name, depth))
        if known is None:
            known = self._uses[name, depth] = self._search(name, depth)
        return known

    def _search(self, name: str, depth: int) -> Uses:
        if name.endswith(ANY):
            return self._search_all(name.removesuffix(ANY))
        parts = name.split(".")
        ends = [end for end in range(len(parts), 0, -1) if ".".join(parts[:end]) in self.places]
        real: dict[str, None] = {}
        passing: dict[str, None] = {}
        for number, end in enumerate(ends):
            for place in self.places[".".join(parts[:end])]:
                origins = self._origins(place, parts[end]) if end < len(parts) and not number and depth else ()
                for origin in origins:
                    further = self._find(origin, depth - 1)
                    real |= dict.fromkeys(further.real)
                    passing |= dict.fromkeys(further.passing)
                (passing if number or origins else real)[place] = None
        return Uses(tuple(real), tuple(passing))

    def _search_all(self, start: str) -> Uses:
        """Find what a name stands for of which only the start can be told."""
        found = (place for name, places in self.places.items() if name.startswith(start) for place in places)
        return Uses(tuple(dict.fromkeys(found)), ())

    def _origins(self, place: str, name: str) -> tuple[str, ...]:
        """Tell where a package has a name from."""
        told = self.files.get(place) if place.endswith(f"/{PACKAGE}") or place == PACKAGE else None
        return tuple(module for module in (told.modules if told else ()) if module.rpartition(".")[2] == name)


def read_graph(root: Path) -> Graph | None:
    """Read every Python file of a tree; None when there are too many, or one cannot be read."""
    files: dict[str, Imports] = {}
    for path in _sources(root):
        if len(files) >= MOST:
            return None
        target = root / path
        try:
            if target.is_symlink() or target.stat().st_size > LARGEST:
                return None
            files[path] = read_imports(target.read_bytes(), path)
        except OSError:
            return None
    return Graph(files)


def _sources(root: Path) -> Iterator[str]:
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = sorted(name for name in subfolders if name[0] != "." and name not in SKIP)
        inside = PurePosixPath(folder[len(str(root)) :].lstrip("/"))
        yield from ((inside / name).as_posix() for name in sorted(names) if name.endswith(".py"))
