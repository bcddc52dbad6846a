"""Answers git at once where the very same commit was judged before. Light: git and a person wait for it to load."""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from bot.app.hooks.seals import Seal, describe, find_seal
from bot.errors import AgentError
from bot.git.cachetree import read_root
from bot.git.hooked import point, read_hooked, read_others
from bot.git.launch import discover, environment, launch
from bot.git.plain import read_plain
from bot.git.staged import write_staged

HOOKS = ("pre-commit", "pre-merge-commit")
ORDER = ("hook", "run")
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LAYOUT = r"core\.(autocrlf|eol|attributesfile|filemode|checkroundtripencoding)$|attr\."
"""What decides how the content of files is laid out for those who judge it."""
_SETTINGS = ("config", "--null", "--get-regexp", rf"^(agent\.|{_LAYOUT})")
_NO_SETTINGS = 1
"""How git says that nothing is set."""
NOTHING = Seal(0, "")


class Place(NamedTuple):
    """The repository of a hook, as far as an answer needs it."""

    common_dir: Path
    staged: Path
    """The index that the commit is made of."""
    merging: Path
    """Where git notes down what a merge brings in."""
    base: str
    """The tree that the commit comes after."""


def answer(argv: list[str]) -> int | None:
    """Answer a hook, with what was said of the same commit before; None for everything that has to be looked at."""
    if tuple(argv[:2]) != ORDER:
        return None
    if os.environ.get("GIT_AGENT", "").lower() == "off":
        return 0
    try:
        known = find_known(os.environ, Path.cwd()) if len(argv) == len(ORDER) + 1 and argv[-1] in HOOKS else None
        if known is not None and known.text and sys.stderr is not None:
            sys.stderr.write(known.text)
    # Whatever is odd, who looks closer can say what it is
    except (AgentError, OSError, ValueError):
        return None
    except KeyboardInterrupt:
        return 130
    return None if known is None else known.code


def find_known(environ: Mapping[str, str], folder: Path) -> Seal | None:
    """Find what was answered of the commit that git is about to make. Raises AgentError, OSError."""
    hooked = read_hooked(environ, folder)
    where = point(hooked)
    paths = ("--git-path", "index", "--git-path", "MERGE_HEAD")
    facts = ("--path-format=absolute", "--git-common-dir", *paths, "HEAD^{tree}")
    place = _place(discover(folder, *where, "rev-parse", *facts).output, hooked.index)
    if place is None:
        return None
    staged = read_plain(place.staged)[0]
    tree = read_root(staged, len(place.base) // 2) or write_staged(where, folder, staged)
    if tree == place.base:
        return NOTHING
    settings = read_settings(where, environ, folder)
    if not tree or settings is None:
        return None
    commit = (tree, place.base, *read_others(hooked, place.merging))
    return find_seal(place.common_dir, describe(commit, place.merging.parent, settings, environ))


def _place(told: bytes, index: Path | None) -> Place | None:
    lines = os.fsdecode(told).removesuffix("\n").split("\n")
    if len(lines) != len(Place._fields) or not _ID.fullmatch(lines[-1]):
        return None
    return Place(Path(lines[0]), index or Path(lines[1]), Path(lines[2]), lines[-1])


def read_settings(where: tuple[str, ...], environ: Mapping[str, str], folder: Path) -> bytes | None:
    """Return all that a person has set, as git prints it; None where it does not."""
    # What `git -c agent.key=value commit` hands on
    given = {name: environ[name] for name in ("GIT_CONFIG_PARAMETERS",) if name in environ}
    told = launch((*where, *_SETTINGS), {**environment(), **given}, folder, b"")
    return told.output if told.code in (0, _NO_SETTINGS) else None
