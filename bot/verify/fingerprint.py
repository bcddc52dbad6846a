"""What a result depends on besides the tree and the check: the interpreter, what is installed, and ourselves."""

import functools
import json
import os
import platform
import sys
from collections.abc import Iterator
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import bot
from bot.core.variables import tell_variables
from bot.verify.interpreter import Interpreter, libraries

MOST = 5000
"""Entries of a folder outside the tree; with more nobody looks whether it is as it was, and nothing is reused."""
INSTALLED = (".dist-info", ".egg-info", ".egg-link", ".pth")


class Outside(NamedTuple):
    """What checks see of the person's machine besides the interpreter."""

    root: Path
    """The person's checkout: what is installed from there is the tree itself."""
    carried: tuple[Path, ...] = ()
    """What is put into a tree, and what was prepared for it."""
    facts: tuple[str, ...] = ()
    """What else is known of that, such as the commits that submodules stand at."""


class Unknowable(Exception):
    """Something that results depend on cannot be taken in at a glance."""


def fingerprint(outside: Outside, interpreter: Interpreter, isolation: str) -> str | None:
    """Digest what results depend on besides the tree; None when that cannot be told."""
    told = blake2b(digest_size=24)
    try:
        for fact in _facts(outside, interpreter, isolation):
            told.update(fact.encode("utf-8", "surrogateescape") + b"\0")
    except (OSError, Unknowable):
        return None
    return told.hexdigest()


def program(name: str) -> str:
    """Describe the file of a program that a check names by its path."""
    try:
        return _stamp(Path(name)) if name.startswith("/") else ""
    except OSError:
        return ""


def _facts(outside: Outside, interpreter: Interpreter, isolation: str) -> Iterator[str]:
    yield from (bot.__version__, _ourselves(), isolation, platform.platform(), str(os.getuid()))
    yield from tell_variables(os.environ)
    yield from ("interpreter", str(interpreter.path), *sorted(interpreter.modules))
    for python in dict.fromkeys((interpreter.path, Path(sys.executable))):
        yield _stamp(python)
        for library in sorted({*libraries(python.parent.parent)}):
            yield from _installed(library, outside.root)
    yield from outside.facts
    for path in outside.carried:
        yield f"carried {path}"
        yield from _content(path)


@functools.cache
def _ourselves() -> str:
    """Digest the code that asks and reads: the version alone does not change while it is being worked on."""
    told = blake2b(digest_size=24)
    folder = Path(__file__).parent
    for path in sorted(folder.rglob("*.py")):
        told.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return told.hexdigest()


def _stamp(path: Path) -> str:
    state = path.stat()
    return f"{path.resolve()} {state.st_size} {state.st_mtime_ns}"


def find_installed(library: Path) -> tuple[Path, ...]:
    """List what says which distributions a library holds, in order."""
    with os.scandir(library) as found:
        return tuple(sorted(Path(entry.path) for entry in found if entry.name.endswith(INSTALLED)))


def find_outlying(library: Path, root: Path) -> Iterator[Path]:
    """Find the folders that a library leads to, short of the tree itself and of ourselves. Raises Unknowable."""
    for path in find_installed(library):
        yield from (target for target in _targets(path, library) if _is_outlying(target, root))


def _installed(library: Path, root: Path) -> Iterator[str]:
    """Describe the distributions of a library; a folder that one leads to is part of it, unless it is the tree."""
    yield f"library {library}"
    for path in find_installed(library):
        yield f"{path.name} {path.stat().st_mtime_ns}"
        for target in _targets(path, library):
            yield f"leads to {target}"
            if _is_outlying(target, root):
                yield from _content(target)


def _targets(path: Path, library: Path) -> Iterator[Path]:
    yield from _editable(path)
    yield from _listed(path, library)


def _is_outlying(target: Path, root: Path) -> bool:
    known = any(place.is_relative_to(target) for place in (root, Path(__file__)))
    return not known and not target.is_relative_to(root)


def _editable(path: Path) -> Iterator[Path]:
    """Tell where a distribution really lies."""
    source = path / "direct_url.json"
    if path.suffix == ".dist-info" and source.is_file():
        try:
            told = json.loads(source.read_bytes())
            url = urlsplit(told["url"])
            editable = bool(told.get("dir_info", {}).get("editable"))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise Unknowable from error
        if editable and url.scheme == "file":
            yield Path(unquote(url.path))


def _listed(path: Path, library: Path) -> Iterator[Path]:
    """Read the folders that are added to the search; lines that are code are told by the time of the file."""
    if path.suffix not in (".pth", ".egg-link"):
        return
    for line in path.read_text("utf-8", "replace").splitlines():
        if line.strip() and not line.startswith(("import ", "import\t", "#")):
            place = Path(os.path.normpath(library / line.strip()))
            if place.exists() and not place.is_relative_to(library):
                yield place


def _content(path: Path) -> Iterator[str]:
    """Describe every file at or below a path; a virtual environment is described by what is installed in it."""
    if not path.is_dir():
        yield _stamp(path)
    elif (path / "pyvenv.cfg").is_file():
        yield _stamp(path / "pyvenv.cfg")
        for library in sorted({*libraries(path)}):
            yield from _installed(library, path)
    else:
        entries = list(islice(_walk(str(path)), MOST + 1))
        if len(entries) > MOST:
            raise Unknowable
        yield from sorted(entries)


def _walk(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in (".git", "__pycache__"):
                    yield from _walk(entry.path)
            else:
                state = entry.stat(follow_symlinks=False)
                yield f"{entry.path} {state.st_size} {state.st_mtime_ns}"
