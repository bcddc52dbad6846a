"""Pushes what was found to hold, and opens or updates the pull request that asks for it."""

from dataclasses import dataclass
from typing import NamedTuple

from bot.app.github.destination import Destination
from bot.app.github.door import Door, log
from bot.app.github.grounds import ABOVE
from bot.app.github.inspection import Inspection
from bot.app.github.pulls import Page, open_pull
from bot.app.github.pushing import send
from bot.core.handover import Handover
from bot.core.hub import PullRequest
from bot.core.publication.pull import note_undone
from bot.git.bundle import HEADS
from bot.git.quarantine import Quarantine
from bot.git.remote import Move, Pushed, tips
from bot.git.trail import PREFIX

LABEL = "git-agent"
"""Put on pull requests of ours where the repository has it."""
BARE = "the token may not push workflow files: what the run would do to them is not kept, and an approval finds nothing"


class Delivered(NamedTuple):
    """What became of the commits."""

    destination: Destination
    pushed: bool
    pull: PullRequest | None = None
    compare: str = ""
    """Where a person can open the pull request by hand, where we could not."""
    trouble: str = ""
    """What kept us from it; one line for a person."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One run on its way to the forge."""

    door: Door
    quarantine: Quarantine
    claim: Handover
    found: Inspection

    def push(self, destination: Destination) -> tuple[Destination, Pushed]:
        """Push branch and record, to a branch of the run's own where somebody else moved the one that was meant."""
        pushed = self._push(destination)
        if pushed.kind == "moved" and destination.branch != self.claim.branch:
            log(f"{destination.branch} was moved meanwhile: it is left as it is")
            why = f"{destination.branch} was pushed to meanwhile, and is left as it is"
            above = destination.expected == self.found.base
            base = destination.branch if above else destination.base
            destination = Destination(self.claim.branch, "", base, why=why)
            pushed = self._push(destination)
        return destination, pushed

    def push_record(self) -> Pushed:
        """Push the record alone, of a run that has no commits to show."""
        return self._send()

    def go_back(self, pull: PullRequest, deeds: frozenset[str]) -> tuple[Pushed, str]:
        """Put a branch of ours back to where the run began, as no step of it is left; what then asks for nothing ends.

        Commits of others are never taken away. Return what became of the push, and of the pull request in words.
        """
        begun = self.found.base
        nothing = self.door.github.compare(begun, pull.base_ref) in ABOVE
        back = pull.head_sha in deeds and not nothing
        pushed = self._send(*((Move(HEADS + pull.head_ref, begun, pull.head_sha),) if back else ()))
        if pushed.kind != "ok" or pull.head_sha not in deeds:
            return pushed, ""
        if nothing:
            self.door.github.edit_pull(pull.number, state="closed")
            return pushed, f"nothing is left that #{pull.number} asks for: it is closed"
        self.door.github.edit_pull(pull.number, body=note_undone(pull.body, self.claim.said))
        return pushed, f"{pull.head_ref} stands at {begun[:10]} again, where this run found it"

    def _record(self) -> Move:
        record = PREFIX + self.claim.run
        there = tips(self.quarantine.git, self.door.remote, [record])
        return Move(record, self.found.record, there.get(record, ""))

    def _push(self, destination: Destination) -> Pushed:
        return self._send(Move(HEADS + destination.branch, self.found.tip, destination.expected))

    def _send(self, *branches: Move) -> Pushed:
        """Push the record, and branches with it or not at all."""
        sent = send(self.quarantine.git, self.door.remote, [self._record(), *branches])
        return sent.pushed._replace(detail=BARE) if sent.bare and sent.pushed.kind == "ok" else sent.pushed

    def open(self, destination: Destination, page: Page) -> Delivered:
        """Open the pull request, or update the one that is there; where that is not allowed, say where to do it."""
        opened = open_pull(self.door.github, destination, page)
        if opened.pull is not None and destination.pull is None:
            self.door.github.add_labels(opened.pull.number, [LABEL])
        return Delivered(destination, pushed=True, **opened._asdict())
