"""Tools that judge a project and are not run."""

from pathlib import Path

from bot.verify.detection.detect import look
from tests.verify.conftest import bare, write

WORKFLOW = """
jobs:
  a:
    steps:
      - run: uvx zizmor@1.2 .
      - run: uvx ty check
      - run: pyrefly check
      - run: stubtest pkg
      - run: yapf -i . && prettier --check .
      - run: prek run -a
"""
HOOKS = "repos:\n- repo: x\n  hooks:\n  - id: interrogate\n  - id: trailing-whitespace\n"


def test_tools_that_judge_are_named(tmp_path: Path) -> None:
    root = write(tmp_path, {"a.py": "", ".github/workflows/ci.yml": WORKFLOW, ".pre-commit-config.yaml": HOOKS})
    notes = look(root, bare()).notes
    assert [note.partition(" is not run")[0] for note in notes] == [
        "ty", "pyrefly", "zizmor", "stubtest", "prettier", "interrogate", "prek",
    ]  # fmt: skip
    assert any("line 5 in .github/workflows/ci.yml" in note for note in notes)
