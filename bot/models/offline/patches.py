"""Unified diffs: made from texts, read back, turned round, and put into words."""

import difflib
import json
import re
from dataclasses import dataclass, field
from typing import NamedTuple

from bot.models.offline.source import Piece, scan

HUNK = re.compile(r"^@@ -(?P<old>\d+(?:,\d+)?) \+(?P<new>\d+(?:,\d+)?) @@(?P<tail>.*)$")
IMPORTS = re.compile(r"\s*(?:import|from)\s")
HEAD = re.compile(
    r"^CANDIDATE (?P<number>\d{1,6}) (?P<path>\S.*):(?P<line>\d{1,7}) (?P<template>\S+) score=(?P<score>-?[\d.]+)"
    r"(?: alike=(?P<alike>\d{1,6}))?$"
)
STRING = r'"(?:[^"\\]|\\.)*"'
ASKED = re.compile(
    rf"^QUESTION (?P<one>\d{{1,6}}) (?P<other>\d{{1,6}}) (?P<call>{STRING})"
    rf" -> (?P<ours>{STRING}) \| (?P<theirs>{STRING})$"
)
SUSPECT = re.compile(r"^SUSPECT (?P<path>\S.*?):(?P<line>\d{1,7}) score=(?P<score>-?[\d.]+) ?(?P<text>.*)$")
TRIED = re.compile(r"^(?P<verdict>PASS|FAIL) (?P<number>\d{1,6})\b ?(?P<detail>.*)$")
SEARCHED = re.compile(r"^SEARCH candidates=\d{1,6} tried=(?P<tried>\d{1,9}) (?P<reason>\S.*)$", re.MULTILINE)
EXCUSED = re.compile(r"^(?P<word>BEFORE|FLAKY) (?P<test>\S.*)$")


class Candidate(NamedTuple):
    """A patch that a search proposes."""

    path: str
    line: int
    template: str
    patch: str
    history: str = ""
    """What it has to do with the last changes."""
    number: int = 0
    """As it is counted in the answer."""


class Question(NamedTuple):
    """A call on which two candidates of an answer differ, by their numbers."""

    one: int
    other: int
    call: str
    answers: tuple[str, str]


class Suspect(NamedTuple):
    """A line that the failing tests blame."""

    path: str
    line: int
    score: float
    text: str


class Searched(NamedTuple):
    """How far a search came, and why it ended."""

    tried: int
    reason: str


NOT_SEARCHED = Searched(0, "")


def make(path: str, old: str, new: str) -> str:
    """Write the diff of one file."""
    rows = difflib.unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{path}", f"b/{path}", n=3
    )
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)


def candidates(answer: str) -> tuple[Candidate, ...]:
    """Read the answer of search_patch."""
    found: list[Candidate] = []
    for line in answer.split("\n"):
        head = HEAD.match(line)
        if head:
            number = int(head["number"])
            found.append(Candidate(head["path"], int(head["line"]), head["template"], "", number=number))
        elif found and line.startswith("HISTORY ") and not found[-1].patch:
            found[-1] = found[-1]._replace(history=line.removeprefix("HISTORY ").strip())
        elif found and line.startswith("| "):
            found[-1] = found[-1]._replace(patch=f"{found[-1].patch}{line[2:]}\n")
        elif found and line == "|":
            found[-1] = found[-1]._replace(patch=f"{found[-1].patch}\n")
    return tuple(one for one in found if one.patch)


def searched(answer: str) -> Searched:
    """Read from an answer of search_patch how much was tried."""
    head = SEARCHED.match(answer)
    return Searched(int(head["tried"]), head["reason"]) if head else NOT_SEARCHED


def questions(answer: str) -> tuple[Question, ...]:
    """Read what tells candidates apart, from an answer of search_patch."""
    found: list[Question] = []
    for row in filter(None, map(ASKED.match, answer.split("\n"))):
        try:
            call, ours, theirs = (str(json.loads(row[name])) for name in ("call", "ours", "theirs"))
        except ValueError:
            continue
        found.append(Question(int(row["one"]), int(row["other"]), call, (ours, theirs)))
    return tuple(found)


def suspects(answer: str) -> tuple[Suspect, ...]:
    """Read the suspects in an answer of locate_fault or search_patch."""
    rows = filter(None, map(SUSPECT.match, answer.split("\n")))
    return tuple(Suspect(row["path"], int(row["line"]), _number(row["score"]), row["text"]) for row in rows)


def excuses(answer: str) -> dict[str, str]:
    """Read from an answer of search_patch why the last changes are not to blame for tests: BEFORE or FLAKY, by test."""
    return {row["test"]: row["word"] for row in map(EXCUSED.match, answer.split("\n")) if row}


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def passed(answer: str) -> tuple[int, ...]:
    """Return which patches, counted from 0, passed a trial; those that leave fewer other tests failing come first."""
    rows = [row for row in map(TRIED.match, answer.split("\n")) if row and row["verdict"] == "PASS"]
    return tuple(int(row["number"]) - 1 for row in sorted(rows, key=lambda row: row["detail"].count("::")))


def reverse(shown: str) -> str:
    """Turn the diff in an answer of show_changes round; empty when it does more than change lines of files."""
    if re.search(r"^(?:new file|deleted file|rename |Binary files|GIT binary|old mode)", shown, re.MULTILINE):
        return ""
    turn = _Reversal()
    for line in shown.removesuffix("\n").split("\n"):
        turn.take(line)
    turn.flush()
    return "\n".join([*turn.out, ""]) if turn.out else ""


@dataclass(slots=True)
class _Reversal:
    """A diff being turned round; the counts of its hunks say what is a line of a file, never its first characters."""

    out: list[str] = field(default_factory=list)
    minus: list[str] = field(default_factory=list)
    plus: list[str] = field(default_factory=list)
    last: list[str] = field(default_factory=list)
    """Where the line before went, for a remark that its newline is missing."""
    old: int = 0
    new: int = 0

    def take(self, line: str) -> None:
        if line.startswith("\\"):
            self.last.append(line)
        elif self.old > 0 or self.new > 0:
            self._body(line)
        else:
            self.flush()
            self._head(line)

    def _body(self, line: str) -> None:
        sign, rest = line[:1], line[1:]
        self.old -= sign != "+"
        self.new -= sign != "-"
        if sign in ("-", "+"):
            self.last = self.plus if sign == "-" else self.minus
            self.last.append(("+" if sign == "-" else "-") + rest)
        else:
            self.flush()
            self.out.append(line or " ")
            self.last = self.out

    def _head(self, line: str) -> None:
        hunk = HUNK.match(line)
        if hunk:
            self.out.append(f"@@ -{hunk['new']} +{hunk['old']} @@")
            self.old, self.new = (int(hunk[side].partition(",")[2] or 1) for side in ("old", "new"))
        elif line.startswith(("--- a/", "+++ b/")):
            self.out.append(f"{line[:4]}{'a' if line[0] == '-' else 'b'}{line[5:]}")

    def flush(self) -> None:
        self.out += [*self.minus, *self.plus]
        self.minus.clear()
        self.plus.clear()
        self.last = self.out


def describe(patch: str) -> str:
    """Say in a few words what a small patch does; empty when it is not that small."""
    rows = [line for line in patch.split("\n") if not line.startswith(("--- ", "+++ ", "@@", "diff ", "index "))]
    removed = [line[1:] for line in rows if line.startswith("-") and line[1:].strip()]
    added = [line[1:] for line in rows if line.startswith("+") and line[1:].strip()]
    if len(added) + len(removed) > 2:  # noqa: PLR2004
        removed, added = ([line for line in side if not IMPORTS.match(line)] for side in (removed, added))
    if len(removed) == len(added) == 1:
        return _line_change(removed[0], added[0])
    if not removed and len(added) == 1:
        return f"add {_quoted(added[0])}"
    if not added and len(removed) == 1:
        return f"remove {_quoted(removed[0])}"
    return ""


def _line_change(old: str, new: str) -> str:
    before, after = (_tokens(line) for line in (old, new))
    matcher = difflib.SequenceMatcher(None, [p.text for p in before], [p.text for p in after], autojunk=False)
    blocks = [block for block in matcher.get_opcodes() if block[0] != "equal"]
    if len(blocks) != 1:
        return f"use {_quoted(new)}"
    _, i1, i2, j1, j2 = blocks[0]
    gone = old[before[i1].start : before[i2 - 1].end] if i2 > i1 else ""
    come = new[after[j1].start : after[j2 - 1].end] if j2 > j1 else ""
    if gone and come:
        return f"use {_quoted(come)} instead of {_quoted(gone)}"
    return f"add {_quoted(come)}" if come else f"remove {_quoted(gone)}"


def _tokens(line: str) -> list[Piece]:
    return [piece for piece in scan(line) if piece.sort != "space"]


def _quoted(code: str) -> str:
    bare = " ".join(code.split()).replace("`", "'")
    return f"`{bare if len(bare) <= 40 else bare[:37] + '...'}`"  # noqa: PLR2004
