"""Where commits go: the branch that they are pushed to, and the pull request that asks for them."""

from typing import NamedTuple

from bot.core.handover import Handover
from bot.core.hub import PullRequest
from bot.errors import UsageError
from bot.git.names import is_ours


class Earlier(NamedTuple):
    """What we left at this place before."""

    branch: str = ""
    tip: str = ""
    """Where we left the branch."""
    pull: PullRequest | None = None
    """Our own pull request, where it is still open."""


class Destination(NamedTuple):
    """Where the commits of a run go."""

    branch: str
    """Short."""
    expected: str
    """Where the branch has to stand for it to be moved, a full commit id; empty where it must not exist."""
    base: str
    """The branch that is asked to take them, short."""
    pull: PullRequest | None = None
    """The pull request to update; None for a new one."""
    why: str = ""
    """What a person should know of the choice; empty where it is the usual one."""


def aim(handover: Handover, talked: PullRequest | None, earlier: Earlier) -> Destination:
    """Choose where the commits of a run go. Raises UsageError where that would be a branch which is not ours.

    `talked` is the pull request that the event is about, `earlier` what we left there before.
    """
    branch = handover.branch
    if not is_ours(branch, handover.run):
        raise UsageError(f"{branch[:80]!r} is not a branch that git agent makes for {handover.run[:80]!r}")
    if talked is not None and is_ours(talked.head_ref):
        return _onto(talked, handover, branch, talked.head_sha)
    base = talked.head_ref if talked is not None else handover.base.ref
    if earlier.pull is not None and is_ours(earlier.branch) and earlier.pull.base_ref == base:
        return _instead(earlier, branch, base)
    return Destination(branch, "", base)


def _onto(pull: PullRequest, handover: Handover, branch: str, tip: str) -> Destination:
    """Go on on a branch of ours, whoever else has put commits on it: they are below what the run made."""
    if tip == handover.base.then and handover.base.state in ("same", "unknown"):
        return Destination(pull.head_ref, tip, pull.base_ref, pull)
    if tip == handover.base.now and handover.base.state == "rebased":
        return Destination(pull.head_ref, tip, pull.base_ref, pull)
    return Destination(branch, "", pull.head_ref, why=f"{pull.head_ref} was changed meanwhile, and is left as it is")


def _instead(earlier: Earlier, branch: str, base: str) -> Destination:
    """Take the place of what an earlier run left, unless somebody has built on it."""
    assert earlier.pull is not None, "asked for before"
    if earlier.pull.head_sha == earlier.tip:
        return Destination(earlier.branch, earlier.tip, base, earlier.pull)
    why = f"{earlier.branch} has commits that are not ours, and is left as it is"
    return Destination(branch, "", base, why=why)
