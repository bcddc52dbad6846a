"""Arguments that functions were called with while tests ran, and others made from them."""

from __future__ import annotations

import copy
import sys
import types
from collections.abc import Iterator, Sequence
from random import Random
from time import perf_counter
from typing import Any, Callable, NamedTuple

from bot.repair.worker.mutation import PLAIN, Mutator, Seen
from bot.repair.worker.mutation import Path as Place
from bot.repair.worker.outcomes import Freezer, spell

MOST_CALLS = 40
"""Different calls of one function that are kept."""
MOST_SEEN = 400
"""Calls of one function that are looked at."""
SLOW_COPY = 0.02
"""Seconds; a function whose arguments take so long to copy is not looked at any longer."""
KIN = 300
"""Objects that are looked through for others of the same kind."""


class Call(NamedTuple):
    """One call of a function."""

    function: int
    """Which of the watched functions."""
    args: list[Any]
    named: dict[str, Any]
    seen: bool = True
    """Whether a test made it."""


class Recorder:
    """Keeps copies of what functions are called with."""

    def __init__(self, functions: Sequence[types.FunctionType]) -> None:
        self.codes = {function.__code__: n for n, function in enumerate(functions)}
        self.calls: list[list[Call]] = [[] for _ in functions]
        self.left = [MOST_SEEN] * len(functions)
        self._known: set[tuple[int, str]] = set()
        self._frames: dict[int, types.FrameType] = {}

    @property
    def full(self) -> bool:
        """Whether no more calls are wanted."""
        return all(left <= 0 or len(kept) >= MOST_CALLS for left, kept in zip(self.left, self.calls))

    def watch(self, work: Callable[[], object]) -> None:
        """Do something while taking note of calls."""
        sys.setprofile(self._enter)
        try:
            work()
        finally:
            sys.setprofile(None)

    def _enter(self, frame: types.FrameType, event: str, _: object) -> None:
        if event != "call":
            return
        number = self.codes.get(frame.f_code)
        if number is None or self.left[number] <= 0 or len(self.calls[number]) >= MOST_CALLS:
            return
        if id(frame) in self._frames:  # a generator that goes on
            return
        if frame.f_code.co_flags & 0x2A0:
            self._frames[id(frame)] = frame
        self.left[number] -= 1
        self._keep(number, *_arguments(frame))

    def _keep(self, number: int, args: list[Any], named: dict[str, Any]) -> None:
        begun = perf_counter()
        try:
            args, named = copy.deepcopy((args, named))
            mark = repr(Freezer().freeze([args, named]))
        except Exception:  # noqa: BLE001 - copying the project's objects may raise anything
            self.left[number] -= 10
            return
        if perf_counter() - begun > SLOW_COPY:
            self.left[number] = 0
        if (number, mark) not in self._known:
            self._known.add((number, mark))
            self.calls[number].append(Call(number, args, named))


def _arguments(frame: types.FrameType) -> tuple[list[Any], dict[str, Any]]:
    """Read what a call was given, from the frame that it begins with."""
    code, values = frame.f_code, frame.f_locals
    names = code.co_varnames
    count, only = code.co_argcount, code.co_kwonlyargcount
    args = [values[name] for name in names[:count] if name in values]
    named = {name: values[name] for name in names[count : count + only] if name in values}
    rest = count + only
    if code.co_flags & 0x04:
        args += values.get(names[rest], ())
        rest += 1
    if code.co_flags & 0x08:
        named.update(values.get(names[rest], {}))
    return args, named


def _places(each: Call) -> Iterator[tuple[Place, Any]]:
    yield from (((n,), value) for n, value in enumerate(each.args))
    yield from (((name,), value) for name, value in each.named.items())


def kin_of(each: Call) -> list[Any]:
    """Find the objects that a call can reach and that are not of a plain type."""
    found: dict[int, Any] = {}
    queue = [value for _, value in _places(each)]
    looked = 0
    while queue and looked < KIN:
        value, looked = queue.pop(), looked + 1
        if type(value) in PLAIN:
            if isinstance(value, dict):
                queue += value.values()
            elif isinstance(value, (list, tuple, set, frozenset)):
                queue += value
        elif id(value) not in found and _is_object(value):
            found[id(value)] = value
            queue += vars(value).values()
    return list(found.values())


def _is_object(value: Any) -> bool:
    return isinstance(getattr(value, "__dict__", None), dict) and not isinstance(value, (type, types.FunctionType))


def make_calls(recorded: Sequence[Call], count: int, random: Random) -> list[Call]:
    """Make new calls from recorded ones of the same function; fewer when no more different ones come up."""
    if not any(each.args or each.named for each in recorded):
        return []
    mutator = Mutator(Seen(place for each in recorded for place in _places(each)), random)
    known = {_mark(each) for each in recorded}
    made: list[Call] = []
    for _ in range(4 * count):
        if len(made) >= count:
            break
        base = random.choice(recorded)
        if not (base.args or base.named):
            continue
        try:
            changed = _change_call(base, mutator, random)
            mark = _mark(changed)
        except Exception:  # noqa: BLE001, S112 - copying or comparing the project's objects may raise anything
            continue
        if mark not in known:
            known.add(mark)
            made.append(changed)
    return made


def _change_call(base: Call, mutator: Mutator, random: Random) -> Call:
    # Copied together, so that what is reached from two arguments stays one object
    args, named = copy.deepcopy((base.args, base.named))
    kin = kin_of(base._replace(args=args, named=named))
    places = [*range(len(args)), *named]
    for place in random.sample(places, min(len(places), random.choice((1, 1, 2)))):
        holder: Any = args if isinstance(place, int) else named
        holder[place] = mutator.change(holder[place], (place,), kin)
    return Call(base.function, args, named, seen=False)


def _mark(each: Call) -> str:
    return repr(Freezer().freeze([each.args, each.named]))


def write_call(each: Call, name: str, *, method: bool) -> str:
    """Write a call as it would stand in source."""
    args = [spell(value, 80) for value in each.args]
    args += [f"{key}={spell(value, 80)}" for key, value in each.named.items()]
    if method and args:
        return f"{args[0]}.{name}({', '.join(args[1:])})"
    return f"{name}({', '.join(args)})"
