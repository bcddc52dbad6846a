"""Findings of ruff and mypy as cases."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.check import CaseResult, Check, CheckResult, Rung
from bot.verify.detection.detect import detect
from bot.verify.findings import number
from bot.verify.ladder import Ladder
from tests.conftest import executor
from tests.verify.conftest import Files, bare, outcomes, write


def run(root: Path, files: Files, name: str) -> CheckResult:
    checks = {check.name: check for check in detect(write(root, files), bare())}
    return Ladder((), executor(), bare()).run(checks[name], root)


def test_ruff_findings_are_cases_with_a_place(tmp_path: Path) -> None:
    result = run(
        tmp_path, {"ruff.toml": "lint.select = ['F']\n", "pkg/a b.py": "import os\n\n\nprint(x)\nprint(x)\n"}, "ruff"
    )
    assert result.status == "failed"
    assert list(outcomes(result)) == [
        "pkg/a b.py::F401::`os` imported but unused",
        "pkg/a b.py::F821::Undefined name `x`",
        "pkg/a b.py::F821::Undefined name `x`#2",
    ]
    assert [(case.path, case.line) for case in result.cases] == [
        ("pkg/a b.py", 1),
        ("pkg/a b.py", 4),
        ("pkg/a b.py", 5),
    ]


def test_ruff_neither_fixes_nor_caches(tmp_path: Path) -> None:
    files: Files = {"ruff.toml": "fix = true\n", "a.py": "import os\n"}
    assert run(tmp_path, files, "ruff").status == "failed"
    assert (tmp_path / "a.py").read_text() == "import os\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.py", "ruff.toml"]


def test_ruff_that_cannot_read_its_configuration_is_errored(tmp_path: Path) -> None:
    result = run(tmp_path, {"ruff.toml": "what = 1\n", "a.py": "x = 1\n"}, "ruff")
    assert result.status == "errored"
    assert "exit code 2" in result.summary


def test_excluded_files_stay_excluded_when_named(tmp_path: Path) -> None:
    write(tmp_path, {"ruff.toml": "exclude = ['old.py']\n", "old.py": "import os\n", "a.py": "x = 1\n"})
    ruff = next(check for check in detect(tmp_path, bare()) if check.name == "ruff")
    assert Ladder((), executor(), bare()).run(ruff, tmp_path, ("old.py",)).status == "passed"


def test_files_that_would_be_reformatted_are_cases(tmp_path: Path) -> None:
    files: Files = {"pyproject.toml": "[tool.ruff.format]\n", "a.py": "x=1\n", "b.py": "x = 1\n", "c.py": "def (:\n"}
    result = run(tmp_path, files, "ruff-format")
    assert result.status == "failed"
    assert sorted(case.path for case in result.cases) == ["a.py", "c.py"]
    assert "a.py::format::would be reformatted" in outcomes(result)


def test_formatted_tree_passes(tmp_path: Path) -> None:
    assert (
        run(tmp_path, {"pyproject.toml": "[tool.ruff.format]\n", "b.py": "x = 1\n"}, "ruff-format").status == "passed"
    )


def test_mypy_errors_are_cases(tmp_path: Path) -> None:
    files: Files = {
        "mypy.ini": "[mypy]\nstrict = true\npretty = true\n",
        "pkg/__init__.py": "",
        "pkg/a.py": "x: int = 'a'\n",
    }
    result = run(tmp_path, files, "mypy")
    assert result.status == "failed"
    (case,) = result.cases
    assert case.id.startswith("pkg/a.py::assignment::Incompatible types")
    assert (case.path, case.line) == ("pkg/a.py", 1)
    assert not list(tmp_path.glob(".mypy_cache"))


def test_mypy_that_cannot_run_is_errored(tmp_path: Path) -> None:
    result = run(tmp_path, {"mypy.ini": "[mypy]\nplugins = nowhere.plugin\n", "a.py": "x = 1\n"}, "mypy")
    assert result.status == "errored"


def test_a_document_that_the_formatter_would_touch_is_no_finding(tmp_path: Path) -> None:
    readme = "# Use\n\n```python\nimport os\nx=1\n```\n"
    files = {"pyproject.toml": "[tool.ruff.format]\n", "b.py": "x = 1\n", "README.md": readme}
    assert run(tmp_path, files, "ruff-format").status == "passed"


@pytest.mark.parametrize("reader", ["ruff", "ruff-format", "mypy"])
def test_missing_tool_is_errored(tmp_path: Path, reader: str) -> None:
    check = Check.model_validate(
        {"name": reader, "rung": Rung.STATIC, "argv": (str(tmp_path / "none"),), "reader": reader}
    )
    assert Ladder((), executor(), bare()).run(check, tmp_path).status == "errored"


@given(st.lists(st.sampled_from(["a", "b", "a#2"])))
def test_numbered_findings_keep_their_count_and_order(ids: list[str]) -> None:
    numbered = number(CaseResult(id=name, outcome="failed") for name in ids)
    assert [case.id.partition("#")[0] for case in numbered] == [name.partition("#")[0] for name in ids]
    assert len(
        {case.id for case in number(CaseResult(id=name, outcome="failed") for name in ids if name != "a#2")}
    ) == len([name for name in ids if name != "a#2"])
