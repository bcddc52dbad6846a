"""What the probe has to know of its tree: which modules are the project's own, and where they come from."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterable
from importlib.machinery import PathFinder
from pathlib import Path

TREE = str(Path.cwd())
"""Where the runner is started: a package's folder, or the repository's."""
FOLDER = os.environ.pop("GIT_AGENT_FOLDER", "")
CHILDREN = os.environ.pop("GIT_AGENT_CHILDREN", "")
"""Where programs that tests start are to find the project: an editable install would lead them to the checkout."""
if CHILDREN:
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (CHILDREN, os.environ.get("PYTHONPATH"))))
COMPILED = int(os.environ.pop("GIT_AGENT_COMPILED", "0"))
"""Files of bytecode that were laid into the tree, each beside exactly the source that it was made of."""
ROOT = TREE[: -len(FOLDER) - 1] if FOLDER and TREE.endswith("/" + FOLDER) else TREE
"""Of the repository: what lies below it is the project's own."""
WITHIN = ROOT + "/"
STANDARD = sysconfig.get_paths()["stdlib"] + "/"
LIBRARIES = (STANDARD, *{path + "/" for path in sys.path if "-packages" in path})
LAYOUTS = ("src", "", "lib", "python")
"""Folders that projects keep their packages in, first choice first; the root comes before the unusual ones."""
ORDINARY = frozenset(
    ("conftest", "__init__", "setup", "test", "tests", "docs", "examples", "scripts", "tools", "benchmarks")
)
"""Names that many installed packages leave lying about, or that every folder may have."""
MOST_IMPORTED = 2000


def in_tree(path: str) -> bool:
    """Tell whether a file is the project's own, and not a library installed below it."""
    whole = path if path.startswith(("/", "<")) else TREE + "/" + path
    return whole.startswith(WITHIN) and not whole.startswith(LIBRARIES)


def in_library(path: str) -> bool:
    """Tell whether a file belongs to Python or to an installed library."""
    return path.startswith((*LIBRARIES, "<frozen ")) or (path.startswith(sys.prefix + "/") and not in_tree(path))


def relative(path: str) -> str:
    """Name a file as the repository would."""
    return os.path.relpath(path if path.startswith("/") else TREE + "/" + path, ROOT)


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


def own_names() -> frozenset[str]:
    """Name the modules and packages that the project has at the top."""
    return frozenset(name for root in import_roots() for name in modules_in(root))


def imported() -> list[str]:
    """Name the files of the tree that modules were imported from."""
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    found = {relative(path) for path in files if isinstance(path, str) and path.startswith("/") and in_tree(path)}
    return sorted(found)[:MOST_IMPORTED]


def foreign(roots: Iterable[str]) -> list[str]:
    """Name modules of the project that were imported from elsewhere, such as an older installed copy."""
    ours = {name for root in roots for name in modules_in(root)}
    found = set()
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if name != "__main__" and isinstance(path, str) and path.startswith("/") and not in_tree(path):
            top = _own_name(name, module).partition(".")[0]
            if (top in ours and not _standard(path)) or _copy_of_ours(path):
                found.add(top + " from " + path)
    return sorted(found)[:20]


def _own_name(name: str, module: object) -> str:
    """Tell what a module is called itself: a project may give a library's module another name among its own."""
    own = getattr(getattr(module, "__spec__", None), "name", None)
    return own if isinstance(own, str) and sys.modules.get(own) is module else name


def hidden(roots: Iterable[str]) -> list[str]:
    """Name what of the tree stands in the place of something else of the same name."""
    return sorted({*_shadowing(), *_made_up(roots)})[:50]


def _shadowing() -> set[str]:
    """Name files of the tree that stand before others on the way that modules are looked for."""
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
    return found


def _made_up(roots: Iterable[str]) -> set[str]:
    """Name modules of the project that were not read from its files."""
    ours = {name for root in roots for name in modules_in(root)}
    named = {name: module for name, module in list(sys.modules.items()) if name.partition(".")[0] in ours}
    return {
        "a module made while the tests ran stands before " + name
        for name, module in named.items()
        if not isinstance(getattr(module, "__file__", None), str) and not hasattr(module, "__path__")
    }


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
    """Tell whether the tree holds other bytecode than ours, which Python may prefer to the source."""
    found = 0
    for _, folders, files in os.walk(TREE):
        folders[:] = [name for name in folders if name[0] != "." and name not in ("node_modules", "venv")]
        found += sum(name.endswith((".pyc", ".pyo")) for name in files)
    return found != COMPILED


def configuration() -> str:
    """Find the tree's own pytest configuration; without one, none of the folders above the tree may lend theirs."""
    always = [(name, "") for name in ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")]
    depth = len(Path(FOLDER).parts) if ROOT != TREE else 0
    for folder in [Path(TREE), *list(Path(TREE).parents)[:depth]]:
        for name, mark in (
            *always,
            ("pyproject.toml", "[tool.pytest"),
            ("tox.ini", "[pytest]"),
            ("setup.cfg", "[tool:pytest]"),
        ):
            path = folder / name
            if path.is_file() and mark in path.read_text("utf-8", "replace"):
                return str(path)
    return os.devnull
