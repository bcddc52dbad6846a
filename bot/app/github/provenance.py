"""Holds commits against the record that claims them: each is a step of its run, and says what the record says of it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.core.branches import Place
from bot.core.check import Verdict
from bot.core.event import Baselined, Committed, Event, Published, Redone, Resumed, Reviewed, Started, Undone, Verified
from bot.core.render import commit_message
from bot.core.trailers import Claim, parse_trailers, state_checks
from bot.git.bundle import HEADS
from bot.git.chain import Commit
from bot.git.names import is_ours
from bot.git.objects import AGENT, Identity

_CHECKS = re.compile(r"^Agent-Checks: .*$", re.MULTILINE)
_BACK = re.compile(
    r"Revert(?::| steps [0-9, ]{1,300} of) [^\n]{1,200}\n\n(?P<commits>(?:This reverts commit [0-9a-f]{40,64}\.\n)+)"
)
_NAMED = re.compile(r"[0-9a-f]{40,64}")


@dataclass(frozen=True, slots=True)
class Deed:
    """What a record says of one commit."""

    steps: frozenset[int]
    message: str = ""
    """What the commit says, all of it but for the checks where nothing tells of those; empty where it takes back."""
    checks: tuple[str, ...] | None = None
    """As the commit states them; None where the record has no verdict on its tree."""
    tree: str = ""
    back: bool = False
    """Whether it takes the steps back."""


def places_of(events: Sequence[Event]) -> Iterator[Place]:
    """Return what became of branches of ours after the steps were made."""
    for event in events:
        if isinstance(event, Undone | Redone | Published):
            yield from (place for place in event.places if is_ours(place.ref.removeprefix(HEADS)))


def find_tip(events: Sequence[Event], branch: str) -> str:
    """Return where a branch stands at the end of a record; empty where it is gone, or was never made."""
    stands = {}
    own = ""
    for event in events:
        match event:
            case Started():
                own = event.branch
                stands[own] = event.task.base
            case Committed():
                stands[own] = event.commit
            case Undone() | Redone():
                stands[own] = event.commit
                stands.update(_after(event.places))
            case Published():
                stands.update(_after(event.places))
            case _:
                pass
    return stands.get(branch, "")


def _after(places: Sequence[Place]) -> Mapping[str, str]:
    return {place.ref.removeprefix(HEADS): place.after for place in places}


def list_deeds(events: Sequence[Event]) -> Mapping[str, Deed]:
    """Return what a record says of each commit of its steps, wherever it stands."""
    started = events[0]
    assert isinstance(started, Started), "a run's first event is Started"
    model, judged = started.model, Verdict(tree="")
    deeds: dict[str, Deed] = {}
    known: dict[str, Verdict] = {}
    subjects: dict[int, str] = {}
    for event in events:
        match event:
            case Resumed():
                model = event.model or model
            case Baselined() | Reviewed():
                known[event.verdict.tree] = event.verdict
            case Verified():
                judged = known[event.verdict.tree] = event.verdict
            case Committed():
                subjects[event.step] = event.subject
                said = _message(started, event.subject, event.body, event.step, judged, model)
                deeds[event.commit] = Deed(frozenset({event.step}), said, state_checks(judged), event.tree)
            case _:
                pass
    for place in places_of(events):
        for made in place.made:
            old = deeds.get(made.commit)
            if old is not None:
                deeds[made.commit] = replace(old, steps=old.steps | {made.step}) if made.back and old.back else old
                continue
            said = (
                ""
                if made.back
                else _message(
                    started, subjects.get(made.step, ""), "", made.step, Verdict(tree="0" * 40), started.model
                )
            )
            deeds[made.commit] = Deed(frozenset({made.step}), said, back=made.back)
    return deeds


def _message(started: Started, subject: str, body: str, step: int, verdict: Verdict, model: str) -> str:
    return commit_message(subject, body, run=started.run, step=step, verdict=verdict, model=model, task=started.task)


def find_lies(commit: Commit, deed: Deed, run: str, who: Identity = AGENT) -> Iterator[str]:
    """Say in what a commit is not what the record and its own trailers call it."""
    name = commit.id[:10]
    if len(commit.parents) != 1:
        yield f"commit {name} has {len(commit.parents)} parents, a step has one"
    if {commit.author, commit.committer} != {f"{who.name} <{who.email}>"} or commit.others:
        yield f"commit {name} is not one that git agent writes: another author, committer or header"
    claim = parse_trailers(commit.message)
    if claim is None:
        yield f"commit {name} does not say in its trailers whose step it is"
        return
    yield from (f"commit {name} {fault}" for fault in _disagree(commit, deed, claim, run))


def _disagree(commit: Commit, deed: Deed, claim: Claim, run: str) -> Iterator[str]:
    if claim.run != run:
        yield "says that it is a step of another run"
    if claim.tree != commit.tree or deed.tree not in ("", commit.tree):
        yield "holds other files than were judged"
    if claim.step not in deed.steps:
        yield f"says that it is step {claim.step}, which it is not in the record"
    if deed.checks is not None and claim.checks != deed.checks:
        yield "states other results of checks than the record"
    if not _as_written(commit, deed):
        yield "has another message than the record gives it"


def _as_written(commit: Commit, deed: Deed) -> bool:
    """Tell whether a message is what our template makes of what the record says."""
    if deed.back:
        return _takes_back(commit.message)
    said, expected = commit.message, deed.message
    if deed.checks is None:
        # Its own trailers have been held against its tree; of the checks nothing else tells
        tree = f"Agent-Tree: {commit.tree}"
        expected = expected.replace(f"Agent-Tree: {'0' * 40}", tree)
        said, expected = (_CHECKS.sub("Agent-Checks: none", text) for text in (said, expected))
    return said == expected


def _takes_back(message: str) -> bool:
    head, _, trailers = message.rstrip("\n").rpartition("\n\n")
    keys = [line.partition(":")[0] for line in trailers.splitlines()]
    ours = ["Agent-Run", "Agent-Step", "Agent-Tree", "Agent-Checks", "Agent-Model", "Assisted-by"]
    return keys == ours and _BACK.fullmatch(f"{head}\n") is not None
