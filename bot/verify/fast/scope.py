"""What a check looks at in a tree when nobody names files to it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from bot.core.check import Check
from bot.verify import parse
from bot.verify.detection.project import Project, Section
from bot.verify.detection.runners import setting
from bot.verify.detection.selection import named_paths
from bot.verify.findings import FORMATTED
from bot.verify.typed import MODULES

PYTHON = ("*.py", "*.pyi")
_FOLDERS = "|".join(map(re.escape, sorted(parse.SKIP)))
_HIDDEN = re.compile(rf"(?:^|/)(?:\.[^/]*|{_FOLDERS})/|\{{\{{")
"""Folders of a tree that hold no sources of its own, for whichever tool."""
_DATA = re.compile(
    rf"(?:^|/)(?:{'|'.join(sorted(parse.TEST_FOLDERS))})/(?:.*/)?(?:{'|'.join(sorted(parse.DATA_FOLDERS))})/"
)
_LAYOUTS = ("", "src/", "lib/", "python/")
"""Where a package that is called by its name may lie."""
_UNITTEST = ("test*.py", "*_test.py", "*_tests.py")


@dataclass(frozen=True, slots=True)
class Scope:
    """The files that a check looks at."""

    names: tuple[str, ...]
    """What they are called, with wildcards; those with a slash are about the end of a path."""
    tops: tuple[str, ...] = ()
    """Where they lie, with wildcards; none for anywhere."""
    left_out: tuple[re.Pattern[str], ...] = ()
    """What is found in the paths of those that are not looked at, and in those of folders with a slash at the end."""
    folder: str = ""
    """What all of this is told from, relative to the root."""

    def holds(self, path: str) -> bool:
        """Tell whether a file is looked at."""
        start = f"{self.folder}/" if self.folder else ""
        inside = path.removeprefix(start)
        if not path.startswith(start) or not any(_is_called(inside, name) for name in self.names):
            return False
        folders = [f"{parent}/" for parent in PurePosixPath(inside).parents if parent.name]
        depth = min((len(place) for place in (inside, *folders) if self._is_top(place)), default=-1)
        if depth < 0 and self.tops:
            return False
        below = (place for place in folders if len(place) > depth)
        return not any(pattern.search(place) for pattern in self.left_out for place in (inside, *below))

    def _is_top(self, place: str) -> bool:
        return any(fnmatchcase(place.rstrip("/"), top) for top in self.tops)


def _is_called(path: str, name: str) -> bool:
    return fnmatchcase(f"/{path}", f"*/{name}") if "/" in name else fnmatchcase(path.rpartition("/")[2], name)


def find_scope(check: Check, project: Project) -> Scope | None:
    """Find out what a check looks at in its folder; None where that cannot be told, or files cannot be named to it."""
    if check.reader == "syntax":
        return _told_from(check.folder, Scope(PYTHON, left_out=(_HIDDEN, _DATA)))
    if check.reader == "unittest":
        return _told_from(check.folder, Scope(_UNITTEST))
    ask = {"ruff": _ruff, "ruff-format": _ruff, "mypy": _mypy, "pytest": _pytest}.get(check.reader)
    scope = ask(check, project) if ask is not None else None
    return _told_from(check.folder, scope) if scope is not None else None


def _told_from(folder: str, scope: Scope) -> Scope:
    tops = tuple(top.strip().removeprefix("./").rstrip("/") or "." for top in scope.tops)
    return replace(scope, tops=() if "." in tops else tops, folder=folder)


def _behind(argv: Sequence[str]) -> tuple[str, ...]:
    return tuple(argv[argv.index("--") + 1 :]) if "--" in argv else ()


def _ruff(check: Check, project: Project) -> Scope | None:
    """What it leaves out it leaves out of what is named as well; what it takes in besides only it knows."""
    own = (project.tool("ruff") or {}, project.toml("ruff.toml"), project.toml(".ruff.toml"))
    if any("include" in told or "extend-include" in told for told in own):
        return None
    return Scope(tuple(f"*{ending}" for ending in FORMATTED), _behind(check.argv))


def _mypy(check: Check, project: Project) -> Scope | None:
    told = _mypy_settings(project)
    start = check.argv.index("mypy") + 1 if "mypy" in check.argv else 1
    options = check.argv[start : check.argv.index("--") if "--" in check.argv else None]
    if any(word.startswith("--config-file") for word in options):
        return None
    tops = (*_behind(check.argv), *_modules(_valued(options, *sorted(MODULES))))
    if not tops:
        modules = (*_listed(told.get("packages")), *_listed(told.get("modules")))
        tops = (*_listed(told.get("files")), *_modules(modules))
    given = told.get("exclude", [])
    patterns = [*(given if isinstance(given, list) else [given]), *_valued(options, "--exclude")]
    try:
        left_out = tuple(re.compile(pattern) for pattern in patterns if isinstance(pattern, str) and pattern)
    except re.error:
        return None
    return Scope(PYTHON, tops, (_HIDDEN, *left_out))


def _mypy_settings(project: Project) -> Section:
    """Return the settings that mypy takes for all modules; it reads the first file that has some."""
    for file in ("mypy.ini", ".mypy.ini"):
        if "mypy" in project.ini.get(file, {}):
            return project.ini[file]["mypy"]
    return project.tool("mypy") or project.ini.get("setup.cfg", {}).get("mypy", {})


def _valued(options: Sequence[str], *names: str) -> tuple[str, ...]:
    """Return what a command line gives to an option, however it is written."""
    pairs = zip(options, [*options[1:], ""], strict=False)
    told = ((word, after) if word in names else word.partition("=")[::2] for word, after in pairs)
    return tuple(value for name, value in told if name in names)


def _modules(names: Sequence[str]) -> Iterator[str]:
    for name in names:
        for layout in _LAYOUTS:
            inside = f"{layout}{name.replace('.', '/')}"
            yield from (inside, f"{inside}.py", f"{inside}.pyi")


def _listed(value: object) -> tuple[str, ...]:
    words = value if isinstance(value, list) else re.split(r"[,\n]", value) if isinstance(value, str) else ()
    return tuple(word.strip() for word in words if isinstance(word, str) and word.strip())


def _pytest(check: Check, project: Project) -> Scope | None:
    options = (*check.argv[3:], *setting(project, "addopts"))
    paths = named_paths(check.argv[3:], project.root)
    told = {word.partition("=")[0] for word in options}
    if any("::" in path for path in paths) or told & {"-c", "--config-file", "--rootdir", "--pyargs"}:
        return None
    names = setting(project, "python_files") or ("test_*.py", "*_test.py")
    names = (*names, *(("*.py",) if "--doctest-modules" in told else ()), *_valued(options, "--doctest-glob"))
    globs = (*_valued(options, "--ignore-glob"), *(f"*/{name}" for name in setting(project, "norecursedirs")))
    ignored = [re.escape(path.removeprefix("./").rstrip("/")) for path in _valued(options, "--ignore")]
    patterns = (*ignored, *(_pattern(glob) for glob in globs if not glob.startswith("/")))
    left_out = tuple(re.compile(rf"^{pattern}(?:/|$)") for pattern in patterns)
    return Scope(names, paths or setting(project, "testpaths"), left_out)


def _pattern(glob: str) -> str:
    """Write a path with wildcards as a pattern; one that begins with any folder is also about the root."""
    stars = re.escape(glob).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
    return f"(?:.*/)?{stars[len('[^/]*/') :]}" if stars.startswith("[^/]*/") else stars
