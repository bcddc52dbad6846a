"""Finds out with which runner a project runs its Python tests, and which of them."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from bot.core.check import Check, Rung
from bot.verify.detection.commands import UNKNOWN, Named
from bot.verify.detection.project import Project, Section, is_test_name, read_text, table
from bot.verify.detection.selection import Selection, Tree, picks, select
from bot.verify.interpreter import Interpreter

TIMEOUT = 600.0
MOST = 3
"""Different command lines of the same runner; more are not checks but a matrix."""
MOST_READ = 200
"""Test files that are looked into to find out what they are written for."""
_UNITTEST = re.compile(r"^\s*(?:import unittest|from unittest|from django\.test)\b", re.MULTILINE)
_PYTEST = re.compile(r"^\s*(?:import pytest|from pytest)\b", re.MULTILINE)
_FUNCTION = re.compile(r"^(?:async )?def test(?!_suite\b)|^class Test\w*(?:\(\))?:", re.MULTILINE)
"""What unittest would pass over, whatever else of it a file uses."""
_FOLLOWED = ("-s", "--start-directory", "-p", "--pattern", "-t", "--top-level-directory", "-k")
_FLAGS = re.compile(r"-[vqfbc]+|--(?:verbose|quiet|failfast|buffer|catch|locals|durations(?:=.*)?)")


class Found(NamedTuple):
    """What was found out about the tests of a project."""

    checks: tuple[Check, ...] = ()
    notes: tuple[str, ...] = ()


def find(project: Project, commands: Sequence[Named], interpreter: Interpreter) -> Found:
    """Choose the runner and what it is given."""
    configured = _configuration(project)
    with_pytest = [command for command in commands if command.tool == "pytest"]
    with_unittest = [command for command in commands if command.tool == "unittest"]
    named = list(islice(project.test_files(), MOST_READ))
    tests = named[0] if named else ""
    files = [read_text(project.root / path) or "" for path in named]
    wants_pytest = bool(configured or with_pytest) or _written_for_pytest(project, files, declared=bool(with_unittest))
    if not wants_pytest and (with_unittest or (files and all(_UNITTEST.search(text) for text in files))):
        return _unittest(project, with_unittest, interpreter, tests)
    if not (configured or with_pytest or tests):
        return Found()
    notes = [f"{command.place}: python -m unittest is not run as well; pytest runs these tests"
             for command in with_unittest[:1]]  # fmt: skip
    found = _pytest(project, with_pytest, interpreter, configured or (f"{tests} holds tests" if tests else ""))
    return found._replace(notes=(*found.notes, *notes))


def _written_for_pytest(project: Project, files: Sequence[str], *, declared: bool) -> bool:
    """Tell whether tests need pytest; where unittest is declared, what it passes over may be meant to be."""
    if project.has("conftest.py", "tests/conftest.py", "test/conftest.py"):
        return True
    names = {"pytest", *(name for name in project.requirements() if name.startswith("pytest-"))}
    if names & project.requirements():
        return True
    functions = (text for text in files if not (declared and _UNITTEST.search(text)) and _FUNCTION.search(text))
    return any(map(_PYTEST.search, files)) or any(functions)


def _configuration(project: Project) -> str:
    if project.tool("pytest") is not None:
        return "[tool.pytest] in pyproject.toml"
    if file := project.has("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"):
        return file
    sections = (("tox.ini", "pytest"), ("setup.cfg", "tool:pytest"))
    return next((f"[{name}] in {file}" for file, name in sections if project.section(file, name)), "")


def settings(project: Project) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the test paths and the options that pytest's own configuration names."""
    return setting(project, "testpaths"), setting(project, "addopts")


def setting(project: Project, name: str) -> tuple[str, ...]:
    """Return the words that pytest's own configuration gives for a name."""
    return _words(_pytest_settings(project).get(name))


def _pytest_settings(project: Project) -> Section:
    texts: dict[str, object] = {}
    for file, section in (("setup.cfg", "tool:pytest"), ("tox.ini", "pytest")):
        texts = dict(project.ini.get(file, {}).get(section, {})) or texts
    texts = dict(table(project.tool("pytest"), "ini_options") or project.tool("pytest") or {}) or texts
    for file in (".pytest.ini", "pytest.ini"):
        texts = dict(project.ini.get(file, {}).get("pytest", {})) or texts
    for file in (".pytest.toml", "pytest.toml"):
        texts = dict(table(project.toml(file), "pytest") or {}) or texts
    return texts


def _words(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(str(item) for item in value)
    try:
        return tuple(shlex.split(value)) if isinstance(value, str) else ()
    except ValueError:
        return ()


def _pytest(project: Project, commands: Sequence[Named], interpreter: Interpreter, reason: str) -> Found:
    """Make the checks of pytest: its own configuration is believed first, then their most telling command."""
    paths, options = settings(project)
    defined = _defined(project.root)
    tree = Tree(project.root, interpreter.installed, lambda name: f'"{name}"' in defined or f"'{name}'" in defined)
    notes: list[str] = []
    chosen: dict[Selection, Named] = {}
    for _, group in groupby(commands, key=lambda command: command.source):
        for command in group:
            selection = select(command.argv[1:], command.folder, tree)
            if selection is None:
                notes.append(f"{command.place}: {_shown(command)} cannot be read to the end and is not followed")
                continue
            notes += [f"{command.place}: {option} is left out" for option in selection.left]
            chosen.setdefault(_without(selection, paths, options), command)
        if chosen:
            break
    chosen = _apart(chosen, paths, options, notes)
    if len(chosen) > MOST:
        notes.append(f"{next(iter(chosen.values())).file} runs pytest in {len(chosen)} ways; the first is the check")
        chosen = dict([next(iter(chosen.items()))])
    if not chosen:
        return Found((_check("pytest", interpreter, (), reason),), tuple(notes))
    configured = bool(_configuration(project))
    checks = []
    for number, (selection, command) in enumerate(chosen.items(), 1):
        name, why = (
            "pytest" if number == 1 else f"pytest-{number}",
            _why(reason, selection, command, configured=configured),
        )
        check = _check(name, interpreter, selection.arguments, why)
        checks.append(check.model_copy(update={"environment": command.environment}))
    return Found(tuple(checks), tuple(dict.fromkeys(notes)))


def _apart(
    chosen: Mapping[Selection, Named], paths: Sequence[str], options: Sequence[str], notes: list[str]
) -> dict[Selection, Named]:
    """Keep the widest selection, and those that find other tests; what only picks from the same tests is noted."""
    ordered = sorted(chosen.items(), key=lambda item: (item[0].picks, bool(item[1].condition)))
    kept = dict(ordered[:1])
    for selection, command in ordered[1:]:
        first = ordered[0][0]
        only_here = bool(command.condition) or not (first.picks or picks(options))
        if _finds_others(selection, first, paths) or (selection.picks and not only_here):
            kept[selection] = command
        else:
            notes.append(f"{command.place}: {_shown(command)} is not run as well: it picks from the same tests")
    return kept


def _finds_others(selection: Selection, first: Selection, configured: Sequence[str]) -> bool:
    """Tell whether a command finds tests that the first does not find."""
    if any(word.startswith("--doctest") for word in selection.options if word not in first.options):
        return True
    if not first.paths and configured:
        return bool(selection.paths)
    if not first.paths:
        # Everything is looked at, but for files that are not called like tests
        files = (path.partition("::")[0] for path in selection.paths)
        return any(path.endswith(".py") and not is_test_name(path) for path in files)
    return not selection.paths or not all(any(_below(path, top) for top in first.paths) for path in selection.paths)


def _without(selection: Selection, paths: Sequence[str], options: Sequence[str]) -> Selection:
    """Leave out what pytest's own configuration says as well."""
    asked = tuple(dict.fromkeys(selection.paths))
    if paths and all(any(_below(path, top) for top in paths) for path in asked):
        asked = ()
    elif paths and asked:
        asked = (*asked, *(path for path in paths if not any(_below(path, top) for top in asked)))
    kept = " ".join(selection.options)
    said = " ".join(options)
    return Selection(() if kept and kept in said else selection.options, asked)


def _below(path: str, top: str) -> bool:
    inside = PurePosixPath(path.partition("::")[0])
    return inside == PurePosixPath(top) or PurePosixPath(top) in inside.parents or top == "."


def _why(reason: str, selection: Selection, command: Named, *, configured: bool) -> str:
    if reason and not selection.arguments and configured:
        return reason
    return f"as {command.place} runs it" + (f"; {reason}" if reason and configured else "")


def _check(name: str, interpreter: Interpreter, arguments: Sequence[str], reason: str) -> Check:
    argv = (str(interpreter.path), "-m", "pytest", *arguments)
    return Check(name=name, rung=Rung.UNIT, argv=argv, reader="pytest", timeout=TIMEOUT, reason=reason)


def _defined(root: Path) -> str:
    """Return the text of the project's nearer conftest files, which may define options."""
    folders = ("", "tests/", "test/", "src/tests/", "testing/")
    return "\n".join(read_text(root / f"{folder}conftest.py") or "" for folder in folders)


def _shown(command: Named) -> str:
    return shlex.join(command.argv).replace(UNKNOWN, "…")[:80]


def _unittest(project: Project, commands: Sequence[Named], interpreter: Interpreter, test: str) -> Found:
    """Make the check of unittest, which is given what their command gives it."""
    start = (str(interpreter.path), "-m", "unittest")
    for command in commands:
        arguments = _kept(command.argv[1:])
        if UNKNOWN not in "".join((*arguments, command.folder)):
            reason = f"as {command.place} runs it"
            check = _tests(start, arguments, reason, command.folder)
            return Found((check.model_copy(update={"environment": command.environment}),))
    reason = f"{test} is written for unittest, and nothing names pytest"
    return Found((_tests(start, _discovery(project), reason, ""),))


def _tests(start: tuple[str, ...], arguments: Sequence[str], reason: str, folder: str) -> Check:
    return Check(
        name="unittest", rung=Rung.UNIT, argv=(*start, *arguments), reader="unittest", timeout=TIMEOUT, reason=reason,
        folder=folder,
    )  # fmt: skip


def _kept(arguments: Sequence[str]) -> tuple[str, ...]:
    """Leave out what only shows or stops."""
    kept: list[str] = []
    skip = False
    for word in arguments:
        if skip or not _FLAGS.fullmatch(word):
            kept.append(word)
        skip = word in _FOLLOWED
    return tuple(kept)


def _discovery(project: Project) -> tuple[str, ...]:
    """Say where unittest has to look: by itself it enters packages only, and knows one pattern."""
    files = list(project.test_files())
    folders = sorted({path.rpartition("/")[0] for path in files})
    pattern = () if any(PurePosixPath(path).name.startswith("test") for path in files) else ("-p", "*_test.py")
    if all(_importable(project.root, folder) for folder in folders):
        return ("discover", *pattern) if pattern else ()
    return ("discover", "-s", min(folders, key=len) or ".", *pattern)


def _importable(root: Path, folder: str) -> bool:
    parts = PurePosixPath(folder).parts
    return all((root.joinpath(*parts[:depth]) / "__init__.py").is_file() for depth in range(1, len(parts) + 1))


def covers(project: Project, folder: str) -> bool:
    """Tell whether pytest at the root is configured to collect the tests of a folder below."""
    if not _configuration(project):
        return False
    paths, options = settings(project)
    ignored = any(_below(folder, option.partition("=")[2]) for option in options if option.startswith("--ignore="))
    if ignored:
        return False
    tops = [top for path in paths for top in _globbed(project.root, path)]
    return not paths or any(_below(folder, top) or _below(top, folder) for top in tops)


def _globbed(root: Path, path: str) -> Iterator[str]:
    """Put in the folders that a test path with wildcards stands for."""
    if any(mark in path for mark in "*?[") and not path.startswith("/") and ".." not in path:
        yield from (found.relative_to(root).as_posix() for found in root.glob(path))
    yield path.rstrip("/")
