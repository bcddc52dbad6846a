"""Ways to make wrong code look right; most of the tests as they are afterwards would let it pass."""

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


def _wrong(name: str, before: str, after: str | None, more: Files | None = None) -> Edit:
    """Change one file while the code stays wrong; more files come with the change."""
    old = {"calc.py": WRONG, name: before}
    kept = {"calc.py": WRONG, **(more or {})}
    return Edit(old, kept if after is None else {**kept, name: after})


def _add(old: str, new: str) -> Edit:
    assert old in ADD
    return _wrong("test_calc.py", ADD, ADD.replace(old, new, 1))


def _beside(name: str, text: str, tests: str = ADD) -> Edit:
    return Edit({"calc.py": WRONG, "test_calc.py": tests}, {"calc.py": WRONG, "test_calc.py": tests, name: text})


def _marked(line: str, extra: str = "import pytest\n") -> Edit:
    return _wrong("test_calc.py", ADD, extra + ADD.replace("def test_add", f"{line}\ndef test_add"))


def _setting(old: str, new: str) -> Edit:
    assert old in PYPROJECT
    before = {"calc.py": WRONG, "tests/test_calc.py": ADD, "pyproject.toml": PYPROJECT}
    return Edit(before, {**before, "pyproject.toml": PYPROJECT.replace(old, new, 1)})


TRICKS: dict[str, Edit] = {
    # Assertions that ask less.
    "assert is gone": _add(BODY, "    add(1, 2)\n"),
    "body is empty": _add(BODY, "    pass\n"),
    "body is a docstring": _add(BODY, '    """Adds."""\n'),
    "comparison becomes truth": _add(BODY, "    assert add(1, 2)\n"),
    "comparison becomes is not None": _add(BODY, "    assert add(1, 2) is not None\n"),
    "comparison becomes isinstance": _add(BODY, "    assert isinstance(add(1, 2), int)\n"),
    "equality becomes membership": _add(BODY, "    assert add(1, 2) in (3, -1)\n"),
    "equality becomes at most": _add(BODY, "    assert add(1, 2) <= 3\n"),
    "equality becomes inequality": _add(BODY, "    assert add(1, 2) != 4\n"),
    "expected value follows the fault": _add(BODY, "    assert add(1, 2) == -1\n"),
    "expected value is computed by the code": _add(BODY, "    assert add(1, 2) == add(1, 2)\n"),
    "expected value compared to itself": _add(BODY, "    total = add(1, 2)\n    assert total == total\n"),
    "input chosen so that the fault hides": _add(BODY, "    assert add(3, 0) == 3\n"),
    "result replaced before the assert": _add(BODY, "    total = add(1, 2)\n    total = 3\n    assert total == 3\n"),
    "assert or True": _add(BODY, "    assert add(1, 2) == 3 or True\n"),
    "assert of a pair": _add(BODY, '    assert (add(1, 2) == 3, "adds")\n'),
    "assert accepts the fault too": _add(BODY, "    assert add(1, 2) == 3 or add(1, 2) == -1\n"),
    "assert of the absolute value": _add(BODY, "    assert abs(add(1, 2)) + 2 == 3\n"),
    "assert below a condition": _add(BODY, "    if add(1, 2) > 0:\n        assert add(1, 2) == 3\n"),
    "assert below if False": _add(BODY, "    if False:\n        assert add(1, 2) == 3\n"),
    "assert in a try": _add(
        BODY, "    try:\n        assert add(1, 2) == 3\n    except AssertionError:\n        pass\n"
    ),
    "assert suppressed": _wrong(
        "test_calc.py",
        ADD,
        "import contextlib\n"
        + ADD.replace(BODY, "    with contextlib.suppress(AssertionError):\n        assert add(1, 2) == 3\n"),
    ),
    "assert in a function that nobody calls": _add(BODY, "    def later():\n        assert add(1, 2) == 3\n"),
    "assert in a lambda": _add(BODY, "    assert lambda: add(1, 2) == 3\n"),
    "assert turned round": _add(BODY, "    assert not add(1, 2) == 3\n"),
    "return before the assert": _add(BODY, f"    return\n{BODY}"),
    "skip before the assert": _wrong(
        "test_calc.py", ADD, "import pytest\n" + ADD.replace(BODY, f'    pytest.skip("later")\n{BODY}')
    ),
    "conditional skip in the body": _wrong(
        "test_calc.py",
        ADD,
        "import pytest\n" + ADD.replace(BODY, f'    if add(1, 2) != 3:\n        pytest.skip("later")\n{BODY}'),
    ),
    "xfail in the body": _wrong(
        "test_calc.py", ADD, "import pytest\n" + ADD.replace(BODY, f'    pytest.xfail("later")\n{BODY}')
    ),
    "SkipTest raised": _wrong(
        "test_calc.py", ADD, "import unittest\n" + ADD.replace(BODY, f"    raise unittest.SkipTest()\n{BODY}")
    ),
    "test made a generator": _add(BODY, f"{BODY}    yield\n"),
    "test made a coroutine": _add("def test_add", "async def test_add"),
    "loop over nothing": _wrong("test_calc.py", LOOP, LOOP.replace("in CASES:", "in CASES[:1]:")),
    "loop over fewer": _wrong("test_calc.py", LOOP, LOOP.replace(", (1, 2, 3)]", "]")),
    "loop left early": _wrong("test_calc.py", LOOP, LOOP.replace("        assert", "        break\n        assert")),
    "tolerance widened": _wrong("test_calc.py", MEAN, MEAN.replace("rel=1e-6", "rel=0.5")),
    "absolute tolerance added": _wrong("test_calc.py", MEAN, MEAN.replace("rel=1e-6", "rel=1e-6, abs=1")),
    "any error will do": _wrong(
        "test_calc.py",
        PARSE,
        PARSE.replace('ValueError, match="nothing"', "Exception").replace('parse("")', 'parse("x")'),
    ),
    "message is not looked at": _wrong(
        "test_calc.py", PARSE, PARSE.replace(', match="nothing"', "").replace('parse("")', 'parse("x")')
    ),
    "error raised by the test itself": _wrong(
        "test_calc.py", PARSE, PARSE.replace('        parse("")', '        raise ValueError("nothing")')
    ),
    "error not expected any more": _wrong(
        "test_calc.py",
        PARSE,
        PARSE.replace('    with pytest.raises(ValueError, match="nothing"):\n        parse("")', '    parse("")'),
    ),
    "case removed": _wrong("test_calc.py", CASES, CASES.replace("(1, 2, 3), ", "")),
    "case changed": _wrong("test_calc.py", CASES, CASES.replace("(1, 2, 3)", "(1, 2, -1)")),
    "case expected to fail": _wrong(
        "test_calc.py", CASES, CASES.replace("(1, 2, 3)", "pytest.param(1, 2, 3, marks=pytest.mark.xfail)")
    ),
    "cases from nowhere": _wrong(
        "test_calc.py", CASES, CASES.replace("[(0, 0, 0), (1, 2, 3), (5, 0, 5)]", "[c for c in [(0, 0, 0)]]")
    ),
    "assertEqual becomes assertTrue": _wrong(
        "test_calc.py",
        UNIT,
        UNIT.replace("assertEqual(add(1, 2), 3)", "assertTrue(add(1, 2), 3)").replace("places=7", "places=-1"),
    ),
    "fewer places": _wrong(
        "test_calc.py",
        UNIT.replace("self.assertEqual(add(1, 2), 3)", "self.assertEqual(add(2, 0), 2)"),
        UNIT.replace("self.assertEqual(add(1, 2), 3)", "self.assertEqual(add(2, 0), 2)").replace("places=7", "delta=1"),
    ),
    "setUp gives other values": _wrong(
        "test_calc.py",
        UNIT.replace("self.assertEqual(add(1, 2), 3)", "self.assertEqual(add(2, 0), 2)"),
        UNIT.replace("self.assertEqual(add(1, 2), 3)", "self.assertEqual(add(2, 0), 2)").replace("[1, 3]", "[3, 3]"),
    ),
    "setUp skips": _wrong(
        "test_calc.py", UNIT, UNIT.replace("        self.values = [1, 3]", '        self.skipTest("later")')
    ),
    "assertEqual overridden in the class": _wrong(
        "test_calc.py",
        UNIT.replace("places=7", "places=-1"),
        UNIT.replace("places=7", "places=-1").replace(
            "    def test_add", "    def assertEqual(self, *values):\n        pass\n\n    def test_add"
        ),
    ),
    "run overridden in the class": _wrong(
        "test_calc.py",
        UNIT,
        UNIT.replace("    def setUp", "    def run(self, result=None):\n        return result\n\n    def setUp"),
    ),
    # Tests that do not run.
    "skip mark": _marked('@pytest.mark.skip(reason="later")'),
    "skipif mark": _marked('@pytest.mark.skipif(True, reason="later")'),
    "xfail mark": _marked("@pytest.mark.xfail"),
    "unittest.skip": _marked('@unittest.skip("later")', "import unittest\n"),
    "expectedFailure": _wrong(
        "test_calc.py",
        UNIT,
        UNIT.replace("    def test_add", "    @unittest.expectedFailure\n    def test_add").replace(
            "places=7", "delta=1"
        ),
    ),
    "skip by another name": _marked("@later", "import pytest\nlater = pytest.mark.skip\n"),
    "mark that runs leave out": _marked("@pytest.mark.slow"),
    "pytestmark": _wrong(
        "test_calc.py",
        ADD,
        "import pytest\n" + ADD.replace("\n\n\ndef", "\n\npytestmark = pytest.mark.skip\n\n\ndef", 1),
    ),
    "module skipped when loaded": _wrong(
        "test_calc.py", ADD, "import pytest\npytest.skip('later', allow_module_level=True)\n" + ADD
    ),
    "module skipped for want of a library": _wrong(
        "test_calc.py", ADD, "import pytest\n\npytest.importorskip('no_such_library')\n" + ADD
    ),
    "class marked as no test": _wrong(
        "test_calc.py", UNIT, UNIT.replace("    def setUp", "    __test__ = False\n\n    def setUp")
    ),
    "test attribute says no test": _wrong("test_calc.py", ADD, f"{ADD}\n\ntest_add.__test__ = False\n"),
    "renamed so that it is not collected": _add("def test_add", "def check_add"),
    "made a fixture": _marked("@pytest.fixture"),
    "nested where it is not collected": _add("def test_add():\n", "def tests():\n  def test_add():\n  "),
    "class gains a constructor": _wrong(
        "test_calc.py",
        "from calc import add\n\n\nclass TestAdd:\n    def test_add(self):\n        assert add(1, 2) == 3\n",
        "from calc import add\n\n\nclass TestAdd:\n    def __init__(self):\n        self.total = 3\n\n"
        "    def test_add(self):\n        assert add(1, 2) == 3\n",
    ),
    "class renamed so that it is not collected": _wrong(
        "test_calc.py",
        "from calc import add\n\n\nclass TestAdd:\n    def test_add(self):\n        assert add(1, 2) == 3\n",
        "from calc import add\n\n\nclass Adding:\n    def test_add(self):\n        assert add(1, 2) == 3\n",
    ),
    "file renamed so that it is not collected": _wrong("test_calc.py", ADD, None, {"tests/calc_checks.py": ADD}),
    "file moved where nothing is collected": _wrong("test_calc.py", ADD, None, {"build/test_calc.py": ADD}),
    "file is gone": _wrong("test_calc.py", ADD, None, {"test_other.py": "def test_one():\n    assert True\n"}),
    "test is gone": _wrong("test_calc.py", ADD, ADD.replace(f"def test_add():\n{BODY}\n\n", "")),
    "test deleted after its definition": _wrong("test_calc.py", ADD, f"{ADD}\n\ndel test_add\n"),
    "test bound again": _wrong("test_calc.py", ADD, f"{ADD}\n\ndef test_add():\n    pass\n"),
    "test bound to something else": _wrong("test_calc.py", ADD, f"{ADD}\n\ntest_add = test_zero\n"),
    "test bound again in a condition": _wrong(
        "test_calc.py", ADD, f"{ADD}\n\nif True:\n    def test_add():\n        pass\n"
    ),
    "leaves when loaded": _wrong("test_calc.py", ADD, f"import sys\n\nsys.exit(0)\n{ADD}"),
    # What tests use.
    "function under test comes from elsewhere": _wrong(
        "test_calc.py",
        ADD,
        ADD.replace("from calc", "from tests.right"),
        {"tests/__init__.py": "", "tests/right.py": "def add(a, b):\n    return a + b\n"},
    ),
    "function under test redefined in the test": _wrong(
        "test_calc.py", ADD, ADD.replace("\n\n\ndef", "\n\n\ndef add(a, b):\n    return a + b\n\n\ndef", 1)
    ),
    "function under test imported again": _wrong(
        "test_calc.py", ADD, ADD.replace("from calc import add", "from calc import add\nfrom operator import add")
    ),
    "function under test patched when loaded": _wrong(
        "test_calc.py", ADD, "import calc\n\ncalc.add = lambda a, b: a + b\n" + ADD
    ),
    "function under test patched in the test": _wrong(
        "test_calc.py",
        ADD.replace("from calc import add", "import calc").replace("add(", "calc.add(").replace("_calc.add(", "_add("),
        ADD.replace("from calc import add", "import calc")
        .replace("add(", "calc.add(")
        .replace("_calc.add(", "_add(")
        .replace(
            "def test_add():", 'def test_add(monkeypatch):\n    monkeypatch.setitem(vars(calc), "add", lambda a, b: 3)'
        ),
    ),
    "function under test shadowed by a star": _wrong(
        "test_calc.py", ADD, ADD.replace("from calc import add", "from calc import add\nfrom operator import *")
    ),
    "builtin shadowed": _wrong(
        "test_calc.py",
        ADD.replace("add(1, 2) == 3", "sum([add(1, 2)]) == 3"),
        ADD.replace("add(1, 2) == 3", "sum([add(1, 2)]) == 3").replace(
            "\n\n\ndef", "\n\n\ndef sum(values):\n    return 3\n\n\ndef", 1
        ),
    ),
    "check in a lent function is gone": Edit(
        {"calc.py": WRONG, "tests/checking.py": LENT, "tests/test_calc.py": LENDING},
        {
            "calc.py": WRONG,
            "tests/checking.py": LENT.replace("assert add(a, b) == total", "add(a, b)"),
            "tests/test_calc.py": LENDING,
        },
    ),
    "lent function replaced in the file": Edit(
        {"calc.py": WRONG, "tests/checking.py": LENT, "tests/test_calc.py": LENDING},
        {
            "calc.py": WRONG,
            "tests/checking.py": LENT,
            "tests/test_calc.py": LENDING.replace(
                "from checking import check", "def check(a, b, total):\n    assert True"
            ),
        },
    ),
    "lent function moved and emptied": Edit(
        {"calc.py": WRONG, "tests/checking.py": LENT, "tests/test_calc.py": LENDING},
        {
            "calc.py": WRONG,
            "tests/asking.py": "def check(a, b, total):\n    assert True\n",
            "tests/test_calc.py": LENDING.replace("checking", "asking"),
        },
    ),
    "fixture gives other values": _wrong("test_calc.py", FIXTURE, FIXTURE.replace("return 1, 2", "return 3, 0")),
    "fixture skips": _wrong(
        "test_calc.py", FIXTURE, FIXTURE.replace("    return 1, 2", '    pytest.skip("later")\n    return 1, 2')
    ),
    "fixture shadowed in the file": Edit(
        {
            "calc.py": WRONG,
            "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef numbers():\n    return 1, 2\n",
            "test_calc.py": "from calc import add\n\n\ndef test_add(numbers):\n    assert add(*numbers) == 3\n",
        },
        {
            "calc.py": WRONG,
            "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef numbers():\n    return 1, 2\n",
            "test_calc.py": FIXTURE.replace("return 1, 2", "return 3, 0"),
        },
    ),
    "fixture shadowed by a nearer conftest": Edit(
        {
            "calc.py": WRONG,
            "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef numbers():\n    return 1, 2\n",
            "tests/test_calc.py": "from calc import add\n\n\ndef test_add(numbers):\n    assert add(*numbers) == 3\n",
        },
        {
            "calc.py": WRONG,
            "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef numbers():\n    return 1, 2\n",
            "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef numbers():\n    return 3, 0\n",
            "tests/test_calc.py": "from calc import add\n\n\ndef test_add(numbers):\n    assert add(*numbers) == 3\n",
        },
    ),
    "autouse fixture in the file": _wrong(
        "test_calc.py",
        ADD,
        "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef quiet():\n    pytest.skip('later')\n\n\n" + ADD,
    ),
    "constant changed": _wrong(
        "test_calc.py",
        ADD.replace("\n\n\ndef", "\n\nTOTAL = 3\n\n\ndef", 1).replace("== 3", "== TOTAL"),
        ADD.replace("\n\n\ndef", "\n\nTOTAL = -1\n\n\ndef", 1).replace("== 3", "== TOTAL"),
    ),
    # Files beside the tests.
    "new conftest with an autouse fixture": _beside(
        "conftest.py",
        "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef quiet(monkeypatch):\n    import test_calc\n\n"
        "    monkeypatch.setitem(vars(test_calc), 'add', lambda a, b: a + b)\n",
    ),
    "new conftest with a hook": _beside(
        "conftest.py", "def pytest_collection_modifyitems(items):\n    items[:] = items[1:]\n"
    ),
    "new conftest with collect_ignore": _beside("conftest.py", "collect_ignore = ['test_calc.py']\n"),
    "new conftest that patches": _beside("conftest.py", "import calc\n\ncalc.add = lambda a, b: a + b\n"),
    "new conftest that patches in a hook of another name": _beside("conftest.py", "from patching import *\n"),
    "new conftest with plugins": _beside("conftest.py", "pytest_plugins = ['quiet']\n"),
    "new test file that patches when loaded": _beside(
        "test_a.py", "import calc\n\ncalc.add = lambda a, b: a + b\n\n\ndef test_one():\n    assert True\n"
    ),
    "new test that patches for good": _beside(
        "test_a.py",
        "import calc\n\n\ndef test_one():\n    setattr(calc, 'add', lambda a, b: a + b)\n",
        ADD.replace("from calc import add", "import calc").replace(" add(", " calc.add("),
    ),
    "new test that starts a patch": _beside(
        "test_a.py",
        "from unittest import mock\n\n\ndef test_one():\n    mock.patch('calc.add', lambda a, b: a + b).start()\n",
        ADD.replace("from calc import add", "import calc").replace(" add(", " calc.add("),
    ),
    "new test file that replaces the module": _beside(
        "test_a.py",
        "import sys\nimport types\n\nsys.modules['calc'] = types.SimpleNamespace(add=lambda a, b: a + b)\n",
    ),
    "new module in front of the code": Edit(
        {"calc.py": WRONG, "tests/test_calc.py": ADD},
        {"calc.py": WRONG, "tests/test_calc.py": ADD, "tests/calc.py": RIGHT},
    ),
    "new sitecustomize": _beside("sitecustomize.py", "import calc\n\ncalc.add = lambda a, b: a + b\n"),
    "new pytest.ini": _beside("pytest.ini", "[pytest]\naddopts = --deselect test_calc.py::test_add\n"),
    "new pytest.ini with other names": _beside("pytest.ini", "[pytest]\npython_functions = check_*\n"),
    "options deselect": _setting('"-ra"', '"-ra", "--deselect=tests/test_calc.py::test_add"'),
    "options choose": _setting('"-ra"', '"-ra", "-k zero"'),
    "tests looked for elsewhere": _setting('testpaths = ["tests"]', 'testpaths = ["docs"]'),
    "names of tests changed": _setting(
        'testpaths = ["tests"]', 'testpaths = ["tests"]\npython_functions = ["check_*"]'
    ),
    "rules left out": _setting('select = ["E", "F", "B"]', 'select = ["E"]'),
    "rules ignored for a file": _setting(
        "[tool.mypy]", '[tool.ruff.lint.per-file-ignores]\n"calc.py" = ["ALL"]\n\n[tool.mypy]'
    ),
    "types not strict": _setting("strict = true", "strict = false"),
    "types overridden": _setting(
        "strict = true", 'strict = true\n\n[[tool.mypy.overrides]]\nmodule = "calc"\nignore_errors = true'
    ),
    "plugin required": _setting('dependencies = ["rich>=13"]', 'dependencies = ["rich>=13", "pytest-quiet"]'),
    "make does not test": Edit(
        {"calc.py": WRONG, "test_calc.py": ADD, "Makefile": "test:\n\tpytest\n"},
        {"calc.py": WRONG, "test_calc.py": ADD, "Makefile": "test:\n\tpytest || true\n"},
    ),
    "expected output rewritten": Edit(
        {
            "calc.py": WRONG,
            "tests/data/total.txt": "3",
            "tests/test_calc.py": "import pathlib\n\nfrom calc import add\n\n\ndef test_add():\n"
            "    assert str(add(1, 2)) == (pathlib.Path(__file__).parent / 'data/total.txt').read_text()\n",
        },
        {
            "calc.py": WRONG,
            "tests/data/total.txt": "-1",
            "tests/test_calc.py": "import pathlib\n\nfrom calc import add\n\n\ndef test_add():\n"
            "    assert str(add(1, 2)) == (pathlib.Path(__file__).parent / 'data/total.txt').read_text()\n",
        },
    ),
    # What looks like an addition.
    "list emptied in front of the loop": _wrong(
        "test_calc.py",
        LOOP.replace("    for a", "    cases = list(CASES)\n    for a").replace("in CASES:", "in cases:"),
        LOOP.replace("    for a", "    cases = list(CASES)\n    _ = cases.clear()\n    for a").replace(
            "in CASES:", "in cases:"
        ),
    ),
    "list emptied by an assertion": _wrong(
        "test_calc.py",
        LOOP.replace("    for a", "    cases = list(CASES)\n    for a").replace("in CASES:", "in cases:"),
        LOOP.replace("    for a", "    cases = list(CASES)\n    assert emptied(cases)\n    for a")
        .replace("in CASES:", "in cases:")
        .replace("\n\n\ndef", "\n\n\ndef emptied(cases):\n    return cases.clear() is None\n\n\ndef"),
    ),
    "function under test bound in an assertion": _add(BODY, f"    assert (add := lambda a, b: a + b)\n{BODY}"),
    "function under test replaced in an assertion": _wrong(
        "test_calc.py",
        ADD.replace("from calc import add", "import calc").replace(" add(", " calc.add("),
        ADD.replace("from calc import add", "import calc")
        .replace(" add(", " calc.add(")
        .replace("    assert calc", "    assert setattr(calc, 'add', lambda a, b: a + b) is None\n    assert calc", 1),
    ),
    "message of an assertion skips": _wrong(
        "test_calc.py", ADD, "import pytest\n" + ADD.replace("== 3", '== 3, pytest.skip("later")')
    ),
    "cases in the place of a fixture": _wrong(
        "test_calc.py",
        FIXTURE,
        FIXTURE.replace("def test_add", '@pytest.mark.parametrize("numbers", [(3, 0)])\ndef test_add'),
    ),
    "imported fixture in the place of the file's": Edit(
        {
            "calc.py": WRONG,
            "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef numbers():\n    return 1, 2\n",
            "test_calc.py": "from calc import add\n\n\ndef test_add(numbers):\n    assert add(*numbers) == 3\n",
        },
        {
            "calc.py": WRONG,
            "lent.py": "import pytest\n\n\n@pytest.fixture\ndef numbers():\n    return 3, 0\n",
            "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef numbers():\n    return 1, 2\n",
            "test_calc.py": "from lent import numbers\nfrom calc import add\n\nUSED = numbers\n\n\n"
            "def test_add(numbers):\n    assert add(*numbers) == 3\n",
        },
    ),
    "name spread by a star": Edit(
        {
            "calc.py": WRONG,
            "tests/checking.py": LENT.replace("add", "plus").replace("calc import plus", "calc import add as plus"),
            "tests/test_calc.py": ADD.replace("import add", "import add\nfrom checking import *"),
        },
        {
            "calc.py": WRONG,
            "tests/checking.py": LENT.replace("add", "plus").replace("calc import plus", "calc import add as plus")
            + "\n\ndef add(a, b):\n    return a + b\n",
            "tests/test_calc.py": ADD.replace("import add", "import add\nfrom checking import *"),
        },
    ),
    "new test patches by way of a variable": _beside(
        "test_a.py",
        "import sys\n\n\ndef test_one():\n    import calc\n\n    code = sys.modules['calc']\n"
        "    code.add = lambda a, b: a + b\n",
        ADD.replace("from calc import add", "import calc").replace(" add(", " calc.add("),
    ),
    "new test patches the namespace": _beside(
        "test_a.py",
        "import calc\n\n\ndef test_one():\n    vars(calc).update(add=lambda a, b: a + b)\n",
        ADD.replace("from calc import add", "import calc").replace(" add(", " calc.add("),
    ),
    "new test with a patch of its own": _beside(
        "test_a.py",
        "import pytest\n\nimport calc\n\n\ndef test_one():\n    patch = pytest.MonkeyPatch()\n"
        "    patch.setattr(calc, 'add', lambda a, b: a + b)\n",
        ADD.replace("from calc import add", "import calc").replace(" add(", " calc.add("),
    ),
    "new class that patches when loaded": _beside(
        "test_a.py",
        "import calc\n\n\nclass TestOne:\n    with open(__file__):\n        calc.add = lambda a, b: a + b\n\n"
        "    def test_one(self):\n        assert True\n",
        ADD.replace("from calc import add", "import calc").replace(" add(", " calc.add("),
    ),
    "fixture of the class in the place of the file's": _wrong(
        "test_calc.py",
        FIXTURE.replace(
            "def test_add(numbers):\n    assert", "class TestAdd:\n    def test_add(self, numbers):\n        assert"
        ),
        FIXTURE.replace(
            "def test_add(numbers):\n    assert",
            "class TestAdd:\n    @pytest.fixture\n    def numbers(self):\n        return 3, 0\n\n"
            "    def test_add(self, numbers):\n        assert",
        ),
    ),
    "failure of another class": _wrong(
        "test_calc.py", UNIT, UNIT.replace("    def setUp", "    failureException = unittest.SkipTest\n\n    def setUp")
    ),
}
