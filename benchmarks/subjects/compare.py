"""Holds versions of a function against the correct one, on recorded and on made inputs; run by the program's Python.

    python compare.py JOB ANSWER

Reads the job from one file, and writes for each version nothing, or a call on which it differs, into the other.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import importlib
import inspect
import itertools
import json
import math
import os
import random
import resource
import select
import signal
import sys
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from subjects.inputs import SEQUENCES, Call, Facts, Maker, is_object

del sys.path[:2]  # our own names would stand before those of the program

RECORDED, MADE = 200, 400
ONE, ALL = 0.2, 4.0
"""Processor seconds of a call of the correct version, and of all its calls."""
PATIENCE = 4
"""How much longer another version may take."""
LATE = 60.0
LONGEST = 2000
"""How much of an endless answer is read."""
MEMORY = 2 << 30
Function = Callable[..., Any]


class TooSlow(BaseException):
    """A call took too long."""


def _stop(*_: object) -> None:
    raise TooSlow


def run(function: Function, call: Call, seconds: float) -> tuple[str, Any]:
    """Call a function within a time; return how it ended and what it gave, made comparable."""
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 0.05)
    try:
        value = function(*call)
        if isinstance(value, types.GeneratorType):
            value = list(itertools.islice(value, LONGEST))
        return "gave", shape(call if value is None else value, {})
    except TooSlow:
        return "slow", None
    except Exception as error:  # noqa: BLE001 - the program may raise anything
        return "raised", type(error).__name__
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def shape(value: Any, seen: dict[int, int]) -> Any:
    """Write a value so that two that look the same are equal, whatever objects they are made of."""
    if isinstance(value, SEQUENCES):
        return type(value)(shape(element, seen) for element in value)
    if isinstance(value, (set, frozenset)):
        return "set", sorted((shape(element, seen) for element in value), key=repr)
    if isinstance(value, dict):
        return "dict", sorted(((shape(k, seen), shape(v, seen)) for k, v in value.items()), key=repr)
    if not is_object(value):
        return value
    if id(value) in seen:
        return "again", seen[id(value)]
    seen[id(value)] = len(seen)
    return type(value).__name__, [(name, shape(held, seen)) for name, held in sorted(vars(value).items())]


def equal(one: Any, other: Any) -> bool:
    """Compare shapes; numbers with a point need not be the same to the last digit."""
    if isinstance(one, float) or isinstance(other, float):
        try:
            return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-6) or (math.isnan(one) and math.isnan(other))
        except TypeError:
            return False
    if isinstance(one, SEQUENCES) and isinstance(other, SEQUENCES):
        return type(one) is type(other) and len(one) == len(other) and all(map(equal, one, other))
    return bool(one == other)


def load(text: str, module: str, name: str) -> Function:
    """Make a function from the text of its module."""
    made = types.ModuleType(module)
    made.__package__ = module.rpartition(".")[0]
    exec(compile(text, f"<{module}>", "exec"), made.__dict__)
    found: Function = getattr(made, name)
    return found


def record(job: dict[str, Any]) -> list[Call]:
    """Run the tests with the correct version, and keep what they give to it."""
    import pytest  # noqa: PLC0415 - the program's own

    right = load(job["right"], job["module"], job["name"])
    calls: list[Call] = []

    @functools.wraps(right)
    def heard(*given: Any, **named: Any) -> Any:
        if len(calls) < RECORDED:
            bound = inspect.signature(right).bind(*given, **named)
            if not bound.kwargs:
                with contextlib.suppress(Exception):
                    calls.append(copy.deepcopy(bound.args))
        return right(*given, **named)

    setattr(importlib.import_module(job["module"]), job["name"], heard)
    pytest.main(["-q", "-p", "no:cacheprovider", *job["suite"]])
    return calls


def expected(right: Function, calls: list[Call]) -> list[tuple[Call, Any]]:
    """Pair inputs that the correct version takes with what it gives for them."""
    maker = Maker(Facts(calls), random.Random(3))
    found = []
    since = time.process_time()
    for call in itertools.chain(calls, (maker.make() for _ in range(MADE))):
        if time.process_time() - since > ALL:
            break
        ended, value = run(right, copy.deepcopy(call), ONE)
        if ended == "gave":
            found.append((call, value))
    return found


def difference(version: Function, pairs: list[tuple[Call, Any]]) -> str:
    """Return a call for which a version gives something else, or nothing."""
    since = time.process_time()
    for call, value in pairs:
        if time.process_time() - since > PATIENCE * ALL:
            break
        ended, given = run(version, copy.deepcopy(call), PATIENCE * ONE)
        if ended != "gave" or not equal(value, given):
            told = given if ended == "gave" else ended
            return f"{shape(call, {})!r:.200}: {value!r:.100} is right, not {told!r:.100}"
    return ""


def apart(work: Callable[[], str]) -> str:
    """Do something in a process of its own, which may hang or be ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        told = "it could not be loaded"
        with contextlib.suppress(BaseException):
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            told = work()
        os.write(writing, (told + "\n").encode()[:4000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        ready, _, _ = select.select([stream], [], [], LATE)
        said = stream.readline().decode(errors="replace") if ready else ""
    with contextlib.suppress(OSError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return said.rstrip("\n") if said else "it did not end"


def answers(job: dict[str, Any]) -> Iterator[str]:
    """Compare each version."""
    calls = record(job)
    pairs = expected(load(job["right"], job["module"], job["name"]), calls) if calls else []
    for text in job["texts"]:
        if pairs:
            yield apart(lambda text=text: difference(load(text, job["module"], job["name"]), pairs))  # type: ignore[misc]
        else:
            yield "no input is known"


def main() -> None:
    """Answer the job."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    signal.signal(signal.SIGVTALRM, _stop)
    sys.setrecursionlimit(3000)
    os.chdir(job["folder"])
    sys.path.insert(0, job["folder"])
    Path(sys.argv[2]).write_text(json.dumps(list(answers(job))), encoding="utf-8")


if __name__ == "__main__":
    main()
