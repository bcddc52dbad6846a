"""What the job that publishes knows by itself of where a run may stand, and of who allowed what."""

from dataclasses import dataclass

from bot.app.github.destination import Earlier
from bot.app.github.door import Door
from bot.app.github.memory import Memory, is_own, recall_pulls
from bot.core.allowance import SEAL, approve, seal, waiting
from bot.core.approval import Decision
from bot.core.event import Decided, Event
from bot.core.handover import Handover
from bot.core.hub import PullRequest
from bot.core.publication.marker import Attempt
from bot.core.trailers import parse_trailers
from bot.errors import ForgeNotFound, UsageError
from bot.forge.github.client import GitHub
from bot.git.names import is_ours
from bot.git.objects import AGENT
from bot.git.quarantine import open_quarantine
from bot.git.remote import Remote, fetch, tips
from bot.git.trail import PREFIX, is_run, read_saved
from bot.git.trail import tips as find_tips
from bot.git.vetting import vet

MOST_TOLD = 250
"""Commits of a pull request that GitHub tells of."""
ABOVE = ("identical", "ahead")
"""How a branch stands to a commit that it holds."""


@dataclass(frozen=True, slots=True)
class Ground:
    """Where the commits of a run may stand, and where they may go."""

    bases: frozenset[str]
    ref: str
    """The branch that they are on, short."""
    talked: PullRequest | None
    """The pull request that the order is about, where it is gone on with; None where its content is replaced."""
    earlier: Earlier
    runs: frozenset[str] = frozenset()
    """Those that we told of here before."""


def find_ground(door: Door, claim: Handover, memory: Memory) -> Ground:
    """Find out which commits a run may stand on. Raises UsageError where it names others, ForgeError."""
    talked = _talked(door)
    replaces = door.order.verb == "retry" and talked is not None and is_ours(talked.head_ref)
    earlier = _earlier(door, memory, talked if replaces else None)
    refs = [ref for ref in dict.fromkeys((*_refs(door, talked), earlier.branch)) if ref]
    if claim.base.ref not in refs:
        raise UsageError("what was handed over is for another branch than the order is about")
    named = dict.fromkeys(filter(None, (claim.base.then, claim.base.now)))
    bases = frozenset(commit for commit in named if any(holds(door.github, commit, ref) for ref in refs))
    if claim.base.then not in bases:
        raise UsageError("what was handed over begins with a commit that is on no branch which the order is about")
    runs = frozenset(attempt.run for attempt in _told(door, memory, talked))
    return Ground(bases, claim.base.ref, None if replaces else talked, earlier, runs)


def _told(door: Door, memory: Memory, talked: PullRequest | None) -> tuple[Attempt, ...]:
    """List the attempts that our own comment or pull request tells of."""
    own = recall_pulls([talked] if talked is not None else [], door.rules)
    return (*memory.state.attempts, *own)


def _refs(door: Door, talked: PullRequest | None) -> tuple[str, ...]:
    """List the branches that an order may be about; the one that moved on its own comes last."""
    trigger = door.trigger
    if talked is not None:
        # Nobody asked for somebody's branch to go where it is to be merged
        return (talked.head_ref, talked.base_ref) if is_ours(talked.head_ref) else (talked.head_ref,)
    return (trigger.head.ref if trigger.run is not None else "", trigger.base, trigger.default_branch)


def holds(github: GitHub, commit: str, ref: str) -> bool:
    """Say whether a branch has a commit. Raises ForgeError."""
    try:
        return github.compare(commit, ref) in ABOVE
    except ForgeNotFound:
        return False


def _talked(door: Door) -> PullRequest | None:
    trigger = door.trigger
    if trigger.pull:
        return door.github.pull(trigger.number)
    if trigger.run is None:
        return None
    if is_ours(trigger.head.ref):
        return next(iter(door.github.pulls(head=trigger.head.ref)), None)
    return door.github.pull(trigger.page) if trigger.page else None


def _earlier(door: Door, memory: Memory, replaced: PullRequest | None) -> Earlier:
    """Find what we left here before, where it is still open."""
    state = memory.state
    if replaced is not None:
        return Earlier(replaced.head_ref, _left(door, memory, replaced), replaced)
    # On somebody's pull request each order in words is a task of its own, which takes no other one's place
    apart = door.trigger.pull and door.order.verb == "fix" and bool(door.order.words or door.trigger.spot)
    if not state.pull or apart:
        return Earlier()
    try:
        pull = door.github.pull(state.pull)
    except ForgeNotFound:
        return Earlier()
    # A comment is only as good as its writer, and the pull request has one as well
    ours = pull.open and is_own(pull.author, door.rules) and pull.head_ref == state.branch
    return Earlier(state.branch, _left(door, memory, pull), pull) if ours and is_ours(state.branch) else Earlier()


def _left(door: Door, memory: Memory, pull: PullRequest) -> str:
    """Tell where we left a branch of ours: where it stands, if we ever left it there."""
    tips = [attempt.tip for attempt in _told(door, memory, pull) if attempt.tip]
    if pull.head_sha in tips and _is_ours_alone(door, pull):
        return pull.head_sha
    return next((tip for tip in reversed(tips) if tip != pull.head_sha), "")


def _is_ours_alone(door: Door, pull: PullRequest) -> bool:
    """Say whether there are no commits of others on a branch, below ours as well: those must never go."""
    who = f"{AGENT.name} <{AGENT.email}>"
    told = door.github.pull_commits(pull.number)
    ours = all({commit.author, commit.committer} == {who} and parse_trailers(commit.message) for commit in told)
    return ours and len(told) < MOST_TOLD


def read_kept(remote: Remote, run: str) -> tuple[Event, ...]:
    """Read the record of a run as it was published before; nothing where it was not. Raises GitFailed."""
    name = PREFIX + run
    with open_quarantine() as other:
        if not is_run(run) or name not in tips(other.git, remote, [name]):
            return ()
        fetch(other.git, remote, [f"{name}:{name}"], depth=1)
        return vet(run, read_saved(other.repository, find_tips(other.repository, run)[run]))


def find_grants(door: Door, kept: tuple[Event, ...]) -> tuple[Decision, ...]:
    """Collect what a person allowed: what the record that was published before says, and what this very order does.

    Raises UsageError where the order names other questions than those that wait.
    """
    told = [event.decision for event in kept if isinstance(event, Decided)]
    given = [decision for decision in told if decision.allowed and decision.by == "person"]
    if door.order.verb != "approve" or not kept:
        return tuple(given)
    asked = waiting(kept)
    named = SEAL.match(door.order.words)
    if named and named["seal"] != seal(asked):
        raise UsageError("what was allowed is not what the run waits for", "look at it, then give the order again")
    who = door.trigger.author.login if door.trigger.author else ""
    return (*given, *(event.decision for event in approve(asked, who)))
