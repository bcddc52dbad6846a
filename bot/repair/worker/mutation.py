"""Makes values that might have been seen, from those that were."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, Callable

Path = tuple[object, ...]
"""A place among the arguments of a function: which one, and then item, place in a tuple, key or value on the way in."""
NUMBERS = (int, float)
PLAIN = frozenset({bool, int, float, str, bytes, list, tuple, set, frozenset, dict})
LARGE = 1e9
LONGEST = 60
"""Items of one list that are looked at."""
DEEP = 4
OTHER = 0.08
"""How often something of another type is taken, such as None, where it was seen in the same place."""
AGAIN = 0.15
"""How often a text is taken as it was seen."""
SEEN = 0.3
"""How often a number is taken from near one that was seen, and not from anywhere between them."""
INNER = 0.6


class Seen:
    """The values that stood in each place."""

    def __init__(self, values: Iterable[tuple[Path, Any]]) -> None:
        self.values: dict[Path, list[Any]] = {}
        for place, value in values:
            self._add(place, value, 0)

    def _add(self, path: Path, value: Any, depth: int) -> None:
        self.values.setdefault(path, []).append(value)
        if depth > DEEP:
            return
        if type(value) is dict:
            for key, part in value.items():
                self._add((*path, "key"), key, depth + 1)
                self._add((*path, "value"), part, depth + 1)
        elif isinstance(value, (list, tuple, set, frozenset)):
            for at, part in enumerate(list(value)[:LONGEST]):
                self._add((*path, at if isinstance(value, tuple) else "item"), part, depth + 1)

    def like(self, path: Path, *kinds: type) -> list[Any]:
        """List the values of some types that were seen in a place."""
        return [value for value in self.values.get(path, ()) if type(value) in kinds]

    def lists(self, path: Path) -> list[Any]:
        """List the sequences that were seen in a place."""
        return [value for value in self.values.get(path, ()) if isinstance(value, (list, tuple))]


class Mutator:
    """Changes values, each by what was seen in its place."""

    def __init__(self, seen: Seen, random: Random) -> None:
        self.seen = seen
        self.random = random
        self._changes: dict[type, Callable[[Any, Path, Sequence[Any]], Any]] = {
            bool: self._flag,
            int: self._number,
            float: self._number,
            str: self._text,
            bytes: self._text,
            list: self._sequence,
            tuple: self._sequence,
            set: self._set,
            frozenset: self._set,
            dict: self._dict,
        }

    def change(self, value: Any, path: Path, kin: Sequence[Any] = ()) -> Any:
        """Return another value for a place; one of the project's own objects is replaced by one of its kin, if any."""
        others = _plain(self.seen.values.get(path, ()))
        if others and self.random.random() < OTHER:
            return self.random.choice(others)
        kind = type(value)
        if kind in self._changes:
            return self._changes[kind](value, path, kin)
        if isinstance(value, tuple) and hasattr(value, "_make"):
            return value._make(self._list(list(value), path, kin, fixed=True))
        return self.random.choice(self._like(value, path, kin))

    def _like(self, value: Any, path: Path, kin: Sequence[Any]) -> list[Any]:
        """List objects that may take the place of one: those that belong together, or else those of other calls."""
        found = [one for one in kin if type(one) is type(value)]
        return found if len(found) > 1 else self.seen.like(path, type(value)) or [value]

    def _flag(self, value: bool, path: Path, _: Sequence[Any]) -> bool:  # noqa: FBT001 - the value is what is changed
        seen = self.seen.like(path, bool)
        return self.random.choice([True, False]) if {True, False} <= set(seen) else value

    def _number(self, value: Any, path: Path, _: Sequence[Any]) -> Any:
        seen = [one for one in self.seen.like(path, *NUMBERS) if isinstance(one, int) or math.isfinite(one)] or [value]
        low, high = min(seen), max(seen)
        if self.random.random() < SEEN or abs(high - low) > LARGE or not all(isinstance(n, int) for n in seen):
            return self._near(self.random.choice(seen), low)
        return self._near(self.random.randint(int(low), int(high)), low)

    def _near(self, value: Any, low: float) -> Any:
        """Go a step from a number, but not below zero or down to it where nothing like that was seen."""
        if isinstance(value, float) and abs(value) < LARGE:
            step = self.random.choice((0.0, 0.0, 0.5, -0.5, round(self.random.uniform(-2, 2), 2)))
        else:
            step = self.random.choice((0, 0, 1, -1, 2))
        near = value + step
        return value if (low >= 0 > near) or (low > 0 >= near) else near

    def _text(self, value: Any, path: Path, _: Sequence[Any]) -> Any:
        seen = self.seen.like(path, type(value)) or [value]
        letters = [one[i : i + 1] for one in seen for i in range(min(len(one), LONGEST))]
        empty = value[:0]
        parts = [value[i : i + 1] for i in range(len(value))]
        longest, shortest = max(map(len, seen)), min(map(len, seen))
        for _step in range(self.random.choice((1, 1, 2, 3))):
            self._edit(parts, letters, shortest if longest > shortest else len(value), longest)
        return self.random.choice(seen) if self.random.random() < AGAIN else empty.join(parts)

    def _edit(self, parts: list[Any], others: Sequence[Any], shortest: int, longest: int) -> None:
        """Replace, drop, add or shuffle parts; the length changes only where it did, and to none only where it was."""
        how, at = self.random.randrange(6), self.random.randrange(len(parts) + 1)
        room = longest + (longest > shortest)
        if how == 0 and at < len(parts) and others:
            parts[at] = self.random.choice(others)
        elif how == 1 and at < len(parts) and len(parts) > min(shortest, 1) and shortest < longest:
            del parts[at]
        elif how in (2, 3) and others and len(parts) < room:
            parts.insert(at, self.random.choice(others))
        elif how == 4:
            self.random.shuffle(parts)
        elif len(parts) > 1 and shortest < longest:
            del parts[self.random.randrange(1, len(parts)) :]

    def _list(self, value: list[Any], path: Path, kin: Sequence[Any], *, fixed: bool = False) -> list[Any]:
        inner, parts = (*path, "item"), list(value)
        seen = self.seen.lists(path) or [value]
        lengths = [len(one) for one in seen]
        if not fixed and (len(seen) == 1 or min(lengths) < max(lengths)):
            others = _plain(self.seen.values.get(inner, ()))
            others += [one for one in kin if any(type(one) is type(part) for part in parts)]
            self._edit(parts, others, min(lengths), max(2, *lengths))
        for at in range(len(parts)):
            if self.random.random() < max(AGAIN, 1 / len(parts)) * INNER:
                parts[at] = self.change(parts[at], (*path, at) if fixed else inner, kin)
        return _keep_order(parts, seen, fixed=fixed)

    def _sequence(self, value: Any, path: Path, kin: Sequence[Any]) -> Any:
        return type(value)(self._list(list(value), path, kin, fixed=isinstance(value, tuple)))

    def _set(self, value: Any, path: Path, kin: Sequence[Any]) -> Any:
        parts = self._list(sorted(value, key=repr), path, kin)
        return type(value)(part for part in parts if _hashable(part))

    def _dict(self, value: dict[Any, Any], path: Path, kin: Sequence[Any]) -> dict[Any, Any]:
        changed = dict(value)
        keys = [key for key in self.seen.values.get((*path, "key"), ()) if key not in changed]
        values = self.seen.values.get((*path, "value"), ())
        how = self.random.randrange(4)
        if how == 0 and changed:
            del changed[self.random.choice(list(changed))]
        elif how == 1 and keys and values:
            changed[self.random.choice(keys)] = self.random.choice(values)
        elif changed:
            key = self.random.choice(list(changed))
            changed[key] = self.change(changed[key], (*path, "value"), kin)
        return changed


def _plain(values: Iterable[Any]) -> list[Any]:
    """Leave out the project's own objects, which belong to the call that they were seen in."""
    return [value for value in values if value is None or type(value) in PLAIN]


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _keep_order(parts: list[Any], seen: Sequence[Any], *, fixed: bool) -> list[Any]:
    """Sort, or leave out what is there already, where all that was seen is so."""
    telling = [list(one) for one in seen if len(one) > 1]
    try:
        if not fixed and len(telling) > 1 and all(len(set(one)) == len(one) for one in telling):
            parts = list(dict.fromkeys(parts))
        if len(telling) > 1 and all(one == sorted(one) for one in telling):
            parts = sorted(parts)
    except TypeError:
        return parts
    return parts
