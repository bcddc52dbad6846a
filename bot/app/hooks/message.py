"""Looks for claims of evidence in a message that is about to be committed; one that has none costs next to nothing."""

from importlib import import_module
from pathlib import Path

LARGEST = 4_000_000
"""Bytes of a message that are looked at, its last ones: claims stand at the end."""

_MARK = b"agent-"


def check_message(directory: Path, args: tuple[str, ...]) -> int:
    """Refuse a message that claims checks of another tree than its commit is to hold; 1 refuses. Raises AgentError."""
    written = _read(directory / args[0]) if args else b""
    if _MARK not in written.lower():
        return 0
    # Who holds a claim against the tree and the records takes a while to load
    code: int = import_module("bot.app.hooks.claims").check_claims(directory, written)
    return code


def _read(path: Path) -> bytes:
    """Return the end of a message; of what is no plain file there is none."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - LARGEST))
            return file.read(LARGEST)
    except (OSError, ValueError):
        return b""
