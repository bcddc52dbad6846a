"""What a project's manifests say of it: what it depends on, how it is entered, what it can be told to do."""

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from bot.verify.detection.project import Ini, Section, normal, parse_ini, table
from bot.verify.detection.recipes import JUSTFILES, MAKEFILES, read_recipes

LARGEST = 300_000
"""Characters of a manifest; more is none."""

Reader: TypeAlias = Callable[[str], str]
"""Gives the text of a file of the base by its path; empty when there is none."""

_NAME = re.compile(r"(?:\./)?[@\w][\w@./:+-]{0,59}")
# Each is bounded, or begins at the beginning of a line: a manifest may be made to keep a pattern busy
_GO = re.compile(r"^(?:require)?[ \t]+([\w.-]+/[\w./~-]+)[ \t]+v[^\n/]*(//[ \t]*indirect)?", re.MULTILINE)
_GEM = re.compile(r"^[ \t]*gem[ (]+['\"]([\w-]+)['\"]", re.MULTILINE)
_ARTIFACT = re.compile(r"<dependency>[^<]*(?:<(?!artifactId)[^<]*){0,20}<artifactId>\s*([\w.-]+)")
_GRADLE = re.compile(
    r"^[ \t]*(?:implementation|api|compile|compileOnly)\b[ (]+['\"]([\w.-]+:[\w.-]+)(?::[^'\"\n]*)?['\"]", re.MULTILINE
)
_SETUP = re.compile(r"\binstall_requires\s*=\s*\[([^\]]{0,4000})\]")
_QUOTED = re.compile(r"['\"]([^'\"\n]{1,200})['\"]")
_SESSION = re.compile(r"^@(?:nox\.)?session\b[^\n]*\n(?:@[^\n]*\n){0,8}def (\w+)", re.MULTILINE)
_ENTRANCE = re.compile(
    r"(?:(?:src|lib|app|apps|packages|cmd|bin)/)?(?:[^/]+/)?(?:__main__\.py|manage\.py|main\.(?:go|rs|py|ts|js))"
)


def dependencies(read: Reader) -> Iterator[str]:
    """Name what the project needs to run, each once, without versions."""
    pyproject = parse_toml(read("pyproject.toml"))
    package = parse_json(read("package.json"))
    found = [
        *map(normal, _strings(pyproject, "project", "dependencies")),
        *(table(pyproject, "tool", "poetry", "dependencies") or {}),
        *(normal(line) for line in read("requirements.txt").split("\n")),
        *(normal(line) for line in _ini(read("setup.cfg")).get("options", {}).get("install_requires", "").split("\n")),
        *(normal(item) for block in _SETUP.findall(read("setup.py")) for item in _QUOTED.findall(block)),
        *(table(package, "dependencies") or {}),
        *(table(package, "peerDependencies") or {}),
        *(module for module, aside in _GO.findall(read("go.mod")) if not aside),
        *(table(parse_toml(read("Cargo.toml")), "dependencies") or {}),
        *(table(parse_json(read("composer.json")), "require") or {}),
        *_GEM.findall(read("Gemfile")),
        *_ARTIFACT.findall(read("pom.xml")),
        *_GRADLE.findall(read("build.gradle") or read("build.gradle.kts")),
    ]
    return _names(name for name in found if name not in ("python", "php"))


def entrances(read: Reader, files: Iterable[str]) -> Iterator[str]:
    """Name the commands that the project installs, with what they call, and the files that are run."""
    pyproject = parse_toml(read("pyproject.toml"))
    for names in (("project", "scripts"), ("project", "gui-scripts"), ("tool", "poetry", "scripts")):
        yield from _pairs(table(pyproject, *names))
    for line in _ini(read("setup.cfg")).get("options.entry_points", {}).get("console_scripts", "").split("\n"):
        name, _, called = line.partition("=")
        yield from _pairs({name.strip(): called.strip()})
    package = parse_json(read("package.json"))
    command = package.get("bin")
    yield from _pairs(command if isinstance(command, dict) else {str(package.get("name")): command})
    yield from _names(each for each in files if _ENTRANCE.fullmatch(each))


def targets(read: Reader) -> Iterator[str]:
    """Tell by which words the project's own tools are told to do something, tool by tool."""
    for tool, names in _targets(read):
        shown = list(_names(names))
        if shown:
            yield f"{tool} {' '.join(shown)}"


def _targets(read: Reader) -> Iterator[tuple[str, Iterable[str]]]:
    for tool, files in (("make", MAKEFILES), ("just", JUSTFILES)):
        recipes = read_recipes(next(filter(None, map(read, files)), ""))
        yield tool, (each.name for each in recipes if each.name[0] not in "._")
    tox = [name.partition(":")[2] for name in _ini(read("tox.ini")) if name.startswith("testenv:")]
    yield "tox -e", (*tox, *(table(parse_toml(read("tox.toml")), "env") or {}))
    yield "nox -s", _SESSION.findall(read("noxfile.py"))
    yield "npm run", table(parse_json(read("package.json")), "scripts") or {}
    tools = table(parse_toml(read("pyproject.toml")), "tool")
    for tool, keys in (("poe", ("poe", "tasks")), ("pdm run", ("pdm", "scripts")), ("pixi run", ("pixi", "tasks"))):
        yield tool, table(tools, *keys) or {}
    for name, settings in (table(tools, "hatch", "envs") or {}).items():
        yield f"hatch run {name}:", table(settings, "scripts") or {}
    yield "composer", table(parse_json(read("composer.json")), "scripts") or {}


def parse_toml(text: str) -> Section:
    """Read TOML; empty when it is none."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def parse_json(text: str) -> Section:
    """Read a JSON object; empty when it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _ini(text: str) -> Ini:
    try:
        return parse_ini(text)
    except configparser.Error:
        return {}


def _strings(document: object, *names: str) -> Iterator[str]:
    *above, name = names
    found = (table(document, *above) or {}).get(name)
    yield from (item for item in found if isinstance(item, str)) if isinstance(found, list) else ()


def _pairs(found: Mapping[str, object] | None) -> Iterator[str]:
    for name, called in (found or {}).items():
        if isinstance(called, str) and _NAME.fullmatch(name) and _NAME.fullmatch(called):
            yield f"{name} = {called}"


def _names(found: Iterable[str]) -> Iterator[str]:
    """Keep what is a name, each once: a manifest can hold any text."""
    return (name for name in dict.fromkeys(found) if _NAME.fullmatch(name))
