"""Hooks and workflows, before and after."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.proof import TestChange
from bot.verify.guard.pipelines import HOOKS, compare_pipeline
from bot.verify.tamper import Source, inspect

CI = ".github/workflows/ci.yml"
WORKFLOW = """on: push
name: CI
jobs:
  a:
    name: tests
    steps:
      - uses: actions/checkout@v4
      - name: run
        run: pytest
      - run: ruff check
"""
HOOK_FILE = """repos:
  - repo: https://example.org/ruff
    rev: v1
    hooks:
      - id: ruff
        args: [--fix]
  - repo: https://example.org/other
    rev: v1
    hooks:
      - id: end-of-file-fixer
"""


def changed(path: str, before: str, after: str) -> list[str]:
    found = compare_pipeline(path, before, after)
    assert found is not None
    return [name for name, _ in found]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: CI", "name: Other"), ("name: tests", "name: all  # why"), ("name: run", "name: go"),
        ("on: push\n", "on: push\nconcurrency: {group: a}\n"), ("run: pytest", 'run: "pytest"'),
        ("    name: tests\n", "    name: tests\n    timeout-minutes: 5\n"),
    ],
)  # fmt: skip
def test_what_a_workflow_is_called_says_nothing_of_checks(old: str, new: str) -> None:
    assert old in WORKFLOW
    assert changed(CI, WORKFLOW, WORKFLOW.replace(old, new)) == []


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("run: pytest", "run: pytest || true", ["jobs.a.steps.pytest", "jobs.a.steps.pytest || true"]),
        ("      - run: ruff check\n", "", ["jobs.a.steps.ruff check"]),
        ("run: pytest\n", "run: pytest\n        continue-on-error: true\n", ["jobs.a.steps.pytest"]),
        ("on: push", "on: workflow_dispatch", ["on"]),
        ("run: pytest\n", "run: pytest\n      - run: pytest tests\n", ["jobs.a.steps.pytest tests"]),
        ("@v4", "@v5", ["jobs.a.steps.actions/checkout"]),
    ],
)
def test_what_a_workflow_runs_is_told(old: str, new: str, wanted: list[str]) -> None:
    assert old in WORKFLOW
    assert changed(CI, WORKFLOW, WORKFLOW.replace(old, new)) == wanted


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("    rev: v1\n    hooks:\n      - id: end", "    rev: v2\n    hooks:\n      - id: end", []),
        ("    rev: v1\n    hooks:\n      - id: ruff", "    rev: v2\n    hooks:\n      - id: ruff", ["hooks.ruff"]),
        ("args: [--fix]", "args: [--fix, --exit-zero]", ["hooks.ruff"]),
        ("      - id: ruff\n        args: [--fix]\n", "      - id: black\n", ["hooks.black", "hooks.ruff"]),
        ("repos:", "exclude: .*\nrepos:", ["exclude"]),
        ("repos:", "ci:\n  autoupdate_schedule: monthly\nrepos:", []),
        ("repos:", "ci:\n  skip: [ruff]\nrepos:", ["ci.skip"]),
        ("- id: end-of-file-fixer", "- id: end-of-file-fixer\n        name: ends", []),
    ],
)
def test_what_hooks_ask_is_told(old: str, new: str, wanted: list[str]) -> None:
    assert old in HOOK_FILE
    assert changed(HOOKS, HOOK_FILE, HOOK_FILE.replace(old, new)) == wanted


@pytest.mark.parametrize("text", ["a: [", "- 1", "a: 1\na: 2\n", "&a [*a]"])
@pytest.mark.parametrize("path", [CI, HOOKS])
def test_what_cannot_be_read_is_not_taken_for_harmless(path: str, text: str) -> None:
    assert compare_pipeline(path, WORKFLOW if path == CI else HOOK_FILE, text) is None
    assert compare_pipeline(HOOKS, "repos: []\n", "repos: 1\n") is None


def test_file_that_is_gone_is_told_as_one() -> None:
    assert compare_pipeline(CI, WORKFLOW, None) == [("", "is gone")]


def test_only_files_at_their_place_are_taken_for_it() -> None:
    def look(path: str) -> tuple[tuple[TestChange, ...], tuple[str, ...]]:
        found = inspect([Source(path, WORKFLOW, WORKFLOW.replace("name: CI", "name: B"))])
        return found.tests, found.unread

    assert look(CI) == ((), ())
    assert look(f"tests/data/{CI}") == ((), (f"tests/data/{CI}",))
    assert look(".github/ISSUE_TEMPLATE/bug.yml") == ((), ())
    assert look(".github/other.yml") == ((), (".github/other.yml",))


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_texts_can_be_compared(before: str, after: str) -> None:
    for path in (CI, HOOKS):
        assert compare_pipeline(path, before, before) in ([], None)
        compare_pipeline(path, before, after)
