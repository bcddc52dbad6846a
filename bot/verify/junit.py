"""Reads JUnit XML that a command wrote: one case for each test."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from bot.core.check import CaseResult, Outcome
from bot.verify.findings import number
from bot.verify.place import clean, from_root, one_line

LARGEST = 32_000_000
"""Bytes of a report; more is not read."""
MOST = 200_000
"""Cases of a report."""
DEEPEST = 50
LONGEST = 2000
"""Characters kept of what is said of a failure."""
_OUTCOMES: Mapping[str, Outcome] = {"failure": "failed", "error": "error", "skipped": "skipped"}


class BadReport(ValueError):
    """A report that cannot be believed."""


class Text(NamedTuple):
    """What is known of the case that is being read."""

    name: str
    path: str
    line: int
    seconds: float


class _Reader:
    """Collects cases as the parser meets them."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.cases: list[CaseResult] = []
        self.files: list[str] = []
        self.depth = 0
        self.current: Text | None = None
        self.outcome: Outcome = "passed"
        self.message = ""
        self.inside = False

    def start(self, tag: str, given: dict[str, str]) -> None:
        """Enter an element."""
        self.depth += 1
        if self.depth > DEEPEST or len(self.cases) > MOST:
            raise BadReport("it is nested too deep, or holds too many cases")
        tag = tag.rpartition(":")[2]
        if tag in ("testsuite", "testsuites"):
            self.files.append(given.get("file", ""))
        elif tag == "testcase":
            self.current, self.outcome, self.message = self._text(given), "passed", ""
        elif self.current is not None and tag in _OUTCOMES:
            if self.outcome in ("passed", "skipped"):
                self.outcome = "xfailed" if "xfail" in given.get("type", "") else _OUTCOMES[tag]
            self.message = self.message or given.get("message", "")
            self.inside = True

    def words(self, text: str) -> None:
        """Keep the beginning of what is said of a failure."""
        if self.inside and len(self.message) < LONGEST:
            self.message += text

    def end(self, tag: str) -> None:
        """Leave an element."""
        self.depth -= 1
        tag = tag.rpartition(":")[2]
        if tag in ("testsuite", "testsuites"):
            self.files.pop()
        elif tag in _OUTCOMES:
            self.inside = False
        elif tag == "testcase" and self.current is not None:
            told = self.current
            self.cases.append(
                CaseResult(
                    id=told.name, outcome=self.outcome, message=clean(self.message.strip())[:LONGEST], path=told.path,
                    line=told.line, seconds=told.seconds,
                )
            )  # fmt: skip
            self.current = None

    def _text(self, given: Mapping[str, str]) -> Text:
        group, name = given.get("classname", ""), given.get("name", "")
        file = given.get("file", "") or next((file for file in reversed(self.files) if file), "")
        path = clean(from_root(self.folder, file)) if file and not file.startswith("/") else ""
        words = one_line(f"{group}::{name}" if group and group != name else name or "a test without a name", 500)
        return Text(words, path, _whole(given.get("line", "")), _seconds(given.get("time", "")))


def read_junit(data: bytes, folder: str) -> tuple[CaseResult, ...]:
    """Read a report whose paths are relative to a folder. Raises BadReport."""
    reader = _Reader(folder)
    parser = expat.ParserCreate()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.words
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = _refuse
    try:
        parser.Parse(data, True)  # noqa: FBT003 - the parser takes no names
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise BadReport(one_line(str(error), 200)) from error
    return number(reader.cases)


def _refuse(*_: object) -> None:
    raise BadReport("it declares a document type or entities")


def load(root: Path, path: str) -> bytes | None:
    """Read a file below `root` without following a link; None when there is none. Raises BadReport."""
    descriptor = _open(root, path)
    if descriptor is None:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise BadReport("it is not a file")
    with os.fdopen(descriptor, "rb") as stream:
        data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise BadReport("it is too large")
    return data


def _open(root: Path, path: str) -> int | None:
    """Open each part of a path in the one before, so that no link leads out of the tree. Raises BadReport."""
    parts = path.split("/")
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        # A pipe would let whoever opens it wait
        return os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadReport(f"it cannot be opened: {error.strerror}") from error
    finally:
        os.close(folder)


def remove(root: Path, path: str) -> bool:
    """Remove what an earlier run left, so that it proves nothing; tells whether it is gone."""
    parent = path.rpartition("/")[0]
    where = root / parent
    if where.is_symlink() or not where.resolve().is_relative_to(root.resolve()):
        return False
    try:
        (root / path).unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _whole(text: str) -> int:
    return int(text[:9]) if text.isascii() and text.isdigit() else 0


def _seconds(text: str) -> float:
    try:
        seconds = float(text.replace(",", ""))
    except ValueError:
        return 0.0
    return seconds if 0 <= seconds < LARGEST else 0.0
