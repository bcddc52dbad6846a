"""Keeps what was answered of a commit, where nothing but what can be told at once has a part in it."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.app.bay import Bay
from bot.app.hooks.quick import read_settings
from bot.app.hooks.seals import LARGEST, MOST, SECTION, Seal, describe, stamp, write
from bot.core.check import Check
from bot.git.candidate import Candidate
from bot.git.conversion import outside_attributes
from bot.git.repository import Repository
from bot.git.results import GitShelf
from bot.sandbox.carrying import CARRY
from bot.verify.fingerprint import Outside, Unknowable, find_installed, find_outlying
from bot.verify.interpreter import ENVIRONMENTS, libraries
from bot.verify.reuse import OLDEST, OPEN, is_reusable

VERIFIED = Seal(0, "")
"""What is answered of a tree that a run has verified: nothing more is to be said of it."""


def keep_seal(
    repository: Repository, bay: Bay, candidate: Candidate, seal: Seal, *, checks: Sequence[Check], begun: float
) -> bool:
    """Keep what was answered of a commit, and say whether it could be; `begun` is the time when judging began.

    `checks` are all that were asked.
    """
    return keep_answer(repository, bay, describe_commit(repository, candidate), seal, checks, begun)


def seal_verified(
    repository: Repository, bay: Bay, candidate: Candidate, *, checks: Sequence[Check], begun: float
) -> bool:
    """Let a commit go through at once: a run has verified its tree by these checks."""
    return keep_answer(repository, bay, describe_commit(repository, candidate), VERIFIED, checks, begun)


def shelf_of(repository: Repository) -> GitShelf:
    """Open the shelf that seals lie on."""
    return GitShelf(repository, most=MOST, section=SECTION, lifetime=OLDEST)


def describe_commit(repository: Repository, candidate: Candidate) -> str | None:
    """Put together what is known of a commit at once; None where git does not tell what is set."""
    where = (f"--git-dir={repository.git_dir}", f"--work-tree={repository.root}")
    settings = read_settings(where, os.environ, repository.root)
    if settings is None:
        return None
    commit = (candidate.tree, candidate.base, *candidate.others)
    return describe(commit, repository.git_dir, settings, os.environ)


def keep_answer(
    repository: Repository, bay: Bay, described: str | None, seal: Seal, checks: Sequence[Check], begun: float
) -> bool:
    """Keep an answer to what was described, and say whether it could be; see `keep_seal`."""
    if described is None or not _is_sealable(bay, seal, checks):
        return False
    try:
        watched = tuple(map(stamp, sorted(set(_watch(bay, repository.common_dir, checks)))))
    except (OSError, Unknowable):
        return False
    # What was changed while it was judged may have had a part in it or not
    if any(one.modified >= begun * 1e9 for one in watched):
        return False
    raw = write(seal, watched, OLDEST)
    if len(raw) > LARGEST:
        return False
    shelf_of(repository).put(described, raw)
    return True


def _is_sealable(bay: Bay, seal: Seal, checks: Sequence[Check]) -> bool:
    """Tell whether the code that was judged could not have written it, and the world had no part in it."""
    outside = bay.outside
    if bay.executor.isolation in OPEN or bay.shelf is None or outside is None:
        return False
    carries = bay.built or outside.facts or not all(map(_is_environment, outside.carried))
    return not carries and not bay.redactor.holds(seal.text) and all(map(is_reusable, checks))


def _is_environment(path: Path) -> bool:
    return (path / "pyvenv.cfg").is_file()


def _watch(bay: Bay, common_dir: Path, checks: Sequence[Check]) -> Iterator[str]:
    """Name what has to be as it was. Raises OSError, Unknowable."""
    outside = bay.outside or Outside(Path())
    prefixes = [*outside.carried]
    for python in (bay.interpreter.path, Path(sys.executable)):
        yield str(python)
        prefixes.append(python.parent.parent)
    for prefix in dict.fromkeys(prefixes):
        yield str(prefix / "pyvenv.cfg")
        for library in {*libraries(prefix)}:
            yield from map(str, (library, *find_installed(library)))
            if any(find_outlying(library, outside.root)):
                raise Unknowable
    # One that comes into being is used from then on
    yield from (str(outside.root / place / "bin" / name) for place in ENVIRONMENTS for name in ("python", "python3"))
    yield from (str(outside.root / place) for place in CARRY if place not in ENVIRONMENTS)
    yield from map(str, outside_attributes(common_dir))
    yield from (check.argv[0] for check in checks if check.argv and check.argv[0].startswith("/"))
