"""Lines that are longer than a terminal is wide."""

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

NARROW = 20
"""Columns that have to be left before a line is indented."""
LEAST = 12
"""Columns that what happens is given before it is told how far a run is."""
AROUND = 12
"""Columns of a live line that are taken by the sign that moves and by the time."""


def hang(text: Text, console: Console) -> Text:
    """Wrap a line on a terminal so that it goes on below where its words began; elsewhere lines stay whole."""
    margin = _margin(text.plain)
    if not console.is_terminal or text.cell_len <= console.width or console.width < margin + NARROW:
        return text
    first = text.wrap(console, console.width)[0]
    begun = len(first.plain.rstrip())
    rest = text[begun + _blanks(text.plain[begun:]) :]
    return Text("\n").join([first, *(Text(" " * margin) + each for each in rest.wrap(console, console.width - margin))])


def fit(what: str, meter: str, width: int) -> str:
    """Put what happens and how far a run is on one line; where there is little room what happens is cut first."""
    room = width - AROUND
    told = f"  ({meter})" if meter else ""
    if cell_len(what) + len(told) <= room:
        return f"{what}{told}"
    if room - len(told) < LEAST:
        told = ""
    size = max(1, room - len(told) - 1)
    if what.startswith("…"):
        # Of words that go on the last ones are news
        end = set_cell_size(what[::-1], size)[::-1]
        return f"…{end.partition(' ')[2] or end}{told}"
    return f"{set_cell_size(what, size).rstrip()}…{told}"


def _margin(plain: str) -> int:
    """Count the columns before the words of a line; a sign such as a tick is none of them."""
    blanks = _blanks(plain)
    sign, blank = plain[blanks : blanks + 1], plain[blanks + 1 : blanks + 2]
    return blanks + 2 if blank == " " and not sign.isalnum() else blanks


def _blanks(plain: str) -> int:
    return len(plain) - len(plain.lstrip(" "))
