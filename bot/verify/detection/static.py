"""Finds the checks whose reports are read in full: syntax, mypy, and those of ruff."""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from bot.core.check import Check, Rung
from bot.verify.detection import ruff
from bot.verify.detection.commands import ROOT, UNKNOWN, Named
from bot.verify.detection.project import Project
from bot.verify.interpreter import Interpreter, own

VALUED = frozenset({"-p", "--package", "-m", "--module", "--config-file", "--python-version", "--exclude",
                          "--cache-dir", "--python-executable", "--platform", "--follow-imports"})  # fmt: skip
SHOWN = ("--pretty", "--show", "--hide", "--no-error-summary", "--html-report", "--xml-report", "--junit-xml",
               "--txt-report", "--cobertura-xml-report", "--any-exprs-report", "--linecount-report", "--output", "-v",
               "--verbose", "--color-output", "--no-color-output", "--cache-dir", "--incremental", "--no-incremental",
               "--install-types", "--non-interactive", "--python-executable", "--sqlite-cache")  # fmt: skip


def find(project: Project, commands: Sequence[Named], interpreter: Interpreter, source: str) -> Iterator[Check | str]:
    """Find the checks whose reports we read in full; `source` is a file of the tree that is Python."""
    if source:
        python = (str(interpreter.path),)
        yield Check(
            name="syntax", rung=Rung.SYNTAX, argv=python, reader="syntax", timeout=60, reason=f"{source} is Python"
        )
    yield from ruff.find(project, commands, interpreter)
    named = next((command for command in commands if command.tool == "mypy"), None)
    if reason := _wants_mypy(project) or (f"{named.place} runs it" if named is not None else ""):
        types = (*_mypy(interpreter), *_targets(project, named))
        yield Check(name="mypy", rung=Rung.TYPES, argv=types, reader="mypy", reason=reason)


def _mypy(interpreter: Interpreter) -> tuple[str, ...]:
    options = (
        "--output",
        "json",
        "--no-incremental",
        "--cache-dir=/dev/null",
        "--no-error-summary",
        "--show-error-codes",
    )
    if "mypy" in interpreter.modules:
        return (str(interpreter.path), "-P", "-m", "mypy", *options)
    return (str(own().path), "-I", "-m", "mypy", *options, "--python-executable", str(interpreter.path))


def _targets(project: Project, named: Named | None) -> tuple[str, ...]:
    """Say what to check, unless the project's own configuration does; their command is asked first."""
    if named is not None and (words := _asked(project, named)) is not None:
        options, paths = words
        return (*options, *_behind_dashes(paths or _default(project) if not _has_source(options) else ()))
    return _behind_dashes(_default(project))


def _behind_dashes(paths: Sequence[str]) -> tuple[str, ...]:
    """Part paths from options, so that others can stand in their place."""
    return ("--", *paths) if paths else ()


def _default(project: Project) -> tuple[str, ...]:
    table = project.tool("mypy") or {}
    named = any(key in table for key in ("files", "packages", "modules"))
    for file in ("mypy.ini", ".mypy.ini", "setup.cfg"):
        named = named or project.section(file, "mypy/files", "mypy/packages", "mypy/modules") is not None
    return () if named else project.packages() or (".",)


def _has_source(options: Sequence[str]) -> bool:
    return any(option in ("-p", "--package", "-m", "--module") for option in options)


def _asked(project: Project, named: Named) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Part their command's options from what it looks at; None when it cannot be followed."""
    options: list[str] = []
    paths: list[str] = []
    value = False
    for word in (word.replace(ROOT + "/", "").replace(ROOT, ".") for word in named.argv[1:]):
        if value or word.startswith("-"):
            options.append(word)
            value = word in VALUED and not value
        elif (project.root / word).exists() and not PurePosixPath(word).is_absolute():
            paths.append(word)
        else:
            return None
    kept = _without_shown(options)
    return None if UNKNOWN in "".join(kept) or named.folder else (kept, tuple(paths))


def _without_shown(options: Sequence[str]) -> tuple[str, ...]:
    kept: list[str] = []
    skip = False
    for word in options:
        shown = word.startswith(SHOWN)
        if not skip and not shown:
            kept.append(word)
        skip = shown and word in VALUED
    return tuple(kept)


def _wants_mypy(project: Project) -> str:
    if project.tool("mypy") is not None:
        return "[tool.mypy] in pyproject.toml"
    if file := project.has("mypy.ini", ".mypy.ini"):
        return file
    if project.section("setup.cfg", "mypy"):
        return "[mypy] in setup.cfg"
    return "the hook mypy in .pre-commit-config.yaml" if "mypy" in project.hooks else ""
