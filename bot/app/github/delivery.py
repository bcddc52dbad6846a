"""Pushes what was found to hold, and opens or updates the pull request that asks for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from bot.app.github.destination import Destination
from bot.app.github.door import Door, log
from bot.app.github.inspection import Inspection
from bot.app.github.pulls import Page, open_pull
from bot.core.handover import Handover
from bot.core.hub import PullRequest
from bot.core.publication.pull import note_undone
from bot.git.plumbing import Plumbing
from bot.git.quarantine import Quarantine
from bot.git.remote import Move, Pushed, push_all, tips
from bot.git.run import Git
from bot.git.trail import PREFIX

HEADS = "refs/heads/"
LABEL = "git-agent"
"""Put on pull requests of ours where the repository has it."""
BARE = "the token may not push workflow files: what the run would do to them is not kept, and an approval finds nothing"
WHY: Mapping[str, str] = {
    "moved": "the branch was pushed to by somebody else meanwhile",
    "protected": "rules of the repository protect the branch",
    "workflows": "the token may not change workflow files",
    "too-large": "it holds a file that is larger than GitHub takes",
    "denied": "the token may not push: the job needs `contents: write`",
    "hooked": "a rule of the repository refused the push",
    "shallow": "the server does not take commits whose history it does not know",
    "unreachable": "GitHub could not be reached, or broke off",
}


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
        nothing = self.door.github.compare(begun, pull.base_ref) in ("identical", "ahead")
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
        record = self._record()
        pushed = self._send_all(record, *branches)
        if pushed.kind == "workflows":
            # A record holds none of the project's files, which may look as if it took them away
            pushed = self._send_all(record._replace(sha=bare(self.quarantine.git, record.sha)), *branches)
            pushed = pushed._replace(detail=BARE) if pushed.kind == "ok" else pushed
        return pushed

    def _send_all(self, *moves: Move) -> Pushed:
        told = push_all(self.quarantine.git, self.door.remote, moves)
        return next((each for each in told if each.kind != "ok"), told[-1])

    def open(self, destination: Destination, page: Page) -> Delivered:
        """Open the pull request, or update the one that is there; where that is not allowed, say where to do it."""
        opened = open_pull(self.door.github, destination, page)
        if opened.pull is not None and destination.pull is None:
            self.door.github.add_labels(opened.pull.number, [LABEL])
        return Delivered(destination, pushed=True, **opened._asdict())


def bare(git: Git, record: str) -> str:
    """Make the same record without the commits of its steps above it, which a branch has as well. Raises GitFailed."""
    message = git.output("log", "-1", "--no-show-signature", "--format=%B", record, "--").decode("utf-8", "replace")
    return Plumbing(git).commit(git.line("rev-parse", f"{record}^{{tree}}"), [], message)


def explain_push(pushed: Pushed) -> str:
    """Say why nothing was pushed."""
    said = f" ({pushed.detail})" if pushed.detail else ""
    return f"{WHY.get(pushed.kind, 'the push was refused')}{said}"
