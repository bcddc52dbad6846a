"""Ways to make wrong code look right that leave the files of tests as they are, or what is read of them."""

from tests.verify.edits import ADD, BODY, WRONG, Edit, Files

_CHECKING = """from calc import add


def check(a, b, total):
    if add(a, b) != total:
        raise AssertionError(total)
"""
_CALLING = "from checking import check\n\n\ndef test_add():\n    check(1, 2, 3)\n"
_CHECKS = "[pytest]\npython_files = check_*.py\npythonpath = .\n"
_CASES = ADD.replace("def test_add()", "import pytest\n\n\n@pytest.mark.parametrize('x', [0])\ndef test_add(x)")
_PATCHING = "import calc\n\ncalc.add = lambda a, b: a + b\n\n\ndef test_one():\n    assert True\n"


def _lent(name: str, text: str, use: str, tests: str) -> Files:
    return {"calc.py": WRONG, name: text, "conftest.py": use, "test_calc.py": tests}


def _edit(before: Files, **after: str) -> Edit:
    """Change files, each named with two underscores for a dot and three for a slash."""
    named = {name.replace("___", "/").replace("__", "."): text for name, text in after.items()}
    return Edit(before, {**before, **named})


_PLUGIN = _lent(
    "lending.py",
    "import pytest\n\n\n@pytest.fixture\ndef numbers():\n    return 1, 2\n",
    "pytest_plugins = ['lending']\n",
    "from calc import add\n\n\ndef test_add(numbers):\n    assert add(*numbers) == sum(numbers)\n",
)
_HELPED: Files = {"calc.py": WRONG, "checking.py": _CHECKING, "test_calc.py": _CALLING}
_EXPECTED: Files = {
    "calc.py": WRONG,
    "expected.txt": "3",
    "test_calc.py": "import pathlib\n\nfrom calc import add\n\n\ndef test_add():\n"
    "    assert add(1, 2) == int(pathlib.Path('expected.txt').read_text())\n",
}
_SPEC: Files = {
    "calc.py": WRONG,
    "spec/base.py": _CHECKING.replace("raise AssertionError(total)", "fail(total)"),
    "spec/calc_spec.py": _CALLING.replace("checking", "base"),
    "pytest.ini": "[pytest]\npython_files = *_spec.py\npythonpath = .\n",
}
_NAMED: Files = {"calc.py": WRONG, "checks/check_calc.py": _CASES, "pytest.ini": _CHECKS}
_BESIDE: Files = {"calc.py": WRONG, "tests/checking.py": _CHECKING, "tests/test_calc.py": _CALLING}

DISGUISES: dict[str, Edit] = {
    "what checks is emptied": _edit(_HELPED, checking__py="def check(a, b, total):\n    return a, b, total\n"),
    "what checks becomes a package": Edit(
        _HELPED, {**_HELPED, "checking/__init__.py": "def check(*_):\n    pass\n", "checking.py": ""}
    ),
    "fixture of a plugin gives other values": _edit(_PLUGIN, lending__py=_PLUGIN["lending.py"].replace("1, 2", "3, 0")),
    "expected output at the root": _edit(_EXPECTED, expected__txt="-1"),
    "file beside tests of another name": _edit(_SPEC, spec___base__py="def check(*_):\n    pass\n"),
    "new file of another name patches": _edit(_NAMED, checks___check_a__py=_PATCHING),
    "new file of another name cannot be read": _edit(_NAMED, checks___check_a__py=f"# coding: cp1252\n{_PATCHING}"),
    "new file without a test patches": Edit(
        {"calc.py": WRONG, "test_calc.py": ADD},
        {
            "calc.py": WRONG,
            "test_calc.py": ADD,
            "test_a.py": "import operator\n\nimport calc\n\nX = operator.setitem(vars(calc), 'add', max)\n",
        },
    ),
    "empty package file turns imports away": _edit(
        _BESIDE, tests_____init____py="", checking__py="def check(*_):\n    pass\n"
    ),
}

_AS_IT_WAS = "    # x+AAo-    return\n"

MISREAD: dict[str, tuple[str, str]] = {
    "annotation of what is returned": (
        ADD, ADD.replace("test_zero():", "test_zero() -> exec('import calc; calc.add = max'):"),
    ),
    "annotation of a parameter": (
        ADD, ADD.replace("test_zero():", "test_zero(x: exec('import calc; calc.add = max') = 0):"),
    ),
    "annotation of a method": (
        "class TestA:\n    def test_a(self):\n        assert 1\n",
        "class TestA:\n    def test_a(self: setattr(calc, 'add', max)):\n        assert 1\n",
    ),
    "annotation of an inner function": (
        "def test_a():\n    def inner():\n        return 1\n\n    assert inner()\n",
        "def test_a():\n    def inner() -> skip():\n        return 1\n\n    assert inner()\n",
    ),
    "annotation of the module": (ADD, f"x: exec('import calc; calc.add = max')\n{ADD}"),
    "annotation of an attribute": (
        "class TestA:\n    def test_a(self):\n        assert 1\n",
        "class TestA:\n    x: exec('import calc')\n\n    def test_a(self):\n        assert 1\n",
    ),
    "target of an annotation": (ADD, ADD.replace(BODY, f"    skip()[0]: int\n{BODY}")),
    "encoding on a line that only Python counts": (
        ADD, "# a\x0bb\n# coding: utf-7\n" + ADD.replace(BODY, f"{_AS_IT_WAS}{BODY}"),
    ),
    "other names in another encoding": (ADD, "# coding: latin-1\n" + ADD.replace(" add(1", " \u00aadd(1")),
    "names that only type checkers are said to read": (
        ADD,
        ADD.replace(
            "import add\n",
            "import add\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from right import add\n",
        ),
    ),
    "builtins that only type checkers are said to read": (
        ADD, "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from right import sum\n" + ADD,
    ),
    "statements that only type checkers are said to read": (
        ADD, "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    print(1)\n" + ADD,
    ),
}  # fmt: skip
"""Tests before and after that come to the same for a careless reader."""
