"""Reads a unified diff line by line, trusting the hunk counts and never the content."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_CUT = re.compile(r"^\[patch cut: \d+ more characters\]\n\Z", re.MULTILINE)
"""The last line of a patch that was too long to be kept; lines of content begin with a sign."""


class Line(NamedTuple):
    """A line that a change adds or takes away."""

    sign: Literal["+", "-"]
    path: str
    number: int
    """Where it stands, or where it stood."""
    text: str


def read_lines(patch: str) -> Iterator[Line]:
    """Walk the added and removed lines of a diff."""
    path, at, was, old, new = "", 0, 0, 0, 0
    for text in patch.split("\n"):
        if old <= 0 and new <= 0:
            header = _HUNK.match(text)
            if header:
                was, old, at, new = int(header[1]), int(header[2] or 1), int(header[3]), int(header[4] or 1)
            elif text.startswith(("--- ", "+++ ")):
                path = _name(text[4:]) or path
            continue
        if text.startswith("+"):
            yield Line("+", path, at, text[1:])
        elif text.startswith("-"):
            yield Line("-", path, was, text[1:])
        at += not text.startswith(("-", "\\"))
        was += not text.startswith(("+", "\\"))
        old -= not text.startswith(("+", "\\"))
        new -= not text.startswith(("-", "\\"))


def is_cut(patch: str) -> bool:
    """Tell whether a diff is not the whole of its change."""
    return _CUT.search(patch) is not None


def _name(told: str) -> str:
    """Read a header's path; nothing for the side on which there is no file."""
    bare = told.strip('"').rstrip("\t")
    return "" if bare == "/dev/null" else bare.removeprefix("a/").removeprefix("b/")
