"""More inputs like those that tests give to a function: what is always so of them stays so.

Runs in the interpreter of the program: the standard library alone.
"""

from __future__ import annotations

import copy
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

Place = tuple[object, ...]
"""Where a value stands: the number of the argument, then a step for each thing it is in."""
Call = tuple[Any, ...]
SCALARS = (bool, int, float, str, bytes, type(None))
SEQUENCES = (list, tuple)
WIDEST = 1_000_000
"""How far apart whole numbers may lie for those between them to be inputs."""


def is_object(value: object) -> bool:
    """Tell whether a value is of a class of the program."""
    return hasattr(value, "__dict__") and not isinstance(value, (*SCALARS, type)) and not callable(value)


def parts(value: object) -> Iterator[tuple[object, object]]:
    """Yield what a value holds, each with the step that leads to it."""
    if isinstance(value, (list, tuple, set, frozenset)):
        for element in value:
            yield "element", element
    elif isinstance(value, dict):
        for key, element in value.items():
            yield "key", key
            yield "value", element
    elif is_object(value):
        for name, element in vars(value).items():
            yield (type(value).__name__, name), element


def objects(call: Call) -> list[object]:
    """List the objects that can be reached, each once, in the order in which they are met."""
    found: dict[int, object] = {}
    waiting: list[object] = list(reversed(call))
    while waiting:
        value = waiting.pop()
        if is_object(value):
            if id(value) in found:
                continue
            found[id(value)] = value
        waiting += [part for _, part in reversed(list(parts(value)))]
    return list(found.values())


class Facts:
    """What holds of all recorded calls."""

    def __init__(self, calls: Iterable[Call]) -> None:
        self.pools: dict[Place, list[Any]] = defaultdict(list)
        self.calls = list(calls)
        for call in self.calls:
            seen: set[int] = set()
            for number, value in enumerate(call):
                self._add((number,), value, seen)
        self.graphs = [objects(call) for call in self.calls]
        self.attributes = sorted({name for graph in self.graphs for x in graph for name in vars(x)})
        self.inverse = {(a, b) for a in self.attributes for b in self.attributes if self._inverse(a, b)}
        self.straight = {name for name in self.attributes if not any(cyclic(graph, name) for graph in self.graphs)}

    def _add(self, place: Place, value: Any, seen: set[int]) -> None:
        if is_object(value):
            if id(value) in seen:
                self.pools[place].append(value)
                return
            seen.add(id(value))
        self.pools[place].append(value)
        for step, part in list(parts(value)):
            self._add((step,) if isinstance(step, tuple) else (*place, step), part, seen)

    def _inverse(self, one: str, other: str) -> bool:
        """Tell whether what is in a list of one object always has that object in another list of its own."""
        edges = 0
        for graph in self.graphs:
            for x in graph:
                for name, back in ((one, other), (other, one)):
                    for y in linked(x, name):
                        edges += 1
                        if not any(z is x for z in linked(y, back)):
                            return False
        return edges > 0

    def sorted(self, place: Place) -> bool:
        """Tell whether sequences here are always sorted."""
        pool = [value for value in self.pools[place] if isinstance(value, SEQUENCES) and len(value) > 1]
        try:
            return len(pool) > 1 and all(list(value) == sorted(value) for value in pool)
        except TypeError:
            return False

    def distinct(self, place: Place) -> bool:
        """Tell whether what sequences, or values of mappings, hold here is always different from each other."""
        pool = [
            list(v.values()) if isinstance(v, dict) else list(v) for v in self.pools[place] if hasattr(v, "__len__")
        ]
        return bool(pool) and all(len(repeated(value)) == 0 for value in pool)


def repeated(values: list[Any]) -> list[Any]:
    """List what stands in a list once more."""
    return [value for number, value in enumerate(values) if any(value is x or value == x for x in values[:number])]


def linked(value: object, name: str) -> list[Any]:
    """List the objects that an attribute leads to."""
    held = getattr(value, name, None)
    return [x for x in (held if isinstance(held, SEQUENCES) else [held]) if is_object(x)]


def cyclic(graph: list[object], name: str) -> bool:
    """Tell whether an attribute leads in a circle."""
    done: set[int] = set()
    for start in graph:
        path: list[tuple[object, Iterator[Any]]] = [(start, iter(linked(start, name)))]
        above = {id(start)}
        while path and id(start) not in done:
            value, rest = path[-1]
            following = next(rest, None)
            if following is None:
                path.pop()
                above.discard(id(value))
                done.add(id(value))
            elif id(following) in above:
                return True
            elif id(following) not in done:
                above.add(id(following))
                path.append((following, iter(linked(following, name))))
    return False


class Maker:
    """Makes calls from recorded ones."""

    def __init__(self, facts: Facts, rng: random.Random) -> None:
        self.facts, self.rng = facts, rng

    def make(self) -> Call:
        """Return a call that differs from a recorded one in a few places."""
        call = list(copy.deepcopy(self.rng.choice(self.facts.calls)))
        for _ in range(self.rng.choice((1, 1, 2, 3))):
            graph = objects(tuple(call))
            if graph and self.rng.random() < 0.7:
                self._change_graph(graph)
            elif call:
                number = self.rng.randrange(len(call))
                call[number] = self._change((number,), call[number], graph)
        return tuple(call)

    def _change(self, place: Place, value: Any, graph: list[object]) -> Any:
        pool = self.facts.pools.get(place) or [value]
        if is_object(value):
            return self.rng.choice([x for x in graph if type(x) is type(value)] or [value])
        if value is None or isinstance(value, bool):
            return self.rng.choice([x for x in pool if x is None or isinstance(x, bool)])
        if isinstance(value, (int, float)):
            return self._number(value, [x for x in pool if isinstance(x, (int, float)) and not isinstance(x, bool)])
        if isinstance(value, str):
            return self._text(value, [x for x in pool if isinstance(x, str)])
        if isinstance(value, SEQUENCES):
            return self._sequence(place, value, graph)
        return self._mapping(place, value, graph) if isinstance(value, dict) else value

    def _number(self, value: Any, pool: list[Any]) -> Any:
        low, high = min(pool), max(pool)
        if self.rng.random() < 0.4 or high - low > WIDEST:
            return copy.copy(self.rng.choice(pool))
        if isinstance(value, int) and isinstance(low, int) and isinstance(high, int):
            return self.rng.randint(low, high)
        return round(self.rng.uniform(low, high), 2)

    def _text(self, value: str, pool: list[str]) -> str:
        letters, place = "".join(pool), self.rng.randrange(len(value) + 1)
        kind = self.rng.choice(("replace", "drop", "insert", "shuffle", "other"))
        if kind == "replace" and place < len(value):
            return value[:place] + self.rng.choice(letters) + value[place + 1 :]
        if kind == "drop" and len(value) > min(map(len, pool)):
            return value[:place] + value[place + 1 :]
        if kind == "insert" and letters and len(value) < max(map(len, pool)):
            return value[:place] + self.rng.choice(letters) + value[place:]
        if kind == "shuffle":
            return "".join(self.rng.sample(value, len(value)))
        return self.rng.choice(pool)

    def _sequence(self, place: Place, value: Any, graph: list[object]) -> Any:
        pool = [x for x in self.facts.pools.get(place, [value]) if isinstance(x, SEQUENCES)]
        inside, elements = (*place, "element"), list(value)
        known = self.facts.pools.get(inside, [])
        fixed = isinstance(value, tuple) or any(map(is_object, elements))
        kind = self.rng.choice(("one", "one", "drop", "insert", "shuffle", "all"))
        if kind == "drop" and not fixed and len(elements) > min(map(len, pool), default=0):
            elements.pop(self.rng.randrange(len(elements)))
        elif kind == "insert" and not fixed and known and len(elements) < 2 + max(map(len, pool), default=0):
            elements.insert(self.rng.randrange(len(elements) + 1), copy.deepcopy(self.rng.choice(known)))
        elif kind == "shuffle" and not isinstance(value, tuple):
            self.rng.shuffle(elements)
        elif not any(map(is_object, elements)):
            only = self.rng.randrange(len(elements)) if elements and kind == "one" else None
            elements = [
                self._change(inside, x, graph) if only in (None, number) else x for number, x in enumerate(elements)
            ]
        if self.facts.distinct(place):
            elements = [x for number, x in enumerate(elements) if x not in elements[:number]]
        return type(value)(sorted(elements) if self.facts.sorted(place) else elements)

    def _mapping(self, place: Place, value: dict[Any, Any], graph: list[object]) -> dict[Any, Any]:
        changed = dict(value)
        kind = self.rng.choice(("one", "one", "drop", "insert", "all"))
        keys = [key for key in value if kind == "all" or self.rng.random() < 1 / len(value)]
        if kind == "drop" and len(value) > 1:
            del changed[self.rng.choice(list(value))]
        elif kind == "insert" and value and not objects(tuple(value)):
            key = self._change((*place, "key"), self.rng.choice(list(value)), graph)
            changed[key] = copy.deepcopy(self.rng.choice(list(value.values())))
        for key in keys:
            if key in changed:
                changed[key] = self._change((*place, "value"), value[key], graph)
        return value if self.facts.distinct(place) and repeated(list(changed.values())) else changed

    def _change_graph(self, graph: list[object]) -> None:
        """Change one attribute of one object, and what has to go with it."""
        value = self.rng.choice(graph)
        name = self.rng.choice(sorted(vars(value)))
        pool = self.facts.pools.get(((type(value).__name__, name),), [])
        before = [(x, dict(vars(x))) for x in graph]
        if any(is_object(x) for x in pool):
            choices = [*graph, *([None] if None in pool else [])]
            setattr(value, name, self.rng.choice(choices))
        elif any(isinstance(x, SEQUENCES) and any(map(is_object, x)) for x in pool):
            self._link(value, self.rng.choice(graph), name)
        elif pool and isinstance(getattr(value, name), (int, float, str)):
            setattr(value, name, self._change(((type(value).__name__, name),), getattr(value, name), graph))
        if any(cyclic(graph, name) for name in self.facts.straight):
            for x, held in before:
                vars(x).update(held)

    def _link(self, one: object, other: object, name: str) -> None:
        """Lead from one object to another, or no longer."""
        present = any(x is other for x in getattr(one, name))
        sides = [(one, name, other), *((other, b, one) for a, b in sorted(self.facts.inverse) if a == name)]
        for x, attribute, y in sides:
            rest = [z for z in getattr(x, attribute) if z is not y]
            setattr(x, attribute, rest if present else [*rest, y])
