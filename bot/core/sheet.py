"""A plan as Markdown that a person changes, and back: whatever a text holds, it stays one item of the list it is in."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bot.core.plan import Design

MOST = 200
"""Items below one heading."""
STEPS = "steps"
SECTIONS = (STEPS, *Design.model_fields)

_ALSO = {"boundary": "boundaries", "files": "modules", "modification points": "changes"}
_HEADING = re.compile(r"#{1,6}[ \t]+(?P<name>.*)")
_MARK = re.compile(r" {0,1}(?:\d{1,4}[.)]|[-*+])[ \t]+(?=\S)")
_BLANK = re.compile(r"[ \t]*")


class Sheet(NamedTuple):
    """A plan as it was written down."""

    steps: tuple[str, ...]
    design: Design
    strange: tuple[str, ...] = ()
    """Headings that mean nothing to us; what stands below them is left out."""


def write_sheet(run: str, steps: Sequence[str], design: Design) -> str:
    """Write a plan for a person to change."""
    lists = {STEPS: steps, **dict(design)}
    parts = [f"# Plan of run {run}", f"<!-- {_NOTE} -->"]
    for name, items in lists.items():
        parts += [f"## {name.capitalize()}", "\n".join(_write(items, numbered=name == STEPS))]
    return "\n\n".join(filter(None, parts)) + "\n"


_NOTE = "One item for each list mark. Without a step nothing is changed."


def _write(items: Sequence[str], *, numbered: bool) -> Iterator[str]:
    for number, item in enumerate(filter(None, map(str.strip, items)), 1):
        mark = f"{number}. " if numbered else "- "
        first, *more = item.split("\n")
        yield f"{mark}{first}"
        # Below its mark nothing that it holds can be a heading, a comment or an item of its own
        yield from (f"{' ' * len(mark)}{line}" if line.strip() else "" for line in more)


def read_sheet(text: str) -> Sheet:
    """Read a plan as a person left it: items with any mark or none, headings in any case; unmarked lines go on."""
    found: dict[str, list[list[str]]] = {name: [] for name in SECTIONS}
    strange: list[str] = []
    name, fresh, width = STEPS, True, 0
    for line in _lines(text):
        heading = _HEADING.fullmatch(line)
        if heading:
            told = heading["name"].rstrip(" \t#:")
            name, fresh = _section(told), True
            strange += [told] if not name else []
            continue
        items = found.get(name)
        if items is None:
            continue
        mark = _MARK.match(line)
        if _BLANK.fullmatch(line):
            fresh = True
            if items:
                items[-1].append("")
        elif mark or not items or (fresh and not line.startswith((" ", "\t"))):
            width, fresh = (mark.end() if mark else 0), False
            items.append([line[width:]])
        else:
            items[-1].append(_dedent(line, width))
            fresh = False
    kept = {key: tuple(filter(None, ("\n".join(item).strip() for item in items))) for key, items in found.items()}
    return Sheet(kept.pop(STEPS), Design(**kept), tuple(strange))


def _section(name: str) -> str:
    """Tell which list a heading begins; empty for none of ours."""
    word = name.strip().casefold()
    if word.startswith("plan"):
        return STEPS
    return next((known for known in SECTIONS if word in (known, known.removesuffix("s"))), _ALSO.get(word, ""))


def _dedent(line: str, width: int) -> str:
    blanks = len(line) - len(line.lstrip(" "))
    return line[min(blanks, width) :]


def _lines(text: str) -> Iterator[str]:
    """Yield the lines that count: neither comments nor quotations, as long as those begin at the very left."""
    hidden = False
    for line in text.split("\n"):
        row = line.removesuffix("\r")
        if hidden or row.startswith("<!--"):
            hidden = "-->" not in row
        elif not row.startswith(">"):
            yield row
