"""What git makes of line endings on their way into an object and out of it, by its own rules."""

from collections.abc import Mapping
from dataclasses import dataclass

_ENDS = b"\r\n"
_PRINTABLE = b"\b\t\f\x1b" + bytes(range(0x20, 0x7F)) + bytes(range(0x80, 0x100))
"""Bytes that speak for text; all others but line ends speak against it."""
_ENDED_BY_DOS = b"\x1a"


@dataclass(frozen=True, slots=True)
class Endings:
    """How a path's line endings are converted."""

    active: bool = False
    """Whether they are at all."""
    guess: bool = False
    """Whether only files that look like text are converted, and none that is stored with CRLF already."""
    crlf: bool = False
    """Whether lines end with CRLF in the worktree."""

    def normalise(self, data: bytes, stored: bytes | None) -> bool:
        """Say whether git would store this content with bare line feeds; `stored` is what it has of the path."""
        if not self.active or not self.guess:
            return self.active
        kept = stored is not None and b"\r\n" in stored and not _looks_binary(stored)
        return not kept and not _looks_binary(data)

    def widen(self, stored: bytes) -> bool:
        """Say whether git gives this stored content CRLF when it writes the file."""
        if not self.crlf or b"\n" not in stored.replace(b"\r\n", b""):
            return False
        return not self.guess or (b"\r" not in stored and not _looks_binary(stored))


def choose_endings(attributes: Mapping[str, str], autocrlf: str, eol: str) -> Endings:
    """Read the rules for a path from its attributes `text`, `crlf` and `eol` and from the settings of the same kind."""
    native = autocrlf == "true" or (autocrlf != "input" and eol == "crlf")
    match _action(attributes.get("text", "")) or _action(attributes.get("crlf", "")):
        case "off":
            return Endings()
        case "auto":
            guess, known = True, True
        case "input":
            guess, known, native = False, True, False
        case "text":
            guess, known = False, True
        case _:
            guess, known = True, False
    match attributes.get("eol", ""):
        case "lf" | "crlf" as wanted:
            return Endings(active=True, guess=guess and known, crlf=wanted == "crlf")
        case _:
            return (
                Endings(active=True, guess=guess, crlf=native) if known or autocrlf in ("true", "input") else Endings()
            )


def _action(value: str) -> str:
    return {"set": "text", "unset": "off", "input": "input", "auto": "auto"}.get(value, "")


def _looks_binary(data: bytes) -> bool:
    if b"\0" in data or b"\r" in data.replace(b"\r\n", b""):
        return True
    strange = len(data.translate(None, _PRINTABLE + _ENDS))
    printable = len(data) - strange - data.count(b"\r") - data.count(b"\n")
    return (printable >> 7) < strange - data.endswith(_ENDED_BY_DOS)
