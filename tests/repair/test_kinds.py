"""Kinds of tests and of code, several in each small project, so that one run of the worker shows them all."""

import sys
from pathlib import Path

import pytest

from bot.repair.engine import search
from tests.repair.test_engine import QUICK, make, subject

KINDS = {
    "pytest.ini": "[pytest]\naddopts = --doctest-modules --doctest-glob=*.rst -x --lf\n",
    "conftest.py": (
        "import pytest\nfrom shop.core import total\n\n"
        "@pytest.fixture(scope='session')\ndef log():\n    return []\n\n"
        "@pytest.fixture(autouse=True)\ndef noted(log):\n    log.append(1)\n    yield\n    log.pop()\n\n"
        "@pytest.fixture(scope='module')\ndef three():\n    value = total([1, 2])\n"
        "    if value != 3:\n        raise RuntimeError(value)\n    yield value\n"
    ),
    "shop/__init__.py": "from shop.core import total\n",
    "shop/core.py": (
        "import functools\n\n\n@functools.lru_cache(maxsize=None)\ndef add(a, b):\n"
        '    """Add.\n\n    >>> add(1, 2)\n    3\n    """\n    return a - b\n\n\n'
        "def total(prices):\n    return functools.reduce(add, prices, 0)\n\n\n"
        "async def soon(prices):\n    return total(prices)\n"
    ),
    "guide.rst": ">>> from shop import total\n>>> total([1, 2])\n3\n",
    "tests/unit/test_classes.py": (
        "import asyncio, unittest\nfrom concurrent.futures import ThreadPoolExecutor\nimport pytest\n"
        "from shop.core import soon, total\n\n"
        "class TestOld(unittest.TestCase):\n"
        "    @classmethod\n    def setUpClass(cls):\n        cls.two = [1, 2]\n\n"
        "    def setUp(self):\n        self.three = 3\n\n"
        "    def tearDown(self):\n        del self.three\n\n"
        "    def test_equal(self):\n        self.assertEqual(total(self.two), self.three)\n\n"
        "    def test_parts(self):\n        for n in range(3):\n            with self.subTest(n=n):\n"
        "                self.assertEqual(total([n, 1]), n + 1)\n\n"
        "    @unittest.expectedFailure\n    def test_known(self):\n        self.assertEqual(total([]), 1)\n\n"
        "class TestSoon(unittest.IsolatedAsyncioTestCase):\n"
        "    async def test_soon(self):\n        await asyncio.sleep(0)\n"
        "        self.assertEqual(await soon([1, 2]), 3)\n\n"
        "class TestNew:\n    @pytest.fixture(scope='class', autouse=True)\n"
        "    def prepare(self, request):\n        request.cls.sum = total([2, 2])\n\n"
        "    def test_sum(self, log):\n        assert (self.sum, log) == (4, [1])\n\n"
        "def test_thread():\n    with ThreadPoolExecutor(1) as pool:\n"
        "        assert list(pool.map(total, [[1, 2]])) == [3]\n"
    ),
    "tests/test_functions.py": (
        "import pytest\nfrom shop import total\n\nseen = []\n\n"
        "@pytest.fixture\ndef boxed(request):\n    return [request.param]\n\n"
        "def test_first():\n    seen.append(1)\n\n"
        "def test_order():\n    assert seen == [1]\n    assert total([3, 4]) == 7\n\n"
        "@pytest.mark.parametrize('prices, wanted', [([1, 2], 3), ([4, 4], 8)], ids=['odd', 'even'])\n"
        "def test_mutated(prices, wanted):\n    found = total(prices)\n    prices.clear()\n"
        "    assert found == wanted\n\n"
        "@pytest.mark.parametrize('boxed', [5], indirect=True)\n"
        "def test_boxed(boxed, tmp_path, monkeypatch, capsys):\n    monkeypatch.chdir(tmp_path)\n    print('x')\n"
        "    assert capsys.readouterr().out == 'x\\n'\n    assert total(boxed) == 5\n\n"
        "def test_three(three):\n    assert three == 3\n\ndef test_three_again(three):\n    assert three == 3\n"
    ),
}
"""A fault that fails tests of every kind, below options that only a run with a cache knows."""


def test_one_fault_is_found_below_tests_of_every_kind(tmp_path: Path) -> None:
    root = make(tmp_path, KINDS)
    found = search(subject(root), [], QUICK)
    assert found.reason == "found", found
    assert any("+    return a + b" in candidate.patch for candidate in found.candidates)
    assert {candidate.path for candidate in found.candidates} == {"shop/core.py"}


CODE = {
    "src/level/__init__.py": "from level.members import LIMIT, Conf\n",
    "src/level/members.py": (
        "import enum\nfrom dataclasses import dataclass\n\nfrom level.registry import register\n\n"
        "MISSING = object()\nLIMIT = 9\n\n\n@dataclass(frozen=True)\nclass Conf:\n    limit: int = LIMIT\n\n\n"
        "DEFAULT = Conf()\nTABLE = {'limit': LIMIT}\n\n\n@register\ndef full(count=MISSING, conf=DEFAULT):\n"
        "    return count is not MISSING and count >= conf.limit\n"
    ),
    "src/level/registry.py": (
        "KNOWN = {}\n\n\ndef register(function):\n    if function.__name__ in KNOWN:\n"
        "        raise RuntimeError('twice')\n    KNOWN[function.__name__] = function\n    return function\n"
    ),
    "test_level.py": (
        "from level import LIMIT, Conf\nfrom level.members import DEFAULT, MISSING, TABLE\n"
        "from level.registry import KNOWN\n\n"
        "def test_limit():\n    assert LIMIT == 10 == TABLE['limit']\n\n"
        "def test_full():\n    assert KNOWN['full'](10) and not KNOWN['full'](9)\n\n"
        "def test_identity():\n    assert isinstance(DEFAULT, Conf) and not KNOWN['full'](MISSING)\n"
        "    assert len(KNOWN) == 1\n"
    ),
}
"""A constant whose value went into a re-export, the default of a field, a table, an object, and a default argument."""


def test_a_constant_is_followed_to_all_that_was_made_of_it(tmp_path: Path) -> None:
    root = make(tmp_path, CODE)
    found = search(subject(root), [], QUICK)
    assert "-LIMIT = 9\n+LIMIT = 10\n" in found.candidates[0].patch
    assert found.left_out == ()


def test_a_member_that_cannot_be_changed_alive_is_tried_on_disk(tmp_path: Path) -> None:
    code = "import enum\n\n\nclass Level(enum.IntEnum):\n    LOW = 1\n    HIGH = 3\n\n\nTOP = [Level.HIGH]\n"
    test = "from level import TOP, Level\n\ndef test_top():\n    assert TOP == [2] and Level(2) is Level.HIGH\n"
    found = search(subject(make(tmp_path, {"level.py": code, "test_level.py": test})), [], QUICK, limit=1)
    assert "+    HIGH = 2\n" in found.candidates[0].patch


@pytest.mark.skipif(sys.version_info < (3, 12), reason="places within an f-string are known since 3.12")
def test_an_expression_in_an_f_string_is_changed(tmp_path: Path) -> None:
    files = {
        "greet.py": "def count(n):\n    return f'{n - 1:03d} times'\n",
        "test_greet.py": "from greet import count\n\ndef test_it():\n    assert count(1) == '002 times'\n",
    }
    found = search(subject(make(tmp_path, files)), [], QUICK, limit=1)
    assert "{n + 1:03d}" in found.candidates[0].patch
