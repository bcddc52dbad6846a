"""Changes of a module's top level that are carried over into the living objects."""

import ast
import sys
import types
from collections.abc import Callable, Iterator

import pytest

from bot.repair.worker.graft import Graft, carry, read_at_once
from bot.repair.worker.live import Module
from bot.repair.worker.source import Edit, Source
from tests.repair.test_engine import make

CODE = """\
import dataclasses
import functools

BASE = 1
TABLE = {"base": BASE}
WORDS = ["a"]
RUNS = []


def noted(function):
    RUNS.append(function.__name__)

    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


@noted
def more(n, step=BASE):
    return n + step


@dataclasses.dataclass
class Conf:
    size: int = BASE
    seen = []

    @property
    def double(self):
        return self.size * 2

    @classmethod
    def make(cls):
        return cls()


CONF = Conf()
PAIR = (lambda n: n + 1, lambda n: n + 2)
"""


@pytest.fixture
def living(tmp_path: object) -> Iterator[Callable[[], types.ModuleType]]:
    made: list[str] = []

    def load() -> types.ModuleType:
        root = make(tmp_path, {"grafted.py": CODE})  # type: ignore[arg-type]
        module = types.ModuleType("grafted")
        module.__file__ = str(root / "grafted.py")
        sys.modules["grafted"] = module
        made.append("grafted")
        exec(compile(CODE, module.__file__, "exec"), vars(module))
        return module

    yield load
    for name in set(made):
        del sys.modules[name]


def change(module: types.ModuleType, old: str, new: str) -> Module:
    """Carry out one edit the way a candidate's is."""
    live = Module(Source("grafted.py", CODE.encode()), module)
    start = CODE.index(old)
    edits = [Edit("grafted.py", start, start + len(old), new)]
    before, after = live.compile(edits)
    if not (live.swappable(before, after) and live.swap(before, after)):
        live.rerun_with(edits)
    return live


def test_a_changed_constant_reaches_what_was_made_of_it_and_nothing_runs_twice(
    living: Callable[[], types.ModuleType],
) -> None:
    module = living()
    table, more, conf, words = module.TABLE, module.more, module.Conf, module.WORDS
    words.append("b")
    other = types.ModuleType("taker")
    other.__file__, vars(other)["BASE"] = "taker.py", module.BASE
    sys.modules["taker"] = other
    try:
        change(module, "BASE = 1", "BASE = 5")
    finally:
        del sys.modules["taker"]
    assert (module.BASE, vars(other)["BASE"], table) == (5, 5, {"base": 5})
    assert more(1) == 6
    assert (conf().size, conf.make().double) == (5, 10)
    assert (module.Conf, module.more, module.TABLE) == (conf, more, table)
    assert isinstance(module.CONF, conf)
    assert module.CONF.size == 5
    assert (module.WORDS, module.RUNS) == (["a", "b"], ["more"])


def test_a_changed_default_is_that_of_the_decorated_function_too(living: Callable[[], types.ModuleType]) -> None:
    module = living()
    more = module.more
    change(module, "step=BASE", "step=7")
    assert more(1) == 8
    assert module.RUNS == ["more"]


def test_a_changed_property_is_that_of_objects_that_are_there(living: Callable[[], types.ModuleType]) -> None:
    module = living()
    conf = module.CONF
    live = change(module, "self.size * 2", "self.size * 3")
    assert conf.double == 3
    live.restore()
    assert conf.double == 2


def test_functions_of_one_line_are_told_apart(living: Callable[[], types.ModuleType]) -> None:
    module = living()
    first = module.PAIR[0]
    change(module, "n + 2", "n + 9")
    assert (module.PAIR[0](1), module.PAIR[1](1)) == (2, 10)
    assert first(1) == 2


def test_statements_read_names_at_once_or_later() -> None:
    def names(text: str) -> set[str]:
        return read_at_once(ast.parse(text).body[0])

    assert names("def f(a, b=one, *, c=two):\n    return three\n") == {"one", "two"}
    assert names("@mark\nclass A(B):\n    x = one\n    def f(self):\n        return two\n") == {"mark", "B", "one"}
    assert names("x = lambda a=one: two") == {"one"}


def test_objects_that_cannot_become_another_are_replaced() -> None:
    assert not carry(1, 2)
    assert not carry([1], (1,))
    assert not carry(object(), object())
    module = types.ModuleType("m")
    assert not Graft(module, "m.py", {}).apply(ast.parse("a = 1"), ast.parse("a = 1\nb = 2"))
