"""Whether a change configures a check in another way, so that it has to be asked as a whole."""

import configparser
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TypeAlias

from bot.core.check import Check, Reader
from bot.verify.detection.linters import LINTERS
from bot.verify.detection.project import parse_ini, table

Read: TypeAlias = Callable[[str], bytes | None]
"""Returns the content of a file; None where there is none."""

_PYTEST = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tool.pytest", "tox.ini/pytest",
           "setup.cfg/tool:pytest")  # fmt: skip
_RUFF = ("ruff.toml", ".ruff.toml", "tool.ruff", "project.requires-python")
_OWN: Mapping[Reader, Sequence[str]] = {
    "syntax": (),
    "ruff": _RUFF,
    "ruff-format": _RUFF,
    "mypy": ("mypy.ini", ".mypy.ini", "tool.mypy", "setup.cfg/mypy"),
    "pytest": _PYTEST,
    "unittest": (),
    "exit": (),
}
"""Where a check is configured: names of files, parts of pyproject.toml, `FILE/SECTION` of an ini file."""
_LINTERS = {linter.name: linter.sections for linter in LINTERS}


def is_configured_anew(check: Check, paths: Sequence[str], before: Read, after: Read) -> bool:
    """Tell whether one of the changed paths says something else of a check than before."""
    sections = _LINTERS.get(PurePosixPath(check.argv[0]).name, ()) if check.reader == "lines" else _OWN[check.reader]
    return any(_differs(path, sections, before, after) for path in paths)


def _differs(path: str, sections: Sequence[str], before: Read, after: Read) -> bool:
    name = path.rpartition("/")[2]
    if name in sections:
        return True
    if name == "pyproject.toml":
        wanted = [section.split(".") for section in sections if section.startswith(("tool.", "project."))]
        return _tables(before(path), wanted) != _tables(after(path), wanted)
    named = [section.partition("/")[2] for section in sections if section.startswith(f"{name}/")]
    return bool(named) and _sections(before(path), named) != _sections(after(path), named)


def _tables(content: bytes | None, wanted: Sequence[Sequence[str]]) -> object:
    """Return some parts of a TOML file; one that cannot be read is like no other."""
    try:
        document = tomllib.loads((content or b"").decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return object()
    return [(table(document, *names[:-1]) or {}).get(names[-1]) for names in wanted]


def _sections(content: bytes | None, wanted: Sequence[str]) -> object:
    try:
        told = parse_ini((content or b"").decode("utf-8-sig"))
    except (ValueError, configparser.Error):
        return object()
    return {name: keys for name, keys in told.items() if name.startswith(tuple(wanted))}
