"""The standard library's own runner, for projects that have no other."""

from pathlib import Path

from bot.core.check import Check, Rung
from tests.verify.conftest import CALC, FIXED, outcomes, run_tests, write

DISCOVER = Check(
    name="unittest",
    rung=Rung.UNIT,
    reader="unittest",
    argv=("python", "-m", "unittest", "discover", "-s", "checks", "-p", "*_check.py", "-t", "."),
    timeout=60,
)
NAMED = DISCOVER.model_copy(update={"argv": ("python", "-m", "unittest", "checks.calc_check")})
SOURCE = """
import unittest
from calc import add


class Sums(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    def test_parts(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertEqual(add(number, 0), number)

    def test_some_parts(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertEqual(add(0, number), number)

    @unittest.skip("later")
    def test_skipped(self):
        pass

    def test_late(self):
        self.skipTest("not now")

    @unittest.expectedFailure
    def test_known(self):
        self.assertEqual(add(1, 2), 4)

    @unittest.expectedFailure
    def test_mended(self):
        pass

    def test_exit(self):
        raise SystemExit(0)


class Waiting(unittest.IsolatedAsyncioTestCase):
    async def test_good(self):
        self.assertEqual(add(0, 0), 0)

    async def test_bad(self):
        self.assertEqual(add(1, 2), 3)


class Unprepared(unittest.TestCase):
    def setUp(self):
        raise ValueError("no")

    def test_one(self):
        pass


class NeverPrepared(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise ValueError("no")

    def test_one(self):
        pass


class Untidy(unittest.TestCase):
    @classmethod
    def tearDownClass(cls):
        raise ValueError("no")

    def test_one(self):
        pass


class Elsewhere(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise unittest.SkipTest("other system")

    def test_one(self):
        pass
"""
FILES = {"calc.py": CALC, "checks/__init__.py": "", "checks/calc_check.py": SOURCE}


def test_each_outcome_is_told_apart(tmp_path: Path) -> None:
    result = run_tests(write(tmp_path, FILES), check=DISCOVER)
    assert result.status == "failed"
    assert outcomes(result) == {
        f"checks/calc_check.py::{name}": outcome
        for name, outcome in {
            "Sums::test_add": "failed",
            "Sums::test_parts": "passed",
            "Sums::test_some_parts": "failed",
            "Sums::test_skipped": "skipped",
            "Sums::test_late": "skipped",
            "Sums::test_known": "xfailed",
            "Sums::test_mended": "failed",
            "Sums::test_exit": "failed",
            "Waiting::test_good": "passed",
            "Waiting::test_bad": "failed",
            "Unprepared::test_one": "error",
            "NeverPrepared::test_one": "error",
            "Untidy::test_one": "passed",
            "Untidy::tearDownClass": "error",
            "Elsewhere::test_one": "skipped",
        }.items()
    }
    case = next(case for case in result.cases if case.id.endswith("Sums::test_add"))
    assert (case.path, case.error) == ("checks/calc_check.py", "AssertionError")
    assert case.message.startswith("AssertionError: -1 != 3\n> self.assertEqual(add(1, 2), 3)")


def test_modules_can_be_named_instead(tmp_path: Path) -> None:
    write(tmp_path, {**FILES, "calc.py": FIXED})
    assert outcomes(run_tests(tmp_path, check=NAMED))["checks/calc_check.py::Sums::test_add"] == "passed"


def test_targets_narrow_the_run(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    asked = "checks/calc_check.py::Sums::test_parts"
    assert outcomes(run_tests(tmp_path, asked, check=DISCOVER)) == {asked: "passed"}
    assert outcomes(run_tests(tmp_path, "checks/other_check.py", check=DISCOVER)) == {}


def test_module_that_cannot_be_imported_is_one_error_and_the_others_run(tmp_path: Path) -> None:
    write(tmp_path, {**FILES, "checks/lost_check.py": "import nowhere\n"})
    result = run_tests(tmp_path, check=DISCOVER)
    lost = next(case for case in result.cases if case.id == "checks/lost_check.py")
    assert (lost.outcome, lost.error, lost.cause, lost.lacks) == ("error", "ModuleNotFoundError", "missing", "nowhere")
    assert (lost.path, lost.line) == ("checks/lost_check.py", 1)
    assert outcomes(result)["checks/calc_check.py::Sums::test_parts"] == "passed"


def test_doctests_of_load_tests_are_cases_too(tmp_path: Path) -> None:
    loading = "import doctest, calc\ndef load_tests(loader, tests, pattern):\n    return doctest.DocTestSuite(calc)\n"
    code = 'def add(a, b):\n    """\n    >>> add(1, 2)\n    3\n    """\n    return a + b\n'
    write(tmp_path, {"calc.py": code, "checks/__init__.py": "", "checks/doc_check.py": loading})
    result = run_tests(tmp_path, check=DISCOVER)
    assert [(case.id, case.outcome, bool(case.asks)) for case in result.cases] == [
        ("calc.py::DocTestCase::add", "passed", True)
    ]


def test_no_tests_are_no_evidence(tmp_path: Path) -> None:
    write(tmp_path, {"checks/__init__.py": ""})
    assert (run_tests(tmp_path, check=DISCOVER).status) == "errored"


def test_words_that_unittest_does_not_know_are_no_evidence(tmp_path: Path) -> None:
    wrong = DISCOVER.model_copy(update={"argv": ("python", "-m", "unittest", "discover", "--nonsense")})
    result = run_tests(write(tmp_path, FILES), check=wrong)
    assert result.status == "errored"
    assert "unrecognized arguments" in result.summary


def test_a_test_that_never_ends_fails_alone(tmp_path: Path) -> None:
    loop = "import unittest\nclass Loop(unittest.TestCase):\n    def test_loop(self):\n        while True: pass\n"
    write(tmp_path, {"checks/__init__.py": "", "checks/loop_check.py": loop + "    def test_end(self): pass\n"})
    result = run_tests(tmp_path, check=DISCOVER.model_copy(update={"timeout": 15.0}))
    assert sorted(outcomes(result).values()) == ["failed", "passed"]
    assert any("processor time" in case.message for case in result.cases)
