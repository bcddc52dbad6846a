"""What tools print of a failure is recognised, as far as they are known."""

import pytest

from bot.core.redness.claims import MOST, read_claims
from bot.core.redness.tools import read_tools, read_wrapped

PRINTED = {
    "pytest": (
        "FAILED tests/test_a.py::TestIt::test_x[1-a b] - assert 1 == 2",
        ["pytest tests/test_a.py::TestIt::test_x[1-a b]"],
    ),
    "pytest on windows": (r"FAILED tests\test_a.py::test_x - boom", ["pytest tests/test_a.py::test_x"]),
    "pytest -v": ("tests/test_a.py::test_x FAILED                      [ 50%]", ["pytest tests/test_a.py::test_x"]),
    "xdist": ("[gw1] [ 50%] FAILED tests/test_a.py::test_x ", ["pytest tests/test_a.py::test_x"]),
    "collection": ("ERROR tests/test_a.py - ImportError: no", ["pytest tests/test_a.py"]),
    "another's prefix": ("app-1  | FAILED tests/test_a.py::test_x - boom", ["pytest tests/test_a.py::test_x"]),
    "no summary": (
        "____________ TestIt.test_x ____________\n\ntests/test_a.py:9: AssertionError\n1 failed in 0.10s",
        ["pytest ::TestIt::test_x"],
    ),
    "quiet": ("======== 2 failed, 3 passed in 1.05s ========", ["pytest "]),
    "logging": ("ERROR    root:test_a.py:12 it went wrong", []),
    "unittest": (
        "FAIL: test_x (tests.test_a.Case.test_x)\nERROR: test_y (test_b.Case)\nFAILED (failures=1, errors=1)",
        ["unittest tests/test_a.py::Case::test_x", "unittest test_b.py::Case::test_y"],
    ),
    "unittest import": ("ERROR: tests.test_a (unittest.loader._FailedTest)", ["unittest tests/test_a.py"]),
    "mypy": (
        "/home/runner/work/calc/calc/a/b.py:3: error: Incompatible type  [return-value]\nFound 1 error in 1 file",
        ["mypy a/b.py:3 return-value"],
    ),
    "pyright": ("  /w/a.py:3:5 - error: no such thing (reportX)", ["pyright /w/a.py:3 reportX"]),
    "ruff": ("F401 [*] `os` imported but unused\n --> a.py:1:8\n  |", ["ruff a.py:1 F401"]),
    "ruff concise": ("a.py:1:8: F401 [*] `os` imported but unused\nFound 1 error in ruff", ["ruff a.py:1 F401"]),
    "ruff for GitHub": ("##[error]a.py:1:8: F401 `os` imported but unused", ["ruff a.py:1 F401"]),
    "ruff format": ("Would reformat: a.py\n1 file would be reformatted", ["ruff-format a.py:0 format"]),
    "flake8": ("flake8 .\n./a.py:1:1: E302 expected 2 blank lines", ["flake8 a.py:1 E302"]),
    "pylint": ("a.py:1:0: C0114: Missing module docstring", ["pylint a.py:1 C0114"]),
    "black": ("would reformat /github/workspace/a.py", ["black a.py:0 format"]),
    "isort": ("ERROR: /github/workspace/a.py Imports are incorrectly sorted", ["isort a.py:0 imports"]),
    "pre-commit": (
        "ruff check...........................................Failed\n- hook id: ruff-check\n- exit code: 1",
        ["ruff "],
    ),
    "go": (
        "--- FAIL: TestAdd (0.00s)\n    --- FAIL: TestAdd/zero (0.00s)\nFAIL",
        ["go-test TestAdd", "go-test TestAdd/zero"],
    ),
    "go build": (
        "# calc\n./calc.go:3:5: undefined: y\nFAIL calc [build failed]",
        ["go-test calc.go:3 undefined: y", "go-test :0 calc"],
    ),
    "cargo": ("test tests::adds ... FAILED\ntest result: FAILED. 0 passed; 1 failed", ["cargo-test tests::adds"]),
    "rustc": ("error[E0308]: mismatched types\n --> src/lib.rs:3:5", ["cargo-test src/lib.rs:3 E0308"]),
    "jest": (
        "FAIL src/calc.test.js\n  ● calc \u203a adds\n\nTests: 1 failed",
        ["npm-test src/calc.test.js", "npm-test calc \u203a adds"],
    ),
    "vitest": (" FAIL  src/calc.test.ts > calc > adds", ["npm-test src/calc.test.ts > calc > adds"]),
    "mocha": ("  1 failing\n\n  1) calc adds:\n     AssertionError", ["npm-test calc adds"]),
    "tap": ("not ok 3 - adds # time=1", ["npm-test adds"]),
    "eslint": ("/github/workspace/a.js\n  3:5  error  'x' is not defined  no-undef\n", ["eslint a.js:3 no-undef"]),
    "tsc": ("src/a.ts(3,5): error TS2322: no", ["tsc src/a.ts:3 TS2322"]),
    "gcc": ("src/a.c:3:5: error: expected ';'", ["compiler src/a.c:3 expected ';'"]),
    "coverage": ("FAIL Required test coverage of 90% not reached. Total: 80%", ["pytest "]),
}


@pytest.mark.parametrize("tool", PRINTED)
def test_what_a_tool_prints_of_a_failure_is_recognised(tool: str) -> None:
    printed, expected = PRINTED[tool]
    claims, total = read_claims(printed.split("\n"))
    told = [
        f"{claim.tool} {claim.name}" if claim.fault == "tests" or not (claim.path or claim.name)
        else f"{claim.tool} {claim.path}:{claim.line} {claim.name}"
        for claim in claims
    ]  # fmt: skip
    assert sorted(told) == sorted(expected)
    assert total == len(expected)


def test_more_claims_than_anybody_reads_are_counted() -> None:
    claims, total = read_claims([f"FAILED t.py::test_{number} - x" for number in range(MOST + 5)])
    assert len(claims) == MOST
    assert total == MOST + 5


def test_tools_are_named_as_checks_are() -> None:
    script = "python -m pytest -q && ruff format --check . && npm run lint && make test; cargo test; jest"
    assert read_tools(script) == ("pytest", "ruff-format", "npm-lint", "make-test", "cargo-test", "npm-test")
    assert read_tools("upload the-mypy-report to /usr/bin/pytest/x") == ()


def test_what_a_wrapper_says_that_failed_inside_of_it_is_named() -> None:
    printed = (
        "make[1]: *** [Makefile:3: test] Error 1",
        "npm error Lifecycle script `lint` failed with error:",
        "py311: exit 1 (0.50 seconds) /w/calc> pytest -q pid=12",
        "nox > Command mypy src failed with exit code 1",
    )
    assert read_wrapped(printed) == ("make-test", "npm-lint", "pytest", "mypy")
