"""Brings a run's branch to where its record says that it stands."""

from bot.errors import UsageError
from bot.git.names import is_ours
from bot.git.repository import Repository
from bot.git.store import open_store

_FACTS = "--format=%P%x00%(trailers:key=Agent-Run,valueonly)%x00%(trailers:key=Agent-Step,valueonly)"


def reconcile(repository: Repository, branch: str, run: str, head: str, step: int) -> None:
    """Take a commit off the branch that a kill kept out of the record: the one on top of `head` that is step `step`.

    Raises UsageError when the branch stands elsewhere for any other reason.
    """
    ref = f"refs/heads/{branch}"
    store = open_store(repository)
    tip = store.read_ref(ref)
    if tip is None or tip == head:
        return
    if not is_ours(branch, run) or not _unrecorded(repository, tip, run, head, step):
        raise UsageError(
            f"the branch {branch} stands at {tip[:12]}, not where {run} left it ({head[:12]})",
            f"move it back with git branch -f {branch} {head[:12]}, or give it another name, then resume",
        )
    if place := repository.place_of(branch):
        raise UsageError(f"the branch {branch} is checked out in {place}", "switch to another branch there first")
    store.move_ref(ref, head, tip)


def _unrecorded(repository: Repository, tip: str, run: str, head: str, step: int) -> bool:
    told = repository.shared.output("log", "-1", "--no-show-signature", _FACTS, tip, "--").decode("utf-8", "replace")
    parents, made_by, number = (field.strip() for field in told.split("\0"))
    return (parents, made_by, number) == (head, run, str(step))
