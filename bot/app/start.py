"""Where a run starts: at a commit, or at a snapshot of what a person has not committed yet."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from bot.app.desk import Desk, configured, settle
from bot.app.signals import interruptible
from bot.errors import UsageError
from bot.git.disk import check_space
from bot.git.operation import find_operations
from bot.git.repository import Repository, open_repository
from bot.git.uncommitted import Uncommitted, commit_uncommitted
from bot.settings import Settings, Sources, gather


def open_start(directory: Path, flags: Mapping[str, object], base: str = "") -> Desk:
    """Open the repository around a folder for a new run. Raises UsageError before anything is created."""
    repository = open_repository(directory)
    check_space(repository.root, repository.common_dir)
    # What the project says is read from the base, so that it cannot have a say in which one that is
    wish, _ = gather(Sources(flags, os.environ, configured(repository), None))
    included = _includes(wish, flags, base)
    going_on = tuple(_operations(repository))
    if included:
        with interruptible():
            taken = commit_uncommitted(repository)
        return settle(repository, flags, taken.commit, (*going_on, *_tell(repository, taken)))
    dirty = repository.dirty()
    if dirty and wish.require_clean:
        hint = "commit it, or let the run start from it: --include-uncommitted"
        raise UsageError("there is uncommitted work, and a clean checkout is required", hint=hint)
    commit = repository.resolve(base) if base else repository.default_base()
    return settle(repository, flags, commit, (*going_on, *_left_out(commit, dirty=dirty)))


def _includes(wish: Settings, flags: Mapping[str, object], base: str) -> bool:
    """Say whether a run starts from the uncommitted work. Raises UsageError when the wishes contradict each other."""
    if not wish.include_uncommitted:
        return False
    if wish.require_clean:
        raise UsageError("uncommitted work cannot be included and refused: --include-uncommitted, --require-clean")
    if base and flags.get("include_uncommitted"):
        raise UsageError("--base and --include-uncommitted contradict each other", hint="give one of them")
    # A base that is named for this run is stronger than what holds for all
    return not base


def _operations(repository: Repository) -> Iterator[str]:
    for name in find_operations(repository):
        yield f"a {name} is in progress in your checkout: it stays as it is"


def _left_out(base: str, *, dirty: bool) -> Iterator[str]:
    if dirty:
        yield f"uncommitted work is not included: the run starts from {base[:10]}"


def _tell(repository: Repository, taken: Uncommitted) -> Iterator[str]:
    head = repository.default_base()
    if taken.files:
        count = f"{taken.files} file{'' if taken.files == 1 else 's'}"
        yield f"the base {taken.commit[:10]} is a snapshot of your uncommitted work ({count}) on top of {head[:10]}"
    else:
        yield f"there is no uncommitted work to include: the run starts from {head[:10]}"
    for left in taken.left:
        yield f"not in the snapshot: {left}"
