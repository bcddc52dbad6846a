"""What git does to files on their way into a folder: there, tests may be something else than in the commit."""

from collections import Counter
from collections.abc import Iterator

from bot.verify.guard.words import cut

_CHANGING = ("working-tree-encoding", "ident", "filter", "eol=crlf", "crlf")
"""Attributes with which a file is not laid out as it was committed."""


def compare_attributes(before: str, after: str) -> Iterator[tuple[str, str]]:
    """Name the patterns whose files are laid out in another way than before, and how."""
    old, new = (Counter(_changing(text)) for text in (before, after))
    for line in old - new:
        yield line.split()[0], f"{cut(line)} is gone"
    for line in new - old:
        yield line.split()[0], f"lays files out otherwise than they were committed: {cut(line)}"


def _changing(text: str) -> Iterator[str]:
    """List the lines that say so; one that defines a word for several attributes may say anything."""
    for line in text.split("\n"):
        words = line.split()
        told = (word.lstrip("-!") for word in words[1:])
        if words and words[0][0] != "#" and (words[0].startswith("[") or any(map(_is_changing, told))):
            yield line


def _is_changing(word: str) -> bool:
    return word.startswith(_CHANGING)
