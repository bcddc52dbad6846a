"""Finds linters, formatters and type checkers whose findings are read from the lines that they print."""

import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bot.core.check import Check, Rung
from bot.verify.detection.commands import ROOT, SITE, UNKNOWN, Named
from bot.verify.detection.project import Project
from bot.verify.interpreter import Interpreter


class Linter(NamedTuple):
    """A tool that prints one line for each finding."""

    name: str
    rung: Rung = Rung.STATIC
    sections: tuple[str, ...] = ()
    """Where it is configured: names of files, `FILE/SECTION` of an ini file, `tool.NAME` of pyproject.toml."""
    always: tuple[str, ...] = ()
    """What makes it report, and in lines that can be read."""
    default: tuple[str, ...] = ()
    """What it looks at when no command says so."""
    hooks: tuple[str, ...] = ()
    start: tuple[str, ...] = ()
    """The subcommand that judges; others do something else."""
    asking: frozenset[str] = frozenset()
    """Options without one of which their command is another one: a formatter that writes."""
    plugins: tuple[tuple[str, str], ...] = ()
    """Sections that it does not read by itself, each with the distribution that makes it do so."""


_PYLINT = ("--output-format=text", "--msg-template={path}:{line}:{column}: {msg_id}: {msg} ({symbol})", "--score=n",
           "--reports=n", "--fail-under=10")  # fmt: skip
LINTERS: tuple[Linter, ...] = (
    Linter("flake8", sections=(".flake8", "setup.cfg/flake8", "tox.ini/flake8", "tool.flake8"), hooks=("flake8",),
           always=("--format=%(path)s:%(row)d:%(col)d: %(code)s %(text)s",),
           plugins=(("tool.flake8", "flake8-pyproject"),)),
    Linter("pycodestyle", sections=("setup.cfg/pycodestyle", "tox.ini/pycodestyle"), always=("--format=default",),
           default=(".",)),
    Linter("pyflakes", default=(".",)),
    Linter("pylint", sections=(".pylintrc", "pylintrc", "tool.pylint"), always=_PYLINT, hooks=("pylint",)),
    Linter("black", sections=("tool.black",), always=("--check",), default=(".",), hooks=("black",),
           asking=frozenset({"--check", "--diff"})),
    Linter("isort", sections=("tool.isort", ".isort.cfg", "setup.cfg/isort", "tox.ini/isort"), hooks=("isort",),
           always=("--check-only",), default=(".",), asking=frozenset({"--check", "--check-only", "-c", "--diff"})),
    Linter("codespell", sections=("tool.codespell", "setup.cfg/codespell", ".codespellrc"), hooks=("codespell",)),
    Linter("yamllint", sections=(".yamllint", ".yamllint.yml", ".yamllint.yaml"), always=("--format=parsable",),
           default=(".",), hooks=("yamllint",)),
    Linter("vulture", sections=("tool.vulture",), hooks=("vulture",)),
    Linter("pyright", Rung.TYPES, sections=("pyrightconfig.json", "tool.pyright"), hooks=("pyright",)),
    Linter("basedpyright", Rung.TYPES, sections=("tool.basedpyright",), hooks=("basedpyright",)),
    Linter("ty", Rung.TYPES, sections=("ty.toml", "tool.ty"), hooks=("ty",), start=("check",),
           always=("--output-format=concise", "--no-progress")),
    Linter("pyrefly", Rung.TYPES, sections=("pyrefly.toml", "tool.pyrefly"), hooks=("pyrefly", "pyrefly-check"),
           start=("check",), always=("--output-format=min-text", "--summary=none")),
)  # fmt: skip
_NOISY = frozenset({"--color", "--colors", "--quiet", "-q", "--verbose", "-v", "--diff", "--statistics", "--count",
                    "--show-source", "--benchmark", "--stats", "--exit-zero", "--reports", "--score",
                    "--progress-bar", "--summary"})  # fmt: skip
"""Options of theirs that change only what is printed, in a way that cannot be read."""
_SHOWING = frozenset({"--output-format", "--format"})
"""Options of the same kind that have a value."""


def find(project: Project, commands: Sequence[Named], interpreter: Interpreter) -> Iterator[Check | str]:
    """Find those that the project wants: a check for one that is installed, else a note why there is none."""
    for linter in LINTERS:
        command = next((named for named in commands if named.tool == linter.name and _asks(linter, named)), None)
        reason = _configured(project, linter)
        if reason or command is not None:
            yield _check(linter, project, command, interpreter, reason)


def _asks(linter: Linter, command: Named) -> bool:
    judges = command.argv[1 : 1 + len(linter.start)] == linter.start and "--verifytypes" not in command.argv
    return judges and (not linter.asking or bool(linter.asking & set(command.argv)))


def _configured(project: Project, linter: Linter) -> str:
    for section in linter.sections:
        file, _, name = section.partition("/")
        if section.startswith("tool.") and project.tool(section[5:]) is not None:
            return f"[{section}] in pyproject.toml"
        if name and project.section(file, name):
            return f"[{name}] in {file}"
        if not name and project.has(file):
            return file
    used = next((hook for hook in linter.hooks if hook in project.hooks), "")
    return f"the hook {used} in .pre-commit-config.yaml" if used else ""


def _check(
    linter: Linter, project: Project, command: Named | None, interpreter: Interpreter, reason: str
) -> Check | str:
    why = f"as {command.place} runs it" if command is not None else reason
    program = interpreter.script(linter.name)
    if program is None:
        return f"{linter.name} is not run: it is not installed in the project's own environment ({why})"
    deaf = _unread(linter, project, interpreter)
    if deaf:
        return f"{linter.name} is not run: {deaf} ({why})"
    arguments, folder = _arguments(linter, project, command)
    if arguments is None:
        return f"{linter.name} is not run: {_shown(command)} cannot be read to the end ({why})"
    argv = (str(program), *linter.start, *linter.always, *arguments)
    return Check(
        name=linter.name, rung=linter.rung, argv=argv, reader="lines",
        timeout=300, reason=why, folder=folder, environment=command.environment if command is not None else (),
    )  # fmt: skip


def _unread(linter: Linter, project: Project, interpreter: Interpreter) -> str:
    """Say which settings it would not read, and complain of what the project allows; empty when there are none."""
    for section, plugin in linter.plugins:
        others = linter._replace(sections=tuple(each for each in linter.sections if each != section), hooks=())
        told = project.tool(section.removeprefix("tool.")) is not None and not _configured(project, others)
        if told and plugin not in interpreter.installed:
            return f"[{section}] is only read by {plugin}, which is not installed in the project's own environment"
    return ""


def _arguments(linter: Linter, project: Project, command: Named | None) -> tuple[tuple[str, ...] | None, str]:
    """Return what their command gives the tool, or what it is given when there is no command."""
    if command is None:
        default = linter.default or (project.packages() if linter.name in ("pylint", "vulture") else ())
        return default, ""
    given = command.argv[1 + len(linter.start) :]
    kept = list(_telling(linter, [word.replace(ROOT + "/", "").replace(ROOT, ".") for word in given]))
    if any(mark in word for mark in (UNKNOWN, SITE) for word in (*kept, command.folder)):
        return None, ""
    return tuple(_globbed(project, kept)) or linter.default, command.folder


def _telling(linter: Linter, words: Sequence[str]) -> Iterator[str]:
    """Leave out what only changes what is printed."""
    dropped = _NOISY | linter.asking | {*linter.always}
    before = ""
    for word in words:
        if word not in dropped and word.partition("=")[0] not in dropped | _SHOWING and before not in _SHOWING:
            yield word
        before = word


def _globbed(project: Project, words: Sequence[str]) -> Iterator[str]:
    """Put in the files that a shell would."""
    for word in words:
        if "*" in word and not word.startswith(("-", "/")):
            yield from sorted(path.relative_to(project.root).as_posix() for path in project.root.glob(word)) or (word,)
        else:
            yield word


def _shown(command: Named | None) -> str:
    return shlex.join(command.argv if command is not None else ()).replace(UNKNOWN, "…")[:80]
