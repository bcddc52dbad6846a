"""Takes files that are made to hold secrets out of what git shows of changes."""

import re
from collections.abc import Sequence

from bot.core.change import readable
from bot.core.paths import is_sensitive, refuse_read

_COLOUR = re.compile(r"\x1b\[[\d;]*[mK]")
_GRAPH = re.compile(r"[|\\/_ *.]*(?=diff --)|[|\\/_ ]*\* [|\\/_ ]*(?=commit [0-9a-f]{7})")
"""What `--graph` draws before a header."""
_NEXT = re.compile(r"commit [0-9a-f]{7,}")
_PART = re.compile(
    r"[-+@ \\]|$|(?:index|old mode|new mode|new file|deleted file|similarity|dissimilarity|rename|copy|Binary files) "
)
"""How all lines of a diff begin."""
_NAME = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_LETTERS = {b"t": b"\t", b"n": b"\n", b"r": b"\r"}


def screen(shown: str, scope: Sequence[str] = (), *, drawn: bool = False, worded: bool = False) -> str:
    """Leave out of a diff, or a log of diffs, what it tells of files that a model must not read.

    `drawn` is whether a graph stands beside it, `worded` whether its lines have no signs before them.
    """
    kept: list[str] = []
    hiding = False
    for line in shown.split("\n"):
        bare = _COLOUR.sub("", line) if "\x1b" in line else line
        art = _GRAPH.match(bare) if drawn else None
        bare = bare[art.end() :] if art else bare
        if bare.startswith("diff "):
            hidden = _hidden(bare, scope)
            hiding = bool(hidden)
            kept += (line, f"(not shown: {hidden})") if hidden else (line,)
            continue
        over = _NEXT.match(bare) or not (drawn or worded or _PART.match(bare))
        hiding = hiding and not over
        if not hiding:
            kept.append(line)
    return "\n".join(kept)


def _hidden(header: str, scope: Sequence[str]) -> str:
    """Say why the file of a header is not to be shown; a name with spaces is judged by its last part."""
    names = (_decode(quoted) if quoted else plain for quoted, plain in _NAME.findall(header[len("diff ") :]))
    paths = (name[2:] if name.startswith(("a/", "b/", "i/", "w/", "c/", "o/")) else name for name in names)
    path = next((path for path in paths if is_sensitive(path, scope)), None)
    return "" if path is None else refuse_read(path, scope) or f"{path} is made to hold secrets"


def _decode(quoted: str) -> str:
    """Read a name as git writes it where it has letters of other scripts, or a quote."""
    raw = _ESCAPE.sub(lambda found: _byte(found[1]), quoted.encode("utf-8", "surrogateescape"))
    return readable(raw)


def _byte(escape: bytes) -> bytes:
    return bytes([int(escape, 8) & 255]) if escape.isdigit() else _LETTERS.get(escape, escape)
