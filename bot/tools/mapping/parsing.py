"""Reads source files for their tags: Python here, other languages by the grammars, many files at once."""

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from bot.protocols import Executor
from bot.tools.definitions import ask
from bot.tools.languages import language_of
from bot.tools.mapping.kinds import is_written
from bot.tools.mapping.python import scan
from bot.tools.mapping.tags import Tags, count, make_tags
from bot.tools.symbols import Symbol, by_pattern

TOGETHER = 2_000_000
"""Characters that the grammars are asked about at once."""
ROUGH = ".rough."
"""Stands in the name of a file whose definitions a pattern finds, as there are too many to be parsed."""

_WORD = re.compile(r"[A-Za-z_]\w{2,}+", re.ASCII)
_LETTERS = re.compile(r"[^\W\d]\w{2,}+")


@dataclass(slots=True)
class Parsing:
    """Files that are read for their tags, by names of which only the ending counts."""

    thread: ThreadPoolExecutor
    """Where the grammars are waited for meanwhile."""
    executor: Executor
    known: dict[str, Tags] = field(default_factory=dict)
    rough: dict[str, Tags] = field(default_factory=dict)
    """Those that a pattern was good enough for this time."""
    _texts: dict[str, str] = field(default_factory=dict)
    _size: int = 0
    _last: "Future[None] | None" = None

    def add(self, name: str, text: str) -> None:
        """Read a file, or put it by for the grammars."""
        language = language_of(name)
        if not is_written(text):
            self.known[name] = Tags()
        elif language == "python" or ROUGH in name:
            self.known[name] = _tag(scan(text) if language == "python" else by_pattern(text), text)
        else:
            self._texts[name] = text
            self._size += len(text)
        if self._size > TOGETHER:
            self._flush()

    def finish(self) -> None:
        """Wait for the grammars."""
        self._flush()
        self._flush()

    def _flush(self) -> None:
        # No more than one batch waits, for they are held in memory
        if self._last is not None:
            self._last.result()
        texts, self._texts, self._size = self._texts, {}, 0
        self._last = self.thread.submit(self._parse, texts) if texts else None

    def _parse(self, texts: Mapping[str, str]) -> None:
        told = ask(texts, self.executor)
        for name, text in texts.items():
            symbols = told.get(name)
            tags = _tag(by_pattern(text) if symbols is None else symbols, text)
            (self.known if name in told else self.rough)[name] = tags


def _tag(definitions: Sequence[Symbol], text: str) -> Tags:
    # Letters of other alphabets cost half as much time again
    return make_tags(definitions, count((_WORD if text.isascii() else _LETTERS).findall(text)))
