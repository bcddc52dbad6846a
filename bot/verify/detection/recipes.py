"""Finds the commands that a project's own files name, the most telling file first; none is run."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from bot.verify.detection.commands import UNKNOWN, Named, read_script
from bot.verify.detection.hooks import HOOKS
from bot.verify.detection.project import Project, Section, table
from bot.verify.detection.sessions import read_sessions
from bot.verify.detection.toxfile import read_tox
from bot.verify.detection.workflows import Script, scripts
from bot.verify.documents import Unreadable

MAKEFILES = ("Makefile", "GNUmakefile", "makefile")
JUSTFILES = ("justfile", "Justfile", ".justfile")
CI_FILES = (".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", ".circleci/config.yml")
_TELLING = ("tests", "test", "unit", "pytest", "check", "ci", "all")
"""Names under which people keep the command that runs their tests."""
_PLACEHOLDER = re.compile(r"\{(?:args|posargs)(?::([^{}]*))?\}")
_HEAD = re.compile(r"^@?([\w./-]+(?: [\w./-]+)*)(?:\s+[^:=]*)?\s*::?(?!=)\s*([^=]*)$")
_VARIABLE = re.compile(r"^(?:export\s+)?([\w.-]+)\s*(?:[:?+]{0,2}=)\s*(.*)$")
_REFERENCE = re.compile(r"\$[({]([\w.-]+)[)}]|\{\{\s*([\w-]+)\s*\}\}")
_AGAIN = re.compile(r"^\s*[@+-]*\s*(?:\$[({]MAKE[)}]|make|just)\s+([\w.-]+)\s*$")
_DEEPEST = 6
MOST_WORKFLOWS = 100


class Recipe(NamedTuple):
    """A target of a Makefile or justfile."""

    name: str
    needs: tuple[str, ...]
    lines: tuple[str, ...]


class Found(NamedTuple):
    """What the project's files name."""

    commands: tuple[Named, ...]
    """In the order in which they are to be believed."""
    unreadable: tuple[str, ...] = ()
    """Files that are there and cannot be understood."""


def find(project: Project) -> Found:
    """List the commands that the project's files name."""
    found = [*read_tox(project), *read_sessions(project.text("noxfile.py"), "noxfile.py"), *_scripts(project)]
    for file in (*MAKEFILES, *JUSTFILES):
        found += _made(read_recipes(project.text(file)), file)
    found += _hooks(project)
    unreadable: list[str] = []
    found += _workflows(project, unreadable)
    return Found(tuple(found), tuple(unreadable))


def _scripts(project: Project) -> Iterator[Named]:
    """Read the scripts of hatch, poe, PDM and the like."""
    tools = table(project.pyproject, "tool")
    for env, settings in (table(tools, "hatch", "envs") or {}).items():
        yield from _table(table(settings, "scripts"), f"[tool.hatch.envs.{env}.scripts]")
    yield from _table(table(tools, "poe", "tasks"), "[tool.poe.tasks]")
    for tool, key in (("pdm", "scripts"), ("rye", "scripts"), ("taskipy", "tasks"), ("pixi", "tasks")):
        yield from _table(table(tools, tool, key), f"[tool.{tool}.{key}]")


def _table(tasks: Section | None, header: str) -> Iterator[Named]:
    for name in sorted(tasks or {}, key=_rank):
        for text in _texts((tasks or {})[name]):
            plain = _PLACEHOLDER.sub(lambda match: match[1] or "", text)
            for spoken in read_script(plain.replace("{root}", "."), {"args": "", "posargs": ""}):
                yield Named(spoken.argv, "pyproject.toml", f"{header} {name}", spoken.folder, spoken.environment)


def _texts(task: object) -> Iterator[str]:
    """Return the command lines of a task, however it is written."""
    match task:
        case str():
            yield task
        case list():
            words = [item for item in task if isinstance(item, str)]
            yield from words if any(" " in word for word in words) else [" ".join(words)]
        case dict():
            for key in ("cmd", "shell", "command"):
                yield from _texts(task.get(key))
        case _:
            return


def _rank(name: str) -> tuple[int, str]:
    return (next((place for place, word in enumerate(_TELLING) if name == word), len(_TELLING)), name)


def read_recipes(text: str) -> tuple[Recipe, ...]:
    """Read the targets of a Makefile or a justfile, with its plain variables put in."""
    variables = {"MAKE": "make"}
    found: list[Recipe] = []
    for line in re.sub(r"\\\r?\n\s*", " ", text).splitlines():
        if line[:1] in ("\t", " ") and line.strip():
            if found:
                found[-1] = found[-1]._replace(lines=(*found[-1].lines, _put_in(line.strip(), variables)))
        elif match := _VARIABLE.match(line.partition("#")[0].rstrip()):
            variables.setdefault(match[1], _put_in(match[2].strip("\"' "), variables))
        elif match := _HEAD.match(line.partition("#")[0].rstrip()):
            names, needs = match[1].split(), tuple(_put_in(match[2], variables).replace("|", " ").split())
            found += [Recipe(name, needs, ()) for name in names[:1]]
    return tuple(found)


def _put_in(text: str, variables: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        return variables.get(match[1] or match[2], "" if (match[1] or "").isupper() else UNKNOWN)

    return _REFERENCE.sub(value, text).replace("$$", "$")


def gather(recipes: Mapping[str, Recipe], name: str, depth: int = 0) -> tuple[str, ...]:
    """Collect the lines of a target and of all that it leads to, each once."""
    recipe = recipes.get(name)
    if recipe is None or depth > _DEEPEST:
        return ()
    lines: list[str] = []
    for needed in recipe.needs:
        lines += gather(recipes, needed, depth + 1)
    for line in recipe.lines:
        again = _AGAIN.match(line.replace("make make", "make"))
        lines += gather(recipes, again[1], depth + 1) if again else (line,)
    return tuple(dict.fromkeys(lines))


def _made(recipes: tuple[Recipe, ...], file: str) -> Iterator[Named]:
    named = {recipe.name: recipe for recipe in recipes}
    for name in sorted(named, key=_rank):
        for line in named[name].lines:
            for spoken in read_script(line.lstrip("@+-"), {}, one_shell=False):
                yield Named(spoken.argv, file, f"target {name}", spoken.folder, spoken.environment)


def _hooks(project: Project) -> Iterator[Named]:
    """Read the hooks that are commands of their own, and are not given names of files."""
    for hook in project.hooks.values():
        for spoken in read_script(hook.entry, {}) if hook.whole else ():
            yield Named(spoken.argv, HOOKS, f"hook {hook.id}", spoken.folder, spoken.environment)


def _workflows(project: Project, unreadable: list[str]) -> Iterator[Named]:
    folder = project.root / ".github" / "workflows"
    paths = sorted(path for path in folder.glob("*.y*ml") if path.is_file())
    names = sorted((path.name for path in paths), key=lambda name: _rank(name.partition(".")[0]))[:MOST_WORKFLOWS]
    for name in (*(f".github/workflows/{name}" for name in names), *CI_FILES):
        try:
            found = tuple(scripts(project.text(name)))
        except Unreadable:
            unreadable.append(name)
            continue
        for script in found:
            yield from _spoken(script, name)


def _spoken(script: Script, file: str) -> Iterator[Named]:
    for spoken in read_script(script.text, {}):
        folder = "/".join(filter(None, (script.folder, spoken.folder)))
        place = UNKNOWN if UNKNOWN in folder else folder
        yield Named(spoken.argv, file, f"line {script.line}", place, spoken.environment)
