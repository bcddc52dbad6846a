"""Finds out what every source file of a tree defines and mentions; a file that was read once is not read again."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

from bot.core.change import Blob
from bot.core.evidence import is_test
from bot.protocols import Contents, Executor, Shelf
from bot.tools.languages import language_of
from bot.tools.mapping.keeping import load, save
from bot.tools.mapping.kinds import LARGEST, is_aside, is_source
from bot.tools.mapping.parsing import ROUGH, Parsing
from bot.tools.mapping.tags import Tags

MOST_FILES = 12_000
"""Source files that are looked at; those that others may lean on come first."""
MOST_PARSED = 2500
"""Of languages whose definitions a grammar finds; those of others are found by a pattern."""
SECONDS = 10.0
"""For all that was never read before; the rest is left for the next time."""


class Gathered(NamedTuple):
    """What is known of the source files of a tree."""

    tags: Mapping[str, Tags]
    """By path, in the order of the tree."""
    fresh: int
    """How many contents had to be read."""
    whole: bool
    """Whether there was time for all of them."""


def never() -> bool:
    """Say that nobody wants to stop."""
    return False


@dataclass(frozen=True, slots=True)
class Gatherer:
    """Reads what a repository holds, and keeps what it learnt."""

    contents: Contents
    shelf: Shelf
    executor: Executor
    stopped: Callable[[], bool] = never
    clock: Callable[[], float] = time.monotonic
    parsed: int = MOST_PARSED

    def gather(self, files: Sequence[Blob]) -> Gathered:
        """Return the tags of the source files among the files of a tree. Raises WorkspaceError."""
        keys = dict(_keys(choose(files), self.parsed))
        found = load(self.shelf, {*keys.values()})
        missing = [key for key in dict.fromkeys(keys.values()) if key not in found]
        fresh, rough = self._read(missing) if missing else ({}, {})
        if fresh:
            save(self.shelf, fresh, {*keys.values()})
        found.update(fresh | rough)
        return Gathered(
            tags={path: found[key] for path, key in keys.items() if key in found},
            fresh=len(fresh) + len(rough),
            whole=not rough and found.keys() >= {*keys.values()},
        )

    def _read(self, keys: Collection[str]) -> tuple[dict[str, Tags], dict[str, Tags]]:
        """Read files; those of the second kind are only guessed at, because nobody had the time."""
        end = self.clock() + SECONDS
        with ThreadPoolExecutor(1) as thread:
            parsing = Parsing(thread, self.executor)
            contents = self.contents.read(map(_blob, keys), LARGEST)
            for key, (_, content) in zip(keys, contents, strict=True):
                if self.stopped() or self.clock() > end:
                    break
                parsing.add(key, (content or b"").decode("utf-8", "replace"))
            if not self.stopped():
                parsing.finish()
        return parsing.known, parsing.rough


def choose(files: Sequence[Blob], most: int = MOST_FILES) -> tuple[Blob, ...]:
    """Pick the source files out of all; of too many, rather those that others may lean on."""
    sources = [blob for blob in files if is_source(blob.path)]
    if len(sources) > most:
        first = sorted(sources, key=lambda blob: is_test(blob.path) or is_aside(blob.path))[:most]
        kept = {blob.path for blob in first}
        sources = [blob for blob in sources if blob.path in kept]
    return tuple(sources)


def _keys(files: Sequence[Blob], most: int) -> Iterator[tuple[str, str]]:
    """Yield paths with the names under which their tags are kept: the same content means the same."""
    others = 0
    for path, blob in files:
        suffix = path.rpartition(".")[2].lower()
        others += language_of(path) != "python"
        yield path, f"{blob}{ROUGH if others > most else '.'}{suffix}"


def _blob(key: str) -> str:
    return key.partition(".")[0]
