"""What nobody sees in a text, or what a model's template would obey: shown so that it can be seen, and edited."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bot.core.diff import Line

CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
"""Characters that a terminal obeys, as part of a character class."""
INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e"
    "\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Characters that show as nothing, or change the order of others, likewise."""
CARRIERS = "\u202a-\u202e\u2066-\u2069\U000e0000-\U000e0fff"
"""Of them, those that make a text read otherwise than it is, or can hold a text of their own."""
SHOWN = 3
"""Lines of a file that are named."""

# No form feed: sources have it between their sections, and it hides nothing
_STRANGE = f"[{CONTROL.replace(chr(12), '')}{INVISIBLE}\u2028\u2029]"
_UNSEEN = re.compile(f"{_STRANGE}|\r(?!\n)")
_TOKEN = re.compile(
    r"<\|[\w.:/\u2581-]{1,80}\|>|<\uff5c[^\uff5c<>\n]{1,80}\uff5c>"
    r"|</?(?:[a-z]{1,12}:)?(?:function_(?:calls?|results?)|tool_(?:calls?|uses?|results?|responses?))(?=[\s>])"
    r"|</?(?:antml:\w|invoke(?=>| name=)|think>|(?:start|end)_of_turn>)|<(?:/s|bos|eos)>"
    r"|<</?SYS>>|\[/?(?:INST|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|AVAILABLE_TOOLS|SYSTEM_PROMPT)\]"
)
"""What templates put between the turns and calls of a conversation."""
_HIDDEN = re.compile(_STRANGE)
_CARRIER = re.compile(f"[{CARRIERS}]")


def show(text: str) -> str:
    r"""Write what cannot be seen as `\u202e`, and control tokens with a backslash inside; done twice, it is as once."""
    # A service keeps roles apart by itself, but what renders them into one text may obey tokens inside a result, too
    if not text.isascii() or not text.isprintable():
        text = _UNSEEN.sub(lambda found: _escape(found[0]), text)
    return _TOKEN.sub(lambda found: _break(found[0]), text) if "<" in text or "[" in text else text


def restore(text: str, source: str) -> str:
    """Undo `show` in a text where it is plain that this means what stands in the source."""
    if "\\" not in text:
        return text
    kinds = {raw: _escape(raw) for raw in _UNSEEN.findall(source)} | {
        raw: _break(raw) for raw in _TOKEN.findall(source)
    }
    for raw, shown in kinds.items():
        if shown in text and shown not in source:
            text = text.replace(shown, raw)
    return text


def tell_unseen(text: str) -> tuple[str, ...]:
    """Name the characters of a text that cannot be seen, `U+202E` and the like, each once."""
    return tuple(dict.fromkeys(_code(found[0]) for found in _UNSEEN.finditer(text)))


def holds_shown(text: str) -> bool:
    """Tell whether a text is shown otherwise than it is."""
    return show(text) != text


class Smuggled(NamedTuple):
    """Characters that a change brings into a file and nobody sees."""

    text: str
    grave: bool
    """Whether they make the code read otherwise than it is, or can hold a text."""


def find_smuggled(lines: Iterable[Line]) -> Iterator[Smuggled]:
    """Name, file by file, the invisible characters that a change adds; those that only move do not count."""
    found: dict[str, dict[str, list[int]]] = {}
    spare: Counter[tuple[str, str]] = Counter()
    for line in lines:
        for character in _HIDDEN.findall(line.text):
            if line.sign == "-":
                spare[line.path, character] += 1
            else:
                found.setdefault(line.path, {}).setdefault(character, []).append(line.number)
    for path, characters in found.items():
        for character, places in characters.items():
            if len(places) > spare[path, character]:
                yield Smuggled(_smuggled(path, character, places), _CARRIER.match(character) is not None)


def _smuggled(path: str, character: str, places: list[int]) -> str:
    numbers = [*map(str, dict.fromkeys(places))]
    where = f"{', '.join(numbers[:SHOWN])}{', …' if numbers[SHOWN:] else ''}"
    name = unicodedata.name(character, "").lower()
    return f"{path}:{where} holds {_code(character)}{f' ({name})' if name else ''}, which nobody sees"


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004 - how many digits there are


def _break(token: str) -> str:
    return f"{token[0]}\\{token[1:]}"
