"""What a call gives, as plain values that can be compared, sent and told."""

from __future__ import annotations

import asyncio
import copy
import inspect
import io
import math
import re
import types
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from time import process_time
from typing import Any, Callable, NamedTuple

from bot.repair.worker.fork import OutOfTime, alarm, disarm

NODES = 3000
"""Parts of a value that are looked at."""
DEPTH = 12
FIRST = 20
"""Items of an iterator that are looked at."""
LONGEST = 10_000
"""Characters of a text that are kept."""
SHOWN = 160
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
SIMPLE = (bool, int, float, complex, str, bytes)
CONTAINERS = (list, tuple, set, frozenset, dict)
NAMED = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType)


class Outcome(NamedTuple):
    """How a call ended."""

    kind: str
    """value, raised, late, or outside for one that reached out of the process."""
    value: Any = None
    """What it gave or the name of what it raised, frozen."""
    after: Any = None
    """The arguments as it left them, frozen."""
    printed: str = ""
    text: str = ""
    """What it gave, as a person would write it."""
    left: Sequence[str] = ()
    """The arguments as it left them, likewise."""
    seconds: float = 0.0
    """Of processor time."""


class Outside(BaseException):
    """The call would have reached out of its process."""


class Freezer:
    """Turns any value into nested tuples of plain ones."""

    def __init__(self) -> None:
        self.left = NODES
        self.seen: dict[int, int] = {}

    def freeze(self, value: Any, depth: int = 0) -> tuple[Any, ...]:
        """Return a value as its kind and its parts."""
        kind = type(value)
        self.left -= 1
        if value is None or kind in SIMPLE:
            return kind.__name__, *_simple(value)
        if isinstance(value, NAMED):
            return "name", getattr(value, "__qualname__", getattr(value, "__name__", ""))
        if id(value) in self.seen:
            return "again", self.seen[id(value)]
        if depth > DEPTH or self.left < 0:
            return "more", kind.__name__
        self.seen[id(value)] = len(self.seen)
        return kind.__name__, *self._parts(value, depth + 1)

    def _parts(self, value: Any, depth: int) -> Iterator[Any]:
        if isinstance(value, (list, tuple)):
            yield [self.freeze(part, depth) for part in value[: max(0, self.left)]]
        elif isinstance(value, (set, frozenset)):
            yield sorted((self.freeze(part, depth) for part in value), key=repr)
        elif isinstance(value, dict):
            pairs = ((self.freeze(key, depth), self.freeze(part, depth)) for key, part in value.items())
            yield sorted(pairs, key=lambda pair: repr(pair[0]))
        elif isinstance(value, BaseException):
            yield self.freeze(value.args, depth)
        if type(value) not in CONTAINERS:
            yield self._attributes(value, depth)

    def _attributes(self, value: Any, depth: int) -> Any:
        attributes = getattr(value, "__dict__", None)
        if isinstance(attributes, dict):
            return [(str(name), self.freeze(attributes[name], depth)) for name in sorted(attributes, key=str)]
        own: Any = type(value).__repr__
        if own is object.__repr__:
            names = [name for part in type(value).__mro__ for name in getattr(part, "__slots__", ())]
            return [(name, self.freeze(getattr(value, name), depth)) for name in names if hasattr(value, name)]
        return ADDRESS.sub("", write(value))[:LONGEST]


def _simple(value: Any) -> Iterator[Any]:
    if isinstance(value, (str, bytes)):
        yield value[:LONGEST]
        yield len(value)
    elif isinstance(value, int) and value.bit_length() > LONGEST:  # what has so many digits cannot be written
        yield value.bit_length()
        yield hash(value)
    else:
        yield value


def write(value: Any) -> str:
    """Write a value as it writes itself, or as its type where it cannot."""
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - the project's objects may raise anything
        return f"<{type(value).__name__}>"


def same(one: Any, other: Any) -> bool:
    """Whether two frozen values are equal, numbers with a fraction as nearly as they can be expected to be."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9) or (math.isnan(one) and math.isnan(other))
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other)


def alike(one: Outcome, other: Outcome) -> bool:
    """Whether two calls ended in the same way."""
    return same(one[:4], other[:4])


def spell(value: Any, room: int = SHOWN, depth: int = 0) -> str:
    """Write a value as it would stand in source, as far as there is room."""
    kind = type(value)
    if depth > 4 or room < 4:
        return "…"
    if kind in (list, tuple, set, frozenset) and value:
        parts = _listed(value, room - 2, lambda part, left: spell(part, left, depth + 1))
        return _enclosed(kind, parts, single=len(value) == 1)
    if kind is dict:
        return "{" + _listed(value.items(), room - 2, lambda pair, left: _pair(pair, left, depth + 1)) + "}"
    if isinstance(value, NAMED):
        return str(getattr(value, "__qualname__", getattr(value, "__name__", "…")))
    text = write(value)
    if ADDRESS.search(text):
        return f"{kind.__name__}({_listed(_public(value), room, lambda pair, left: _named(pair, left, depth + 1))})"
    return text if len(text) <= room else f"{text[: room - 1]}…"


def _public(value: Any) -> list[tuple[str, Any]]:
    """List what an object holds, without what says nothing: nothing at all, and what is empty."""
    held = {name: part for name, part in getattr(value, "__dict__", {}).items() if not name.startswith("_")}
    return [(name, part) for name, part in held.items() if part is not None and not (_is_container(part) and not part)]


def _is_container(value: Any) -> bool:
    return type(value) in CONTAINERS


def _pair(pair: tuple[Any, Any], room: int, depth: int) -> str:
    key = spell(pair[0], room, depth)
    return f"{key}: {spell(pair[1], room - len(key) - 2, depth)}"


def _named(pair: tuple[str, Any], room: int, depth: int) -> str:
    return f"{pair[0]}={spell(pair[1], room - len(pair[0]) - 1, depth)}"


def _enclosed(kind: type, parts: str, *, single: bool) -> str:
    if kind is tuple:
        return f"({parts},)" if single else f"({parts})"
    brackets = f"[{parts}]" if kind is list else f"{{{parts}}}"
    return f"frozenset({brackets})" if kind is frozenset else brackets


def _listed(parts: Any, room: int, write: Callable[[Any, int], str]) -> str:
    """Write parts with commas between them, until there is no more room."""
    written: list[str] = []
    for part in parts:
        if room < 4:
            written.append("…")
            break
        written.append(write(part, room))
        room -= len(written[-1]) + 2
    return ", ".join(written)


def call(function: Callable[..., Any], given: tuple[list[Any], dict[str, Any]], limit: float) -> Outcome:
    """Call a function with a copy of its arguments, within a limit of processor time."""
    printed, begun = io.StringIO(), process_time()
    try:
        try:
            alarm(limit)
            args, named = copy.deepcopy(given)
            with redirect_stdout(printed):
                result = _drawn(function(*args, **named))
            spent = process_time() - begun
            value, after = Freezer().freeze(result), Freezer().freeze([args, named])
            text, left = spell(result), [spell(each) for each in (*args, *named.values())]
        finally:
            disarm()
    except OutOfTime:
        return Outcome("late", text="no answer in time")
    except Outside:
        return Outcome("outside")
    except BaseException as error:  # noqa: BLE001 - the project's code may raise anything at all
        return Outcome("raised", type(error).__name__, printed=printed.getvalue()[:LONGEST], text=type(error).__name__)
    return Outcome("value", value, after, printed.getvalue()[:LONGEST], text, left, spent)


def _drawn(result: Any) -> Any:
    """Draw the first items of an iterator, and wait for what is to be waited for."""
    if inspect.iscoroutine(result):
        result = asyncio.run(result)
    if not isinstance(result, Iterator) or isinstance(result, io.IOBase):
        return result
    return [item for _, item in zip(range(FIRST), result)]
