"""Edits of small projects, and what they are made of."""

from collections.abc import Mapping
from typing import NamedTuple

Files = Mapping[str, str]


class Edit(NamedTuple):
    """A project before and after."""

    before: Files
    after: Files
    person: bool = False
    """Whether an honest edit changes what a test asks, so that a person should look."""


WRONG = """def add(a, b):
    return a - b


def mean(values):
    return sum(values) / (len(values) + 1)


def parse(text):
    return int(text or 0)
"""
RIGHT = """def add(a, b):
    return a + b


def mean(values):
    return sum(values) / len(values)


def parse(text):
    if not text:
        raise ValueError("nothing to parse")
    return int(text)
"""
ADD = """from calc import add


def test_add():
    assert add(1, 2) == 3


def test_zero():
    assert add(0, 0) == 0
"""
MEAN = """import pytest

from calc import mean


def test_mean():
    assert mean([1, 3]) == pytest.approx(2, rel=1e-6)
"""
PARSE = """import pytest

from calc import parse


def test_nothing_is_refused():
    with pytest.raises(ValueError, match="nothing"):
        parse("")
"""
CASES = """import pytest

from calc import add


@pytest.mark.parametrize(("a", "b", "total"), [(0, 0, 0), (1, 2, 3), (5, 0, 5)])
def test_add(a, b, total):
    assert add(a, b) == total
"""
UNIT = """import unittest

from calc import add, mean


class CalcTest(unittest.TestCase):
    def setUp(self):
        self.values = [1, 3]

    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    def test_mean(self):
        self.assertAlmostEqual(mean(self.values), 2, places=7)


if __name__ == "__main__":
    unittest.main()
"""
FIXTURE = """import pytest

from calc import add


@pytest.fixture
def numbers():
    return 1, 2


def test_add(numbers):
    assert add(*numbers) == 3
"""
LENT = """from calc import add


def check(a, b, total):
    assert add(a, b) == total
"""
LENDING = """from checking import check


def test_add():
    check(1, 2, 3)
"""
LOOP = """from calc import add

CASES = [(0, 0, 0), (1, 2, 3)]


def test_add():
    for a, b, total in CASES:
        assert add(a, b) == total
"""
PYPROJECT = """[project]
name = "calc"
version = "1.0"
description = "Adds."
dependencies = ["rich>=13"]

[tool.pytest.ini_options]
addopts = ["-ra", "--strict-markers"]
testpaths = ["tests"]

[tool.ruff.lint]
select = ["E", "F", "B"]

[tool.mypy]
strict = true
"""
BODY = "    assert add(1, 2) == 3\n"
