"""What a suite says at any length is told at a bounded one."""

from pathlib import Path

from bot.core.check import Verdict
from bot.verify.compare import compare
from tests.verify.conftest import CALC, FIXED, TESTS, outcomes, run_tests, write


def test_a_long_message_keeps_both_of_its_ends(tmp_path: Path) -> None:
    tests = "def test_long():\n    raise ValueError('begin ' + 'x' * 5000 + ' end')\n"
    (case,) = run_tests(write(tmp_path, {"test_calc.py": tests})).cases
    assert case.message.startswith("ValueError: begin xxx")
    assert " end\n> raise ValueError(" in case.message
    assert len(case.message) < 1200


def test_no_time_goes_into_tracebacks_that_nobody_reads(tmp_path: Path) -> None:
    settings = "[pytest]\naddopts = --tb=long --showlocals\n"
    result = run_tests(write(tmp_path, {"calc.py": CALC, "test_calc.py": TESTS, "pytest.ini": settings}))
    asserted = "AssertionError: assert -1 == 3\n +  where -1 = add(1, 2)"
    assert result.cases[0].message == f"{asserted}\n> assert add(1, 2) == 3"
    assert "Traceback" not in result.output
    assert ">       assert" not in result.output


def test_of_very_many_tests_that_are_left_out_the_number_is_told(tmp_path: Path) -> None:
    many = "import pytest\n\n\n@pytest.mark.parametrize('n', range(600))\ndef test_many(n): ...\n"
    files = {"calc.py": FIXED, "test_calc.py": TESTS, "test_many.py": many}
    before = run_tests(write(tmp_path, files))
    settings = "[pytest]\naddopts = -k 'not many'\n"
    result = run_tests(write(tmp_path, {"pytest.ini": settings}))
    assert (result.status, result.summary) == ("passed", "2 passed; 600 left out")
    comparison = compare(Verdict(tree="before", results=(before,)), [result])
    assert len(comparison.removed) == 600


def test_a_comparison_that_has_no_end_does_not_drown_the_report(tmp_path: Path) -> None:
    tests = "def test_long():\n    assert [[n, 'x' * n] for n in range(1500)] == []\n"
    tests += "\n\ndef test_short():\n    assert 1 == 2\n"
    result = run_tests(write(tmp_path, {"test_calc.py": tests, "pytest.ini": "[pytest]\naddopts = -vvv -rA\n"}))
    assert outcomes(result) == {"test_calc.py::test_long": "failed", "test_calc.py::test_short": "failed"}
    assert "Left contains 1500 more items" in result.cases[0].message
    assert len(result.output) < 4000
