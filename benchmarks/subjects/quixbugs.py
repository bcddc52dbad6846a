"""The 40 programs of QuixBugs, each with its own tests."""

import ast
import shutil
import tempfile
from pathlib import Path

from subjects.clones import clone, unpack
from subjects.item import Entry, Item, fill, read_file, run_suite, write_files, write_item

SHARED = ("conftest.py", "python_testcases/node.py", "python_testcases/load_testdata.py", "python_programs/node.py")


def prepare(checkouts: Path, folder: Path, python: Path) -> None:
    """Lay out what the folder lacks of the programs."""
    if len(list(folder.glob("*.json"))) == 40:
        return
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        unpack(clone(checkouts, "QuixBugs"), root)
        for test in sorted((root / "python_testcases").glob("test_*.py")):
            name = test.stem.removeprefix("test_")
            if not (folder / f"{name}.json").exists():
                write_item(folder, make_item(root, name, folder.absolute() / name, python))


def make_item(root: Path, name: str, tree: Path, python: Path) -> Item:
    """Make a folder with one program, its test and what the test needs."""
    path = f"python_programs/{name}.py"
    wanted = (*SHARED, path, f"python_testcases/test_{name}.py", f"json_testcases/{name}.json")
    for part in (part for part in wanted if (root / part).exists()):
        (tree / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / part, tree / part)
    right = read_file(root / f"correct_python_programs/{name}.py")
    passing = passed(tree, path, right, python)
    # Not all that stands there is correct, some of it is the program with the fault
    others = [text for text in alternatives(right) if passed(tree, path, text, python) >= passing]
    return Item(
        set="quixbugs",
        name=name,
        kind="one line",
        tree=tree,
        broken={path: read_file(root / path)},
        right={path: (right, *others)},
        python=python,
        suite=("python_testcases",),
        passing=tuple(sorted(passing)),
        entry=Entry(module=f"python_programs.{name}", name=name),
    )


def passed(tree: Path, path: str, text: str, python: Path) -> frozenset[str]:
    """Name the tests that pass with a version of the program."""
    with tempfile.TemporaryDirectory() as scratch:
        fill(Path(scratch), tree)
        write_files(Path(scratch), {path: text})
        return run_suite(python, Path(scratch), ("python_testcases",)).passed


def alternatives(text: str) -> list[str]:
    """Return the other versions of a function, which stand in strings, with the rest of the module around them."""
    module = ast.parse(text)
    around = [node for node in module.body if not isinstance(node, ast.FunctionDef)]
    found = []
    for node in around:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            try:
                inside = ast.parse(node.value.value).body
            except SyntaxError:
                continue
            rest = [other for other in (*around, *inside) if not isinstance(other, ast.Expr | ast.FunctionDef)]
            functions = [function for function in inside if isinstance(function, ast.FunctionDef)]
            found += [ast.unparse(ast.Module([*rest, function], [])) for function in functions]
    return found
