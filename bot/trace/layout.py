"""Lines that are longer than a terminal is wide."""

from rich.console import Console
from rich.text import Text

NARROW = 20
"""Columns that have to be left before a line is indented."""


def hang(text: Text, console: Console) -> Text:
    """Wrap a line on a terminal so that it goes on below where its words began; elsewhere lines stay whole."""
    margin = _margin(text.plain)
    if not console.is_terminal or text.cell_len <= console.width or console.width < margin + NARROW:
        return text
    first = text.wrap(console, console.width)[0]
    begun = len(first.plain.rstrip())
    rest = text[begun + _blanks(text.plain[begun:]) :]
    return Text("\n").join([first, *(Text(" " * margin) + each for each in rest.wrap(console, console.width - margin))])


def _margin(plain: str) -> int:
    """Count the columns before the words of a line; a sign such as a tick is none of them."""
    blanks = _blanks(plain)
    sign, blank = plain[blanks : blanks + 1], plain[blanks + 1 : blanks + 2]
    return blanks + 2 if blank == " " and not sign.isalnum() else blanks


def _blanks(plain: str) -> int:
    return len(plain) - len(plain.lstrip(" "))
