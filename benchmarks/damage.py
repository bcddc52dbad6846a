"""Trees that are a commit's with one function broken."""

import ast
import os
import random
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from checkouts import git

from bot.core.change import FileChange
from bot.core.evidence import evidence_paths

_BESIDE = ("docs/", "doc/", "examples/", "bench", "scripts/", "tasks/", "misc/", "downstream/", "setup.py", ".")


class Broken(NamedTuple):
    """A tree in which one function raises."""

    tree: str
    path: str
    function: str


def beside(path: str) -> bool:
    """Tell whether a file is neither part of what a project delivers nor of its tests."""
    return path.startswith(_BESIDE)


def source_files(root: Path, rev: str) -> tuple[str, ...]:
    """List the Python files of a commit that are neither tests nor beside the point."""
    names = [name for name in git(root, "ls-tree", "-r", "--name-only", rev).splitlines() if name.endswith(".py")]
    tests = set(evidence_paths([FileChange(path=name, kind="modified") for name in names]))
    return tuple(name for name in names if name not in tests and not beside(name))


def break_functions(root: Path, rev: str, seed: int) -> Iterator[Broken]:
    """Yield trees in a fixed random order, each with another function that raises as soon as it is called."""
    found = [(path, node) for path in source_files(root, rev) for node in _functions(_read(root, rev, path))]
    random.Random(seed).shuffle(found)
    for path, node in found:
        yield Broken(_plant(root, rev, path, _broken(_read(root, rev, path), node)), path, node.name)


def _functions(text: str) -> Iterator[ast.FunctionDef]:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and _body(node) and _body(node)[0].lineno > node.lineno:
            yield node


def _body(node: ast.FunctionDef) -> Sequence[ast.stmt]:
    first = node.body[0]
    told = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return node.body[1:] if told else node.body


def _broken(text: str, node: ast.FunctionDef) -> str:
    first = _body(node)[0]
    lines = text.splitlines(keepends=True)
    lines.insert(first.lineno - 1, " " * first.col_offset + 'raise RuntimeError("broken on purpose")\n')
    return "".join(lines)


def _read(root: Path, rev: str, path: str) -> str:
    return git(root, "cat-file", "blob", f"{rev}:{path}")


def _plant(root: Path, rev: str, path: str, text: str) -> str:
    """Write the tree of a commit with other content in one file."""
    base = ("git", "-C", str(root))
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "GIT_INDEX_FILE": str(Path(folder) / "index")}

        def ask(*words: str, given: bytes = b"") -> str:
            done = subprocess.run((*base, *words), input=given, capture_output=True, env=env, check=True)
            return done.stdout.decode().strip()

        ask("read-tree", rev)
        blob = ask("hash-object", "-w", "--stdin", given=text.encode())
        ask("update-index", "--cacheinfo", f"100644,{blob},{path}")
        return ask("write-tree")
