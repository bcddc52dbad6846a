"""Reads what a project says of its own tools, whatever state its files are in."""

import configparser
import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from bot.verify.detection.hooks import HOOKS, Hook, read_hooks
from bot.verify.documents import Unreadable

Section: TypeAlias = Mapping[str, object]
Ini: TypeAlias = Mapping[str, Mapping[str, str]]
"""Sections of an ini file, each with its keys and their text."""

LARGEST = 1_000_000
"""Bytes of a configuration file; more is not configuration."""
MOST_SOURCES = 20_000
"""Files that are looked at by name; beyond them a tree is not walked."""
SKIP = frozenset({"node_modules", "site-packages", "venv", "__pycache__", "build", "dist"})
INI = ("setup.cfg", "tox.ini", "pytest.ini", ".pytest.ini", "mypy.ini", ".mypy.ini", ".flake8")
TESTS = ("test_*.py", "*_test.py", "tests.py", "test.py")
"""Names of files that hold tests; the last two are looked for by tools other than pytest."""
_REQUIRED = re.compile(r"[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True, slots=True)
class Project:
    """A project's configuration files, as far as they can be read."""

    root: Path
    pyproject: Section
    ini: Mapping[str, Ini]
    hooks: Mapping[str, Hook]
    """The pre-commit hooks by their ids."""
    unreadable: tuple[str, ...]
    """Files that are there and cannot be understood."""
    apart: tuple[str, ...] = ()
    """Folders below that are projects of their own."""

    def tool(self, name: str) -> Section | None:
        """Return a tool's table of pyproject.toml."""
        return table(self.pyproject, "tool", name)

    def has(self, *names: str) -> str | None:
        """Return the first of these files that exists."""
        return next((name for name in names if (self.root / name).is_file()), None)

    def section(self, file: str, *names: str) -> str | None:
        """Return the first of these sections that an ini file has, or of these keys, as `section/key`."""
        sections = self.ini.get(file, {})
        known = {*sections, *(f"{section}/{key}" for section, keys in sections.items() for key in keys)}
        return next((name for name in names if name in known), None)

    def text(self, name: str) -> str:
        """Return a file's text; empty when it cannot be read."""
        return read_text(self.root / name) or ""

    def toml(self, name: str) -> Section:
        """Return a TOML file's content; empty when it cannot be read."""
        try:
            return tomllib.loads(self.text(name))
        except (tomllib.TOMLDecodeError, RecursionError):
            return {}

    def json(self, name: str) -> Section:
        """Return a JSON file's object; empty when it cannot be read."""
        try:
            found = json.loads(self.text(name))
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def sources(self) -> Iterator[str]:
        """Walk to the project's Python files, nearest first."""
        return (path for path in self.files() if path.endswith(".py"))

    def files(self) -> Iterator[str]:
        """Walk to the project's files, nearest first."""
        count, top = 0, str(self.root)
        for folder, subfolders, names in os.walk(top):
            inside = f"{folder[len(top) :]}/".lstrip("/")
            subfolders[:] = sorted(name for name in subfolders if self._wanted(inside, name))
            for name in sorted(names):
                yield inside + name
            count += len(names)
            if count > MOST_SOURCES:
                return

    def _wanted(self, inside: str, name: str) -> bool:
        if name[0] == "." or name in SKIP or inside + name in self.apart:
            return False
        return not os.access(f"{self.root}/{inside}{name}/pyvenv.cfg", os.F_OK)

    def test_files(self) -> Iterator[str]:
        """Walk to the files that look like tests."""
        return filter(is_test_name, self.sources())

    def packages(self) -> tuple[str, ...]:
        """List the top folders and files that hold the project's code, tests left out."""
        found: dict[str, None] = {}
        for path in self.sources():
            parts = path.split("/")
            top = "/".join(parts[:2]) if parts[0] == "src" else parts[0]
            if not re.match(r"(src/)?(tests?|docs?|examples?|conftest\.py|setup\.py|test_.*|.*_test\.py)$", top):
                found[top] = None
        return tuple(found)

    def requirements(self) -> frozenset[str]:
        """Name every distribution that the project asks for anywhere, extras and groups included."""
        return frozenset(map(normal, self.asked())) - {""}

    def asked(self) -> list[str]:
        """List every requirement of the project as it stands, extras and groups included."""
        listed = list(_listed(table(self.pyproject, "project") or {}, "dependencies"))
        for groups in (
            table(self.pyproject, "project", "optional-dependencies"),
            table(self.pyproject, "dependency-groups"),
            table(self.pyproject, "tool", "pdm", "dev-dependencies"),
        ):
            for name in groups or {}:
                listed += _listed(groups or {}, name)
        listed += self._poetry()
        for path in sorted(self.root.glob("*requirements*.txt")) + sorted(self.root.glob("requirements/*.txt")):
            listed += [line for line in (read_text(path) or "").splitlines() if line.strip()]
        for sections in self.ini.values():
            for section, keys in sections.items():
                if section.startswith(("testenv", "options")):
                    listed += [line for text in keys.values() for line in text.splitlines()]
        return listed

    def _poetry(self) -> Iterator[str]:
        """Read the requirements of Poetry, which writes versions in its own way."""
        poetry = self.tool("poetry") or {}
        groups = [poetry, *(group for group in (table(poetry, "group") or {}).values() if isinstance(group, dict))]
        for group in groups:
            for key in ("dependencies", "dev-dependencies"):
                for name, wanted in (table(group, key) or {}).items():
                    version = wanted.get("version") if isinstance(wanted, dict) else wanted
                    yield f"{name} {_standard(version)}" if isinstance(version, str) else name


def is_test_name(path: str) -> bool:
    """Tell whether a file is called like a test."""
    name = path.rpartition("/")[2]
    return name.endswith("_test.py") or (name.startswith("test_") and name.endswith(".py"))


def read(root: Path, apart: Sequence[str] = ()) -> Project:
    """Read the configuration files of the project at `root`."""
    unreadable: list[str] = []
    pyproject: Section = {}
    ini: dict[str, Ini] = {}
    try:
        pyproject = tomllib.loads(read_text(root / "pyproject.toml") or "")
    except (tomllib.TOMLDecodeError, RecursionError):
        unreadable.append("pyproject.toml")
    for name in INI:
        try:
            ini[name] = parse_ini(read_text(root / name) or "")
        except configparser.Error:
            unreadable.append(name)
    found: Mapping[str, Hook] = {}
    try:
        found = read_hooks(read_text(root / HOOKS) or "")
    except Unreadable:
        unreadable.append(HOOKS)
    return Project(root, pyproject, ini, found, tuple(unreadable), tuple(apart))


def parse_ini(text: str) -> Ini:
    """Read an ini file. Raises configparser.Error."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except AttributeError as error:
        # Of a key without a value that goes on in the next line the parser makes nothing better
        raise configparser.ParsingError("a line continues nothing") from error
    return {section: {key: value or "" for key, value in parser.items(section)} for section in parser.sections()}


def table(document: object, *names: str) -> Section | None:
    """Return a table inside of a document."""
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else None


def normal(requirement: str) -> str:
    """Return the name of a distribution as registries compare them, from a requirement."""
    match = _REQUIRED.match(requirement.strip())
    return re.sub(r"[-_.]+", "-", match[0]).lower() if match else ""


def read_text(path: Path) -> str | None:
    """Read a file that may be anything; None when it is no small regular file."""
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            return None
        return path.read_bytes().decode("utf-8-sig", "replace")
    except OSError:
        return None


def _standard(version: str) -> str:
    """Write a version of Poetry as a requirement; empty when any will do."""
    match = re.fullmatch(r"(\^?)(\d[\w.]*)", version.strip())
    if match is None:
        return "" if set("^~*|") & {*version} else version
    return f">={match[2]},=={match[2].partition('.')[0]}.*" if match[1] else f"=={match[2]}"


def _listed(document: Section, key: str) -> Iterator[str]:
    found = document.get(key)
    yield from (item for item in found if isinstance(item, str)) if isinstance(found, list) else ()
