"""Tells whether mypy would run code of a tree: then nothing that it writes down can be lent to other trees."""

import configparser
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from bot.verify.detection.project import parse_ini, read_text, table
from bot.verify.interpreter import Interpreter, libraries

INI = ("mypy.ini", ".mypy.ini", "setup.cfg")


def foreign_plugins(root: Path, folder: str, interpreter: Interpreter) -> bool:
    """Tell whether a plugin that the configuration names is not, or not for sure, one of the installed libraries."""
    python = interpreter.path if "mypy" in interpreter.modules else Path(sys.executable)
    installed = list(libraries(python.parent.parent))
    places = [place for place in (root / folder, *(root / folder).parents) if place.is_relative_to(root)]
    try:
        named = [name for place in places for name in _named(place)]
    except (configparser.Error, tomllib.TOMLDecodeError, RecursionError):
        return True
    return not all(_is_installed(name, installed) for name in named)


def _named(place: Path) -> Iterator[str]:
    told = table(tomllib.loads(read_text(place / "pyproject.toml") or ""), "tool", "mypy") or {}
    listed = told.get("plugins", [])
    yield from map(str, listed) if isinstance(listed, list) else _words(str(listed))
    for name in INI:
        yield from _words(parse_ini(read_text(place / name) or "").get("mypy", {}).get("plugins", ""))


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[\s,]+", text) if word]


def _is_installed(name: str, installed: list[Path]) -> bool:
    """A plugin is named as a module, or as a module and an entry of it; as a path it is a file of the tree."""
    top = re.match(r"(\w+)(?:\.\w+)*(?::\w+)?\Z", name)
    return top is not None and any(
        (library / top[1]).is_dir() or (library / f"{top[1]}.py").is_file() for library in installed
    )
