"""What importers of a module see of a change."""

import pytest

from bot.verify.fast.interface import is_another

MODULE = """
import os

LIMIT: int = 3


class Cart:
    def __init__(self, owner):
        self.owner = owner

    def total(self, rate: float) -> float:
        \"\"\"Add.\"\"\"
        found = 0.0
        return found * rate


def count(names):
    for name in names:
        print(name)
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return found * rate", "found += 1\n        return found / rate"),
        ('"""Add."""', '"""Add all."""'),
        ("print(name)", "print(name, name)"),
        ("LIMIT: int = 3", "LIMIT: int   =   3  # many"),
    ],
)
def test_what_a_function_does_inside_is_nobody_elses_business(old: str, new: str) -> None:
    assert old in MODULE
    assert not is_another(MODULE.encode(), MODULE.replace(old, new).encode())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rate: float", "rate: int"),
        ("-> float", "-> int"),
        ("def count(names)", "def count(names, most)"),
        ("def count(names)", "def counted(names)"),
        ("def count", "async def count"),
        ("LIMIT: int = 3", 'LIMIT: str = "3"'),
        ("import os\n", ""),
        ("class Cart", "class Cart(dict)"),
        ("self.owner = owner", "self.owner = None"),
        ("found = 0.0", "self.found = 0.0"),
        ("print(name)", "yield name"),
        ("print(name)", "global LIMIT\n        LIMIT = name"),
        ("print(name)", "print(name"),
    ],
)
def test_what_can_change_a_type_elsewhere_is(old: str, new: str) -> None:
    assert old in MODULE
    assert is_another(MODULE.encode(), MODULE.replace(old, new).encode())


def test_a_module_that_comes_or_goes_is_another() -> None:
    assert is_another(None, b"")
    assert is_another(b"", None)
