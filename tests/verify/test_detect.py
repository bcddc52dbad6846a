"""Which checks a project wants."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.check import Check, Rung
from bot.verify.detect import detect
from bot.verify.interpreter import Interpreter, own
from tests.verify.conftest import FIXED, TESTS, Files, bare, write

SOURCE: Files = {"calc.py": FIXED}


def hooks(*lines: str) -> Files:
    return {".pre-commit-config.yaml": "repos:\n  - hooks:\n" + "".join(f"      {line}\n" for line in lines)}


def names(root: Path, files: Files) -> list[str]:
    return [check.name for check in detect(write(root, files), bare())]


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({"README.md": "# hello\n"}, []),
        (SOURCE, ["syntax"]),
        ({**SOURCE, "test_calc.py": TESTS}, ["syntax", "pytest"]),
        ({**SOURCE, "deep/er/calc_test.py": TESTS}, ["syntax", "pytest"]),
        ({**SOURCE, "pytest.ini": "[pytest]\n"}, ["syntax", "pytest"]),
        ({**SOURCE, "setup.cfg": "[tool:pytest]\n"}, ["syntax", "pytest"]),
        ({**SOURCE, "tox.ini": "[pytest]\n"}, ["syntax", "pytest"]),
        ({**SOURCE, "pyproject.toml": "[tool.pytest.ini_options]\n"}, ["syntax", "pytest"]),
        ({**SOURCE, "pyproject.toml": "[tool.ruff]\n"}, ["syntax", "ruff"]),
        ({**SOURCE, ".ruff.toml": ""}, ["syntax", "ruff"]),
        ({**SOURCE, "pyproject.toml": "[tool.ruff.format]\n"}, ["syntax", "ruff", "ruff-format"]),
        ({**SOURCE, **hooks("- id: ruff-check", "- id: mypy")}, ["syntax", "ruff", "mypy"]),
        ({**SOURCE, **hooks("- id: ruff-format # all", "# - id: mypy")}, ["syntax", "ruff-format"]),
        ({**SOURCE, ".github/workflows/ci.yml": "steps:\n  - run: ruff format --check .\n"}, ["syntax", "ruff-format"]),
        ({**SOURCE, ".github/workflows/ci.yml": "steps:\n#  - run: ruff format --check .\n"}, ["syntax"]),
        ({**SOURCE, "mypy.ini": "[mypy]\n"}, ["syntax", "mypy"]),
        ({**SOURCE, "setup.cfg": "[mypy]\n"}, ["syntax", "mypy"]),
        ({**SOURCE, "pyproject.toml": "[tool.mypy]\nstrict = true\n"}, ["syntax", "mypy"]),
        ({**SOURCE, "pyproject.toml": "[tool]\nruff = 3\n"}, ["syntax"]),
        ({"venv/lib/test_x.py": "", ".tox/test_y.py": "", "node_modules/test_z.py": ""}, []),
    ],
)  # fmt: skip
def test_checks_follow_from_the_projects_own_files(tmp_path: Path, files: Files, wanted: list[str]) -> None:
    assert names(tmp_path, files) == wanted


@pytest.mark.parametrize("name", ["pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "mypy.ini"])
@pytest.mark.parametrize("content", [b"[[[", b"\xff\xfe\x00", b"a = \n = b\n[x\n", b"[x]\n[x]\na\n"])
def test_broken_configuration_is_said_and_never_raised(tmp_path: Path, name: str, content: bytes) -> None:
    checks = detect(write(tmp_path, {**SOURCE, "test_calc.py": TESTS, name: content}), bare())
    assert {check.name for check in checks} >= {"syntax", "pytest"}


def test_file_that_cannot_be_read_is_named_in_the_reason(tmp_path: Path) -> None:
    checks = detect(write(tmp_path, {**SOURCE, "test_calc.py": TESTS, "pyproject.toml": "[[["}), bare())
    assert "pyproject.toml cannot be read" in checks[-1].reason


def test_tool_that_is_lent_is_said(tmp_path: Path) -> None:
    files: Files = {**SOURCE, "test_calc.py": TESTS, "ruff.toml": "", "mypy.ini": "[mypy]\n"}
    lent = {check.name: check.reason for check in detect(write(tmp_path, files), bare())}
    assert all("git agent's own environment" in lent[name] for name in ("ruff", "mypy", "pytest"))
    mine = {check.name: check.reason for check in detect(tmp_path, own())}
    assert not any("git agent's own" in reason for reason in mine.values())
    assert mine["pytest"] == "test_calc.py holds tests"


def test_mypy_is_given_targets_only_when_its_configuration_names_none(tmp_path: Path) -> None:
    write(tmp_path, {"src/pkg/__init__.py": "", "tests/test_x.py": "", "tool.py": "", "mypy.ini": "[mypy]\n"})
    (mypy,) = (check for check in detect(tmp_path, own()) if check.name == "mypy")
    assert mypy.argv[-2:] == ("tool.py", "src/pkg")
    write(tmp_path, {"mypy.ini": "[mypy]\nfiles = src\n"})
    (mypy,) = (check for check in detect(tmp_path, own()) if check.name == "mypy")
    assert "src/pkg" not in mypy.argv


def test_declared_check_replaces_the_detected_one_and_stands_on_its_rung(tmp_path: Path) -> None:
    write(tmp_path, {**SOURCE, "test_calc.py": TESTS})
    mine = Check(name="pytest", rung=Rung.INTEGRATION, argv=("make", "test"))
    build = Check(name="build", rung=Rung.BUILD, argv=("make",))
    types = Check(name="types", rung=Rung.TYPES, argv=("make", "types"))
    checks = detect(tmp_path, bare(), (build, mine, types))
    assert [check.name for check in checks] == ["syntax", "types", "pytest", "build"]
    assert checks[2] == mine


def test_hostile_configuration_files_are_not_followed_into_trouble(tmp_path: Path) -> None:
    write(tmp_path, SOURCE)
    (tmp_path / "pyproject.toml").symlink_to("/dev/zero")
    (tmp_path / "setup.cfg").mkdir()
    (tmp_path / "tox.ini").symlink_to("tox.ini")
    assert [check.name for check in detect(tmp_path, bare())] == ["syntax"]


@given(st.binary(max_size=120))
def test_any_bytes_may_be_configuration(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    root = tmp_path_factory.getbasetemp() / "any"
    write(root, {**SOURCE, "pyproject.toml": content, "setup.cfg": content, ".pre-commit-config.yaml": content})
    assert detect(root, Interpreter(Path("/bin/python"), "", frozenset()))[0].name == "syntax"
