"""How a secret may be written down, and a search for all of these spellings at once."""

import base64
import codecs
import html
import json
import string
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

GRAM = 8
"""Bytes that are compared at once."""
RUN = 2 * GRAM - 1
"""Bytes of a spelling in a row that give it away; any such run holds one aligned gram."""
SHORTEST = 6
"""Characters; what is shorter is no secret, and taking it out would ruin every text."""
ENCODED = 256
"""Characters of a long secret that are looked for in other spellings than its own."""
_SURELY = 16
"""Letters and digits that no phrase has in common with a secret by chance."""

_ALNUM = frozenset((string.ascii_letters + string.digits).encode())
_LOWER = bytes(range(256)).lower()
_REST = bytes(byte for byte in range(256) if byte not in _ALNUM)
_BREAKS = b" \t\r\n"


class Hit(NamedTuple):
    """A stretch of a reading."""

    first: int
    last: int


def join(text: str, pairs: Sequence[str] = ("\\n", "\\r")) -> bytes:
    """Read a text without its spaces and line ends, nor the written line ends that are named."""
    joined = text.encode("utf-8", "surrogatepass").translate(None, _BREAKS)
    for pair in pairs:
        joined = joined.replace(pair.encode(), b"")
    return joined


def strip(joined: bytes) -> bytes:
    """Reduce a reading to its letters and digits, in lower case."""
    return joined.translate(_LOWER, _REST)


def letters(joined: bytes, origins: Sequence[int]) -> list[int]:
    """Return the origins of those bytes that `strip` keeps."""
    return [at for at, byte in zip(origins, joined, strict=True) if byte in _ALNUM]


def spell(secret: str) -> Iterator[str]:
    """Give the spellings that differ by more than what stands between letters and digits."""
    part = secret[:ENCODED]
    raw = part.encode("utf-8", "replace")
    yield part[::-1]
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + raw).decode()
        core = coded[-(-shift * 8 // 6) : len(coded) - (0, 3, 2)[(shift + len(raw)) % 3]]
        yield from (core, core.translate({ord("+"): "-", ord("/"): "_"}))
    yield from (base64.b85encode(raw).decode(), base64.a85encode(raw).decode())
    yield from (_percent(raw), _percent(raw).replace("%20", "+"))
    yield from ("".join(f"%{byte:{digits}}" for byte in raw) for digits in ("02X", "02x"))
    yield from (html.escape(part), html.escape(part, quote=False))
    for escaped in (json.dumps(part)[1:-1], json.dumps(part, ensure_ascii=False)[1:-1]):
        yield from (escaped, json.dumps(escaped)[1:-1])


def spell_bare(secret: str) -> Iterator[str]:
    """Give the spellings of which only letters and digits count, whatever stands between them and in either case."""
    part = secret[:ENCODED]
    raw = part.encode("utf-8", "replace")
    if _is_random(secret):
        yield from (secret, part[::-1], codecs.encode(part, "rot13"))
    for form in ("{:02x}", "x{:02x}", "0x{:02x}", "u00{:02x}", "{:d}", "{:03o}", "{:08b}"):
        yield "".join(map(form.format, raw))
    yield raw[::-1].hex()
    yield base64.b32encode(raw).decode().rstrip("=")[: len(raw) * 8 // 5]
    if (coded := _percent(raw)) != part:
        yield coded


def _is_random(secret: str) -> bool:
    """Say whether no ordinary words can read like a secret once spaces and case are gone."""
    bare = strip(secret.encode("utf-8", "replace"))
    mixed = not secret.isalpha() or not (secret.islower() or secret.isupper() or secret.istitle())
    return len(bare) >= _SURELY or (len(bare) >= GRAM and mixed and any(c.isdigit() for c in secret))


def _percent(raw: bytes) -> str:
    plain = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~")
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in raw)


class Finder:
    """Finds any of many spellings in one pass: eight bytes of a text are one number, looked up in a set."""

    def __init__(self, spellings: Sequence[bytes], heads: Sequence[tuple[bytes, bytes]] = ()) -> None:
        self._spellings = tuple(dict.fromkeys(spellings))
        self._long = tuple(each for each in self._spellings if len(each) >= RUN)
        self._short = tuple(each for each in self._spellings if len(each) < RUN)
        self._heads = tuple(dict.fromkeys(heads))
        """Beginnings that give a spelling away by themselves, each with the whole."""
        # From each of the first eight places on, what is aligned: all grams there are
        self._grams = frozenset[int]().union(*(_aligned(each[shift:]) for each in self._long for shift in range(GRAM)))

    def touches(self, data: bytes) -> bool:
        """Say whether there may be something to find."""
        if any(head in data for head, _ in self._heads) or any(each in data for each in self._short):
            return True
        return not self._grams.isdisjoint(_aligned(data))

    def holds(self, data: bytes) -> bool:
        """Say whether a whole spelling is there."""
        return self.touches(data) and any(each in data for each in self._spellings)

    def find(self, data: bytes) -> Iterator[Hit]:
        """Find each stretch that belongs to a spelling."""
        for each in self._short:
            yield from (Hit(at, at + len(each)) for at in places(data, each))
        for head, whole in self._heads:
            yield from (_grow(data, at, whole, 0, len(head)) for at in places(data, head))
        if self._grams.isdisjoint(_aligned(data)):
            return
        end = 0
        for index, number in enumerate(_aligned(data)):
            at = index * GRAM
            if number not in self._grams or at + GRAM <= end:
                continue
            for whole, offset in self._owners[number]:
                hit = _grow(data, at, whole, offset, GRAM)
                if hit.last - hit.first >= RUN:
                    end = max(end, hit.last)
                    yield hit

    @cached_property
    def _owners(self) -> dict[int, list[tuple[bytes, int]]]:
        """Where each gram stands, at most a few places: what repeats itself has too many."""
        owners: dict[int, list[tuple[bytes, int]]] = {}
        for each in self._long:
            for shift in range(GRAM):
                for index, number in enumerate(_aligned(each[shift:])):
                    places = owners.setdefault(number, [])
                    if len(places) < GRAM:
                        places.append((each, shift + index * GRAM))
        return owners


def _aligned(data: bytes) -> memoryview:
    return memoryview(data)[: len(data) // GRAM * GRAM].cast("Q")


def places(data: bytes, part: bytes, step: int = 1) -> Iterator[int]:
    """Find where a part stands; the next place is looked for that many bytes on."""
    at = data.find(part)
    while at >= 0:
        yield at
        at = data.find(part, at + step)


def _grow(data: bytes, at: int, whole: bytes, offset: int, length: int) -> Hit:
    """Widen a find to all that agrees with the spelling on both sides."""
    first, last, left, right = at, at + length, offset, offset + length
    while left > 0 and first > 0 and data[first - 1] == whole[left - 1]:
        first, left = first - 1, left - 1
    while right < len(whole) and last < len(data) and data[last] == whole[right]:
        last, right = last + 1, right + 1
    return Hit(first, last)
