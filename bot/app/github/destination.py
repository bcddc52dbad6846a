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


class Work(NamedTuple):
    """What a run made, as far as it decides where that may go."""

    stack: frozenset[str]
    """Its commits, and the one that they stand on."""
    deeds: frozenset[str] = frozenset()
    """Every commit that its record knows to be a step, taken back or not."""
    back: bool = False
    """Whether it takes steps back, so that commits of ours may go."""


def aim(handover: Handover, work: Work, talked: PullRequest | None, earlier: Earlier) -> Destination:
    """Choose where the commits of a run go. Raises UsageError where that would be a branch which is not ours.

    `talked` is the pull request that the event is about, `earlier` what we left there before.
    """
    branch, base = handover.branch, handover.base.ref
    if not is_ours(branch, handover.run):
        raise UsageError(f"{branch[:80]!r} is not a branch that git agent makes for {handover.run[:80]!r}")
    if talked is not None and is_ours(talked.head_ref):
        return _onto(talked, work, branch, base)
    if earlier.pull is not None and is_ours(earlier.branch) and base in (earlier.pull.base_ref, earlier.branch):
        return _instead(earlier, branch, base)
    return Destination(branch, "", base)


def _onto(pull: PullRequest, work: Work, branch: str, base: str) -> Destination:
    """Go on on a branch of ours, from where it is: whoever put commits there, they stay."""
    if pull.head_sha in work.stack or (work.back and pull.head_sha in work.deeds):
        return Destination(pull.head_ref, pull.head_sha, pull.base_ref, pull)
    return Destination(
        branch, "", base, why=f"{pull.head_ref} has commits that are not of this run: it is left as it is"
    )


def _instead(earlier: Earlier, branch: str, base: str) -> Destination:
    """Take the place of what an earlier run left, unless somebody has built on it."""
    assert earlier.pull is not None, "asked for before"
    if earlier.pull.head_sha == earlier.tip:
        return Destination(earlier.branch, earlier.tip, earlier.pull.base_ref, earlier.pull)
    why = f"{earlier.branch} has commits that are not ours: it is left as it is"
    return Destination(branch, "", base, why=why)
