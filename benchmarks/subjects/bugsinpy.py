"""Faults from the histories of thefuck and PySnooper, as BugsInPy lists them, with the tests that came with each fix.

Their tests are old: Python 3.10 and the versions named here run most of them.
"""

import ast
import re
import shlex
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from subjects.clones import clone, git, read, unpack
from subjects.hosts import make_environment
from subjects.item import Item, Suite, fill, read_file, run_suite, write_files, write_item

NEEDS: Mapping[str, tuple[str, ...]] = {
    "thefuck": ("pytest-mock", "mock", "psutil", "colorama", "six", "decorator", "pyte", "pexpect"),
    "PySnooper": ("python-toolbox", "six", "decorator", "future"),
}
OLD = ("pytest<8", "setuptools<81")
CHANGED = re.compile(r"^\+\+\+ b/(.+)$", re.MULTILINE)
FIELD = re.compile(r'^(\w+)="(.*)"', re.MULTILINE)
RENAMED = (b".get_marker(", b".get_closest_marker(")
"""What pytest called otherwise then."""


def prepare(checkouts: Path, folder: Path, python: Path) -> None:
    """Lay out what the folder lacks of the faults that can be shown here; the others are named."""
    listed = clone(checkouts, "BugsInPy")
    for project, needs in NEEDS.items():
        environment = folder.absolute() / f"env-{project}"
        interpreter = environment / "bin/python"
        if not interpreter.exists():
            make_environment(environment, python, (*OLD, *needs))
        named = git(listed, "ls-tree", "--name-only", "HEAD", f"projects/{project}/bugs/").decode().split()
        for bug in sorted(named, key=lambda path: int(path.rpartition("/")[2])):
            name = f"{project}-{bug.rpartition('/')[2]}"
            shown = folder / f"{name}.json"
            if shown.exists() or shown.with_suffix(".not").exists():
                continue
            item = make_item(listed, clone(checkouts, project), bug, folder.absolute() / name, interpreter)
            if reason := unshown(item, asked(read(listed, f"{bug}/run_test.sh"))):
                print(f"{name}: left out, {reason}", file=sys.stderr)
                shown.with_suffix(".not").write_text(f"{reason}\n")
            else:
                write_item(folder, item)


def make_item(listed: Path, upstream: Path, bug: str, tree: Path, python: Path) -> Item:
    """Lay out the tree with the fault, and the tests of the mending beside it; the other tests are left out."""
    told = dict(FIELD.findall(read(listed, f"{bug}/bug.info")))
    buggy, fixed = told["buggy_commit_id"], told["fixed_commit_id"]
    files = tuple(told["test_file"].strip(";").split(";"))
    paths = [path for path in CHANGED.findall(read(listed, f"{bug}/bug_patch.txt")) if path.endswith(".py")]
    with tempfile.TemporaryDirectory() as scratch:
        unpack(upstream, Path(scratch), buggy)
        for path in Path(scratch).rglob("test_*.py"):
            path.unlink()
        for path in (*files, *(path for path in ("tests/conftest.py", "tests/utils.py") if has(upstream, path, fixed))):
            write_files(Path(scratch), {path: read(upstream, path, fixed)})
        for path in Path(scratch).rglob("*.py"):
            path.write_bytes(path.read_bytes().replace(*RENAMED))
        fill(tree, Path(scratch))
    right = {path: (read(upstream, path, fixed),) for path in paths}
    suite = _with_fix(tree, right, python, files)
    for path in files:
        write_files(tree, {path: without(read_file(tree / path), path, suite.failed)})
    return Item(
        set="bugsinpy",
        name=tree.name,
        kind=tree.name.rpartition("-")[0],
        tree=tree,
        broken={path: read_file(tree / path) if (tree / path).exists() else "" for path in paths},
        right=right,
        python=python,
        suite=files,
        passing=tuple(sorted(suite.passed)),
    )


def _with_fix(tree: Path, right: Mapping[str, tuple[str, ...]], python: Path, tests: Sequence[str]) -> Suite:
    with tempfile.TemporaryDirectory() as scratch:
        fill(Path(scratch), tree)
        write_files(Path(scratch), {path: texts[0] for path, texts in right.items()})
        return run_suite(python, Path(scratch), tests)


def without(text: str, path: str, failed: Collection[str]) -> str:
    """Take the tests out of a file that fail with the fix too: nobody is asked to mend those."""
    stem = path.removesuffix(".py").replace("/", ".")
    names = {name.partition("[")[0].replace("::", ".") for name in failed}
    lines = text.splitlines(keepends=True)
    for node in reversed(list(_tests(ast.parse(text).body, stem))):
        if node.name in names:
            lines[node.first : node.end] = [f"{node.indent}pass\n"] if node.indent else []
    return "".join(lines)


class _Test(NamedTuple):
    name: str
    first: int
    end: int
    indent: str


def _tests(body: Sequence[ast.stmt], stem: str, indent: str = "") -> Iterator[_Test]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _tests(node.body, f"{stem}.{node.name}", indent + "    ")
        elif isinstance(node, ast.FunctionDef):
            first = min((mark.lineno for mark in node.decorator_list), default=node.lineno) - 1
            yield _Test(f"{stem}.{node.name}", first, node.end_lineno or node.lineno, indent)


def has(folder: Path, path: str, commit: str) -> bool:
    """Tell whether a commit has a file."""
    return bool(git(folder, "ls-tree", "--name-only", commit, path))


def asked(script: str) -> tuple[str, ...]:
    """Name the tests that a script hands to pytest."""
    words = [word for line in script.splitlines() for word in shlex.split(line)]
    return tuple(dict.fromkeys(word for word in words if ".py" in word))


def unshown(item: Item, tests: Sequence[str]) -> str:
    """Say why the fault cannot be shown; nothing if its tests pass with the fix and one fails without it."""
    after = _with_fix(item.tree, item.right, item.python, tests)
    with tempfile.TemporaryDirectory() as scratch:
        fill(Path(scratch), item.tree)
        before = run_suite(item.python, Path(scratch), tests)
    if not after.passed:
        return f"its tests do not pass with the fix: {' '.join(after.said.split())[-200:]}"
    return "its tests pass without the fix" if after.passed <= before.passed else ""
