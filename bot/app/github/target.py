"""The branch at GitHub that a run from a person's machine is for, and what became of it since the run began."""

import os
from collections.abc import Iterator

from bot.app.finished import full_ref, is_ancestor, remote_refs, short
from bot.app.github.grounds import holds
from bot.app.github.home import Home
from bot.core.change import readable
from bot.core.handover import Base
from bot.errors import GitFailed, UsageError
from bot.git.bundle import HEADS
from bot.git.mergeability import conflicts, name_clashes
from bot.git.names import is_ours
from bot.git.remote import fetch, tips

MOST = 8
"""Branches that are looked at."""


def find_base(home: Home, commit: str, asked: str = "") -> Base:
    """Find a branch there that holds the commit a run begins with, `asked` before all. Raises UsageError, ForgeError.

    Else the branch that the person is on, then the default one, then what else the remote was seen to have.
    """
    refs = list(dict.fromkeys(filter(None, (asked, *_candidates(home, commit)))))[:MOST]
    stands = tips(home.repository.shared, home.remote, [HEADS + ref for ref in refs])
    for ref in refs:
        now = stands.get(HEADS + ref, "")
        if now and (now == commit or holds(home.github, commit, ref)):
            return Base(ref=ref, then=commit, now=now)
    text = f"{commit[:10]}, where the run begins, is on no branch of {home.known.full_name} that we know"
    raise UsageError(text, f"bring it there first: git push {readable(os.fsencode(home.name))} BRANCH")


def _candidates(home: Home, commit: str) -> Iterator[str]:
    """Name the branches that a run may have begun on, the likeliest first."""
    here = full_ref(home.repository)
    if here.startswith(HEADS) and not is_ours(short(here)) and is_ancestor(home.repository, commit, here):
        yield short(here)
    yield home.known.default_branch
    prefix = f"refs/remotes/{home.name}/"
    names = (ref.removeprefix(prefix) for ref in remote_refs(home.repository, commit) if ref.startswith(prefix))
    yield from (name for name in names if name != "HEAD" and not is_ours(name))


def hold_against(home: Home, base: Base, tip: str) -> Base:
    """Say how a run's last commit stands to the branch by now. Raises UsageError where that has it already."""
    if base.now == base.then:
        return base
    git = home.repository.shared
    try:
        # Nothing but objects
        fetch(git, home.remote, [HEADS + base.ref])
        if is_ancestor(home.repository, tip, base.now):
            text = f"{base.ref} of {home.known.full_name} holds all of it already"
            raise UsageError(text, "there is nothing to ask for")
    except GitFailed as error:
        return base.model_copy(update={"state": "unknown", "detail": error.message[:500]})
    clashes = conflicts(git, tip, base.now)
    if clashes is None:
        detail = "whether it can be merged could not be found out"
        return base.model_copy(update={"state": "unverified", "detail": detail})
    if clashes:
        return base.model_copy(update={"state": "conflicts", "detail": name_clashes(clashes)})
    return base.model_copy(update={"now": base.then, "later": base.now})
