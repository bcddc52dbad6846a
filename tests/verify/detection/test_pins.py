"""Versions that a project asks of tools which are lent to it."""

from importlib.metadata import version
from pathlib import Path

import pytest

from bot.verify.detection.detect import look
from bot.verify.interpreter import Interpreter
from tests.verify.conftest import Files, bare, write

HAVE = version("ruff")
HOOK = "repos:\n- repo: x\n  rev: {}\n  hooks:\n  - id: ruff\n"


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({".pre-commit-config.yaml": HOOK.format("v0.1.2")}, "where the project names 0.1.2 (the hook ruff in"),
        ({".pre-commit-config.yaml": HOOK.format("0123  # frozen: v0.1.2")}, "where the project names 0.1.2"),
        ({".pre-commit-config.yaml": HOOK.format(f"v{HAVE}")}, ""),
        ({".pre-commit-config.yaml": HOOK.format("main")}, ""),
        (
            {"requirements-dev.txt": "ruff==0.1.2  # lint\n"},
            "where the project names 0.1.2 (its requirement ruff==0.1.2",
        ),
        ({"requirements-dev.txt": "ruff>=0.1\n"}, ""),
        ({"requirements-dev.txt": "ruff\nruff @ file:///x\n-r other.txt\n"}, ""),
        ({"pyproject.toml": "[dependency-groups]\nlint = ['ruff<0.2']\n"}, "where the project names <0.2"),
        ({"pyproject.toml": "[tool.poetry.group.dev.dependencies]\nruff = '0.1.2'\n"}, "where the project names 0.1.2"),
        ({"pyproject.toml": "[tool.poetry.dependencies]\nruff = {version = '^0.1'}\n"}, ""),
    ],
)
def test_other_version_than_the_project_asks_for_is_told(tmp_path: Path, files: Files, told: str) -> None:
    found = look(write(tmp_path, {"a.py": "", "ruff.toml": "", **files}), bare())
    ((reason, borrowed),) = ((check.reason, check.borrowed) for check in found.checks if check.name == "ruff")
    assert told in borrowed
    assert bool(borrowed) == bool(told)
    assert ("in version" in reason) == bool(told)
    assert told in reason


@pytest.mark.parametrize("wanted", ["==0.0.1", "0.0.1", "<0.1"])
def test_ruff_that_would_refuse_to_start_is_no_check(tmp_path: Path, wanted: str) -> None:
    found = look(write(tmp_path, {"a.py": "", "ruff.toml": f"required-version = '{wanted}'\n"}), bare())
    assert [check.name for check in found.checks] == ["syntax"]
    told = wanted if wanted[0] in "<=" else f"=={wanted}"
    assert any(f"ruff.toml requires version {told}, and git agent's own is" in note for note in found.notes)


def test_ruff_that_fits_is_a_check(tmp_path: Path) -> None:
    found = look(write(tmp_path, {"a.py": "", "ruff.toml": "required-version = '>=0.0.1'\n"}), bare())
    assert "ruff" in {check.name for check in found.checks}


@pytest.mark.parametrize(
    ("settings", "rev", "told"),
    [
        ("", "v0.15.2", ('lint.select=["E4", "E7", "E9", "F"]', "lint.ignore=[]")),
        (
            "[lint]\nextend-select = ['B']\nignore = ['B1']\n",
            "v0.1.2",
            ('lint.select=["E4", "E7", "E9", "F", "B"]', 'lint.ignore=["B1"]'),
        ),
        ("lint.select = ['E']\n", "v0.1.2", ()),
        ("extend = '../ruff.toml'\n", "v0.1.2", ()),
        ("", "v0.17.0", ()),
        ("", "v0.18.0", ()),
    ],
)
def test_rules_by_default_are_those_of_the_version_that_the_project_names(
    tmp_path: Path, settings: str, rev: str, told: tuple[str, ...]
) -> None:
    files: Files = {"a.py": "", "ruff.toml": settings, ".pre-commit-config.yaml": HOOK.format(rev)}
    home = write(tmp_path / "env", {"bin/ruff": "", "lib/python3.11/site-packages/ruff-0.17.0.dist-info/METADATA": ""})
    python = Interpreter(home / "bin/python", ".venv", frozenset({"ruff"}))
    (ruff,) = (check for check in look(write(tmp_path / "a", files), python).checks if check.name == "ruff")
    assert ruff.argv[2:] == tuple(word for value in told for word in ("--config", value))
    assert not ruff.borrowed
