"""Compiles sources as Python and pytest would, in the project's interpreter, while no code of the project runs.

Usage: compiled.py FOLDER [LIBRARY]. The folder says in `wanted` which files are to be compiled, and gets what was made.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import json
import marshal
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib.machinery import BuiltinImporter, FrozenImporter, PathFinder
from pathlib import Path
from typing import Any

CHECKED = 3
"""Flags of bytecode that Python compares with the content of its source, not with its time."""


def plain(path: str, source: bytes) -> tuple[str, bytes]:
    """Compile a module."""
    code = compile(source, path, "exec", dont_inherit=True)
    head = importlib.util.MAGIC_NUMBER + CHECKED.to_bytes(4, "little") + importlib.util.source_hash(source)
    return importlib.util.cache_from_source(path).rpartition("/")[2], head + marshal.dumps(code)


def rewriter() -> Callable[[str, bytes], tuple[str, bytes]] | None:
    """Return what compiles a test as pytest does; None where pytest cannot be had without the project's own code."""
    try:
        rewrite: Any = importlib.import_module("_pytest.assertion.rewrite")
    except Exception:  # noqa: BLE001 - whatever keeps it from being imported
        return None

    def rewritten(path: str, _: bytes) -> tuple[str, bytes]:
        file = io.BytesIO()
        # How the head is written, and what it holds, is another in each version
        compiled, write = rewrite._rewrite_test, rewrite._write_pyc_fp  # noqa: SLF001 - there is no public way
        write(file, *compiled(Path(path), None))
        return Path(path).stem + rewrite.PYC_TAIL, file.getvalue()

    return rewritten


def keep_out() -> None:
    """Take the tree off the ways by which modules are found."""
    tree = str(Path.cwd())
    sys.meta_path[:] = [BuiltinImporter, FrozenImporter, PathFinder]
    inside = [entry for entry in sys.path if (entry + "/").startswith(tree + "/") and "-packages" not in entry]
    sys.path[:] = [entry for entry in sys.path if entry and entry not in inside]


def make(wanted: list[list[Any]]) -> Iterator[tuple[dict[str, Any], bytes]]:
    """Compile what is wanted, each time telling of it first; what warns would not warn any more, so it is left."""
    tests = rewriter() if any(test for _, test in wanted) else None
    for path, test in wanted:
        way = tests if test else plain
        try:
            source = Path(path).read_bytes()
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                name, data = way(str(Path.cwd() / path), source) if way is not None else ("", b"")
        except Exception:  # noqa: BLE001, S112 - whatever is wrong with it, its import will tell
            continue
        if name:
            yield {"path": path, "name": name, "source": hashlib.sha256(source).hexdigest()}, data


def main(folder: str, *libraries: str) -> None:
    """Compile what a folder names."""
    keep_out()
    sys.path += libraries
    told = []
    for number, (made, data) in enumerate(make(json.loads(Path(folder, "wanted").read_bytes()))):
        Path(folder, str(number)).write_bytes(data)
        told.append(made)
    Path(folder, "made").write_text(json.dumps(told), "ascii")


if __name__ == "__main__":
    sys.path[:] = [entry for entry in sys.path if entry != os.path.dirname(os.path.abspath(__file__))]  # noqa: PTH100, PTH120
    main(*sys.argv[1:])
