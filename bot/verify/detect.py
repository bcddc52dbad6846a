"""Finds out which checks a project wants, from its own files."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.core.check import Check, Rung
from bot.verify.interpreter import Interpreter, own, own_script
from bot.verify.project import Project, read

LENT = "; run from git agent's own environment, as the project's has none"


def detect(root: Path, interpreter: Interpreter, declared: Sequence[Check] = ()) -> tuple[Check, ...]:
    """List the checks of the project at `root`, lowest rung first.

    Declared ones replace detected ones of the same name.
    """
    checks = {check.name: check for check in (*_detected(read(root), interpreter), *declared)}
    return tuple(sorted(checks.values(), key=lambda check: check.rung.height))


def _detected(project: Project, interpreter: Interpreter) -> Iterator[Check]:
    broken = "".join(f"; {name} cannot be read" for name in project.unreadable)
    python = str(interpreter.path)
    if source := next(project.sources(), None):
        yield Check(
            name="syntax", rung=Rung.SYNTAX, argv=(python,), reader="syntax", timeout=60, reason=f"{source} is Python"
        )
    program, lent = _program(interpreter, "ruff")
    if reason := _wants_ruff(project):
        yield Check(
            name="ruff",
            rung=Rung.STATIC,
            argv=(program, "check"),
            reader="ruff",
            timeout=120,
            reason=reason + lent + broken,
        )
    if reason := _wants_format(project):
        argv = (program, "format", "--check")
        yield Check(
            name="ruff-format",
            rung=Rung.STATIC,
            argv=argv,
            reader="ruff-format",
            timeout=120,
            reason=reason + lent + broken,
        )
    if reason := _wants_mypy(project):
        lent = "" if "mypy" in interpreter.modules else LENT
        types = (*_mypy(interpreter), *_targets(project))
        yield Check(name="mypy", rung=Rung.TYPES, argv=types, reader="mypy", reason=reason + lent + broken)
    if reason := _wants_pytest(project):
        lent = "" if "pytest" in interpreter.modules else LENT
        argv = (python, "-m", "pytest")
        yield Check(
            name="pytest", rung=Rung.UNIT, argv=argv, reader="pytest", timeout=600, reason=reason + lent + broken
        )


def _program(interpreter: Interpreter, name: str) -> tuple[str, str]:
    """Return the path of a tool that needs nothing of the project's environment, and what to say of it."""
    if name in interpreter.modules and (path := interpreter.path.parent / name).is_file():
        return str(path), ""
    return str(own_script(name)), LENT


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


def _targets(project: Project) -> tuple[str, ...]:
    """Name what to check, unless the project's own configuration does."""
    table = project.tool("mypy") or {}
    named = any(key in table for key in ("files", "packages", "modules"))
    for file in ("mypy.ini", ".mypy.ini", "setup.cfg"):
        named = named or project.section(file, "mypy/files", "mypy/packages", "mypy/modules") is not None
    return () if named else project.packages() or (".",)


def _wants_ruff(project: Project) -> str:
    if project.tool("ruff") is not None:
        return "[tool.ruff] in pyproject.toml"
    if file := project.has("ruff.toml", ".ruff.toml"):
        return file
    return "a hook in .pre-commit-config.yaml" if {"ruff", "ruff-check"} & project.hooks else ""


def _wants_format(project: Project) -> str:
    if "format" in (project.tool("ruff") or {}):
        return "[tool.ruff.format] in pyproject.toml"
    if "ruff-format" in project.hooks:
        return "the hook ruff-format in .pre-commit-config.yaml"
    workflow = project.formats_in_ci()
    return f"{workflow} runs it" if workflow else ""


def _wants_mypy(project: Project) -> str:
    if project.tool("mypy") is not None:
        return "[tool.mypy] in pyproject.toml"
    if file := project.has("mypy.ini", ".mypy.ini"):
        return file
    if project.section("setup.cfg", "mypy"):
        return "[mypy] in setup.cfg"
    return "the hook mypy in .pre-commit-config.yaml" if "mypy" in project.hooks else ""


def _wants_pytest(project: Project) -> str:
    if project.tool("pytest") is not None:
        return "[tool.pytest] in pyproject.toml"
    if file := project.has("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"):
        return file
    for file, section in (("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
        if project.section(file, section):
            return f"[{section}] in {file}"
    test = project.test_file()
    return f"{test} holds tests" if test else ""
