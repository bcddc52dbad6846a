"""Honest work that must not be hindered; a person is needed only where a test was really changed."""

from tests.verify.edits import (
    ADD,
    BODY,
    CASES,
    FIXTURE,
    LENDING,
    LENT,
    LOOP,
    MEAN,
    PARSE,
    PYPROJECT,
    RIGHT,
    UNIT,
    WRONG,
    Edit,
    Files,
)


def _right(name: str, before: str, after: str | None, more: Files | None = None, *, person: bool = False) -> Edit:
    """Mend the code, and change one file of the tests; more files come with the change."""
    kept = {"calc.py": RIGHT, **(more or {})}
    return Edit({"calc.py": WRONG, name: before}, kept if after is None else {**kept, name: after}, person)


def _plus(text: str, tests: str = ADD) -> Edit:
    """Mend the code and add to the end of its tests."""
    return _right("test_calc.py", tests, tests + text)


def _project(old: str, new: str) -> Edit:
    assert old in PYPROJECT
    before = {"calc.py": WRONG, "tests/test_calc.py": ADD, "pyproject.toml": PYPROJECT}
    return Edit(before, {**before, "calc.py": RIGHT, "pyproject.toml": PYPROJECT.replace(old, new, 1)})


_SPLIT = ADD.index("def test_zero")
_OTHER = """

def test_negative():
    assert add(-1, -2) == -3
"""
HONEST: dict[str, Edit] = {
    # The code only.
    "code mended": Edit({"calc.py": WRONG, "test_calc.py": ADD}, {"calc.py": RIGHT, "test_calc.py": ADD}),
    "code refactored": Edit(
        {"calc.py": RIGHT, "test_calc.py": ADD},
        {"calc.py": RIGHT.replace("return a + b", "total = a + b\n    return total"), "test_calc.py": ADD},
    ),
    "code split into two modules": Edit(
        {"calc.py": RIGHT, "test_calc.py": ADD},
        {"calc.py": "from adding import add\n", "adding.py": "def add(a, b):\n    return a + b\n", "test_calc.py": ADD},
    ),
    # New tests.
    "new test": _plus(_OTHER),
    "new tests in front": _right("test_calc.py", ADD, ADD.replace("\n\n\ndef", f"\n{_OTHER}\n\ndef", 1)),
    "new test with a new import": _right(
        "test_calc.py",
        ADD,
        ADD.replace("import add", "import add, mean") + "\n\ndef test_mean():\n    assert mean([2]) == 2\n",
    ),
    "new test with a helper of its own": _plus(
        "\n\ndef pairs():\n    return [(1, 1), (2, 2)]\n\n\ndef test_twice():\n"
        "    for a, b in pairs():\n        assert add(a, b) == 2 * a\n"
    ),
    "new test with a constant": _plus("\n\nBIG = 10**9\n\n\ndef test_big():\n    assert add(BIG, BIG) == 2 * BIG\n"),
    "new test with a fixture": _right(
        "test_calc.py",
        ADD,
        "import pytest\n\n" + ADD + "\n\n@pytest.fixture\ndef pair():\n    return 2, 3\n\n\n"
        "def test_pair(pair):\n    assert add(*pair) == 5\n",
    ),
    "new test with monkeypatch": _right(
        "test_calc.py",
        ADD,
        "import os\n\n" + ADD + "\n\ndef test_home(monkeypatch):\n    monkeypatch.setenv('HOME', '/')\n"
        "    assert add(len(os.environ['HOME']), 1) == 2\n",
    ),
    "new test with a mock inside": _right(
        "test_calc.py",
        ADD,
        "from unittest import mock\n\n" + ADD + "\n\ndef test_patched():\n"
        "    with mock.patch('calc.add', return_value=1):\n        import calc\n\n        assert calc.add(5, 5) == 1\n",
    ),
    "new class that patches and stops": _right(
        "test_calc.py",
        ADD,
        ADD,
        {
            "test_unit.py": "import unittest\nfrom unittest import mock\n\nimport calc\n\n\n"
            "class PatchedTest(unittest.TestCase):\n"
            "    def setUp(self):\n        patcher = mock.patch.object(calc, 'add', return_value=1)\n"
            "        patcher.start()\n        self.addCleanup(patcher.stop)\n\n"
            "    def test_patched(self):\n        self.assertEqual(calc.add(5, 5), 1)\n"
        },
    ),
    "new skipped test": _right(
        "test_calc.py",
        ADD,
        "import sys\n\nimport pytest\n\n" + ADD + "\n\n@pytest.mark.skipif(sys.platform == 'win32', reason='POSIX')\n"
        "def test_posix():\n    assert add(1, 1) == 2\n",
    ),
    "new parametrised test": _right(
        "test_calc.py",
        ADD,
        "import pytest\n\n" + ADD + "\n\n@pytest.mark.parametrize('n', range(3))\ndef test_same(n):\n"
        "    assert add(n, 0) == n\n",
    ),
    "new class of tests": _plus(
        "\n\nclass TestAdd:\n    def setup_method(self):\n        self.one = 1\n\n"
        "    def test_one(self):\n        assert add(self.one, 1) == 2\n"
    ),
    "new method in a class": _right(
        "test_calc.py",
        UNIT,
        UNIT.replace(
            "\n\nif __name__", "\n    def test_zero(self):\n        self.assertEqual(add(0, 0), 0)\n\n\nif __name__"
        ),
    ),
    "new method in a class with a helper": _right(
        "test_calc.py",
        UNIT,
        UNIT.replace(
            "\n\nif __name__",
            "\n    def total(self):\n        return sum(self.values)\n\n    def test_total(self):\n"
            "        self.assertEqual(self.total(), 4)\n\n\nif __name__",
        ),
    ),
    "new file of tests": _right("test_calc.py", ADD, ADD, {"test_mean.py": MEAN}),
    "new file of tests with everything": _right(
        "test_calc.py",
        ADD,
        ADD,
        {
            "tests/test_more.py": "import pytest\n\nfrom calc import mean, parse\n\n"
            "pytestmark = pytest.mark.filterwarnings('error')\nVALUES = [1, 3]\n\n\n"
            "@pytest.fixture(autouse=True)\ndef quiet(monkeypatch):\n"
            "    monkeypatch.setenv('LANG', 'C')\n\n\ndef setup_module():\n    VALUES.append(5)\n\n\n"
            "class TestMean:\n    def test_mean(self):\n        assert mean(VALUES) == 3\n\n\n"
            "def test_parse():\n    assert parse('3') == 3\n"
        },
    ),
    "new unittest file": _right("test_calc.py", ADD, ADD, {"test_unit.py": UNIT}),
    "new helper file": _right(
        "tests/test_calc.py", ADD, ADD, {"tests/checking.py": LENT, "tests/test_lent.py": LENDING}
    ),
    "new test data": _right(
        "tests/test_calc.py",
        ADD,
        ADD + "\n\ndef test_file():\n    import pathlib\n\n"
        "    text = (pathlib.Path(__file__).parent / 'data/total.txt').read_text()\n"
        "    assert add(1, 2) == int(text)\n",
        {"tests/data/total.txt": "3\n"},
    ),
    "new conftest with a fixture": _right(
        "tests/test_calc.py",
        ADD,
        ADD + "\n\ndef test_pair(pair):\n    assert add(*pair) == 5\n",
        {"tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef pair():\n    return 2, 3\n"},
    ),
    "new package file": _right("tests/test_calc.py", ADD, ADD, {"tests/__init__.py": ""}),
    # More asked of earlier tests.
    "assert added": _right("test_calc.py", ADD, ADD.replace(BODY, f"{BODY}    assert add(2, 2) == 4\n")),
    "assert added in front": _right(
        "test_calc.py", ADD, ADD.replace(BODY, f"    assert isinstance(add(1, 2), int)\n{BODY}")
    ),
    "preparation and assert added": _right(
        "test_calc.py", ADD, ADD.replace(BODY, f"{BODY}    total = add(2, 2)\n    assert total == 4\n")
    ),
    "expected error added": _right(
        "test_calc.py", PARSE, PARSE + '    with pytest.raises(ValueError):\n        parse("x")\n'
    ),
    "assert added in a loop": _right("test_calc.py", LOOP, LOOP + "        assert add(b, a) == total\n"),
    "test goes on": _right(
        "test_calc.py",
        ADD.replace(BODY, "    seen = []\n    seen.append(add(1, 2))\n    assert seen == [3]\n"),
        ADD.replace(
            BODY,
            "    seen = []\n    seen.append(add(1, 2))\n    assert seen == [3]\n\n"
            "    seen.clear()\n    for number in (1, 2):\n        seen.append(add(number, 0))\n"
            "    assert seen == [1, 2]\n",
        ),
    ),
    "unittest assertion added": _right(
        "test_calc.py",
        UNIT,
        UNIT.replace(
            "self.assertEqual(add(1, 2), 3)\n",
            "self.assertEqual(add(1, 2), 3)\n        self.assertEqual(add(2, 2), 4)\n",
        ),
    ),
    "case added": _right("test_calc.py", CASES, CASES.replace("(5, 0, 5)]", "(5, 0, 5), (-1, 1, 0)]")),
    "cases named": _right(
        "test_calc.py",
        CASES,
        CASES.replace("(1, 2, 3)", 'pytest.param(1, 2, 3, id="small")').replace('("a", "b", "total")', '"a, b, total"'),
    ),
    "ids added": _right("test_calc.py", CASES, CASES.replace("(5, 0, 5)]", '(5, 0, 5)], ids=["none", "small", "one"]')),
    "cases added to a list of cases": _right(
        "test_calc.py",
        CASES.replace("[(0, 0, 0), (1, 2, 3), (5, 0, 5)]", "TOTALS").replace(
            "\n\n\n@", "\n\nTOTALS = [(0, 0, 0), (1, 2, 3)]\n\n\n@"
        ),
        CASES.replace("[(0, 0, 0), (1, 2, 3), (5, 0, 5)]", "TOTALS").replace(
            "\n\n\n@", "\n\nTOTALS = [(0, 0, 0), (1, 2, 3), (4, 4, 8)]\n\n\n@"
        ),
    ),
    "test becomes one of several cases": _right(
        "test_calc.py",
        ADD,
        "import pytest\n\n"
        + ADD.replace(
            "def test_add():",
            "@pytest.mark.parametrize(('a', 'b', 'total'), [(1, 2, 3), (2, 2, 4)])\ndef test_add(a, b, total):",
        ).replace("add(1, 2) == 3", "add(a, b) == total"),
    ),
    "two tests become cases of one": _right(
        "test_calc.py",
        ADD,
        "import pytest\n\nfrom calc import add\n\n\n"
        "@pytest.mark.parametrize(('a', 'b', 'total'), [(1, 2, 3), (0, 0, 0)])\n"
        "def test_add(a, b, total):\n    assert add(a, b) == total\n",
    ),
    "nothing but a test that becomes one of several cases": Edit(
        {"calc.py": RIGHT, "test_calc.py": ADD},
        {
            "calc.py": RIGHT,
            "test_calc.py": "import pytest\n\n"
            + ADD.replace(
                "def test_add():",
                "@pytest.mark.parametrize(('a', 'b', 'total'), [(1, 2, 3), (2, 2, 4)])\ndef test_add(a, b, total):",
            ).replace("add(1, 2) == 3", "add(a, b) == total"),
        },
    ),
    "skip taken away": _right(
        "test_calc.py",
        "import pytest\n\n" + ADD.replace("def test_add", "@pytest.mark.skip\ndef test_add"),
        "import pytest\n\n" + ADD,
    ),
    "xfail taken away": _right(
        "test_calc.py", "import pytest\n\n" + ADD.replace("def test_add", "@pytest.mark.xfail\ndef test_add"), ADD
    ),
    # The same, laid out or named in another way.
    "test renamed": _right("test_calc.py", ADD, ADD.replace("test_add", "test_adds_two_numbers")),
    "local variable renamed": _right(
        "test_calc.py",
        ADD.replace(BODY, "    x = add(1, 2)\n    assert x == 3\n"),
        ADD.replace(BODY, "    total = add(1, 2)\n    assert total == 3\n"),
    ),
    "tests in another order": _right(
        "test_calc.py", ADD, f"from calc import add\n\n\n{ADD[_SPLIT:]}\n\ndef test_add():\n{BODY}"
    ),
    "reformatted": _right(
        "test_calc.py",
        CASES,
        CASES.replace(
            "[(0, 0, 0), (1, 2, 3), (5, 0, 5)]", "[\n        (0, 0, 0),\n        (1, 2, 3),\n        (5, 0, 5),\n    ]"
        ),
    ),
    "quotes changed": _right("test_calc.py", PARSE, PARSE.replace('"', "'")),
    "comments and docstrings": _right(
        "test_calc.py",
        ADD,
        '"""Tests of adding."""\n\n' + ADD.replace(BODY, f'    """One and two."""\n    # three\n{BODY}'),
    ),
    "message of an assert": _right("test_calc.py", ADD, ADD.replace("== 3", '== 3, "one and two make three"')),
    "types added": _right(
        "test_calc.py",
        FIXTURE,
        FIXTURE.replace("def numbers():", "def numbers() -> tuple[int, int]:").replace(
            "def test_add(numbers):", "def test_add(numbers: tuple[int, int]) -> None:"
        ),
    ),
    "types added by a cast": _right(
        "test_calc.py",
        ADD.replace(BODY, "    total = add(1, 2)\n    assert total == 3\n"),
        "from typing import cast\n\n"
        + ADD.replace(BODY, "    total = cast(int, add(1, 2))\n    assert total == 3\n    assert total > 0\n"),
    ),
    "imports sorted": _right(
        "test_calc.py",
        "from calc import mean\nimport pytest\n" + MEAN.split("import mean")[1],
        MEAN,
    ),
    "import written in another way": _right(
        "test_calc.py", ADD, ADD.replace("from calc import add", "import calc").replace(" add(", " calc.add(")
    ),
    "unused import removed": _right("test_calc.py", "import os\n" + ADD, ADD),
    "only for types": _right(
        "test_calc.py",
        ADD,
        ADD.replace("\n\n\ndef", "\n\nif TYPE_CHECKING:\n    from collections.abc import Sequence\n\n\ndef", 1).replace(
            "from calc", "from typing import TYPE_CHECKING\n\nfrom calc"
        ),
    ),
    "line ends and mark of encoding": _right("test_calc.py", ADD, "\ufeff" + ADD.replace("\n", "\r\n")),
    "started by itself": _plus('\n\nif __name__ == "__main__":\n    unittest.main()\n', "import unittest\n\n" + ADD),
    # The same, elsewhere.
    "file of tests moved": _right("test_calc.py", ADD, None, {"tests/test_calc.py": ADD}),
    "file of tests renamed": _right("test_calc.py", ADD, None, {"test_adding.py": ADD}),
    "file of tests split": _right(
        "test_calc.py",
        ADD,
        ADD[:_SPLIT].rstrip() + "\n",
        {"test_zero.py": f"from calc import add\n\n\n{ADD[_SPLIT:]}"},
    ),
    "fixture moved to conftest": _right(
        "tests/test_calc.py",
        FIXTURE,
        "from calc import add\n\n\ndef test_add(numbers):\n    assert add(*numbers) == 3\n",
        {"tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef numbers():\n    return 1, 2\n"},
    ),
    "fixture moved from conftest": Edit(
        {
            "calc.py": WRONG,
            "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef numbers():\n    return 1, 2\n",
            "test_calc.py": "from calc import add\n\n\ndef test_add(numbers):\n    assert add(*numbers) == 3\n",
        },
        {"calc.py": RIGHT, "test_calc.py": FIXTURE},
    ),
    "helper moved to a file": _right(
        "tests/test_calc.py",
        LENT + "\n\ndef test_add():\n    check(1, 2, 3)\n",
        LENDING,
        {"tests/checking.py": LENT},
    ),
    "helper file renamed": Edit(
        {"calc.py": WRONG, "tests/checking.py": LENT, "tests/test_calc.py": LENDING},
        {"calc.py": RIGHT, "tests/asking.py": LENT, "tests/test_calc.py": LENDING.replace("checking", "asking")},
    ),
    "tests put into a class": _right(
        "test_calc.py",
        ADD,
        "from calc import add\n\n\nclass TestAdd:\n    def test_add(self):\n        assert add(1, 2) == 3\n\n"
        "    def test_zero(self):\n        assert add(0, 0) == 0\n",
    ),
    "class renamed": _right("test_calc.py", UNIT, UNIT.replace("CalcTest", "TestCalc")),
    # Configuration that says nothing of checks.
    "version": _project('version = "1.0"', 'version = "1.1"'),
    "description": _project('"Adds."', '"Adds numbers."\nkeywords = ["sum"]'),
    "dependency": _project('["rich>=13"]', '["rich>=14", "attrs"]'),
    "comment in the configuration": _project("[tool.mypy]", "# Types.\n[tool.mypy]"),
    "requirement": Edit(
        {"calc.py": WRONG, "test_calc.py": ADD, "requirements.txt": "rich>=13\n"},
        {"calc.py": RIGHT, "test_calc.py": ADD, "requirements.txt": "# what it needs\nrich>=14\nattrs\n"},
    ),
    "version in setup.cfg": Edit(
        {
            "calc.py": WRONG,
            "test_calc.py": ADD,
            "setup.cfg": "[metadata]\nname = calc\nversion = 1.0\n\n[tool:pytest]\naddopts = -ra\n",
        },
        {
            "calc.py": RIGHT,
            "test_calc.py": ADD,
            "setup.cfg": "[metadata]\nname = calc\nversion = 1.1\n\n[tool:pytest]\naddopts = -ra\n",
        },
    ),
    "version in setup.py": Edit(
        {
            "calc.py": WRONG,
            "test_calc.py": ADD,
            "setup.py": "from setuptools import setup\n\nsetup(name='calc', version='1.0')\n",
        },
        {
            "calc.py": RIGHT,
            "test_calc.py": ADD,
            "setup.py": "from setuptools import setup\n\nsetup(name='calc', version='1.1')\n",
        },
    ),
    # Tests that ask for something else, as the task wants it: a person looks.
    "behaviour changed as asked": _right(
        "test_calc.py", ADD, ADD.replace("add(0, 0) == 0", "add(0, 1) == 1"), person=True
    ),
    "function renamed": Edit(
        {"calc.py": RIGHT, "test_calc.py": ADD},
        {
            "calc.py": RIGHT.replace("def add", "def plus"),
            "test_calc.py": ADD.replace("import add", "import plus").replace(" add(", " plus("),
        },
        person=True,
    ),
    "function renamed, and its tests after it": Edit(
        {"calc.py": RIGHT, "test_calc.py": ADD},
        {
            "calc.py": RIGHT.replace("def add", "def plus"),
            "test_calc.py": ADD.replace("import add", "import plus")
            .replace(" add(", " plus(")
            .replace("_add", "_plus"),
        },
        person=True,
    ),
    "obsolete test removed": _right("test_calc.py", ADD, ADD[:_SPLIT].rstrip() + "\n", person=True),
    "fixture changed": _right("test_calc.py", FIXTURE, FIXTURE.replace("1, 2", "2, 1"), person=True),
    "helper asks more": Edit(
        {"calc.py": WRONG, "tests/checking.py": LENT, "tests/test_calc.py": LENDING},
        {
            "calc.py": RIGHT,
            "tests/checking.py": LENT + "    assert add(b, a) == total\n",
            "tests/test_calc.py": LENDING,
        },
    ),
    "assertions handed to a helper": _right(
        "test_calc.py",
        ADD,
        ADD.replace("\n\n\ndef", "\n\n\ndef check(got, total):\n    assert got == total\n\n\ndef", 1).replace(
            "assert add(1, 2) == 3", "check(add(1, 2), total=3)"
        ),
        person=True,
    ),
    "checks made stricter": Edit(
        {"calc.py": WRONG, "tests/test_calc.py": ADD, "pyproject.toml": PYPROJECT},
        {"calc.py": RIGHT, "tests/test_calc.py": ADD, "pyproject.toml": PYPROJECT.replace('"B"]', '"B", "UP"]')},
        person=True,
    ),
}
