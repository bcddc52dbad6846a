"""Finds the project's own Python."""

import functools
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.errors import ConfigError

OWN = "git agent's own (the project has none)"
LENT = "; run from git agent's own environment, as the project's has none"
TOOLS: Mapping[str, tuple[int, int]] = {
    "pytest": (6, 0),
    "mypy": (1, 11),
    "ruff": (0, 0),
    "coverage": (0, 0),
    "xdist": (0, 0),
}
"""What we look for, and the oldest version whose report we can read."""
DISTRIBUTIONS: Mapping[str, str] = {"xdist": "pytest_xdist"}
OLDEST = (3, 8)

_ASK = """
import json, sys, sysconfig, site
paths = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")} | set(getattr(site, "getsitepackages", list)())
print(json.dumps([list(sys.version_info[:2]), sorted(paths)]))
"""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """An interpreter for the project's checks."""

    path: Path
    origin: str
    """For a person: `--python`, `active environment`, `.venv`, `venv`, or that it is git agent's own."""
    modules: frozenset[str]
    """Which of pytest, mypy, ruff, coverage, xdist it can import or run."""
    installed: frozenset[str] = frozenset()
    """Distributions of the project's own environment, as registries compare their names."""

    @property
    def lender(self) -> Path | None:
        """Return the folder to take pytest from, where the project's environment has none."""
        return None if "pytest" in self.modules else own_library("pytest")

    def script(self, name: str) -> Path | None:
        """Return where a program of the project's own environment lies."""
        path = self.path.parent / name
        return path if self.origin != OWN and path.is_file() and os.access(path, os.X_OK) else None

    @property
    def variables(self) -> tuple[tuple[str, str], ...]:
        """Return what its pytest needs to be told: plugins that happen to lie beside us are not the project's."""
        return (("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1"),) if self.origin == OWN else ()


ENVIRONMENTS = (".venv", "venv")
"""Folders of a checkout that an environment is looked for in."""


def find(root: Path, wanted: str, environ: Mapping[str, str], committed: Collection[str] = ()) -> Interpreter:
    """Find the interpreter for the project at `root` (the person's checkout). Raises ConfigError.

    An environment that is `committed` is the repository's word and not the person's: it is left alone.
    """
    if wanted:
        return _named(root, wanted, environ)
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        prefix = environ.get(variable, "")
        if prefix and not _same(Path(prefix), Path(sys.prefix)) and (path := _python_of(Path(prefix))):
            return _look(path, "active environment", Path(prefix))
    for folder in ENVIRONMENTS:
        if folder not in committed and (path := _python_of(root / folder)):
            return _look(path, folder, root / folder)
    hidden = next(_hidden(root, environ, committed), None)
    return own() if hidden is None else _look(hidden, "active environment", hidden.parent.parent)


def _hidden(root: Path, environ: Mapping[str, str], committed: Collection[str]) -> Iterator[Path]:
    """Find environments behind our own, where a hook framework has put us into one of its own and made that active."""
    if not _same(Path(environ.get("VIRTUAL_ENV", "")), Path(sys.prefix)):
        return
    for entry in environ.get("PATH", "").split(os.pathsep):
        prefix = Path(entry).parent
        told = entry.startswith("/") and (prefix / "pyvenv.cfg").is_file() and not _same(prefix, Path(sys.prefix))
        if told and prefix not in {root / name for name in committed} and (path := _python_of(prefix)):
            yield path


@functools.cache
def own() -> Interpreter:
    """Return the interpreter that git agent itself runs with."""
    modules = frozenset(name for name in TOOLS if importlib.util.find_spec(name) is not None)
    return Interpreter(Path(sys.executable), OWN, modules)


def own_script(name: str) -> Path:
    """Return where a command of git agent's own environment lies."""
    return Path(sys.executable).parent / name


def own_library(module: str) -> Path | None:
    """Return the folder that git agent's own copy of a module is imported from."""
    spec = importlib.util.find_spec(module)
    return Path(spec.origin).resolve().parent.parent if spec is not None and spec.origin else None


def _named(root: Path, wanted: str, environ: Mapping[str, str]) -> Interpreter:
    path = _resolve(root, wanted, environ)
    version, folders = _ask(str(path))
    if version < OLDEST:
        raise ConfigError(
            f"--python {wanted}: Python {version[0]}.{version[1]} is too old, the checks need {OLDEST[0]}.{OLDEST[1]}"
        )
    return Interpreter(path, "--python", _tools_in(folders, path.parent), distributions(folders))


def _resolve(root: Path, wanted: str, environ: Mapping[str, str]) -> Path:
    try:
        given = Path(wanted).expanduser()
        choices = [Path.cwd() / given, root / given]
        if os.sep not in wanted and (found := shutil.which(wanted, path=environ.get("PATH", os.defpath))):
            choices.append(Path(found))
        path = next(filter(None, map(_program, choices)), None)
    except (RuntimeError, OSError, ValueError) as error:
        raise ConfigError(f"--python {wanted!r:.100}: this is not a path") from error
    if path is None:
        raise ConfigError(f"--python {wanted}: there is no interpreter of that name")
    return path


def _program(choice: Path) -> Path | None:
    if choice.is_dir():
        return _python_of(choice)
    # Resolving a link would leave the virtual environment.
    return Path(os.path.abspath(choice)) if choice.is_file() else None  # noqa: PTH100


@functools.cache
def _ask(path: str) -> tuple[tuple[int, int], tuple[Path, ...]]:
    """Run an interpreter that the person named, to learn its version and its libraries. Raises ConfigError."""
    try:
        done = subprocess.run(
            [path, "-I", "-c", _ASK], capture_output=True, check=True, timeout=20, stdin=subprocess.DEVNULL
        )
        version, libraries = json.loads(done.stdout)
        return (int(version[0]), int(version[1])), tuple(Path(library) for library in libraries)
    except (OSError, subprocess.SubprocessError, ValueError, TypeError, IndexError) as error:
        raise ConfigError(f"--python {path}: this is not a Python interpreter that runs here") from error


def _python_of(prefix: Path) -> Path | None:
    for name in ("bin/python", "bin/python3", "Scripts/python.exe"):
        path = prefix.absolute() / name
        if path.is_file() and os.access(path, os.X_OK):
            return path
    return None


def _look(path: Path, origin: str, prefix: Path) -> Interpreter:
    """Look into an environment without running anything of it: it may be part of a hostile repository."""
    folders = tuple(libraries(prefix))
    return Interpreter(path, origin, _tools_in(folders, prefix / "bin"), distributions(folders))


def distributions(folders: Iterable[Path]) -> frozenset[str]:
    """Name what is installed, as registries compare names."""
    found = (path.name.split("-")[0] for folder in folders for path in folder.glob("*.dist-info"))
    return frozenset(re.sub(r"[-_.]+", "-", name).lower() for name in found)


def version_in(prefix: Path, name: str) -> str:
    """Tell which version of a distribution an environment holds; empty for none."""
    found = (path for folder in libraries(prefix) for path in folder.glob(f"{name}-*.dist-info"))
    return next((path.stem.partition("-")[2] for path in found), "")


def libraries(prefix: Path) -> Iterator[Path]:
    """Find the folders that an environment, or an installation, imports libraries from; some may be named twice."""
    for lib in ("lib", "lib64"):
        yield from (prefix / lib).glob("python3*/site-packages")
    home = _setting(prefix / "pyvenv.cfg", "home")
    if not home or _setting(prefix / "pyvenv.cfg", "include-system-site-packages") == "true":
        base = Path(home).parent if home else prefix
        yield from base.glob("lib/python3*/site-packages")
        yield from base.glob("lib/python3/dist-packages")
        yield from base.glob("local/lib/python3*/dist-packages")


def _setting(path: Path, key: str) -> str:
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    pairs = (line.partition("=") for line in lines)
    return next((value.strip() for name, _, value in pairs if name.strip().lower() == key), "")


def _tools_in(libraries: Iterable[Path], scripts: Path) -> frozenset[str]:
    found = {name for library in libraries for name in TOOLS if name != "ruff" and _has(library, name)}
    return frozenset(found | ({"ruff"} if (scripts / "ruff").is_file() else set()))


def _has(library: Path, name: str) -> bool:
    if not (library / name).exists():
        return False
    distribution = DISTRIBUTIONS.get(name, name)
    versions = [found.name.split("-")[1] for found in library.glob(f"{distribution}-*.dist-info")]
    return not versions or any(_version(text) >= TOOLS[name] for text in versions)


def _version(text: str) -> tuple[int, int]:
    major, _, rest = text.partition(".")
    minor = rest.partition(".")[0]
    return (int(major) if major.isdigit() else 0, int(minor) if minor.isdigit() else 0)


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()
