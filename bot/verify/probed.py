"""What the probe has to know of its tree: which modules are the project's own, and where they come from.

Imported only by the probe, inside the project's interpreter (Python 3.8 or newer).
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterable
from importlib.machinery import PathFinder
from pathlib import Path

TREE = str(Path.cwd())
STANDARD = sysconfig.get_paths()["stdlib"] + "/"
LIBRARIES = (STANDARD, *{path + "/" for path in sys.path if "-packages" in path})
LAYOUTS = ("src", "", "lib", "python")
"""Folders that projects keep their packages in, first choice first; the root comes before the unusual ones."""
ORDINARY = frozenset(
    ("conftest", "__init__", "setup", "test", "tests", "docs", "examples", "scripts", "tools", "benchmarks")
)
"""Names that many installed packages leave lying about, or that every folder may have."""


def in_tree(path: str) -> bool:
    """Tell whether a file is the project's own, and not a library installed below it."""
    whole = path if path.startswith("/") else TREE + "/" + path
    return whole.startswith(TREE + "/") and not whole.startswith(LIBRARIES)


def relative(path: str) -> str:
    """Name a file as the project would."""
    return os.path.relpath(path if path.startswith("/") else TREE + "/" + path, TREE)


def import_roots() -> list[str]:
    """Return the folders of the tree that the project's modules are imported from, first choice first."""
    folders = [Path(TREE, name) for name in LAYOUTS]
    return [str(folder) for folder in folders if str(folder) == TREE or _holds_packages(folder)]


def _holds_packages(folder: Path) -> bool:
    return folder.is_dir() and not (folder / "__init__.py").exists() and bool(modules_in(str(folder)))


def modules_in(folder: str) -> set[str]:
    """Name the modules and packages that a folder holds."""
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries]
    modules = {name[:-3] for name in names if name.endswith(".py")}
    return modules | {name for name in names if Path(folder, name, "__init__.py").is_file()}


def foreign(roots: Iterable[str]) -> list[str]:
    """Name modules of the project that were imported from elsewhere, such as an older installed copy."""
    ours = {name for root in roots for name in modules_in(root)}
    found = set()
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if name != "__main__" and isinstance(path, str) and path.startswith("/") and not in_tree(path):
            top = name.partition(".")[0]
            if (top in ours and not _standard(path)) or _copy_of_ours(path):
                found.add(top + " from " + path)
    return sorted(found)[:20]


def hidden() -> list[str]:
    """Name files of the tree that stand before others of the same name on the way that modules are looked for."""
    looked = [str(Path(path).absolute()) for path in dict.fromkeys(sys.path)]
    ours = [path for path in looked if in_tree(path + "/x") and Path(path).is_dir()]
    theirs = [path for path in looked if path not in ours]
    found = set()
    for index, folder in enumerate(ours):
        for name in modules_in(folder) - ORDINARY:
            others = [path for path in ours[index + 1 :] if name in modules_in(path)]
            if others:
                found.add(_module(folder, name) + " stands before " + _module(others[0], name))
            elif name in sys.builtin_module_names or PathFinder.find_spec(name, theirs) is not None:
                found.add(_module(folder, name) + " stands before the installed module " + name)
    return sorted(found)[:50]


def _module(folder: str, name: str) -> str:
    return relative(folder + "/" + name + (".py" if Path(folder, name + ".py").is_file() else "/__init__.py"))


def _standard(path: str) -> bool:
    return path.startswith(STANDARD) and "-packages/" not in path


def _copy_of_ours(path: str) -> bool:
    """Tell whether a file outside every library is one that the tree has too, as in an editable install."""
    if path.startswith((*LIBRARIES, sys.prefix + "/")):
        return False
    parts = path.split("/")
    return any(Path(TREE, *parts[-depth:]).exists() for depth in range(2, len(parts)))


def has_bytecode() -> bool:
    """Tell whether the tree holds bytecode, which Python may prefer to the source."""
    for _, folders, files in os.walk(TREE):
        folders[:] = [name for name in folders if name[0] != "." and name not in ("node_modules", "venv")]
        if any(name.endswith((".pyc", ".pyo")) for name in files):
            return True
    return False


def configuration() -> str:
    """Find the tree's own pytest configuration; without one, none of the folders above may lend theirs."""
    always = [(name, "") for name in ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")]
    for name, mark in (
        *always,
        ("pyproject.toml", "[tool.pytest"),
        ("tox.ini", "[pytest]"),
        ("setup.cfg", "[tool:pytest]"),
    ):
        path = Path(TREE, name)
        if path.is_file() and mark in path.read_text("utf-8", "replace"):
            return str(path)
    return os.devnull
