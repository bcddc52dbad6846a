"""Which versions of a tool a project asks for, beside the one that would be lent to it."""

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, NamedTuple

from bot.verify.detection.hooks import HOOKS
from bot.verify.detection.project import Project, Section, normal
from bot.verify.interpreter import LENT

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

_SOURCES = {"ruff": ("ruff", "ruff-check", "ruff-format")}
"""Ids of the hooks that are a tool, where they are not called like it."""


class Pin(NamedTuple):
    """What a project asks of a tool's version."""

    versions: "SpecifierSet"
    place: str


def lent(project: Project, tool: str) -> str:
    """Say that a tool is git agent's own, and where that is not the version that the project asks for."""
    told = unmet(project, tool)
    return f"{LENT}, {told}" if told else LENT


def unmet(project: Project, tool: str, have: str = "") -> str:
    """Say which version a tool is in, and which the project asks for; empty where they agree.

    `have` is the version, where it is not git agent's own tool.
    """
    have = have or _own(tool)
    pins = (pin for pin in _pins(project, tool) if have and not pin.versions.contains(have, prereleases=True))
    found = next(pins, None)
    if found is None:
        return ""
    wanted = str(found.versions).removeprefix("==")
    return f"in version {have} where the project names {wanted} ({found.place})"


def refusal(project: Project) -> str:
    """Say why ruff would not even start for the project; empty when it would."""
    have = _own("ruff")
    for settings, place in _settings(project):
        wanted = _specifier(str(settings.get("required-version", "")))
        if wanted is not None and have and not wanted.contains(have, prereleases=True):
            return f"{place} requires version {wanted}, and git agent's own is {have}"
    return ""


def precedes(project: Project, tool: str, version: str, have: str) -> bool:
    """Tell whether a project asks for a tool from before a version, and has it from then or later; see `unmet`."""
    here = _specifier(f">={version}")
    have = have or _own(tool)
    if here is None or not have or not here.contains(have, prereleases=True) or not unmet(project, tool, have):
        return False
    pins = (limit for pin in _pins(project, tool) for limit in pin.versions)
    return any(
        limit.operator in ("==", "~=", "<", "<=") and not here.contains(limit.version.removesuffix(".*"))
        for limit in pins
    )


class Rules(NamedTuple):
    """What a project changes in what ruff looks for by default."""

    more: tuple[str, ...]
    ignored: tuple[str, ...]


def rules(project: Project) -> Rules | None:
    """Read what is added to the rules of ruff, and left out; None where they are chosen, or not told in one place."""
    told = [settings for settings, _ in _settings(project) if settings]
    tables = [table for settings in told for table in (settings, settings.get("lint")) if isinstance(table, dict)]
    if len(told) > 1 or any("select" in table or "extend" in table for table in tables):
        return None

    def listed(*names: str) -> tuple[str, ...]:
        values = [table.get(name) for table in tables for name in names]
        return tuple(str(word) for value in values if isinstance(value, list) for word in value)

    return Rules(listed("extend-select"), listed("ignore", "extend-ignore"))


def _own(tool: str) -> str:
    try:
        return version(tool)
    except PackageNotFoundError:
        return ""


def _pins(project: Project, tool: str) -> Iterator[Pin]:
    for name in _SOURCES.get(tool, (tool,)):
        hook = project.hooks.get(name)
        pinned = _specifier(f"=={hook.version.removeprefix('v')}") if hook is not None and hook.version else None
        if pinned is not None:
            yield Pin(pinned, f"the hook {name} in {HOOKS}")
    for text in project.asked():
        if normal(text) == tool and (found := _requirement(text)) is not None:
            yield Pin(found, f"its requirement {text.strip()[:60]}")


def _settings(project: Project) -> Iterator[tuple[Section, str]]:
    yield project.tool("ruff") or {}, "[tool.ruff] in pyproject.toml"
    for name in ("ruff.toml", ".ruff.toml"):
        yield project.toml(name), name


def _specifier(text: str) -> "SpecifierSet | None":
    """Read a set of versions, of which a bare one stands for itself; None for none."""
    bare = text.strip()
    if not bare:
        return None
    # Takes a while to load, and few projects say in which version they want a tool
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415

    try:
        return SpecifierSet(f"=={bare}" if bare[:1].isdigit() else bare)
    except InvalidSpecifier:
        return None


def _requirement(text: str) -> "SpecifierSet | None":
    from packaging.requirements import InvalidRequirement, Requirement  # noqa: PLC0415 - see _specifier

    try:
        return Requirement(text.partition("#")[0].strip()).specifier or None
    except InvalidRequirement:
        return None
