"""The project's folder: which of its files may be repaired, and throwaway copies of it."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

TESTS = re.compile(r"(^|_)tests?(cases)?($|_)")
CARRIED = frozenset({".venv", "venv", ".tox", ".nox", "node_modules"})
DROPPED = (".git", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis")
CONFIGURATION = frozenset({"conftest.py", "setup.py", "noxfile.py", "sitecustomize.py", "usercustomize.py"})
LIMIT = 2000
"""Files that are looked at when the tree is searched for one that does not compile."""


def editable(path: str) -> bool:
    """Whether a file, named from the root, may be repaired: a module that is no test, test helper or configuration."""
    *folders, name = path.split("/")
    if not name.endswith(".py") or name in CONFIGURATION or name.startswith("test_") or name.endswith("_test.py"):
        return False
    return not any(f in CARRIED or f in DROPPED or f == "site-packages" or TESTS.search(f) for f in folders)


class Tree:
    """The project's folder, read only."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.refused: set[str] = set()
        """Files that turned out to be tests."""
        self._names: dict[str, str | None] = {}

    def holds(self, filename: str) -> bool:
        """Whether a file belongs to the project's own sources, and not to what is installed in its folder."""
        real = os.path.realpath(filename)
        inside = real.startswith(f"{self.root}{os.sep}")
        return inside and not any(part in CARRIED or part == "site-packages" for part in Path(real).parts)

    def own(self, filename: str) -> str | None:
        """Name a file from the root if it belongs to the project and may be repaired."""
        if filename not in self._names:
            self._names[filename] = self._name(filename)
        return self._names[filename]

    def forget(self) -> None:
        """Look again at names, after more files were refused."""
        self._names.clear()

    def _name(self, filename: str) -> str | None:
        real = os.path.realpath(filename)
        if not real.startswith(f"{self.root}{os.sep}"):
            return None
        name = Path(real).relative_to(self.root).as_posix()
        return name if editable(name) and name not in self.refused else None

    def read(self, path: str) -> bytes:
        """Read a file that is named from the root."""
        return (self.root / path).read_bytes()

    def modules(self) -> list[str]:
        """List the files that may be repaired."""
        found: list[str] = []
        for folder, folders, files in os.walk(self.root):
            folders[:] = sorted(f for f in folders if f not in CARRIED and f not in DROPPED)
            for name in sorted(files):
                own = self.own(str(Path(folder) / name)) if name.endswith(".py") else None
                if own is not None:
                    found.append(own)
            if len(found) > LIMIT:
                break
        return found

    def copy(self, target: Path) -> None:
        """Copy the tree; folders that are only carried along are linked to."""
        shutil.copytree(self.root, target, symlinks=True, ignore=_skip, dirs_exist_ok=True)
        for name in CARRIED:
            if (self.root / name).is_dir():
                (target / name).symlink_to(self.root / name, target_is_directory=True)


def _skip(_: str, names: list[str]) -> set[str]:
    return {name for name in names if name in DROPPED or name in CARRIED}
