"""Takes files that are made to hold secrets out of what git shows of changes."""

import re
from collections.abc import Sequence

from bot.core.paths import refuse_read

_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_NEXT = re.compile(r"commit [0-9a-f]{7,}")


def screen(shown: str, scope: Sequence[str] = ()) -> str:
    """Leave out of a diff, or a log of diffs, what it tells of files that a model must not read."""
    kept: list[str] = []
    hiding = False
    for line in shown.split("\n"):
        bare = _COLOUR.sub("", line) if "\x1b" in line else line
        if bare.startswith("diff "):
            hidden = _hidden(bare, scope)
            hiding = bool(hidden)
            kept += (line, f"(not shown: {hidden})") if hidden else (line,)
            continue
        hiding = hiding and not _NEXT.match(bare)
        if not hiding:
            kept.append(line)
    return "\n".join(kept)


def _hidden(header: str, scope: Sequence[str]) -> str:
    """Say why the file of a header is not to be shown; a name with spaces is judged by its last part."""
    names = (name.strip('"') for name in header.split(" ")[1:])
    paths = (name[2:] if name.startswith(("a/", "b/", "i/", "w/", "c/", "o/")) else name for name in names)
    return next(filter(None, (refuse_read(path, scope) for path in paths if path)), "")
