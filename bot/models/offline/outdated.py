"""Looks up what was renamed or removed, in the tables of it."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import NamedTuple

FILES = ("python.toml", "libraries.toml")
NEVER = (99, 0)
SORTS = ("names", "modules", "calls", "steps", "tests", "values", "builtins")


class Row(NamedTuple):
    """Something that is gone, and what stands in its place."""

    sort: str
    """The section that it is in: what the other fields mean."""
    old: str
    new: str
    arguments: int = -1
    """Arguments that a call has; -1 for what is no call."""
    tail: str = ""
    """The attribute of the result that the expression stands for as well."""
    since: str = ""
    """The release that lacks it."""


class Target(NamedTuple):
    """Where the new thing is."""

    module: str
    """Empty for a builtin."""
    name: str
    """Empty for the module itself."""

    @property
    def dotted(self) -> str:
        """The name under which it is found."""
        return ".".join(part for part in (self.module, self.name) if part)


class Tables(NamedTuple):
    """All tables about modules."""

    rows: Mapping[str, tuple[Row, ...]]
    """By the old name."""
    advice: Mapping[str, str]


class Methods(NamedTuple):
    """All tables about objects; the keys begin with an owner, or with a star for any."""

    names: Mapping[str, str]
    calls: Mapping[str, tuple[Row, ...]]
    keywords: Mapping[str, str]
    advice: Mapping[str, str]


def _load(file: str) -> dict[str, dict[str, str | dict[str, str]]]:
    return tomllib.loads(resources.files("bot.models.offline.tables").joinpath(file).read_text("utf-8"))


@cache
def tables() -> Tables:
    """Read what was removed from modules."""
    rows: dict[str, list[Row]] = {}
    advice: dict[str, str] = {}
    for file in FILES:
        loaded = _load(file)
        advice.update(_flat(loaded.get("advice", {})))
        for sort in SORTS:
            for since, entries in loaded.get(sort, {}).items():
                for key, new in entries.items() if isinstance(entries, dict) else ():
                    row = _row(sort, key, new)._replace(since=since)
                    rows.setdefault(row.old, []).append(row)
    found = {old: tuple(together) for old, together in rows.items()}
    return Tables(MappingProxyType(found), MappingProxyType(advice))


@cache
def methods() -> Methods:
    """Read what was removed from objects."""
    loaded = _load("methods.toml")
    calls: dict[str, list[Row]] = {}
    for sort in ("calls", "steps"):
        for key, new in _flat(loaded[sort]).items():
            row = _row(sort, key, new)
            calls.setdefault(row.old, []).append(row)
    return Methods(
        _flat(loaded["names"]),
        MappingProxyType({old: tuple(together) for old, together in calls.items()}),
        _flat(loaded["keywords"]),
        _flat(loaded["advice"]),
    )


def _flat(entries: Mapping[str, object]) -> Mapping[str, str]:
    return MappingProxyType({key: value for key, value in entries.items() if isinstance(value, str)})


def _row(sort: str, key: str, new: str) -> Row:
    old, slash, rest = key.partition("/")
    count, _, tail = rest.partition(".")
    return Row(sort, old, new, int(count) if slash else -1, tail)


def target(new: str) -> Target:
    """Read where a new thing is: MODULE.NAME, MODULE:A.B, MODULE or :BUILTIN."""
    module, colon, name = new.partition(":")
    if not colon:
        module, _, name = new.rpartition(".")
        return Target(module, name) if module else Target(new, "")
    return Target(module, name)


def successor(dotted: str) -> Target | None:
    """Say what a dotted name is called now, if it only has another name or its module has."""
    for row in rows_of(dotted):
        if row.sort == "names":
            return target(row.new)
    moved = moved_module(dotted)
    return Target(moved[1], dotted[len(moved[0]) + 1 :]) if moved else None


def moved_module(dotted: str) -> tuple[str, str] | None:
    """Return the module of a dotted name under its old and its new name, if it has another."""
    for module, _ in _prefixes(dotted):
        for row in rows_of(module):
            if row.sort == "modules":
                return module, row.new
    return None


def _prefixes(dotted: str) -> Iterator[tuple[str, str]]:
    """Give what may be a module in a dotted name, the longest first, and the rest of the name."""
    parts = dotted.split(".")
    for end in range(len(parts), 0, -1):
        yield ".".join(parts[:end]), ".".join(parts[end:])


def rows_of(dotted: str) -> tuple[Row, ...]:
    """Return the rows about one dotted name."""
    return tables().rows.get(dotted, ())


def is_outdated(dotted: str) -> bool:
    """Whether a rule can write something else for a dotted name, or for something in it if it is a module."""
    known = tables().rows
    return any(prefix in known for prefix, _ in _prefixes(dotted)) or any(old.startswith(f"{dotted}.") for old in known)


def advice_on(dotted: str) -> str:
    """Return why nothing is done about a name or its module; empty when nothing is known."""
    return next((known for prefix, _ in _prefixes(dotted) if (known := tables().advice.get(prefix, ""))), "")


def beside(dotted: str) -> frozenset[str]:
    """Return what is gone for the same reason: the other names of the module that went in the same release."""
    home = dotted.rpartition(".")[0]
    releases = {row.since for row in rows_of(dotted)}
    if not home:
        return frozenset({dotted})
    rows = [row for together in tables().rows.values() for row in together if row.old.rpartition(".")[0] == home]
    return frozenset({dotted, *(row.old for row in rows if row.since in releases)})


def gone(version: tuple[int, int]) -> frozenset[str]:
    """Return what a release of Python lacks: names and modules, not builtins."""
    rows = (row for together in tables().rows.values() for row in together if row.sort != "builtins")
    return frozenset(row.old for row in rows if _release(row.since) <= version)


def gone_builtins() -> frozenset[str]:
    """Return the builtins that Python had once."""
    return frozenset(row.old for together in tables().rows.values() for row in together if row.sort == "builtins")


def _release(since: str) -> tuple[int, int]:
    """Read a release of Python; what is none never comes."""
    major, _, minor = since.partition(".")
    return (int(major), int(minor)) if major.isdigit() and minor.isdigit() else NEVER


@cache
def once_of_python() -> frozenset[str]:
    """Return the top-level modules that Python had once, of which some are still there."""
    rows = (row for together in tables().rows.values() for row in together)
    known = {row.old.partition(".")[0] for row in rows if _release(row.since) < NEVER and row.sort != "builtins"}
    return frozenset(known | {old for old in tables().advice if old.isidentifier()} - {"pkg_resources"})
