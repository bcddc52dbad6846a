"""Names changed files to linters that read lines, in the way of each, so that what it leaves out stays left out."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from bot.core.check import Check
from bot.verify.detection.linters import LINTERS
from bot.verify.detection.project import Project


class Naming(NamedTuple):
    """How files are named to a linter."""

    names: tuple[str, ...]
    """What the files are called that it looks at."""
    options: tuple[str, ...] = ()
    """What keeps it from looking at those that it is configured to leave out."""
    whole: bool = False
    """Whether it is asked as a whole: what it finds in one file depends on all, or nobody knows how to name files."""


PYTHON = ("*.py", "*.pyi")
_NAMINGS: Mapping[str, Naming] = {
    "flake8": Naming(("*.py",)),
    "pyflakes": Naming(("*.py",)),
    "isort": Naming(PYTHON, ("--filter-files",)),
    "black": Naming(PYTHON),
    "yamllint": Naming(("*.yaml", "*.yml")),
    **dict.fromkeys(("pycodestyle", "pylint"), Naming(("*.py",), whole=True)),
    **dict.fromkeys(("pyright", "basedpyright", "ty", "pyrefly", "vulture"), Naming(PYTHON, whole=True)),
}
"""Of those that are asked as a whole, what they find in the changed files is told."""
_FLAKE8 = (".svn", "CVS", ".bzr", ".hg", ".git", "__pycache__", ".tox", ".nox", ".eggs", "*.egg")
"""What flake8 leaves out when nothing else is said."""
_BLACK = (
    r"/(\.direnv|\.eggs|\.git|\.hg|\.ipynb_checkpoints|\.mypy_cache|\.nox|\.pytest_cache|\.ruff_cache|\.tox|\.svn"
    r"|\.venv|\.vscode|__pypackages__|_build|buck-out|build|dist|venv)/"
)
"""What black leaves out when nothing else is said."""


def aim_linter(check: Check, present: Sequence[str], project: Project) -> Check | None:
    """Narrow a linter to changed files; None when it looks at none of them."""
    tool = PurePosixPath(check.argv[0]).name if check.argv else ""
    naming = _NAMINGS.get(tool, Naming(("*",), whole=True))
    start = f"{check.folder}/" if check.folder else ""
    held = [path for path in present if path.startswith(start) and _is_called(path, naming)]
    whole = naming.whole or any(word.startswith(("--exclude", "--extend-exclude")) for word in check.argv)
    given = _part(check.argv[1:], project.root) if not whole else None
    if given is not None and given.paths:
        held = [path for path in held if any(_lies_below(path.removeprefix(start), top) for top in given.paths)]
    if tool == "flake8":
        # It looks at whatever is named to it, also where it would not go by itself
        patterns = _left_out(project)
        held = [path for path in held if not _is_left_out(path.removeprefix(start), patterns)]
    if not held:
        return None
    aimed = check.model_copy(update={"targets": tuple(held)})
    if given is None:
        return aimed
    options = (*given.options, *naming.options, *(_black(project) if tool == "black" else ()))
    return aimed.model_copy(update={"argv": (check.argv[0], *options, "--", *(p.removeprefix(start) for p in held))})


_FLAGS = frozenset({"--", *(word for linter in LINTERS for word in linter.always)})
"""Options after which a path is one."""


class Given(NamedTuple):
    """What a linter is given."""

    options: tuple[str, ...]
    paths: tuple[str, ...]


def _part(words: Sequence[str], folder: Path) -> Given | None:
    """Part options from paths; None where a path may as well be what an option is given."""
    options: list[str] = []
    paths: list[str] = []
    before = ""
    for word in words:
        if word.startswith("-") or not (folder / word).exists():
            options.append(word)
        elif before.startswith("-") and "=" not in before and before not in _FLAGS:
            return None
        else:
            paths.append(word)
        before = word
    return Given(tuple(word for word in options if word != "--"), tuple(paths))


def _is_called(path: str, naming: Naming) -> bool:
    return any(fnmatchcase(path.rpartition("/")[2], name) for name in naming.names)


def _lies_below(path: str, top: str) -> bool:
    inside = PurePosixPath(top)
    return top == "." or PurePosixPath(path) == inside or inside in PurePosixPath(path).parents


def _left_out(project: Project) -> tuple[str, ...]:
    sections = [project.ini.get(file, {}).get("flake8", {}) for file in ("setup.cfg", "tox.ini", ".flake8")]
    told = next((section for section in sections if section), {})
    given = f"{told.get('exclude', ','.join(_FLAKE8))},{told.get('extend-exclude', '')}"
    return tuple(word.removeprefix("./").rstrip("/") for word in re.split(r"[,\s]+", given) if word)


def _is_left_out(path: str, patterns: Sequence[str]) -> bool:
    places = [PurePosixPath(path), *PurePosixPath(path).parents[:-1]]
    return any(fnmatchcase(name, each) for place in places for name in (str(place), place.name) for each in patterns)


def _black(project: Project) -> Iterator[str]:
    """Have black leave out of what is named to it what it leaves out by itself."""
    told = project.tool("black") or {}
    given = [told.get("exclude", _BLACK), told.get("extend-exclude"), told.get("force-exclude")]
    patterns = [pattern for pattern in given if isinstance(pattern, str) and pattern.strip()]
    written = [f"(?x:{pattern}\n)" if "\n" in pattern else f"(?:{pattern})" for pattern in patterns]
    try:
        yield from ("--force-exclude", re.compile("|".join(written)).pattern)
    except re.error:
        return
