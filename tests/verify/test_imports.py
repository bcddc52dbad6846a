"""What a file names, read from its source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.verify.imports import read_imports


@pytest.mark.parametrize(
    ("source", "modules"),
    [
        ("import a, b.c as d\n", {"a", "b.c"}),
        ("from a.b import c, d\n", {"a.b.c", "a.b.d"}),
        ("from a import *\n", {"a"}),
        ("from . import c\n", {"pkg.sub.c"}),
        ("from .c import d\n", {"pkg.sub.c.d"}),
        ("from ..c import d\n", {"pkg.c.d"}),
        ("from ... import d\n", {"d"}),
        ("def f():\n    if x:\n        from a import b\n", {"a.b"}),
        ("try:\n    import a\nexcept ImportError:\n    a = None\n", {"a"}),
    ],
)
def test_imports_are_named_in_full(source: str, modules: set[str]) -> None:
    found = read_imports(source.encode(), "pkg/sub/file.py")
    assert found.modules == modules
    assert not found.wild


@pytest.mark.parametrize(
    ("name", "modules"),
    [
        ("'a.b'", set()),
        ("f'a.b_{x}.c'", {"a.b_*"}),
        ("'a.%s' % x", {"a.*"}),
        ("'a.{}.c'.format(x)", {"a.*"}),
        ("'.' + x, __package__", {"pkg.sub.*"}),
        ("names[0]", {"pkg.sub.*"}),
    ],
)
def test_names_that_are_put_together_are_named_by_their_start(name: str, modules: set[str]) -> None:
    assert read_imports(f"import_module({name})\n".encode(), "pkg/sub/file.py").modules == modules
    assert read_imports(b"import_module(name)\n", "file.py").modules == set()


def test_names_in_strings_are_noted() -> None:
    found = read_imports(b"x = ['pkg.mod.name', 'scripts/run.py', 'just words', 'word']\n", "t.py")
    assert found.strings == {"pkg.mod.name", "scripts/run.py"}


@pytest.mark.parametrize(
    "source",
    ["import subprocess\n", "from importlib import import_module\n", "import importlib\n", "__import__(name)\n"],
)
def test_what_may_run_anything_is_wild(source: str) -> None:
    assert read_imports(source.encode(), "t.py").wild
    assert not read_imports(b"from importlib import metadata, resources\n", "t.py").wild


def test_a_file_that_our_python_cannot_parse_is_read_line_by_line() -> None:
    source = b"import a.b\nfrom .c import (d, e)\nprint 'old'\nfrom f import *\nimport g as h, i\n"
    found = read_imports(source, "pkg/t.py")
    assert {"a.b", "pkg.c.d", "pkg.c.e", "f", "g", "i"} == found.modules
    assert found.wild


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_anything_can_be_read(source: bytes) -> None:
    read_imports(source, "a/b.py")
