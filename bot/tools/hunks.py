"""Reads a unified diff as a model or git wrote it; counts and line numbers in it are hints, its lines are not."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.core.change import readable
from bot.errors import BadArguments

_HEADER = re.compile(r"@@(?: -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@.*| .*@@.*| *)\Z", re.DOTALL)
_QUOTED = re.compile(r'\\([0-7]{3}|[abfnrtv"\\])')
_LETTERS = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, '"': 34, "\\": 92}
_UNFIT = ("GIT binary patch", "Binary files ", "copy from ", "Submodule ")


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines to find and lines to put in their place; an unchanged line is in both."""

    start: int | None
    """Line number that the patch names in the old file, if it names one."""
    lines: tuple[tuple[str, str], ...]
    """Pairs of a sign (space, minus or plus) and a line without its ending."""
    bare: tuple[bool, bool] = (False, False)
    """Whether the last old line and the last new one have no newline at the end of the file."""

    @property
    def old(self) -> tuple[str, ...]:
        """The lines that must be there."""
        return tuple(line for sign, line in self.lines if sign != "+")

    @property
    def ends_new(self) -> bool:
        """Whether its last new line is none of the old file."""
        return next((sign == "+" for sign, _ in reversed(self.lines) if sign != "-"), False)


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What a patch does to one file."""

    source: str = ""
    """Empty for a new file."""
    target: str = ""
    """Empty for a deleted file."""
    hunks: tuple[Hunk, ...] = ()
    executable: bool | None = None
    """None leaves the permissions alone."""


def read_patch(patch: str) -> tuple[FilePatch, ...]:
    """Split a unified diff into what it does to each file. Raises BadArguments."""
    lines = patch.split("\n")
    found: list[FilePatch] = []
    at = 0
    while at < len(lines):
        if lines[at].startswith("diff --git ") or _names_follow(lines, at):
            section, at = _section(lines, at)
            found.append(section)
        else:
            if _HEADER.match(lines[at]) and lines[at].startswith("@@ -"):
                raise BadArguments(
                    f"line {at + 1} of the patch: a hunk without `--- a/PATH` and `+++ b/PATH` before it"
                )
            at += 1
    if not found:
        raise BadArguments("this is no unified diff: there is no `--- a/PATH` line followed by `+++ b/PATH`")
    return tuple(found)


def _names_follow(lines: Sequence[str], at: int) -> bool:
    return lines[at].startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ ")


def _section(lines: Sequence[str], at: int) -> tuple[FilePatch, int]:
    section, at = _extended(lines, at)
    if at < len(lines) and _names_follow(lines, at):
        source, target = _pair(lines[at][4:], lines[at + 1][4:])
        section = replace(section, source=source, target=target)
        at += 2
    hunks: list[Hunk] = []
    while at < len(lines) and (header := _HEADER.match(lines[at])):
        hunk, at = _hunk(lines, at + 1, header)
        hunks.append(hunk)
    if not section.source and not section.target:
        raise BadArguments(f"line {at} of the patch: which file is meant? `--- a/PATH` and `+++ b/PATH` are missing")
    return replace(section, hunks=tuple(hunks)), at


def _extended(lines: Sequence[str], at: int) -> tuple[FilePatch, int]:
    """Read git's header lines, which alone describe a rename, a mode and an empty file."""
    section = FilePatch()
    if not lines[at].startswith("diff --git "):
        return section, at
    section = _both(lines[at][len("diff --git ") :].rstrip("\r"))
    at += 1
    while at < len(lines) and not lines[at].startswith(("diff --git ", "@@")) and not _names_follow(lines, at):
        section = _apply_header(section, lines[at].rstrip("\r"))
        at += 1
    return section, at


def _apply_header(section: FilePatch, line: str) -> FilePatch:
    if line.startswith(_UNFIT):
        raise BadArguments(f"the patch holds what cannot be applied here: {line[:80]}")
    match line.split(" ", 3):
        case ["rename", "from", *rest]:
            return replace(section, source=_decode(" ".join(rest)))
        case ["rename", "to", *rest]:
            return replace(section, target=_decode(" ".join(rest)))
        case ["new", "file", "mode", mode]:
            return replace(section, source="", executable=_is_executable(mode))
        case ["deleted", "file", *_]:
            return replace(section, target="")
        case ["new", "mode", mode]:
            return replace(section, executable=_is_executable(mode))
        case _:
            return section


def _is_executable(mode: str) -> bool:
    if mode not in ("100644", "100755"):
        raise BadArguments(f"a patch may make files of mode 100644 or 100755, not {mode[:20]}")
    return mode == "100755"


def _both(names: str) -> FilePatch:
    """Read both names of a `diff --git` line when they are the same but for a/ and b/, as without a rename."""
    half = len(names) // 2
    left, right = names[:half], names[half + 1 :]
    if names[half : half + 1] != " ":
        return FilePatch()
    source, target = _strip_both(_decode(left), _decode(right))
    return FilePatch(source, target) if source == target else FilePatch()


def _pair(left: str, right: str) -> tuple[str, str]:
    return _strip_both(_unquote(left), _unquote(right))


def _strip_both(source: str, target: str) -> tuple[str, str]:
    strip = all(name == "/dev/null" or name[:2] == prefix for name, prefix in ((source, "a/"), (target, "b/")))
    return _bare(source, strip=strip), _bare(target, strip=strip)


def _bare(name: str, *, strip: bool) -> str:
    if name == "/dev/null":
        return ""
    return name[2:] if strip else name


def _unquote(name: str) -> str:
    """Return a path as list_files would show it, without git's quotes or a time stamp."""
    name, stamped, _ = name.rstrip("\r").partition("\t")
    # After a name with spaces git writes a tab, so that those at its end are told from stray ones
    return _decode(name if stamped else name.strip())


def _decode(name: str) -> str:
    quoted = re.fullmatch(r'"(.*)"', name, re.DOTALL)
    if quoted is None:
        return name
    pieces = _QUOTED.split(quoted[1])
    raw = b"".join(
        (bytes([_LETTERS[piece]]) if piece in _LETTERS else bytes([int(piece, 8) & 255])) if odd else os.fsencode(piece)
        for odd, piece in ((index % 2, piece) for index, piece in enumerate(pieces))
    )
    return readable(raw)


def _hunk(lines: Sequence[str], at: int, header: re.Match[str]) -> tuple[Hunk, int]:
    """Read the lines of a hunk: as many as its header counts, and any that follow when the counts are wrong."""
    wanted = [int(header[group] or 1) if header[1] else 0 for group in (2, 4)]
    taken: list[tuple[str, str]] = []
    bare = [False, False]
    while at < len(lines):
        if lines[at].startswith("\\"):
            _mark_bare(bare, taken)
        elif (pair := _line(lines, at, wanted)) is not None:
            taken.append(pair)
            wanted = [wanted[0] - (pair[0] != "+"), wanted[1] - (pair[0] != "-")]
        else:
            break
        at += 1
    if not taken:
        raise BadArguments(f"line {at} of the patch: a hunk without lines")
    return Hunk(int(header[1]) if header[1] else None, tuple(taken), (bare[0], bare[1])), at


def _line(lines: Sequence[str], at: int, wanted: Sequence[int]) -> tuple[str, str] | None:
    """Read one line of a hunk, or None where the hunk ends; `wanted` are the lines that its header still counts."""
    line, short = lines[at], wanted[0] > 0 or wanted[1] > 0
    if line in ("", "\r"):  # an editor took the space of an empty line away, or the hunk is over
        return (" ", line) if short and not _closes(lines, at + 1) else None
    if line[0] not in " -+" or (line.startswith("--- ") and _starts_file(lines, at, wanted)):
        return None
    if not short and (line == "-- " or _names_follow(lines, at)):
        return None
    return line[0], line[1:]


def _mark_bare(bare: list[bool], taken: Sequence[tuple[str, str]]) -> None:
    sign = taken[-1][0] if taken else " "
    bare[0] |= sign != "+"
    bare[1] |= sign != "-"


def _starts_file(lines: Sequence[str], at: int, wanted: Sequence[int]) -> bool:
    # Two lines of content may look like the names of a file; then they are just what the header still counts
    usual = lines[at].startswith(("--- a/", "--- /dev/null"))
    follows = _names_follow(lines, at) and at + 2 < len(lines) and lines[at + 2].startswith("@@")
    return follows and (usual or list(wanted) != [1, 1])


def _closes(lines: Sequence[str], at: int) -> bool:
    return at >= len(lines) or lines[at].startswith(("diff --git ", "@@", "```")) or _names_follow(lines, at)
