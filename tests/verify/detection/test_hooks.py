"""The hooks of pre-commit."""

from pathlib import Path

from bot.verify.detection.detect import look
from bot.verify.detection.hooks import Hook, read_hooks
from tests.verify.conftest import Files, bare, write

HOOKS = """
repos:
  - repo: https://example.org/ruff
    rev: 1234567890  # frozen: v0.4.1
    hooks:
      - { id: ruff, args: [--fix] }
      - id: "ruff-format"   # last
  - repo: https://example.org/mypy
    rev: "v1.9.0"
    hooks:
      - id: mypy
        stages: [manual]
      # - id: black
  - repo: local
    hooks:
      - id: types
        entry: mypy --strict
        args: [src]
        pass_filenames: false
      - id: words
        entry: codespell
"""


def test_hooks_are_read_with_their_release() -> None:
    assert read_hooks(HOOKS) == {
        "ruff": Hook("ruff", "v0.4.1"),
        "ruff-format": Hook("ruff-format", "v0.4.1"),
        "types": Hook("types", "", "mypy --strict src", whole=True),
        "words": Hook("words", "", "codespell"),
    }
    assert read_hooks("") == read_hooks("repos: {}") == read_hooks("repos:\n- hooks: [a, {id: [b]}]\n") == {}


def test_hook_that_is_a_whole_command_counts_as_one(tmp_path: Path) -> None:
    files: Files = {"src/a.py": "", "b.py": "", ".pre-commit-config.yaml": HOOKS}
    found = {check.name: check for check in look(write(tmp_path, files), bare()).checks}
    assert found["mypy"].argv[-3:] == ("--strict", "--", "src")
    assert "hook types in .pre-commit-config.yaml" in found["mypy"].reason


def test_broken_files_are_named(tmp_path: Path) -> None:
    files: Files = {
        "a.py": "",
        "ruff.toml": "",
        ".pre-commit-config.yaml": "repos: [",
        ".github/workflows/ci.yml": "a: [",
    }
    found = look(write(tmp_path, files), bare())
    assert ".pre-commit-config.yaml cannot be read" in next(c.reason for c in found.checks if c.name == "ruff")
    assert any(note.startswith(".github/workflows/ci.yml cannot be read") for note in found.notes)
