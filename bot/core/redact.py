"""Takes secrets out of everything that leaves us, and what a terminal or a log would obey out of foreign text."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module
from typing import TypeVar

from pydantic import JsonValue
from pydantic_core import PydanticSerializationError

from bot.core.spellings import GRAM, SHORTEST, Finder, join, letters, places, spell, spell_bare, strip
from bot.core.task import Record
from bot.core.tokens import find_forms
from bot.core.unseen import CONTROL, INVISIBLE

R = TypeVar("R", bound=Record)

MARK = "[redacted]"

_PUBLIC = re.compile(r"gh[pousr]_|github_pat_|glpat-|sk-(?:[a-z]+-)?(?:api\d\d-)?|xox[a-z]-|hf_|npm_|pypi-")
"""How tokens of one kind all begin: no secret by itself."""
_ESCAPED_BREAKS = ("\\n", "\\r")

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x9b[0-?]*[ -/]*[@-~]"  # colours and cursor
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"  # titles, links, the clipboard
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c\n]*(?:\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]"
)
_UNSEEN = re.compile(f"[{CONTROL}{INVISIBLE}]")
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


@dataclass(frozen=True, slots=True)
class Redactor:
    """Replaces the secrets that we hold, however spelled or cut, and whatever looks like a secret."""

    secrets: Sequence[str] = field(repr=False)
    _plain: Finder = field(init=False, repr=False)
    _bare: Finder = field(init=False, repr=False)
    """Looks at letters and digits only: whatever is put between them, and whatever their case."""
    _awkward: bool = field(init=False, repr=False)
    """Whether a secret is spelled otherwise in JSON, so that JSON text cannot rule it out."""

    def __post_init__(self) -> None:
        held = dict.fromkeys(filter(_is_held, map(str.strip, self.secrets)))
        plain, bare = _finders(tuple(held))
        object.__setattr__(self, "_plain", plain)
        object.__setattr__(self, "_bare", bare)
        object.__setattr__(self, "_awkward", any(json.dumps(s, ensure_ascii=False) != f'"{s}"' for s in held))

    def text(self, text: str) -> str:
        """Replace secrets by `[redacted]`; also those that a line end, spaces or other characters break up."""
        hidden = text
        # A backslash before a secret is not always the first half of a written line end
        for pairs in _readings(text):
            hidden = _cut(hidden, self._spans(hidden, pairs))
        for form in find_forms(hidden):
            hidden = form.pattern.sub(_mask, hidden)
        return hidden

    def holds(self, text: str) -> bool:
        """Tell whether a text shows a whole secret that we hold, however spelled; a part may be an ordinary word."""
        readings = [join(text, pairs) for pairs in _readings(text)]
        return any(self._plain.holds(data) or self._bare.holds(strip(data)) for data in readings)

    def event(self, event: R) -> R:
        """Redact all text of an event and mend invalid Unicode; the same object when there is nothing to do."""
        return event if self._clean(event) else self.record(event)

    def record(self, told: R) -> R:
        """Redact all text of a value."""
        data = told.model_dump(mode="json")
        hidden = self._walk(data)
        return told if hidden == data else type(told).model_validate(hidden)

    def _clean(self, event: Record) -> bool:
        try:
            line = event.model_dump_json()
        except PydanticSerializationError:
            return False
        readings = [join(line, pairs) for pairs in _readings(line)]
        held = any(self._plain.touches(data) or self._bare.touches(strip(data)) for data in readings)
        return not (self._awkward or held or any(form.pattern.search(line) for form in find_forms(line)))

    def _spans(self, text: str, pairs: Sequence[str]) -> list[tuple[int, int]]:
        """Find where in a text the spellings lie."""
        joined = join(text, pairs)
        plain, bare = list(self._plain.find(joined)), list(self._bare.find(strip(joined)))
        if not plain and not bare:
            return []
        kept = _origins(text, pairs)
        few = letters(joined, kept) if bare else []
        found = [(kept[hit.first], kept[hit.last - 1] + 1) for hit in plain]
        return found + [(few[hit.first], few[hit.last - 1] + 1) for hit in bare]

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


def _is_held(secret: str) -> bool:
    return len(secret) >= SHORTEST and secret not in MARK


@lru_cache(maxsize=8)
def _finders(secrets: tuple[str, ...]) -> tuple[Finder, Finder]:
    plain, bare, heads = [], [], []
    for secret in secrets:
        whole = join(secret)
        heads.append((whole[: _head(secret)], whole))
        plain += [whole, *(data for data in map(join, spell(secret)) if len(data) >= SHORTEST)]
        bare += [data for data in (strip(join(each)) for each in spell_bare(secret)) if len(data) >= GRAM]
    return Finder(plain, heads), Finder(bare)


def _head(secret: str) -> int:
    """Count the characters of a beginning that is not shared by all tokens of a kind."""
    public = _PUBLIC.match(secret)
    return public.end() + GRAM // 2 if public else GRAM


def _readings(text: str) -> tuple[Sequence[str], ...]:
    """Say which written line ends may be left out to find a secret that they break up."""
    return (_ESCAPED_BREAKS, ()) if any(pair in text for pair in _ESCAPED_BREAKS) else ((),)


def _origins(text: str, pairs: Sequence[str]) -> list[int]:
    """Tell for each byte of `join` which character it comes from."""
    kept = [index for index, c in enumerate(text) if c not in " \t\r\n"]
    if not text.isascii():
        kept = [index for index in kept for _ in text[index].encode("utf-8", "surrogatepass")]
    joined = join(text, ())
    for pair in pairs:
        part = pair.encode()
        dropped = {at + step for at in places(joined, part, len(part)) for step in range(len(part))}
        kept = [index for at, index in enumerate(kept) if at not in dropped]
        joined = joined.replace(part, b"")
    return kept


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
    # Whoever only redacts text has no use for all that can happen
    return frozenset(_fixed(import_module("bot.core.event").EVENT.json_schema()))


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
