"""Unified diffs: made from edits of bytes, and read back into such edits."""

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.errors import NoMatch, NotFound

HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
BEYOND = re.compile(r"^(?:GIT binary patch|Binary files .* differ|(?:rename|copy) (?:from|to) )", re.MULTILINE)
"""What a diff does beside changing lines."""
NO_NEWLINE = "\\ No newline at end of file"


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes of one file and the text that takes their place."""

    path: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """What a unified diff does to a tree."""

    edits: tuple[Span, ...] = ()
    created: tuple[tuple[str, str], ...] = ()
    deleted: tuple[str, ...] = ()


def make_diff(path: str, before: bytes, after: bytes) -> str:
    """Write the difference between two versions of a file the way git does. Raises UnicodeDecodeError."""
    old, new = (split_lines(content.decode("utf-8")) for content in (before, after))
    lines = list(difflib.unified_diff(old, new, lineterm="\n"))[2:]
    text = "".join(line if line.endswith("\n") else f"{line}\n{NO_NEWLINE}\n" for line in lines)
    return f"--- a/{path}\n+++ b/{path}\n{text}" if text else ""


def is_straight(root: Path, path: str) -> bool:
    """Whether a name leads to a place in a folder without any link: what stands at its end has no other name."""
    try:
        return (root / path).resolve() == root.resolve() / path
    except (OSError, RuntimeError, ValueError):
        return False


def split_lines(text: str) -> list[str]:
    """Split at line feeds only, as git does, whatever else ends a line elsewhere."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


@dataclass(frozen=True, slots=True)
class Hunk:
    """A few lines of a diff: what is expected and what comes in its place."""

    start: int
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FilePatch:
    """The hunks of one file; an empty name on one side means that the file is not there."""

    source: str
    target: str
    hunks: tuple[Hunk, ...]


def read_diff(root: Path, diff: str) -> Change:
    """Fit a unified diff to the files of a folder; line numbers may be off. Raises NoMatch and NotFound."""
    edits: list[Span] = []
    created: list[tuple[str, str]] = []
    deleted: list[str] = []
    files = list(_parse(diff))
    if not files:
        raise NoMatch("this is no unified diff")
    if BEYOND.search(diff) or any(file.source and file.target and file.source != file.target for file in files):
        raise NoMatch("the patch renames or copies files, or is of binary ones: that is not tried")
    for file in files:
        path = file.target or file.source
        for name in filter(None, (file.source, file.target)):
            _check(root, name)
        there = (root / path).is_file() if file.source else (root / path).exists()
        if there != bool(file.source) or _is_below_file(root, path):
            raise NotFound(f"{path} cannot be patched: {'it is no file here' if file.source else 'its place is taken'}")
        if not file.source:
            created.append((path, "".join(line for hunk in file.hunks for line in hunk.new)))
        elif not file.target:
            deleted.append(path)
        else:
            edits += _fit(root, file)
    return Change(tuple(edits), tuple(created), tuple(deleted))


def _is_below_file(root: Path, path: str) -> bool:
    return any((root / parent).is_file() for parent in Path(path).parents)


def named_in(diff: str) -> tuple[str, ...]:
    """Name the files that a diff is taken to be of."""
    return tuple(dict.fromkeys(name for file in _parse(diff) for name in (file.source, file.target) if name))


def _check(root: Path, path: str) -> None:
    parts = path.split("/")
    wrong = path.startswith("/") or ".." in parts or "\0" in path or ".git" in (part.lower() for part in parts)
    if wrong or not is_straight(root, path):
        raise NoMatch(f"the patch names a path that it may not: {path!r}")


def _name(line: str) -> str:
    name = line[4:].rstrip("\r\n").split("\t")[0].strip().strip('"')
    return "" if name == "/dev/null" else name[2:] if name.startswith(("a/", "b/")) else name


def _parse(diff: str) -> Iterator[FilePatch]:
    lines = split_lines(diff if diff.endswith("\n") else f"{diff}\n")
    index = 0
    while index + 1 < len(lines):
        if not (lines[index].startswith("--- ") and lines[index + 1].startswith("+++ ")):
            index += 1
            continue
        source, target = _name(lines[index]), _name(lines[index + 1])
        index += 2
        hunks = []
        while index < len(lines) and (found := HUNK.match(lines[index])):
            hunk, index = _parse_hunk(lines, index + 1, int(found[1]))
            hunks.append(hunk)
        yield FilePatch(source, target, tuple(hunks))


def _parse_hunk(lines: list[str], index: int, start: int) -> tuple[Hunk, int]:
    """Read lines as long as they look like a hunk; the counts of its header are not relied on."""
    old: list[str] = []
    new: list[str] = []
    while index < len(lines):
        line = lines[index]
        if line.startswith(("@@", "diff --git", "--- a/", "--- /dev/null")):
            break
        if line.startswith("\\"):
            for side in (
                (old, new)
                if lines[index - 1].startswith(" ")
                else (old,)
                if lines[index - 1].startswith("-")
                else (new,)
            ):
                side[-1] = side[-1].rstrip("\n")
        elif line[0] in " -+":
            if line[0] != "+":
                old.append(line[1:])
            if line[0] != "-":
                new.append(line[1:])
        elif line.strip():
            break
        else:
            old.append(line)
            new.append(line)
        index += 1
    while old and new and old[-1] == new[-1] == "\n":
        old.pop()
        new.pop()
    return Hunk(start, tuple(old), tuple(new)), index


def _fit(root: Path, file: FilePatch) -> Iterator[Span]:
    try:
        if not (root / file.source).is_file():  # what is read from a device may never end
            raise FileNotFoundError
        content = (root / file.source).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise NotFound(f"{file.source} cannot be patched: it is not a readable text file") from error
    lines = split_lines(content)
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line.encode()))
    earliest = 0
    for hunk in file.hunks:
        place = find_place(lines, hunk, earliest)
        if place is None:
            raise NoMatch(f"{file.source}: the lines of the hunk at line {hunk.start} are not there")
        earliest = place + len(hunk.old)
        text = "".join(hunk.new)
        crlf = bool(lines) and lines[0].endswith("\r\n") and "\r\n" not in text
        yield Span(file.source, offsets[place], offsets[earliest], text.replace("\n", "\r\n") if crlf else text)


def find_place(lines: Sequence[str], hunk: Hunk, earliest: int = 0) -> int | None:
    """Find the lines of a hunk, nearest to where it says that they are; white space at line ends is passed over."""
    wanted = [line.rstrip() for line in hunk.old]
    present = [line.rstrip() for line in lines]
    guess = hunk.start - 1 if wanted else hunk.start
    if not wanted:
        return min(max(guess, earliest), len(lines))
    places = range(earliest, len(lines) - len(wanted) + 1)
    fitting = [p for p in places if present[p : p + len(wanted)] == wanted]
    return min(fitting, key=lambda p: abs(p - guess), default=None)
