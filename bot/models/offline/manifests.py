"""What a project says it depends on, and the smallest edit that makes it say one thing more."""

import configparser
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from bot.models.offline.distributions import normal
from bot.models.offline.source import indent_of

Sort: TypeAlias = Literal["runtime", "extra", "lock"]
"""Needed by whoever uses the project; in an extra, a group or a file for some purpose; only pinned."""

REQUIREMENT = re.compile(r"\s*(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?)\s*(?=$|[\[<>=!~;(@\s,])")
PINNED = re.compile(r'^\s*name = "(?P<name>[A-Za-z0-9._-]{1,100})"\s*$', re.MULTILINE)
LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml")
DEPENDENCIES = re.compile(r"^dependencies\s*=\s*\[", re.MULTILINE)
PROJECT = re.compile(r"^\[project\][ \t]*(?:#.*)?$", re.MULTILINE)
TABLE = re.compile(r"^\[", re.MULTILINE)
MODEST = ("project.scripts", "project.gui-scripts", "project.entry-points", "tool.setuptools.package-data")
"""Tables of which a value may change because it names something that is not there."""


class Listed(NamedTuple):
    """One place where a project names a distribution."""

    name: str
    """As registries compare it."""
    sort: Sort
    path: str
    group: str
    """For a person: `the extra html`."""
    requirement: str
    """As it is written."""


class _Strict(configparser.RawConfigParser):
    """Keeps the letter case of names."""

    def optionxform(self, optionstr: str) -> str:
        """Leave a name as it is."""
        return optionstr


def read_manifests(texts: Mapping[str, str]) -> tuple[Listed, ...]:
    """List what manifests ask for, in their order."""
    return tuple(listed for path, text in texts.items() for listed in _read(path, text))


def is_manifest(path: str) -> bool:
    """Whether a file is one of those that are read here."""
    name = path.rpartition("/")[2]
    return name in ("pyproject.toml", "setup.cfg", *LOCKS) or _is_requirements(path)


def _is_requirements(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    return name.endswith((".txt", ".in")) and ("require" in name or folder.rpartition("/")[2] == "requirements")


def _read(path: str, text: str) -> Iterator[Listed]:
    name = path.rpartition("/")[2]
    if name in LOCKS:
        for found in PINNED.finditer(text):
            yield Listed(normal(found["name"]), "lock", path, "the lock", found["name"])
    elif name == "pyproject.toml":
        yield from _pyproject(path, read_toml(text))
    elif name == "setup.cfg":
        yield from _setup(path, text)
    else:
        sort: Sort = "runtime" if name in ("requirements.txt", "requirements.in") else "extra"
        lines = (re.sub(r"(?:^|\s)#.*", "", line).rstrip("\\ ").strip() for line in text.split("\n"))
        yield from _each([line for line in lines if not line.startswith("-")], sort, path, f"the file {path}")


def read_toml(text: str) -> dict[str, Any]:
    """Parse TOML; empty for what is none."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _each(requirements: object, sort: Sort, path: str, group: str) -> Iterator[Listed]:
    for written in requirements if isinstance(requirements, list) else ():
        found = REQUIREMENT.match(written) if isinstance(written, str) else None
        if found:
            yield Listed(normal(found["name"]), sort, path, group, written)


def table_of(told: object, *names: str) -> dict[str, Any]:
    """Return a table by its path; empty when there is none."""
    for name in names:
        told = told.get(name) if isinstance(told, dict) else None
    return told if isinstance(told, dict) else {}


def _pyproject(path: str, told: Mapping[str, object]) -> Iterator[Listed]:
    yield from _each(table_of(told, "project").get("dependencies"), "runtime", path, "project.dependencies")
    for extra, wanted in table_of(told, "project", "optional-dependencies").items():
        yield from _each(wanted, "extra", path, f"the extra {extra}")
    for group, wanted in table_of(told, "dependency-groups").items():
        yield from _each(wanted, "extra", path, f"the group {group}")
    for tool in ("uv", "pdm"):
        wanted = table_of(told, "tool", tool).get("dev-dependencies")
        pairs = wanted.items() if isinstance(wanted, dict) else [("dev", wanted)]
        for group, each in pairs:
            yield from _each(each, "extra", path, f"the group {group}")
    for environment, each in table_of(told, "tool", "hatch", "envs").items():
        for key in ("dependencies", "extra-dependencies"):
            yield from _each(table_of(each).get(key), "extra", path, f"the environment {environment}")
    yield from _poetry(path, table_of(told, "tool", "poetry"))


def _poetry(path: str, poetry: Mapping[str, object]) -> Iterator[Listed]:
    for name, value in table_of(poetry, "dependencies").items():
        optional = isinstance(value, dict) and value.get("optional") is True
        sort: Sort = "extra" if optional else "runtime"
        yield Listed(normal(name), sort, path, "tool.poetry.dependencies" + " (optional)" * optional, name)
    groups = {name: table_of(group, "dependencies") for name, group in table_of(poetry, "group").items()}
    for group, wanted in {**groups, "dev": {**table_of(poetry, "dev-dependencies"), **groups.get("dev", {})}}.items():
        for name in wanted:
            yield Listed(normal(name), "extra", path, f"the group {group}", name)


def read_ini(text: str) -> dict[str, dict[str, str]]:
    """Parse an ini file; empty for what is none."""
    parser = _Strict(strict=True, default_section="\0", allow_no_value=True)
    try:
        parser.read_string(text)
    except (configparser.Error, AttributeError):
        return {}
    return {section: {name: value or "" for name, value in parser.items(section)} for section in parser.sections()}


def _setup(path: str, text: str) -> Iterator[Listed]:
    told = read_ini(text)
    runtime = told.get("options", {}).get("install_requires", "").split("\n")
    yield from _each(runtime, "runtime", path, "options.install_requires")
    yield from _each(told.get("options", {}).get("tests_require", "").split("\n"), "extra", path, "tests_require")
    for extra, wanted in told.get("options.extras_require", {}).items():
        yield from _each(wanted.split("\n"), "extra", path, f"the extra {extra}")


def add_runtime(path: str, text: str, requirement: str) -> str | None:
    """Return a manifest that asks for one distribution more, all else as it was; None when that cannot be made sure."""
    name = path.rpartition("/")[2]
    new = (
        _add_to_array(text, requirement)
        if name == "pyproject.toml"
        else _add_to_setup(text, requirement)
        if name == "setup.cfg"
        else _add_line(text, requirement)
    )
    return new if new is not None and is_modest(path, text, new) and new != text else None


def _add_to_array(text: str, requirement: str) -> str | None:
    """Write one more item into the list of a pyproject.toml, as its neighbours are written."""
    head = PROJECT.search(text)
    after = TABLE.search(text, head.end()) if head else None
    found = DEPENDENCIES.search(text, head.end(), after.start() if after else len(text)) if head else None
    if found is None or any(mark in requirement for mark in ("'''", '"""', "\\", "\n")):
        return None
    items = _items(text, found.end())
    if items is None:
        return None
    *spans, close = items
    quote = text[spans[0][0]] if spans else '"'
    quote = ("'" if quote == '"' else '"') if quote in requirement else quote
    item = f"{quote}{requirement}{quote}"
    names = [_name(text[start + 1 : end - 1]) for start, end in spans]
    at = _place(names, _name(requirement))
    if not spans:
        return (
            f"{text[: close[0]].rstrip()}{item}{text[close[0] :]}" if "\n" not in text[found.end() : close[0]] else None
        )
    several = "\n" in text[found.end() : close[0]]
    if at < len(spans):
        start = spans[at][0]
        gap = text[text.rfind("\n", 0, start) : start] if several else " "
        gap = gap if not gap.strip() else " "
        return f"{text[:start]}{item},{gap}{text[start:]}"
    return _after_last(text, spans[-1], item, several=several)


def _after_last(text: str, last: tuple[int, int], item: str, *, several: bool) -> str:
    """Put an item behind the last one; a remark behind that one stays with it."""
    start, end = last
    if not several:
        return f"{text[:end]}, {item}{text[end:]}"
    row = text[text.rfind("\n", 0, start) + 1 : start]
    comma = re.match(r"[ \t]*,", text[end:])
    line = text.find("\n", end)
    if row.strip() or line < 0 or "]" in text[end:line].partition("#")[0]:
        return f"{text[:end]}, {item}{text[end:]}"
    rest = text[end:line] if comma else f",{text[end:line]}"
    return f"{text[:end]}{rest}\n{row}{item}{',' if comma else ''}{text[line:]}"


def _items(text: str, start: int) -> list[tuple[int, int]] | None:
    """Give where the strings of a list stand, quotes included, and at the end where its bracket closes."""
    spans: list[tuple[int, int]] = []
    token = re.compile(
        r"(?P<space>[\s,]+)|(?P<remark>#[^\n]*)|(?P<item>\"(?:[^\"\\\n]|\\.)+\"|'[^'\n]+')|(?P<close>\])"
    )
    at = start
    while found := token.match(text, at):
        at = found.end()
        if found.lastgroup == "item":
            spans.append(found.span())
        elif found.lastgroup == "close":
            return [*spans, found.span()]
    return None


def _name(requirement: str) -> str:
    found = REQUIREMENT.match(requirement)
    return normal(found["name"]) if found else ""


def _place(names: Sequence[str], name: str) -> int:
    """Return where a name belongs: at its place in the alphabet when the others stand so, else at the end."""
    if len(names) < 2 or list(names) != sorted(names):  # noqa: PLR2004 - one alone has no order
        return len(names)
    return next((at for at, other in enumerate(names) if other > name), len(names))


def _add_to_setup(text: str, requirement: str) -> str | None:
    found = re.search(r"^install_requires *= *\n(?P<lines>(?:[ \t]+\S.*\n?)+)", text, re.MULTILINE)
    return (
        f"{text[: found.start('lines')]}{_add_line(found['lines'], requirement)}{text[found.end('lines') :]}"
        if found
        else None
    )


def _add_line(lines: str, requirement: str) -> str:
    rows = lines.split("\n")
    asked = [at for at, row in enumerate(rows) if _name(row)]
    indent = indent_of(rows[asked[0]]) if asked else ""
    at = _place([_name(rows[at]) for at in asked], _name(requirement))
    index = asked[at] if at < len(asked) else asked[-1] + 1 if asked else max(0, len(rows) - 1)
    return "\n".join([*rows[:index], f"{indent}{requirement}", *rows[index:]])


def is_modest(path: str, old: str, new: str) -> bool:
    """Whether a manifest only asks for more of what it lists already, or names another thing where one was missing."""
    name = path.rpartition("/")[2]
    if name == "pyproject.toml":
        return _modest_toml(old, new)
    if name == "setup.cfg":
        return _modest_ini(old, new)
    before, after = ([row for row in text.split("\n") if row.strip()] for text in (old, new))
    more = [row for row in after if row not in before]
    return _is_requirements(path) and [row for row in after if row in before] == before and all(map(_name, more))


def _modest_toml(old: str, new: str) -> bool:
    before, after = read_toml(old), read_toml(new)
    if not before or not after:
        return False
    kept, now = (
        table_of(before, "project").pop("dependencies", None),
        table_of(after, "project").pop("dependencies", None),
    )
    if kept != now and not _grown(kept, now):
        return False
    return _without_names(before) == _without_names(after)


def _grown(before: object, after: object) -> bool:
    """Whether a list has only become longer, and nothing of it changed."""
    if not isinstance(before, list) or not isinstance(after, list):
        return False
    more = [each for each in after if each not in before]
    return [each for each in after if each in before] == before and all(isinstance(each, str) for each in more)


def _without_names(told: dict[str, Any]) -> dict[str, Any]:
    """Leave out the values that say where something is; the keys stay."""
    for dotted in MODEST:
        *parents, last = dotted.split(".")
        parent = table_of(told, *parents)
        if isinstance(parent.get(last), dict) and last != "package-data":
            parent[last] = sorted(map(str, parent[last]))
        elif last in parent:
            parent.pop(last)
    return told


def _modest_ini(old: str, new: str) -> bool:
    before, after = read_ini(old), read_ini(new)
    kept, now = (told.get("options", {}).pop("install_requires", "").split("\n") for told in (before, after))
    return bool(before) and before == after and _grown(kept, now)
