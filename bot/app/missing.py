"""Names what a base lacks in a clean tree and the person's checkout has."""

import glob
import os
import shlex
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from bot.app.proving.lacking import Lack, read_lacks
from bot.core.change import readable
from bot.core.check import CheckResult
from bot.core.paths import refuse_read
from bot.git.repository import Repository
from bot.git.untracked import list_submodules, list_untracked

MOST = 5
"""Paths that are suggested."""
SHORTEST = 2
"""Components of a path from elsewhere that must agree."""


def suggest_carry(repository: Repository, results: Sequence[CheckResult], carried: Collection[str]) -> tuple[str, ...]:
    """Say which path to carry, for things that checks did not find and that lie untracked in the checkout."""
    bad = [result for result in results if result.status in ("failed", "errored")]
    lacks = dict.fromkeys(lack for result in bad for lack in read_lacks(result))
    if not lacks:
        return ()
    entries = [*list_untracked(repository), *(f"{path}/" for path in list_submodules(repository))]
    found = dict.fromkeys(entry for lack in lacks for entry in _match(repository.root, lack, entries))
    there = {path.rstrip("/") for path in carried}
    paths = [path for path in (entry.rstrip("/") for entry in found) if path not in there and not refuse_read(path)]
    return tuple(map(_suggest, paths[:MOST]))


def _suggest(path: str) -> str:
    shown, pattern = readable(os.fsencode(path)), readable(os.fsencode(glob.escape(path)))
    if len(pattern.split()) > 1:
        return f"the checks lack {shown}, which no commit holds; to carry it: carry = [{pattern!r}] in [tool.git-agent]"
    command = f"git config --add agent.carry {shlex.quote(pattern)}"
    return f"the checks lack {shown}, which no commit holds; to carry it: {command}"


def _match(root: Path, lack: Lack, entries: Sequence[str]) -> Iterator[str]:
    if lack.is_module:
        yield from (entry for entry in entries if _is_module(entry, lack.name.split(".")))
        return
    tails = _tails(root, lack.name)
    yield from (entry for entry in entries for tail in tails if _holds(root, entry, tail))


def _is_module(entry: str, parts: Sequence[str]) -> bool:
    """Tell whether a file is a module or holds a name of that module, or a folder is a package above it."""
    *above, last = entry.rstrip("/").split("/")
    steps = [*above, last if entry.endswith("/") else last.partition(".")[0]]
    lengths = range(1, len(parts) + 1) if entry.endswith("/") else range(max(1, len(parts) - 1), len(parts) + 1)
    return any(steps[-length:] == list(parts[:length]) for length in lengths)


def _tails(root: Path, name: str) -> tuple[str, ...]:
    """List what a path may be called from the root: as it is, or without the folder that a tree was in."""
    path = os.path.normpath(name)
    if not path.startswith("/"):
        return (path,)
    if Path(path).is_relative_to(root):
        return (str(Path(path).relative_to(root)),)
    parts = path.strip("/").split("/")
    return tuple("/".join(parts[start:]) for start in range(len(parts) - SHORTEST + 1))


def _holds(root: Path, entry: str, path: str) -> bool:
    """Tell whether a path is an entry, or lies in one that is a folder; a folder may be what is missing, too."""
    if path == entry.rstrip("/"):
        return True
    return entry.endswith("/") and path.startswith(entry) and os.path.lexists(root / path)
