"""The tamper guard as far as reading goes: what became of tests, of what they use, of what configures the checks."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from bot.core.proof import TestChange
from bot.verify.guard.loading import compare_loading
from bot.verify.guard.matching import match
from bot.verify.guard.modules import Module, is_test_file, read
from bot.verify.guard.settings import compare_settings, kind_of
from bot.verify.guard.versions import Version


@dataclass(frozen=True, slots=True)
class Source:
    """A file of the evidence, before and after; bytes that are not UTF-8 stand as lone surrogates.

    One that is the same on both sides tells what the others act on, and yields nothing itself.
    """

    path: str
    before: str | None
    """None when it was not there."""
    after: str | None

    @property
    def changed(self) -> bool:
        """Whether there is something to compare."""
        return self.before != self.after


class Inspected(NamedTuple):
    """What became of the evidence."""

    tests: tuple[TestChange, ...] = ()
    unread: tuple[str, ...] = ()
    """Changed files that could not be compared piece by piece."""


def inspect(sources: Sequence[Source], lent: Sequence[Source] = ()) -> Inspected:
    """Compare the files of the evidence, all at once, so that what went from one to another is seen.

    `lent` are changed files that are no evidence, such as the code under test: names are followed into them, so that
    a test is still the same when what it imports went somewhere else as it was.
    """
    code = [source for source in sources if kind_of(source.path) == "code"]
    telling = [source for source in code if source.changed or _is_telling(source, code)]
    tests, unread = _compare_code(telling, [source for source in lent if kind_of(source.path) == "code"])
    for source in sources:
        if source.changed and kind_of(source.path) != "code":
            found = compare_settings(source.path, source.before, source.after)
            tests += found or []
            unread += [source.path] if found is None else []
    return Inspected(tuple(dict.fromkeys(tests)), tuple(dict.fromkeys(unread)))


def _is_telling(source: Source, code: Sequence[Source]) -> bool:
    """Tell whether an unchanged file has to be read: it lends to tests, or others began to lend to it."""
    lending = PurePosixPath(source.path).name == "conftest.py"
    return lending or any(other.changed and not is_test_file(other.path) for other in code)


def _compare_code(sources: Sequence[Source], lent: Sequence[Source]) -> tuple[list[TestChange], list[str]]:
    old, new, unread = _read_all(sources)
    old_lent, new_lent, _ = _read_all(lent)
    before, after = Version(old, old_lent), Version(new, new_lent)
    try:
        return [*match(before, after), *compare_loading(before, after)], unread
    except RecursionError:
        return [], [*unread, *(source.path for source in sources if source.changed)]


def _read_all(sources: Sequence[Source]) -> tuple[dict[str, Module], dict[str, Module], list[str]]:
    """Read files before and after; one that cannot be read on one side is left out on both, and named."""
    old: dict[str, Module] = {}
    new: dict[str, Module] = {}
    unread: list[str] = []
    for source in sources:
        before = _read(source.path, source.before)
        after = _read(source.path, source.after) if source.changed else before
        if (before is None) != (source.before is None) or (after is None) != (source.after is None):
            unread += [source.path] if source.changed else []
            continue
        old |= {source.path: before} if before is not None else {}
        new |= {source.path: after} if after is not None else {}
    return old, new, unread


def _read(path: str, text: str | None) -> Module | None:
    return read(path, text) if text is not None else None
