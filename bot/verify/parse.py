"""Parses every Python file of a tree; started on its own in the project's interpreter, away from git agent's modules.

Usage: parse.py [PATH...]; writes one JSON line per file that does not parse and a last line with the count.
"""

from __future__ import annotations

import io
import os
import sys
import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    import types

SKIP = {"node_modules", "__pycache__", "site-packages", "__pypackages__"}
TEST_FOLDERS = {"test", "tests", "testing"}
DATA_FOLDERS = {"data", "fixtures", "testdata", "test_data", "samples", "cases", "cassettes", "templates", "snapshots"}
"""Below a folder of tests these hold input, which is often broken on purpose."""
MANY = 200
"""Files from which on it is worth to start workers."""


def python_files(folder: str) -> list[str]:
    """List every source file below a folder that the project would run."""
    found: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            path = entry.path[2:] if entry.path[:2] == "./" else entry.path  # 3.8 has no removeprefix
            if entry.is_dir(follow_symlinks=False):
                found += python_files(path) if _wanted(path, entry.name) else []
            elif (
                entry.name.endswith((".py", ".pyi")) and "{{" not in entry.name and entry.is_file(follow_symlinks=False)
            ):
                found.append(path)
    return found


def _wanted(path: str, name: str) -> bool:
    if name.startswith(".") or name in SKIP or "{{" in name or os.access(path + "/pyvenv.cfg", os.F_OK):
        return False
    return name not in DATA_FOLDERS or TEST_FOLDERS.isdisjoint(path.split("/"))


def complaint(path: str) -> tuple[str, str, int] | None:
    """Compile one file without running it; return kind of error, message and line."""
    try:
        with io.open_code(path) as file:
            source = file.read()
        compile(source, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        return (type(error).__name__, str(error.msg), error.lineno or 1)
    except (ValueError, OverflowError, RecursionError, MemoryError, OSError) as error:
        return (type(error).__name__, str(error), 1)
    return None


def codec() -> types.ModuleType:
    """Return the module that speaks JSON; a tree without a fault does not need it, and it is half of the start."""
    import json  # noqa: PLC0415 - see above

    return json


def check(paths: list[str]) -> list[dict[str, object]]:
    """Check files one after another."""
    found = ((path, complaint(path)) for path in paths)
    return [
        {
            "path": _shown(path),
            "kind": bad[0],
            "message": _shown(bad[1]),
            "line": bad[2],
        }
        for path, bad in found
        if bad is not None
    ]


def _shown(text: str) -> str:
    """Write a name, or what names one, as text: a name may hold bytes that are none, which JSON cannot tell."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def check_side_by_side(paths: list[str], workers: int) -> list[dict[str, object]]:
    """Check many files, sharing them among forked workers."""
    json = codec()
    pipes = []
    for index in range(workers):
        read, write = os.pipe()
        if os.fork() == 0:
            with os.fdopen(write, "w") as stream:
                json.dump(check(paths[index::workers]), stream)
            os._exit(0)
        os.close(write)
        pipes.append(os.fdopen(read))
    rows: list[dict[str, object]] = []
    for pipe in pipes:
        with pipe:
            rows += json.load(pipe)
    return rows


def main(tops: list[str], report: io.TextIOWrapper) -> None:
    """Report on all files below the given paths."""
    named = [top for top in tops if top.endswith((".py", ".pyi"))]
    below = [path for top in tops or ["."] if top not in named for path in python_files(top.partition("::")[0])]
    paths = sorted({*named, *below})
    workers = min(4, os.cpu_count() or 1) if len(paths) >= MANY else 1
    rows = check_side_by_side(paths, workers) if workers > 1 else check(paths)
    if rows:
        report.writelines(codec().dumps(row) + "\n" for row in sorted(rows, key=lambda row: str(row["path"])))
    report.write(f'{{"files": {len(paths)}}}\n')


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with os.fdopen(int(os.environ["GIT_AGENT_REPORT_FD"]), "w") as pipe:
        main(sys.argv[1:], pipe)
