"""A text file as bytes and as lines: encoding, byte order mark, line endings and final newline survive every edit."""

import codecs
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from bot.errors import BadArguments, ToolError

_COOKIE = re.compile(rb"\A(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)")
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_KNOWN = (
    "utf-8",
    "ascii",
    "iso8859-",
    "latin",
    "cp125",
    "cp437",
    "cp85",
    "cp932",
    "koi8",
    "mac-",
    "euc",
    "gb",
    "big5",
    "shift",
)
"""Codecs that read ASCII as ASCII; a cookie may name anything, also codecs that unpack or execute."""


@dataclass(frozen=True, slots=True)
class Text:
    """The content of a text file, decoded without loss."""

    body: str
    encoding: str = "utf-8"
    mark: bytes = b""
    """The byte order mark, if the file starts with one."""

    @property
    def lines(self) -> list[str]:
        """The lines with their endings; only a line feed ends a line."""
        return [line for line in re.split(r"(?<=\n)", self.body) if line]

    @property
    def ending(self) -> str:
        """What most lines end with."""
        crlf = self.body.count("\r\n")
        return "\r\n" if crlf * 2 > self.body.count("\n") else "\n"

    @property
    def traits(self) -> str:
        """What is out of the ordinary about the file, in a few words."""
        crlf, lf = self.body.count("\r\n"), self.body.count("\n")
        endings = "" if not crlf else "CRLF" if crlf == lf else "mixed line endings"
        final = "no final newline" if self.body and not self.body.endswith("\n") else ""
        encoding = self.encoding if self.encoding != "utf-8" else ""
        return ", ".join(filter(None, (encoding, "byte order mark" if self.mark else "", endings, final)))

    def encode(self) -> bytes:
        """Return the bytes of the file. Raises BadArguments for text that its encoding cannot hold."""
        try:
            return self.mark + self.body.encode(self.encoding)
        except UnicodeEncodeError as error:
            bad = ascii(error.object[error.start : error.start + 1])
            raise BadArguments(f"the file is {self.encoding}, which has no character {bad}") from error


def decode(data: bytes, name: str) -> Text:
    """Decode a file's bytes. Raises ToolError for what is not text."""
    mark, encoding = next(((mark, codec) for mark, codec in _MARKS if data.startswith(mark)), (b"", ""))
    raw = data[len(mark) :]
    binary = ToolError(f"{name} is binary ({len(data)} bytes): it cannot be read or edited as text")
    if b"\0" in raw and not encoding.startswith("utf-16"):
        raise binary
    encoding = encoding or _declared(raw)
    try:
        body = raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ToolError(
            f"{name} is not {encoding}: byte 0x{raw[error.start]:02x} on line {line}, and no other encoding is declared"
        ) from error
    if "\0" in body:
        raise binary
    if body.encode(encoding) != raw:
        raise ToolError(f"{name} does not survive decoding as {encoding}; it cannot be edited safely")
    return Text(body, encoding, mark)


def _declared(raw: bytes) -> str:
    found = _COOKIE.match(raw)
    if not found:
        return "utf-8"
    try:
        codec = codecs.lookup(found[1].decode("ascii")).name
    except (LookupError, UnicodeDecodeError):
        return "utf-8"
    return codec if codec.startswith(_KNOWN) and codec != "utf-8-sig" else "utf-8"


@dataclass(frozen=True, slots=True)
class Plain:
    """A text with every line ending in a bare line feed, and the way back to the offsets of the original."""

    body: str
    returns: tuple[int, ...]
    """Offsets, in the plain text, of the line feeds that had a carriage return."""

    def origin(self, offset: int) -> int:
        """Return the offset in the original; never between a carriage return and its line feed."""
        return offset + bisect_left(self.returns, offset)


def plain(body: str) -> Plain:
    """Drop the carriage return of each line ending."""
    pieces = body.split("\r\n")
    returns, offset = list[int](), 0
    for piece in pieces[:-1]:
        offset += len(piece)
        returns.append(offset)
        offset += 1
    return Plain("\n".join(pieces), tuple(returns))


def adopt_endings(old: str, new: str, usual: str) -> str:
    """Give plain new text the line endings of the text it replaces, line by line; a line more gets the usual one."""
    if "\r\n" not in old and usual == "\n":
        return new
    before = [_split(line) for line in re.split(r"(?<=\n)", old) if line]
    after = [_split(line) for line in re.split(r"(?<=\n)", new) if line]
    common = Counter(ending for _, ending in before if ending).most_common(1)
    usual = common[0][0] if common else usual
    endings = _aligned(before, [content for content, _ in after], usual)
    return "".join(content + (ending if had else "") for (content, had), ending in zip(after, endings, strict=True))


def _split(line: str) -> tuple[str, str]:
    ending = "\r\n" if line.endswith("\r\n") else "\n" if line.endswith("\n") else ""
    return line[: len(line) - len(ending)], ending


def _aligned(before: Sequence[tuple[str, str]], after: Sequence[str], usual: str) -> list[str]:
    """Return an ending for each new line."""
    if len(before) == len(after):
        return [ending or usual for _, ending in before]
    matcher = SequenceMatcher(None, [content for content, _ in before], after, autojunk=False)
    endings: list[str] = []
    for _, i1, i2, j1, j2 in matcher.get_opcodes():
        had = [ending for _, ending in before[i1:i2]][: j2 - j1]
        endings += [(had[n] if n < len(had) else "") or usual for n in range(j2 - j1)]
    return endings
