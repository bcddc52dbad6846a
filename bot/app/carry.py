"""Which things of a person's checkout go along into the trees that are judged, although no commit holds them."""

import glob
import os
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.app.desk import Desk, blob
from bot.core.change import readable
from bot.core.stale import is_built, stale_builds
from bot.git.submodules import Submodule, find_submodules
from bot.git.untracked import list_edited, list_untracked
from bot.sandbox.carrying import CARRY

MOST_BUILT = 64
"""Extension modules that are carried without being asked for."""
_VERSION_FILES = (
    ("tool", "setuptools_scm", "version_file"),
    ("tool", "setuptools_scm", "write_to"),
    ("tool", "hatch", "build", "hooks", "vcs", "version-file"),
)
"""Where a project names a file that its build writes the version into."""


@dataclass(frozen=True, slots=True)
class Carriage:
    """What goes along."""

    patterns: tuple[str, ...]
    """As the executors take them."""
    built: tuple[str, ...] = ()
    """Extension modules and generated version files among it, as paths from the root."""
    stale: tuple[str, ...] = ()
    """Extension modules whose sources in the checkout are not those of the base."""
    submodules: tuple[Submodule, ...] = ()
    """Those of the base, whether they go along or not."""

    @property
    def standing(self) -> tuple[Submodule, ...]:
        """Submodules whose checkout is the commit that the base names."""
        return tuple(found for found in self.submodules if not found.trouble)

    @property
    def places(self) -> tuple[str, ...]:
        """Where they are, each with a slash behind it."""
        return tuple(f"{place}/" for place in _places(self.standing))

    @property
    def facts(self) -> tuple[str, ...]:
        """What else results depend on."""
        return tuple(f"submodule {found.path} {found.commit}" for found in self.standing)

    def notes(self, *, folders: bool) -> Iterator[str]:
        """Say what was not asked for; `folders` is whether folders can go along."""
        if self.built:
            yield f"carried from your checkout, as built there: {_some(self.built)}"
        if self.stale:
            yield f"built from sources that are not those of the base: {_some(self.stale)}"
        if folders and self.standing:
            yield f"carried from your checkout, at the commit that the base names: {_some(_places(self.standing))}"
        extra = [f"{found.path}/{name}" for found in self.standing for name in found.extra] if folders else ()
        if extra:
            yield f"carried in submodules although no commit holds it: {_some(tuple(map(_shown, extra)))}"
        for trouble in dict.fromkeys(found.trouble for found in self.submodules if found.trouble):
            places = _places([found for found in self.submodules if found.trouble == trouble])
            yield f"submodule not carried: {_some(places)}: {_shown(trouble)}"


def choose_carriage(desk: Desk) -> Carriage:
    """Choose what goes along; what was built in place does not where the project has it built in the clean tree."""
    named = {os.path.normpath(pattern) for pattern in desk.settings.carry}
    # What a person carries by name goes along however it stands
    submodules = tuple(s for s in find_submodules(desk.repository, desk.base) if s.path not in named)
    standing = (glob.escape(found.path) for found in submodules if not found.trouble)
    wanted = (*CARRY, *desk.settings.carry, *standing)
    if desk.settings.prepare:
        return Carriage(wanted, submodules=submodules)
    untracked = list_untracked(desk.repository)
    built = [path for path in untracked if is_built(path) and _plain(desk.repository.root / path)][:MOST_BUILT]
    versions = [path for path in version_files(blob(desk.repository, desk.base, "pyproject.toml")) if path in untracked]
    edited = list_edited(desk.repository, desk.base) if built else ()
    found = (*built, *versions)
    patterns = (*wanted, *map(glob.escape, found))
    stale = stale_builds(edited, built)
    return Carriage(patterns, tuple(map(_shown, found)), tuple(map(_shown, stale)), submodules)


def version_files(pyproject: bytes | None) -> tuple[str, ...]:
    """Name the files that a build writes the version into, as a pyproject.toml tells them."""
    try:
        document: Any = tomllib.loads((pyproject or b"").decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return ()
    return tuple(dict.fromkeys(path for keys in _VERSION_FILES if (path := _text(document, keys))))


def _text(document: Any, keys: Sequence[str]) -> str:
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return os.path.normpath(document) if isinstance(document, str) and document else ""


def _plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _shown(path: str) -> str:
    return readable(os.fsencode(path))


def _places(submodules: Sequence[Submodule]) -> tuple[str, ...]:
    return tuple(_shown(found.path) for found in submodules)


def _some(paths: Sequence[str], most: int = 5) -> str:
    more = f" and {len(paths) - most} more" if len(paths) > most else ""
    return ", ".join(paths[:most]) + more
