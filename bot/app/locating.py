"""Says which places a task is most likely about, without asking a model: from words, history and what fails."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from bot.core.change import Blob
from bot.core.check import Verdict
from bot.core.evidence import is_test
from bot.core.paths import is_sensitive
from bot.core.retrieval.evidence import Failing, gather
from bot.core.retrieval.hints import Source, locate
from bot.core.retrieval.index import Index
from bot.core.retrieval.mentions import Places
from bot.core.retrieval.pages import Change, Page
from bot.core.retrieval.signs import read_trouble
from bot.core.retrieval.spots import Definition
from bot.protocols import Contents
from bot.tools.mapping.gathering import Gathered
from bot.tools.mapping.tags import Tags
from bot.verify.impact import Users
from bot.verify.imports import Imports, read_imports

LARGEST = 400_000
"""Bytes of a file that is read for its places or its imports."""
TESTS = 6
"""Files of failing tests that are read."""
FUNCTIONS, LINES = 12, 60
"""Failing test functions whose words count, and how many lines of each."""


@dataclass(frozen=True)
class Locator:
    """What is known of one tree, ready for questions."""

    contents: Contents
    tags: Mapping[str, Tags]
    blobs: Mapping[str, str]
    index: Index
    places: Places

    def locate(self, goal: str, verdict: Verdict) -> tuple[str, ...]:
        """Name the places most likely concerned, the likeliest first, a line each. Raises WorkspaceError."""
        if not goal.strip() and not verdict.bad:
            return ()
        evidence = gather(goal, verdict, self.places, self.read_tests(verdict))
        return tuple(place.text for place in locate(self.index, evidence, self.read))

    def read(self, paths: Sequence[str]) -> dict[str, Source]:
        """Read files for the places in them. Raises WorkspaceError."""
        return {
            path: Source(text, [Definition(each.name, each.line, each.end) for each in self._tags(path).definitions])
            for path, text in self._texts(paths)
        }

    def _texts(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        # Of others nothing was read yet: in a partial clone they may not be here
        known = [path for path in paths if path in self.blobs and path in self.tags]
        for path, (_, content) in zip(known, self.contents.read([self.blobs[p] for p in known], LARGEST), strict=True):
            if content is not None:
                yield path, content.decode("utf-8", "replace")

    def _tags(self, path: str) -> Tags:
        return self.tags.get(path, Tags())

    def read_tests(self, verdict: Verdict) -> Failing:
        """Read the failing tests: what they load, and of what they speak. Raises WorkspaceError."""
        files = [path for path in read_trouble(verdict).tests if path in self.tags][:TESTS]
        failing = {case.id.partition("[")[0] for result in verdict.results for case in result.cases if case.bad}
        code: list[str] = []
        for path, text in self._texts(files):
            lines = text.split("\n")
            wanted = [each for each in self._tags(path).definitions if _id(path, each.name) in failing]
            code += ("\n".join(lines[each.line - 1 : min(each.end, each.line + LINES)]) for each in wanted[:FUNCTIONS])
        return Failing(
            {path: self._imports_of(path) for path in files if path.endswith(".py")}, "\n".join(code[:FUNCTIONS])
        )

    def _imports_of(self, path: str) -> tuple[str, ...]:
        self._users.add(path, self._sources[path])
        return tuple(place for place, users in self._users.real.items() if path in users and place != path)

    @cached_property
    def _sources(self) -> "_Sources":
        return _Sources([path for path in self.blobs if path.endswith(".py")], self._texts)

    @cached_property
    def _users(self) -> Users:
        return Users(list(self._sources), self._sources)


class _Sources(Mapping[str, Imports]):
    """The Python files of a tree and what each imports, read when somebody asks."""

    def __init__(self, paths: Sequence[str], read: Callable[[Sequence[str]], Iterable[tuple[str, str]]]) -> None:
        self._paths = dict.fromkeys(paths)
        self._read = read
        self._known: dict[str, Imports] = {}

    def __getitem__(self, path: str) -> Imports:
        if path not in self._paths:
            raise KeyError(path)
        if path not in self._known:
            text = next((text for _, text in self._read([path])), "")
            self._known[path] = read_imports(text.encode("utf-8", "replace"), path)
        return self._known[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def __contains__(self, path: object) -> bool:
        return path in self._paths


def make_locator(
    contents: Contents, files: Iterable[Blob], found: Gathered, changes: Iterable[Change], scope: Sequence[str] = ()
) -> Locator:
    """Get ready for questions of a tree; files that may hold secrets are never named."""
    named = {blob.path: blob.id for blob in files if not is_sensitive(blob.path, scope)}
    pages = (_page(path, tags) for path, tags in found.tags.items() if path in named and not is_test(path))
    return Locator(contents, found.tags, named, Index(pages, changes), Places(named))


def _page(path: str, tags: Tags) -> Page:
    return Page(path, tags.words, tags.times, tags.names)


def _id(path: str, dotted: str) -> str:
    return "::".join((path, *dotted.split(".")))
