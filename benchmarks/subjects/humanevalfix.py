"""The 164 functions of HumanEvalFix, with a test for each of their assertions."""

import ast
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from subjects.clones import clone, read
from subjects.item import Entry, Item, run_suite, write_files, write_item

DATA = "evaluation/create/humaneval-x/data/python/data/humanevalpack.jsonl"
BLOCKS = (ast.For, ast.While, ast.If, ast.Try, ast.With)
Field: TypeAlias = str


def prepare(checkouts: Path, folder: Path, python: Path) -> None:
    """Lay out what the folder lacks of the functions."""
    if len(list(folder.glob("*.json"))) == 164:
        return
    for line in read(clone(checkouts, "octopack"), DATA).splitlines():
        task: dict[Field, str] = json.loads(line)
        number = int(task["task_id"].split("/")[1])
        if not (folder / f"humaneval-{number}.json").exists():
            write_item(folder, make_item(task, number, folder.absolute(), python))


def make_item(task: dict[Field, str], number: int, folder: Path, python: Path) -> Item:
    """Write one function and its tests."""
    module, entry = f"he_{number:03d}", task["entry_point"]
    tree = folder / f"humaneval-{number}"
    test = f"test_{module}.py"
    right = task["declaration"] + task["canonical_solution"]
    write_files(tree, {test: split(task["test"], module, entry)})
    with tempfile.TemporaryDirectory() as scratch:
        write_files(Path(scratch), {test: (tree / test).read_text(), f"{module}.py": right})
        passing = run_suite(python, Path(scratch), (test,)).passed
    return Item(
        set="humanevalfix",
        name=f"humaneval-{number}",
        kind=task["bug_type"],
        tree=tree,
        broken={f"{module}.py": task["declaration"] + task["buggy_solution"]},
        right={f"{module}.py": (right,)},
        python=python,
        suite=(test,),
        passing=tuple(sorted(passing)),
        entry=Entry(module=module, name=entry),
    )


def split(text: str, module: str, entry: str) -> str:
    """Make a test of each assertion of a `check` function; what comes before one comes before it there as well."""
    body = ast.parse(text).body
    check = next(node for node in body if isinstance(node, ast.FunctionDef) and node.name == "check")
    around = [ast.unparse(node) for node in body if node is not check and not isinstance(node, ast.Expr)]
    head = [f"from {module} import *", f"import {module}", f"{entry} = {module}.{entry}", *around]
    tests = []
    for number, statements in enumerate(_asserted(check)):
        name = check.args.args[0].arg
        lines = [f"{name} = {entry}"] if name != entry else []
        lines += [line for node in statements for line in ast.unparse(node).splitlines()]
        tests.append(f"def test_{number}():\n" + "\n".join(f"    {line}" for line in lines))
    if not tests:
        tests = [ast.unparse(check), f"def test_all():\n    check({entry})"]
    return "\n\n".join([*head, *tests]) + "\n"


def _asserted(check: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    before: list[ast.stmt] = []
    for node in check.body:
        inside = isinstance(node, BLOCKS) and any(isinstance(x, ast.Assert) for x in ast.walk(node))
        if inside or (isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant)):
            yield [*before, node]
        elif not isinstance(node, ast.Assert | ast.Pass) and not _bare(node):
            before.append(node)


def _bare(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
