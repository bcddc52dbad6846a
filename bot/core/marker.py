"""Foreign text between markers, so that a model can tell it from what it is told to do."""

import hashlib
import re

from bot.core.unseen import show

_MARKER = re.compile("<(?=<<)")
_SPEAKER = re.compile(r"^([ \t]*(?:Human|Assistant))(?=:)", re.MULTILINE)
"""How the turns of a conversation begin where it is one text."""


def fence(text: str, run: str) -> str:
    """Put foreign text between markers, with nothing inside that looks like one, or like the turn of somebody else."""
    shown = _SPEAKER.sub(r"\1\\", _MARKER.sub(r"<\\", show(text)))
    mark = hashlib.sha256(f"{run}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"<<<{mark}\n{shown}\n<<<end {mark}"
