"""Reads what a project says of its own tools, whatever state its files are in."""

import configparser
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import TypeAlias

Section: TypeAlias = Mapping[str, object]
LARGEST = 1_000_000
"""Bytes of a configuration file; more is not configuration."""
SKIP = frozenset({"node_modules", "site-packages", "venv", "__pycache__", "build", "dist"})
_HOOK = re.compile(r"^\s*-?\s*id:\s*['\"]?([\w-]+)['\"]?\s*(?:#.*)?$", re.MULTILINE)
_FORMATS = re.compile(r"^[^#\n]*\bruff format\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Project:
    """A project's configuration files, as far as they can be read."""

    root: Path
    pyproject: Section
    ini: Mapping[str, frozenset[str]]
    """Sections of each ini file."""
    hooks: frozenset[str]
    """Ids of the pre-commit hooks."""
    unreadable: tuple[str, ...]
    """Files that are there and cannot be understood."""

    def tool(self, name: str) -> Section | None:
        """Return a tool's table of pyproject.toml."""
        tools = self.pyproject.get("tool")
        table = tools.get(name) if isinstance(tools, dict) else None
        return table if isinstance(table, dict) else None

    def has(self, *names: str) -> str | None:
        """Return the first of these files that exists."""
        return next((name for name in names if (self.root / name).is_file()), None)

    def section(self, file: str, *names: str) -> str | None:
        """Return the first of these sections that an ini file has."""
        return next((name for name in names if name in self.ini.get(file, ())), None)

    def formats_in_ci(self) -> str | None:
        """Return the workflow that runs ruff's formatter."""
        folder = self.root / ".github" / "workflows"
        paths = sorted(path for path in folder.glob("*.y*ml") if path.is_file())
        return next((f".github/workflows/{path.name}" for path in paths if _FORMATS.search(_text(path) or "")), None)

    def sources(self) -> Iterator[str]:
        """Walk to the project's Python files, nearest first."""
        for folder, subfolders, names in os.walk(self.root):
            subfolders[:] = sorted(name for name in subfolders if name[0] != "." and name not in SKIP)
            inside = Path(folder).relative_to(self.root)
            yield from ((inside / name).as_posix() for name in sorted(names) if name.endswith(".py"))

    def test_file(self) -> str | None:
        """Return the first file that looks like tests."""
        patterns = ("test_*.py", "*_test.py")
        return next(
            (path for path in self.sources() if any(fnmatch(path.rpartition("/")[2], p) for p in patterns)), None
        )

    def packages(self) -> tuple[str, ...]:
        """List the top folders and files that hold the project's code, tests left out."""
        found: dict[str, None] = {}
        for path in self.sources():
            parts = path.split("/")
            top = "/".join(parts[:2]) if parts[0] == "src" else parts[0]
            if not re.match(r"(src/)?(tests?|docs?|examples?|conftest\.py|setup\.py|test_.*|.*_test\.py)$", top):
                found[top] = None
        return tuple(found)


def read(root: Path) -> Project:
    """Read the configuration files of the project at `root`."""
    unreadable: list[str] = []
    pyproject: Section = {}
    ini: dict[str, frozenset[str]] = {}
    try:
        pyproject = tomllib.loads(_text(root / "pyproject.toml") or "")
    except tomllib.TOMLDecodeError:
        unreadable.append("pyproject.toml")
    for name in ("setup.cfg", "tox.ini", "pytest.ini", "mypy.ini", ".mypy.ini"):
        parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
        try:
            parser.read_string(_text(root / name) or "")
            ini[name] = frozenset(section for section in parser.sections()) | _keys(parser)
        except configparser.Error:
            unreadable.append(name)
    hooks = frozenset(_HOOK.findall(_text(root / ".pre-commit-config.yaml") or ""))
    return Project(root, pyproject, ini, hooks, tuple(unreadable))


def _keys(parser: configparser.RawConfigParser) -> frozenset[str]:
    """Write keys as `section/key`, which no section of a tool is called."""
    return frozenset(f"{section}/{key}" for section in parser.sections() for key in parser.options(section))


def _text(path: Path) -> str | None:
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            return None
        return path.read_bytes().decode("utf-8-sig", "replace")
    except OSError:
        return None
