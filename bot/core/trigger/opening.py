"""Finds the line of a comment that may be an order, by what the comment's page shows as plain text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LONGEST = 70_000
"""Characters that are read; a comment on GitHub has no more than 65,536."""

_NO_SIGHT = re.compile(
    "[\u00ad\u034f\u17b4\u17b5\u180b-\u180f\u200b-\u200e\u2060-\u2064\u206a-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
"""Characters that show as nothing at all; those that show as a gap, or turn letters around, are none of them."""
_COMMENTS = re.compile(r"(?:\s*<!--(?:(?!-->).)*-->)+\s*", re.DOTALL)
_MORE = re.compile(r"[ \t]*(?:--\w|[\u2013\u2014](?:max-|scope)|only[ \t]+touch\b)", re.IGNORECASE)
"""How a line begins that goes on with what an order's line may hold."""


@dataclass(frozen=True, slots=True)
class Opening:
    """How a comment begins, quotes and blocks of code aside."""

    line: str
    """Its first line, with the lines right below that go on with options; nothing invisible is in it."""
    rest: str = ""
    """All that follows as it is written, quotes left out."""
    quoted: str = ""
    """What is quoted, above and below: words of others."""


def find_opening(text: str) -> Opening | None:
    """Find the first line that is neither quoted nor code nor hidden, and what follows it.

    None where that line is not plain text at the margin: a heading, an item of a list, HTML.
    """
    whole = re.sub(r"\r\n?", "\n", text[:LONGEST])
    lines = whole.split("\n")
    blocks = list(_find_blocks(whole))
    quotes = {at for block in blocks if block.kind == "quote" for at in range(block.first, block.last)}
    for block in blocks:
        if block.kind == "text":
            shown = [at for at in range(block.first, block.last) if _see(lines[at])]
            if shown:
                return _open(lines, shown[0], block, quotes)
        elif block.kind == "other" and not _COMMENTS.fullmatch("\n".join(lines[block.first : block.last])):
            return None
    return None


@dataclass(frozen=True, slots=True)
class _Block:
    kind: str
    """`quote`, `code`, `text` or `other`."""
    first: int
    last: int
    """The line behind it."""
    end: int
    """The line behind what is shown as its text."""


def _find_blocks(text: str) -> Iterator[_Block]:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - most events hold no order

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    kinds = {"blockquote_open": "quote", "fence": "code", "code_block": "code", "paragraph_open": "text"}
    for token in parser.parse(text):
        if token.level == 0 and token.nesting >= 0 and token.map is not None:
            first, last = token.map
            # A line of dashes below a text, as above a signature, makes a heading of it
            underlined = token.type == "heading_open" and token.markup in ("=", "-")
            kind = "text" if underlined else kinds.get(token.type, "other")
            yield _Block(kind, first, last, last - underlined)


def _open(lines: Sequence[str], at: int, block: _Block, quotes: set[int]) -> Opening:
    below = at + 1
    while below < block.end and _MORE.match(_see(lines[below])):
        below += 1
    left_out = quotes | set(range(block.end, block.last))
    return Opening(
        line=" ".join(_see(line) for line in lines[at:below]),
        rest="\n".join(lines[number] for number in range(below, len(lines)) if number not in left_out).strip(),
        quoted="\n".join(lines[number] for number in sorted(quotes)),
    )


def _see(line: str) -> str:
    return _NO_SIGHT.sub("", line).strip()
