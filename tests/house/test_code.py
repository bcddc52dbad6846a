"""House rules that no tool checks."""

import ast
import gc
import statistics
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest

ROOT = Path(__file__).parents[2]
IN_THE_PROJECTS_PYTEST = ("bot/repair/worker/", "bot/verify/probe/")
"""What runs there has to survive whatever the project raises."""
PATCHING = ("monkeypatch.setattr", "MagicMock", "unittest.mock")

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class Measured(NamedTuple):
    lines: int
    where: str


@cache
def sources() -> Mapping[Path, ast.Module]:
    """Read all of ours once, by whichever worker has the first of these tests."""
    # A million objects that stay: to look for garbage among them takes longer than to read them
    gc.disable()
    read = {path: ast.parse(path.read_text()) for path in sorted((ROOT / "bot").rglob("*.py"))}
    gc.freeze()
    gc.enable()
    return read


def functions() -> Iterator[tuple[Path, Function]]:
    for path, tree in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, Function):
                yield path, node


def lengths() -> list[Measured]:
    return sorted(
        Measured((node.end_lineno or node.lineno) - node.lineno + 1, f"{path.relative_to(ROOT)} {node.name}")
        for path, node in functions()
    )


def test_functions_are_short() -> None:
    measured = lengths()
    assert statistics.median(entry.lines for entry in measured) <= 9
    assert measured[int(len(measured) * 0.95)].lines <= 40
    assert [entry for entry in measured if entry.lines > 60] == []


def test_files_fit_on_a_few_screens() -> None:
    long = {str(path.relative_to(ROOT)): path.read_text().count("\n") for path in sources()}
    assert {name: lines for name, lines in long.items() if lines > 300} == {}


def test_package_files_hold_a_docstring_and_nothing_else() -> None:
    packages = [path for path in sources() if path.name == "__init__.py" and path.parent.name != "bot"]
    assert packages
    for path in packages:
        assert [type(node) for node in sources()[path].body] == [ast.Expr], path


def test_broad_except_stands_only_where_a_command_ends() -> None:
    found = {
        str(path.relative_to(ROOT))
        for path, tree in sources().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler) and _broad(node)
    }
    assert {name for name in found if not name.startswith(IN_THE_PROJECTS_PYTEST)} == {"bot/entry/cli.py"}


def _broad(handler: ast.ExceptHandler) -> bool:
    if isinstance(handler.body[-1], ast.Raise) and handler.body[-1].exc is None:
        return False  # it tidies up and lets the error go on
    return handler.type is None or (
        isinstance(handler.type, ast.Name) and handler.type.id in ("Exception", "BaseException")
    )


def test_functions_do_not_import_our_own_modules() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{child.lineno}"
        for path, node in functions()
        for child in ast.walk(node)
        if isinstance(child, ast.ImportFrom) and (child.module or "").split(".")[0] == "bot"
    ]
    assert found == []


@pytest.mark.parametrize("word", PATCHING)
def test_tests_patch_nothing(word: str) -> None:
    tests = [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    assert [str(path.relative_to(ROOT)) for path in tests if word in path.read_text()] == []


def test_modules_are_named_for_what_they_hold() -> None:
    vague = {"utils", "util", "helpers", "helper", "manager", "base", "common", "misc"}
    assert [str(path.relative_to(ROOT)) for path in sources() if path.stem in vague] == []
