"""Reads the commands of tox, in either of its two spellings."""

import configparser
import re
from collections.abc import Iterator, Mapping, Sequence

from bot.verify.detection.commands import ROOT, SITE, UNKNOWN, Named, bare, harmless, join, read_script
from bot.verify.detection.project import Ini, Project, Section, parse_ini, table

_REFERENCE = re.compile(r"\{\[([^\[\]]+)\]([\w-]+)\}")
_POSARGS = re.compile(r"\{posargs(?::((?:[^{}]|\{[^{}]*\})*))?\}|\[\]")
_ENVIRONMENT = re.compile(r"\{env:\w+(?::((?:[^{}]|\{[^{}]*\})*))?\}")
_FACTORS = re.compile(r"^!?[\w.{},!-]+(?:,\s*!?[\w.{},!-]+)*:\s+")
_LEFT = re.compile(r"\{[^{}]*\}")
_KNOWN: Mapping[str, str] = {
    "{toxinidir}": ROOT,
    "{tox_root}": ROOT,
    "{toxworkdir}": UNKNOWN,
    "{envsitepackagesdir}": SITE,
    "{env_site_packages_dir}": SITE,
    "{envpython}": "python",
    "{env_python}": "python",
    "{envbindir}/": "",
    "{env_bin_dir}/": "",
    "{/}": "/",
    "{:}": ":",
}
_DEEPEST = 4


def read_tox(project: Project) -> Iterator[Named]:
    """List the commands of the project's tox environments, those that are run by default first."""
    for file in ("tox.ini", "setup.cfg"):
        yield from _ini(project.ini.get(file, {}), file)
    yield from _native(project.toml("tox.toml"), "tox.toml", "")
    own = project.tool("tox") or {}
    yield from _native(own, "pyproject.toml", "tool.tox.")
    if isinstance(legacy := own.get("legacy_tox_ini"), str):
        try:
            yield from _ini(parse_ini(legacy), "pyproject.toml")
        except configparser.Error:
            return


def _ini(sections: Ini, file: str) -> Iterator[Named]:
    names = [name for name in sections if name == "testenv" or name.startswith("testenv:")]
    for name in sorted(names, key=_rank):
        keys = sections[name]
        place = keys.get("changedir", keys.get("change_dir", sections.get("testenv", {}).get("changedir", "")))
        folder = join("", _known(place, sections)) if place.strip() else ""
        variables = harmless(_variables({**sections.get("testenv", {}), **keys}, sections))
        for line in re.sub(r"\\\n\s*", " ", keys.get("commands", "")).splitlines():
            text = _known(line, sections).strip()
            factors = _FACTORS.match(text)
            condition = factors[0].strip(" :") if factors is not None else ""
            for spoken in read_script(_FACTORS.sub("", text).lstrip("-! "), {}):
                given = (*variables, *spoken.environment)
                yield Named(spoken.argv, file, f"[{name}] commands", folder, given, condition)


def _variables(keys: Mapping[str, str], sections: Ini) -> Iterator[tuple[str, str]]:
    """Read the variables that an environment sets, those of single factors left out."""
    for line in (keys.get("setenv") or keys.get("set_env") or "").splitlines():
        name, equals, value = line.partition("=")
        if equals and ":" not in name:
            yield name.strip(), _known(value.strip(), sections)


def _rank(name: str) -> tuple[int, str]:
    env = name.partition(":")[2]
    return (0 if not env else 1 if re.match(r"py|test|unit", env) else 2, "")


def _known(text: str, sections: Ini, depth: int = 0) -> str:
    """Put in what is known, and mark what only tox knows."""

    def value(match: re.Match[str]) -> str:
        found = sections.get(match[1], {}).get(match[2])
        return UNKNOWN if found is None or depth > _DEEPEST else _known(found, sections, depth + 1)

    text = _REFERENCE.sub(value, text)
    text = _POSARGS.sub(lambda match: match[1] or "", text)
    text = _ENVIRONMENT.sub(lambda match: UNKNOWN if match[1] is None else match[1], text)
    for name, known in _KNOWN.items():
        text = text.replace(name, known)
    return _LEFT.sub(UNKNOWN, text)


def _native(document: Section, file: str, header: str) -> Iterator[Named]:
    environments: dict[str, object] = {"env_run_base": document.get("env_run_base")}
    environments |= {f"env.{name}": found for name, found in (table(document, "env") or {}).items()}
    for name in sorted(environments, key=lambda name: _rank(name.replace("env_run_base", "").replace("env.", ":"))):
        settings = table(environments[name]) or {}
        place = settings.get("change_dir")
        folder = join("", _known(place, {})) if isinstance(place, str) else ""
        given = table(settings, "set_env") or table(environments["env_run_base"], "set_env") or {}
        variables = harmless((key, _known(value, {})) for key, value in given.items() if isinstance(value, str))
        commands = settings.get("commands")
        for command in commands if isinstance(commands, list) else ():
            if argv := bare(_words(command)):
                yield Named(argv, file, f"[{header}{name}] commands", folder, variables)


def _words(command: object) -> Sequence[str]:
    """Return the words of a command, of which some are tables that stand for what the caller gives."""
    words: list[str] = []
    for word in command if isinstance(command, list) else ():
        if isinstance(word, str):
            words.append(_known(word, {}))
        elif (found := table(word)) is not None:
            words += _replaced(found)
    return words


def _replaced(found: Section) -> Sequence[str]:
    default = found.get("default")
    if found.get("replace") != "posargs" and default is None:
        return (UNKNOWN,)
    return tuple(str(item) for item in default) if isinstance(default, list) else ()
