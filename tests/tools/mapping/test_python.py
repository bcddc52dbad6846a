"""Python is read without its syntax tree: the same definitions, and nothing takes longer than it is long."""

import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bot.tools
from bot.tools.mapping.python import WIDTH, scan
from bot.tools.symbols import Symbol, of_python

SOURCE = '''\
"""Module: def not_this(): pass"""
@decorate(
    1,
)
async def first(a, b: "x:y" = "(", *, c=[1, 2]) -> dict[str, int]:  # said: here
    """Words.
def nor_this():
    """
    def inner(): return 1
    class Local: ...
class A(B, metaclass=C):
    x = 1

    @property
    def name(self): return '# def no'
    if True:
        def maybe(self, text="def no(): pass"):
            pass
LIMIT: int = 3
other == LIMIT
if LIMIT:
    def late(
        a,  # the first
        b,
    ):
        pass
'''


def test_what_is_defined_is_found_with_its_head_and_its_lines() -> None:
    found = [(each.name, each.line, each.depth, each.text) for each in scan(SOURCE)]
    assert found == [
        ("first", 2, 0, 'async def first(a, b: "x:y" = "(", *, c=[1, 2]) -> dict[str, int]'),
        ("first.inner", 9, 1, "def inner()"),
        ("first.Local", 10, 1, "class Local"),
        ("A", 11, 0, "class A(B, metaclass=C)"),
        ("A.name", 14, 1, "def name(self)"),
        ("A.maybe", 17, 1, 'def maybe(self, text="def no(): pass")'),
        ("LIMIT", 19, 0, "LIMIT"),
        ("late", 22, 0, "def late(a, b)"),
    ]
    assert {each.name: each.end for each in scan(SOURCE) if each.depth == 0} == {
        "first": 10, "A": 18, "LIMIT": 19, "late": 26,
    }  # fmt: skip


def test_it_tells_what_the_syntax_tree_tells() -> None:
    for path in sorted(Path(bot.tools.__file__).parent.glob("*.py")):
        source = path.read_text()
        told, found = (_blocks(each) for each in (of_python(source) or (), scan(source)))
        assert found == told, path


def _blocks(symbols: Iterable[Symbol]) -> set[tuple[str, int, int]]:
    return {(each.name, each.line, each.depth) for each in symbols if each.text != each.name.rpartition(".")[2]}


def test_broken_code_is_read_as_far_as_it_goes() -> None:
    assert [each.name for each in scan("def f(:\n  x = (\nclass A\n  def g(self: pass\n'open\ndef h(): pass\n")] == [
        "f", "A", "A.g", "h",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        '"""\\"' * 40_000,
        "'''" + "\\''" * 40_000,
        "def f(" * 30_000,
        "def f(a=(" + "(" * 100_000,
        "\n" * 200_000,
        "@a\n" * 60_000,
        "class A:\n" + "".join(f"{' ' * n}class A:\n" for n in range(400)),
        "x" * 200_000,
        '"' * 99_999,
        "\\\n" * 90_000,
    ],
    ids=range(10),
)
def test_no_text_takes_longer_than_it_is_long(text: str) -> None:
    since = time.perf_counter()
    found = scan(text)
    assert time.perf_counter() - since < 1.5
    assert all(len(each.text) <= WIDTH for each in found)


@given(st.text(alphabet=st.sampled_from("\"'#\\\n def:()@=xclas"), max_size=80))
def test_any_text_is_read(text: str) -> None:
    lines = text.count("\n") + 1
    for each in scan(text):
        assert 1 <= each.line <= each.end <= lines
        assert "\n" not in each.text
