"""Names that we make: branches that nobody else uses."""

import re
from contextlib import suppress
from itertools import chain, count

from bot.errors import GitFailed, UsageError
from bot.git.objects import Store
from bot.git.repository import Repository
from bot.git.store import open_store

LONGEST = 60
_TAKEN = ("refs/heads/", "refs/tags/", "refs/remotes/")


def choose_branch(repository: Repository, slug: str, run: str) -> str:
    """Choose a branch name for a run that is free here and on every remote that we know of."""
    taken = {name.casefold() for name in _names(repository)}
    # A branch `agent` leaves no room for `agent/...`, here or on the remote
    prefix = "agent-" if "agent" in taken else "agent/"
    tail = f"-{_plain(run)}"
    for number in count(1):
        end = tail if number == 1 else f"{tail}-{number}"
        name = prefix + (_plain(slug)[: LONGEST - len(prefix) - len(end)].strip("-") + end).lstrip("-")
        if name not in taken and not any(other.startswith(f"{name}/") for other in taken):
            return name
    raise AssertionError("numbers do not end")


def is_ours(branch: str, run: str = "") -> bool:
    """Say whether a name is one that we make, for this run when one is named.

    No other branch is ever moved or deleted, whatever a record says.
    """
    if not run:
        return branch.startswith(("agent/", "agent-"))
    return re.fullmatch(rf"agent[/-](?:[a-z0-9-]*-)?{_plain(run)}(?:-[0-9]+)?", branch) is not None


def claim(repository: Repository, store: Store, branch: str, base: str, at: str) -> None:
    """Make the branch, or find it where the run left it. Raises UsageError."""
    ref = f"refs/heads/{branch}"
    tip = store.read_ref(ref)
    if tip is None:
        store.create_ref(ref, at or base)
    elif tip != at:
        raise UsageError(
            f"the branch {branch} exists and stands at {tip[:12]}", hint="choose another name, or resume its run"
        )
    elif place := repository.place_of(branch):
        raise UsageError(f"the branch {branch} is checked out in {place}", hint="switch to another branch there first")


def drop_empty(repository: Repository, store: Store, branch: str, base: str) -> None:
    """Take a branch away that carries nothing of ours, unless a person stands on it."""
    ref = f"refs/heads/{branch}"
    with suppress(GitFailed):
        if store.read_ref(ref) == base and not repository.place_of(branch):
            store.delete_ref(ref, base)


def _names(repository: Repository) -> set[str]:
    """Return the short names of all branches and tags; remote ones with and without the remote's name."""
    store = open_store(repository)
    refs = chain.from_iterable((ref.name.removeprefix(kind) for ref in store.refs(kind)) for kind in _TAKEN)
    names = set(refs)
    # A remote's own name may hold slashes
    return names | {name[at + 1 :] for name in names for at, c in enumerate(name) if c == "/"}


def _plain(text: str) -> str:
    """Keep what is safe in every shell, file system and pattern."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:LONGEST]
