"""Finds out whether a project lints and formats with ruff, and what it has it look at."""

import json
import os
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from bot.core.check import Check, Reader, Rung
from bot.verify.detection import pins
from bot.verify.detection.commands import UNKNOWN, Named, join
from bot.verify.detection.project import Project
from bot.verify.interpreter import OWN, Interpreter, own_script, version_in

_VALUED = frozenset({"--select", "--ignore", "--extend-select", "--extend-ignore", "--exclude", "--extend-exclude",
                          "--line-length", "--target-version", "--per-file-ignores", "--config"})  # fmt: skip
_CHOOSING = frozenset({"--select", "--ignore", "--extend-select", "--extend-ignore", "--config", "--isolated"})
_BEFORE, _RICHER = ("E4", "E7", "E9", "F"), "0.16"
"""What ruff looked for by default, before a version in which that is many times as much."""
_FLAGS = frozenset({"--preview", "--no-preview", "--isolated"})
"""Options that say what is looked for."""
_SHOWING = frozenset({"--output-format", "-o", "--output-file", "--cache-dir"})
_ASKS_FORMAT = frozenset({"--check", "--diff", "--exit-non-zero-on-format"})


class Wanted(NamedTuple):
    """One of the two things that ruff does."""

    name: Reader
    start: tuple[str, ...]
    reason: str
    asking: Sequence[Named]
    """Their own commands."""


def find(project: Project, commands: Sequence[Named], interpreter: Interpreter) -> Iterator[Check | str]:
    """Find the checks of ruff, or say why it would not start."""
    path = interpreter.path.parent / "ruff"
    own = "ruff" in interpreter.modules and path.is_file()
    program, lent = (path, "") if own else (own_script("ruff"), pins.lent(project, "ruff"))
    refused = "" if own else pins.refusal(project)
    for wanted in _wanted(project, commands):
        if refused:
            yield f"{wanted.name} is not run: {refused} ({wanted.reason})"
            continue
        words, reason = _words(project, wanted)
        argv = (str(program), *wanted.start, *_rules(project, wanted, interpreter, own=own), *words)
        yield Check(
            name=wanted.name,
            rung=Rung.STATIC,
            argv=argv,
            reader=wanted.name,
            timeout=120,
            reason=reason + lent,
            borrowed=pins.unmet(project, "ruff") if not own or interpreter.origin == OWN else "",
        )


def _rules(project: Project, wanted: Wanted, interpreter: Interpreter, *, own: bool) -> tuple[str, ...]:
    """Have ruff look by default for what it does in the version that the project names."""
    have = version_in(interpreter.path.parent.parent, "ruff") if own else ""
    chosen = any(word.partition("=")[0] in _CHOOSING for command in wanted.asking for word in command.argv)
    if wanted.name != "ruff" or chosen or not pins.precedes(project, "ruff", _RICHER, have):
        return ()
    told = pins.rules(project)
    if told is None:
        return ()
    # What a command line selects stands for all that the file does
    values = (("select", (*_BEFORE, *told.more)), ("ignore", told.ignored))
    return tuple(word for name, rules in values for word in ("--config", f"lint.{name}={json.dumps(rules)}"))


def _wanted(project: Project, commands: Sequence[Named]) -> Iterator[Wanted]:
    linting = [command for command in commands if command.argv[:2] == ("ruff", "check")]
    formatting = [command for command in commands if command.argv[:2] == ("ruff", "format")]
    formatting = [command for command in formatting if _ASKS_FORMAT & {*command.argv}]
    if reason := _wants_ruff(project, linting):
        yield Wanted("ruff", ("check",), reason, linting)
    if reason := _wants_format(project, formatting):
        yield Wanted("ruff-format", ("format", "--check"), reason, formatting)


def _words(project: Project, wanted: Wanted) -> tuple[tuple[str, ...], str]:
    """Return what their own commands give ruff, and the reason; a hook is run on everything."""
    hooked = {wanted.name, f"{wanted.name}-check"} & project.hooks.keys()
    words = _looks_at(project, wanted.asking) if wanted.asking and not hooked else ()
    if not words or wanted.asking[0].place in wanted.reason:
        return words, wanted.reason
    return words, f"{wanted.reason}, as {wanted.asking[0].place} runs it"


class Given(NamedTuple):
    """What a command gives ruff."""

    options: tuple[str, ...]
    paths: tuple[str, ...]
    """Relative to the root; none where it looks at everything."""


def _looks_at(project: Project, asking: Sequence[Named]) -> tuple[str, ...]:
    """Return the options and paths of their own commands; none where they look at everything or cannot be followed."""
    together = [command for command in asking if command.source == asking[0].source]
    read = [_read(project, command) for command in together]
    known = [given for given in read if given is not None]
    if len(known) < len(read) or len({given.options for given in known}) > 1:
        return ()
    everything = any("." in given.paths or not given.paths for given in known)
    paths = tuple(dict.fromkeys(chain.from_iterable(given.paths for given in known)))
    return (*known[0].options, *(() if everything else ("--", *paths)))


def _read(project: Project, command: Named) -> Given | None:
    """Part the options of a command that say what is looked for from what it looks at; None when that fails."""
    options: list[str] = []
    paths: list[str] = []
    before = ""
    for word in command.argv[2:]:
        if before in _VALUED or word.partition("=")[0] in _VALUED | _FLAGS:
            options.append(word)
        elif not word.startswith("-") and before not in _SHOWING:
            paths.append(join(command.folder, word) or ".")
        before = word if before not in _VALUED | _SHOWING else ""
    if not paths and command.folder:
        paths.append(command.folder)
    moved = bool(command.folder) and any(word.startswith("--config") for word in options)
    known = UNKNOWN not in "".join((*options, *paths)) and all(os.path.lexists(project.root / path) for path in paths)
    return Given(tuple(options), tuple(paths)) if known and not moved else None


def _wants_ruff(project: Project, asking: Sequence[Named]) -> str:
    if project.tool("ruff") is not None:
        return "[tool.ruff] in pyproject.toml"
    if file := project.has("ruff.toml", ".ruff.toml"):
        return file
    if {"ruff", "ruff-check"} & project.hooks.keys():
        return "a hook in .pre-commit-config.yaml"
    return f"{asking[0].place} runs it" if asking else ""


def _wants_format(project: Project, asking: Sequence[Named]) -> str:
    if "format" in (project.tool("ruff") or {}):
        return "[tool.ruff.format] in pyproject.toml"
    if "ruff-format" in project.hooks:
        return "the hook ruff-format in .pre-commit-config.yaml"
    return f"{asking[0].place} runs it" if asking else ""
