"""Finds out which checks a project wants, from its own files."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bot.core.check import Check
from bot.verify.detection import judges, linters, pins, programs, recipes, runners, static
from bot.verify.detection.commands import ROOT, UNKNOWN, Named
from bot.verify.detection.packages import find_packages, home
from bot.verify.detection.project import Project, read
from bot.verify.detection.selection import names_paths
from bot.verify.interpreter import OWN, Interpreter

_HOLISTIC = frozenset({"ruff", "ruff-format", "black", "isort", "flake8", "codespell", "yamllint", "pycodestyle"})
"""Tools that look at all folders below the one they are started in."""


class Detected(NamedTuple):
    """The checks of a project, and what was found and is not run, with the reason."""

    checks: tuple[Check, ...] = ()
    notes: tuple[str, ...] = ()


def detect(root: Path, interpreter: Interpreter, declared: Sequence[Check] = ()) -> tuple[Check, ...]:
    """List the checks of the project at `root`, lowest rung first.

    Declared ones replace detected ones of the same name.
    """
    return look(root, interpreter, declared).checks


def look(root: Path, interpreter: Interpreter, declared: Sequence[Check] = ()) -> Detected:
    """Find the checks of the project at `root` and of the projects inside of it; nothing of it is run."""
    whole = read(root)
    folders = find_packages(whole)
    top, covered = _top(whole, folders, interpreter)
    commands = recipes.find(whole).commands if folders else ()
    found = [top]
    for folder in folders:
        inner = tuple(other.removeprefix(f"{folder}/") for other in folders if other.startswith(f"{folder}/"))
        project = read(root / folder, inner)
        given = () if folder in covered else _given(commands, folder, folders)
        own = _one(project, interpreter, "", given)
        found.append(_placed(_without(own, top, covers_tests=folder in covered), folder))
    checks = {check.name: check for detected in found for check in detected.checks}
    checks |= {check.name: check for check in declared}
    notes = tuple(dict.fromkeys(note for detected in found for note in detected.notes))
    return Detected(tuple(sorted(checks.values(), key=lambda check: check.rung.height)), notes)


def _top(whole: Project, folders: Sequence[str], interpreter: Interpreter) -> tuple[Detected, frozenset[str]]:
    """Find the checks of the root, and the packages whose tests they run as well."""
    covered = frozenset(folder for folder in folders if runners.covers(whole, folder))
    apart = tuple(folder for folder in folders if folder not in covered)
    found = _one(read(whole.root, apart), interpreter, next(whole.sources(), ""))
    checks = tuple(_leaving_out(check, apart, whole.root) for check in found.checks)
    return found._replace(checks=checks), covered if _tests(checks) else frozenset()


def _tests(checks: Sequence[Check]) -> bool:
    return any(check.reader in ("pytest", "unittest") for check in checks)


def _leaving_out(check: Check, apart: Sequence[str], root: Path) -> Check:
    """Keep pytest at the root from collecting what is run in the packages."""
    if check.reader != "pytest" or not apart or names_paths(check.argv[3:], root):
        return check
    return check.model_copy(update={"argv": (*check.argv, *(f"--ignore={folder}" for folder in apart))})


def _without(found: Detected, top: Detected, *, covers_tests: bool) -> Detected:
    """Leave out of a package's checks what the root's do as well."""
    above = {check.name for check in top.checks}
    checks = tuple(
        check
        for check in found.checks
        if not (check.name in above and check.name in _HOLISTIC)
        and not (covers_tests and check.reader in ("pytest", "unittest"))
        and not (check.name == "mypy" and "mypy" in above)
        and not (check.reader == "exit" and check.name in above and check.name.startswith(("npm-", "pnpm-", "yarn-")))
    )
    return Detected(checks, found.notes)


def _placed(found: Detected, folder: str) -> Detected:
    """Say of a package's checks where they are run."""
    checks = tuple(
        check.model_copy(
            update={
                "name": f"{folder}/{check.name}",
                "folder": f"{folder}/{check.folder}".rstrip("/"),
                "reason": _below(check.reason, folder),
            }
        )
        for check in found.checks
    )
    return Detected(checks, tuple(f"{folder}: {note}" for note in found.notes))


def _below(reason: str, folder: str) -> str:
    first, semicolon, rest = reason.partition(";")
    return f"{first}, below {folder}{semicolon}{rest}"


def _given(commands: Sequence[Named], folder: str, folders: Sequence[str]) -> Iterator[Named]:
    """Name the root's commands that are started in a package, as they are seen from there."""
    for command in commands:
        if _home(command, folders) == folder:
            yield command._replace(folder=command.folder.removeprefix(folder).lstrip("/"))


def _home(command: Named, folders: Sequence[str]) -> str:
    """Find the package that a command is started in, where nothing in it leads out of there."""
    leads_out = any(ROOT in word or ".." in word for word in command.argv)
    return "" if leads_out or UNKNOWN in command.folder else home(command.folder, folders)


def _one(project: Project, interpreter: Interpreter, source: str, given: Iterable[Named] = ()) -> Detected:
    """Find the checks of one project; `source` is a file that makes it worth parsing all."""
    named, unreadable = recipes.find(project)
    commands = (*(command for command in named if not _home(command, project.apart)), *given)
    tests = runners.find(project, commands, interpreter)
    rest = [*static.find(project, commands, interpreter, source), *tests.checks]
    rest += [*linters.find(project, commands, interpreter), *programs.find(project, commands, interpreter)]
    rest += judges.find(project, commands)
    checks = [item for item in rest if isinstance(item, Check)]
    broken = "".join(f"; {name} cannot be read" for name in project.unreadable)
    unread = (f"{name} cannot be read, and the commands in it are not followed" for name in unreadable)
    notes = (*tests.notes, *(item for item in rest if isinstance(item, str)), *_never(commands), *unread)
    lent = {name: pins.lent(project, name) for name in ("pytest", "mypy") if name not in interpreter.modules}
    types = pins.unmet(project, "mypy") if "mypy" in lent or interpreter.origin == OWN else ""
    told = tuple(
        check.model_copy(
            update={
                "reason": check.reason + lent.get(check.reader, "") + ("" if check.reader == "syntax" else broken),
                "borrowed": types if check.reader == "mypy" else check.borrowed,
            }
        )
        for check in checks
    )
    return Detected(told, notes)


def _never(commands: Sequence[Named]) -> Iterator[str]:
    for tool in ("tox", "nox", "pre-commit", "prek"):
        found = next((command for command in commands if command.tool == tool), None)
        if found is not None:
            yield f"{tool} is not run itself ({found.place}): what it would run is read from its file"
