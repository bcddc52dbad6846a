"""Finds what tests rest on outside of the places where tests are: modules and data that are there for them alone."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from bot.core.change import FileChange
from bot.core.check import CaseResult, Rung, Verdict, file_of
from bot.core.evidence import is_configuration, is_test

Read = Callable[[str], bytes | None]
"""Returns the content of a file on the base."""

LARGEST = 1_000_000
MOST = 2000
"""Files that are looked into for the name of another."""
_TESTING = re.compile(rb"^[ \t]*(?:from|import)[ \t]+(?:_?pytest|unittest|hypothesis|nose|pluggy)\b", re.MULTILINE)
_PLAIN = re.compile(r"[\w.-]{4,}\.\w+")


def find_evidence(files: Sequence[FileChange], before: Verdict, after: Verdict, read: Read) -> tuple[FileChange, ...]:
    """Pick the changed files that a verdict rests on: tests, what they use, what configures the checks."""
    holding = set(holders(before))
    fresh = set(holders(after)) - holding
    found = [f for f in files if is_test(f.path) or is_configuration(f.path) or f.path in holding]
    found += [f for f in files if f not in found and f.kind == "added" and f.path in fresh]
    rest = [f for f in files if f not in found and f.kind != "added"]
    support = {*_modules(rest, holding, read), *_data(rest, before, holding, read)} if holding else set()
    return tuple(f for f in files if f in found or f.path in support)


def holders(verdict: Verdict) -> Iterator[str]:
    """Name the files that tests were found in; a doctest stands in the code's own file."""
    yield from dict.fromkeys(file_of(case.id) for case in tests_of(verdict) if "::" in case.id and not case.asks)


def tests_of(verdict: Verdict) -> Iterator[CaseResult]:
    """Walk the cases of checks that run something."""
    for result in verdict.results:
        if result.rung in (Rung.UNIT, Rung.INTEGRATION):
            yield from result.cases


def _modules(files: Iterable[FileChange], holding: set[str], read: Read) -> Iterator[str]:
    """Name modules that use what tests are written with, and those beside tests that have names of their own."""
    folders = {str(PurePosixPath(path).parent) for path in holding if not is_test(path)} - {"."}
    for file in files:
        path = PurePosixPath(file.path)
        if path.suffix != ".py":
            continue
        named = any(path.stem in PurePosixPath(test).stem for test in holding)
        if (str(path.parent) in folders and not named) or _TESTING.search(_content(file.path, read)):
            yield file.path


def _data(files: Iterable[FileChange], before: Verdict, holding: set[str], read: Read) -> Iterator[str]:
    """Name files that tests ask for by name, and the code does not."""
    names = {file.path: PurePosixPath(file.path).name for file in files}
    wanted = {path: name for path, name in names.items() if _PLAIN.fullmatch(name) and not name.endswith(".py")}
    if not wanted:
        return
    imported = {path for result in before.results for path in result.imported}
    tests = {*holding, *(path for path in imported if is_test(path) or is_configuration(path))}
    asked = _named_in(sorted(tests), wanted, read)
    used = _named_in(sorted(imported - tests), asked, read) if asked and imported else {}
    yield from (path for path in asked if path not in used)


def _named_in(sources: Sequence[str], wanted: dict[str, str], read: Read) -> dict[str, str]:
    texts = [_content(path, read) for path in sources[:MOST]]
    return {path: name for path, name in wanted.items() if any(name.encode() in text for text in texts)}


def _content(path: str, read: Read) -> bytes:
    content = read(path)
    return content if content is not None and len(content) <= LARGEST else b""
