"""Takes secrets out of everything that leaves us, and what a terminal or a log would obey out of foreign text."""

import base64
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from pydantic import JsonValue
from pydantic_core import PydanticSerializationError

from bot.core.event import EVENT, Event
from bot.core.tokens import FORMS

MARK = "[redacted]"
SHORTEST = 6
"""Characters; what is shorter is no secret, and taking it out would ruin every text."""
GRAM = 8

_PUBLIC = re.compile(r"gh[pousr]_|github_pat_|glpat-|sk-(?:[a-z]+-)?(?:api\d\d-)?|xox[a-z]-|hf_|npm_|pypi-")
"""How tokens of one kind all begin: no secret by itself."""
_BREAKS = {ord(c): None for c in " \t\r\n"}
_ESCAPED_BREAKS = ("\\n", "\\r")

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x9b[0-?]*[ -/]*[@-~]"  # colours and cursor
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"  # titles, links, the clipboard
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c\n]*(?:\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]"
)
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
_LINE_END = re.compile("[\u2028\u2029\u0085]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_COMMAND = re.compile(r"((?:^|[\n\r])[^\S\n\r]*):(?=:)")
_OLD_COMMAND = re.compile(r"##(?=(?:vso)?\[)", re.IGNORECASE)


def sanitize(text: str) -> str:
    """Strip what a terminal obeys and a reader cannot see; of what a carriage return overwrites, keep what remained."""
    if text.isascii() and text.isprintable():
        return text
    plain = _ESCAPES.sub("", _LINE_END.sub("\n", text))
    if "\r" in plain:
        plain = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in plain.split("\n"))
    return _SURROGATE.sub("\ufffd", _UNSEEN.sub("", plain))


def defuse(text: str) -> str:
    """Break what a workflow runner would take for a command in a log."""
    return _OLD_COMMAND.sub("## ", _COMMAND.sub(r"\1: ", text))


class Needle(NamedTuple):
    """A piece of one spelling of a secret."""

    gram: str
    spelling: str
    offset: int


@dataclass(frozen=True, slots=True)
class Redactor:
    """Replaces the secrets that we hold, however spelled or cut, and whatever looks like a secret."""

    secrets: Sequence[str] = field(repr=False)
    _needles: tuple[Needle, ...] = field(init=False, repr=False)
    _awkward: bool = field(init=False, repr=False)
    """Whether a secret is spelled otherwise in JSON, so that JSON text cannot rule it out."""

    def __post_init__(self) -> None:
        held = [secret for secret in map(str.strip, self.secrets) if len(secret) >= SHORTEST and secret not in MARK]
        needles = [needle for secret in dict.fromkeys(held) for needle in _needles(secret)]
        object.__setattr__(self, "_needles", tuple(dict.fromkeys(needles)))
        object.__setattr__(self, "_awkward", any(json.dumps(s, ensure_ascii=False) != f'"{s}"' for s in held))

    def text(self, text: str) -> str:
        """Replace secrets by `[redacted]`; also those that a line end or spaces break up."""
        hidden = text
        # A backslash before a secret is not always the first half of a written line end
        for pairs in _readings(text):
            grams = self._present(hidden, pairs)
            hidden = _cut(hidden, _spans(hidden, grams, pairs)) if grams else hidden
        for form in FORMS:
            if form.quick.search(hidden):
                hidden = form.pattern.sub(_mask, hidden)
        return hidden

    def holds(self, text: str) -> bool:
        """Tell whether a text shows a whole secret that we hold, however spelled; a part may be an ordinary word."""
        readings = ((_join(text, pairs), pairs) for pairs in _readings(text))
        return any(needle.spelling in joined for joined, pairs in readings for needle in self._present(text, pairs))

    def event(self, event: Event) -> Event:
        """Redact all text of an event and mend invalid Unicode; the same object when there is nothing to do."""
        if self._clean(event):
            return event
        data = event.model_dump(mode="json")
        hidden = self._walk(data)
        return event if hidden == data else EVENT.validate_python(hidden)

    def _clean(self, event: Event) -> bool:
        try:
            line = event.model_dump_json()
        except PydanticSerializationError:
            return False
        held = any(self._present(line, pairs) for pairs in _readings(line))
        return not (self._awkward or held or any(form.quick.search(line) for form in FORMS))

    def _present(self, text: str, pairs: Sequence[str]) -> list[Needle]:
        joined = _join(text, pairs)
        return [needle for needle in self._needles if needle.gram in joined]

    def _walk(self, value: JsonValue) -> JsonValue:
        match value:
            case str():
                return value if value in _words() else _SURROGATE.sub("\ufffd", self.text(value))
            case list():
                return [self._walk(item) for item in value]
            case dict():
                return {str(self._walk(key)): self._walk(item) for key, item in value.items()}
            case _:
                return value


def _needles(secret: str) -> Iterator[Needle]:
    whole = _join(secret)
    yield from _grams(whole)
    for spelling in dict.fromkeys(_join(spelling) for spelling in _spellings(secret)):
        if spelling != whole and len(spelling) >= SHORTEST:
            yield Needle(spelling[: 2 * GRAM], spelling, 0)


def _grams(spelling: str) -> Iterator[Needle]:
    """Choose pieces so that every beginning, and every longer part, of the spelling holds one."""
    public = _PUBLIC.match(spelling)
    first = public.end() + GRAM // 2 if public else GRAM
    yield Needle(spelling[:first], spelling, 0)
    stride = max(GRAM, len(spelling) // GRAM)
    for offset in (*range(first, len(spelling) - GRAM, stride), len(spelling) - GRAM):
        if offset > 0:
            yield Needle(spelling[offset : offset + GRAM], spelling, offset)


def _spellings(secret: str) -> Iterator[str]:
    raw = secret.encode("utf-8", "replace")
    yield secret[::-1]
    yield raw.hex()
    yield raw.hex().upper()
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + raw).decode()
        core = coded[-(-shift * 8 // 6) : len(coded) - (0, 3, 2)[(shift + len(raw)) % 3]]
        yield from (core, core.translate({ord("+"): "-", ord("/"): "_"}))
    yield from (_percent(raw), _percent(raw).replace("%20", "+"))
    yield from ("".join(f"%{byte:{digits}}" for byte in raw) for digits in ("02X", "02x"))
    for escaped in (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]):
        yield from (escaped, json.dumps(escaped)[1:-1])


def _percent(raw: bytes) -> str:
    plain = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~")
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in raw)


def _readings(text: str) -> tuple[Sequence[str], ...]:
    """Say which written line ends may be left out to find a secret that they break up."""
    return (_ESCAPED_BREAKS, ()) if any(pair in text for pair in _ESCAPED_BREAKS) else ((),)


def _join(text: str, pairs: Sequence[str] = _ESCAPED_BREAKS) -> str:
    joined = text.translate(_BREAKS)
    for pair in pairs:
        joined = joined.replace(pair, "")
    return joined


def _spans(text: str, needles: Sequence[Needle], pairs: Sequence[str]) -> list[tuple[int, int]]:
    """Find where in a text the spellings lie that these needles belong to."""
    kept = [index for index, c in enumerate(text) if ord(c) not in _BREAKS]
    for pair in pairs:
        joined = "".join(text[index] for index in kept)
        dropped = {at + step for at in _finds(joined, pair, len(pair)) for step in range(len(pair))}
        kept = [index for at, index in enumerate(kept) if at not in dropped]
    joined = "".join(text[index] for index in kept)
    spans = []
    for needle in needles:
        for at in _finds(joined, needle.gram, 1):
            first, last = _grow(joined, needle, at)
            spans.append((kept[first], kept[last - 1] + 1))
    return spans


def _finds(text: str, part: str, step: int) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + step)


def _grow(text: str, needle: Needle, at: int) -> tuple[int, int]:
    """Widen a find to all that agrees with the spelling on both sides."""
    spelling, first, last = needle.spelling, at, at + len(needle.gram)
    left, right = needle.offset, needle.offset + len(needle.gram)
    while left > 0 and first > 0 and text[first - 1] == spelling[left - 1]:
        first, left = first - 1, left - 1
    while right < len(spelling) and last < len(text) and text[last] == spelling[right]:
        last, right = last + 1, right + 1
    return first, last


def _cut(text: str, spans: Sequence[tuple[int, int]]) -> str:
    pieces, end = [], 0
    for first, last in sorted(spans):
        if first >= end:
            pieces.append(text[end:first] + MARK)
        end = max(end, last)
    return "".join(pieces) + text[end:]


def _mask(match: re.Match[str]) -> str:
    whole, base = match.group(), match.start()
    group = match.lastindex
    if group is None:
        return MARK
    return whole[: match.start(group) - base] + MARK + whole[match.end(group) - base :]


@cache
def _words() -> frozenset[str]:
    """Collect the fixed words and field names of events, which can never be secrets."""
    return frozenset(_fixed(EVENT.json_schema()))


def _fixed(schema: JsonValue) -> Iterator[str]:
    if isinstance(schema, list):
        for item in schema:
            yield from _fixed(item)
    if isinstance(schema, dict):
        constant, choices, properties = schema.get("const"), schema.get("enum"), schema.get("properties")
        named = [constant, *(choices if isinstance(choices, list) else ())]
        yield from (word for word in named if isinstance(word, str))
        yield from properties if isinstance(properties, dict) else ()
        for item in schema.values():
            yield from _fixed(item)
