"""Projects inside of a project: where they are, what they depend on, and which of their checks a change concerns."""

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from bot.core.check import Check
from bot.verify.detection.project import Project, normal, read, read_text, table
from bot.verify.documents import Unreadable, read_yaml

PYTHON = ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml")
OTHER = ("package.json", "go.mod", "Cargo.toml")
MANIFESTS = (*PYTHON, *OTHER)
DEEPEST = 2
"""Levels of folders that are looked at when no workspace names its members."""
MOST = 200
MOST_READ = 400
"""Source files of a package that are looked into for what they import."""
NEVER = frozenset({
    "docs", "doc", "examples", "example", "samples", "demo", "demos", "tests", "test", "testing", "testdata",
    "fixtures", "benchmarks", "benchmark", "vendor", "vendored", "third_party", "_vendor", "templates", "template",
    "node_modules", "site-packages", "dist", "build", "target", "venv", "env", "__pycache__",
})  # fmt: skip
"""Folders whose projects are there to be looked at, or are somebody else's."""
CONFIGURATION = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "noxfile.py", "mypy.ini",
                 ".mypy.ini", "ruff.toml", ".ruff.toml", ".flake8", "Makefile")  # fmt: skip
_TOOLS = ("pytest", "ruff", "mypy", "black", "isort", "pylint", "pyright", "hatch", "tox", "poe")
_USE = re.compile(r"^\s*(?:use\s+)?(\.?/?[\w./-]+)\s*$", re.MULTILINE)
_PATH = re.compile(r"[\"']([\w./-]+)[\"']")
_UPWARDS = re.compile(r"\bparents\b|\.parent\.parent|\.\.[/\"']|\bpardir\b")
_LOOKING = re.compile(r"\b(?:r?glob|iterdir|walk|listdir|scandir)\b")
_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+(\w+)", re.MULTILINE)


class Package(NamedTuple):
    """A project below the root."""

    folder: str
    names: frozenset[str]
    """Under which others ask for it or import it."""
    wants: frozenset[str]
    """What it asks for or imports."""
    says: frozenset[str]
    """Parts of paths that stand in its files."""
    roams: bool
    """Whether it may read or run what lies outside of it without naming it."""

    def uses(self, names: frozenset[str], folders: Collection[str]) -> bool:
        """Tell whether it depends on something of these names, or in these folders."""
        return bool(self.roams or self.wants & names or self.says & {PurePosixPath(each).name for each in folders})


def find_packages(root: Project) -> tuple[str, ...]:
    """Name the folders that are projects of their own, each with tests or tools of its own."""
    python, others, excluded = _listed(root)
    wanted = (*(PYTHON if not python else ()), *(OTHER if not others else ()))
    # A workspace speaks for one language only
    nearby = (folder for folder in _nearby(root.root, "", DEEPEST, wanted) if folder not in excluded)
    found = dict.fromkeys((*python, *others, *nearby))
    own = (folder for folder in found if _stands_alone(read(root.root / folder)))
    return tuple(sorted(islice(own, MOST)))


class Listed(NamedTuple):
    """The members of the workspaces that a root declares."""

    python: tuple[str, ...]
    others: tuple[str, ...]
    excluded: frozenset[str]
    """Folders that one of them leaves out by name."""


def _listed(root: Project) -> Listed:
    places = [table(root.pyproject, "tool", tool, "workspace") or {} for tool in ("uv", "rye", "pixi")]
    environments = (table(root.pyproject, "tool", "hatch", "envs") or {}).values()
    python = [glob for place in places for glob in _strings(place.get("members"))]
    python += [g for found in environments for g in _strings((table(found, "workspace") or {}).get("members"))]
    cargo = table(root.toml("Cargo.toml"), "workspace") or {}
    others = [*_strings(cargo.get("members")), *_node(root)]
    others += _USE.findall(root.text("go.work").partition("use (")[2].partition(")")[0])
    negative = [glob for place in (*places, cargo) for glob in _strings(place.get("exclude"))]
    negative += [glob[1:] for glob in others if glob.startswith("!")]
    excluded = frozenset(path for glob in negative for path in _expand(root.root, glob))

    def members(globs: Sequence[str]) -> tuple[str, ...]:
        found = (path for glob in globs if glob[:1] != "!" for path in _expand(root.root, glob))
        return tuple(dict.fromkeys(path for path in found if path not in excluded))

    return Listed(members(python), members(others), excluded)


def _node(root: Project) -> list[str]:
    workspaces = root.json("package.json").get("workspaces")
    try:
        pnpm = read_yaml(root.text("pnpm-workspace.yaml"))
    except Unreadable:
        pnpm = None
    told = workspaces.get("packages") if isinstance(workspaces, dict) else workspaces
    return [*_strings(told), *_strings(pnpm.get("packages") if isinstance(pnpm, dict) else None)]


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _expand(root: Path, glob: str) -> Iterator[str]:
    """Find the folders that a member's name stands for, never outside of the tree."""
    parts = PurePosixPath(glob.strip().removeprefix("./").rstrip("/")).parts
    if not parts or ".." in parts or parts[0] == "/":
        return
    for path in islice(sorted(root.glob("/".join(parts))), MOST):
        inside = path.relative_to(root)
        if path.is_dir() and not path.is_symlink() and not {*inside.parts} & {"node_modules", ".git"}:
            yield inside.as_posix()


def _nearby(root: Path, inside: str, depth: int, manifests: Sequence[str]) -> Iterator[str]:
    for name in sorted(name for name, is_folder in _names(root / inside).items() if is_folder):
        if name.startswith(".") or name.lower() in NEVER:
            continue
        where = f"{inside}/{name}".lstrip("/")
        held = _names(root / where)
        if "pyvenv.cfg" in held:
            continue
        if any(manifest in held and (root / where / manifest).is_file() for manifest in manifests):
            yield where
        elif depth > 1:
            yield from _nearby(root, where, depth - 1, manifests)


def _names(folder: Path) -> Mapping[str, bool]:
    """List what a folder holds, and whether each is a folder; in a large tree one question for all is many saved."""
    try:
        with os.scandir(folder) as entries:
            return {entry.name: entry.is_dir(follow_symlinks=False) for entry in entries}
    except OSError:
        return {}


def _stands_alone(project: Project) -> bool:
    """Tell whether a folder is a project with tests or tools of its own."""
    if not project.has(*MANIFESTS):
        return False
    # Other things than configuration go by the names of pytest's files
    if not project.has(*OTHER) and next(project.sources(), None) is None:
        return False
    if project.has(*CONFIGURATION, "go.mod", "Cargo.toml") or any(project.tool(name) is not None for name in _TOOLS):
        return True
    return bool(table(project.json("package.json"), "scripts")) or next(project.test_files(), None) is not None


def describe(root: Path, folder: str) -> Package:
    """Find out what a package is called and what it depends on."""
    project = read(root / folder)
    package = project.json("package.json")
    named = table(project.pyproject, "project") or table(project.pyproject, "tool", "poetry") or {}
    names = {str(package["name"])} if "name" in package else set()
    names |= {normal(str(named["name"]))} if "name" in named else set()
    wants = set(project.requirements())
    for key in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
        wants |= set(table(package, key) or {})
    sources = list(islice(project.sources(), MOST_READ + 1))
    texts = [read_text(project.root / path) or "" for path in (*sources, *MANIFESTS)]
    wants |= {name for text in texts for name in _IMPORT.findall(text)}
    says = {part for text in texts for path in _PATH.findall(text) for part in path.split("/")}
    roams = len(sources) > MOST_READ or any(_UPWARDS.search(text) and _LOOKING.search(text) for text in texts)
    return Package(folder, frozenset(names | _modules(project)), frozenset(wants), frozenset(says), roams)


def _modules(project: Project) -> set[str]:
    """Name the modules that others can import from a package."""
    tops = (PurePosixPath(path).name.removesuffix(".py") for path in project.packages())
    found = {top for top in tops if top.isidentifier()}
    return found - {"tests", "test", "docs", "setup", "conftest", "noxfile", "examples", "scripts", "tools", "src"}


def home(path: str, folders: Sequence[str]) -> str:
    """Find the innermost of these folders that a path lies in, or is; empty when none."""
    around = {path, *(parent.as_posix() for parent in PurePosixPath(path).parents)}
    return max((folder for folder in folders if folder in around), key=len, default="")


def touched(checks: Sequence[Check], paths: Collection[str], root: Path) -> tuple[Check, ...]:
    """Pick the checks that a change of these paths concerns.

    The root's always; a package's when a path lies in it, outside of all packages, or in one that it depends on.
    """
    folders = sorted({check.folder for check in checks if check.folder})
    if not folders or not paths:
        return tuple(checks)
    homes = {home(path, folders) for path in paths}
    if "" in homes:
        return tuple(checks)
    reached = _reached(homes, {folder: describe(root, folder) for folder in folders})
    return tuple(check for check in checks if not check.folder or check.folder in reached)


def _reached(homes: Collection[str], packages: Mapping[str, Package]) -> frozenset[str]:
    """Follow who depends on whom."""
    reached = set(homes)
    names = {name for folder in homes for name in packages[folder].names}
    while True:
        rest = (folder for folder in packages if folder not in reached)
        more = {folder for folder in rest if packages[folder].uses(frozenset(names), reached)}
        # A package inside of another is part of it for whoever changes it
        more |= {outer for outer in packages for inner in reached if inner.startswith(f"{outer}/")} - reached
        if not more:
            return frozenset(reached)
        reached |= more
        names |= {name for folder in more for name in packages[folder].names}
