"""Pushes what was found to hold, and opens or updates the pull request that asks for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

from bot.app.github.destination import Destination
from bot.app.github.door import Door, log
from bot.app.github.inspection import Inspection
from bot.core.handover import Handover
from bot.core.hub import PullRequest
from bot.errors import ForgeDenied, ForgeError, ForgeRejected
from bot.git.quarantine import Quarantine
from bot.git.remote import Move, Pushed, push_all, tips
from bot.git.trail import PREFIX

HEADS = "refs/heads/"
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


class Page(NamedTuple):
    """What a pull request is to say."""

    title: str
    body: str
    draft: bool


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
        return push_all(self.quarantine.git, self.door.remote, [self._record()])[0]

    def go_back(self, pull: PullRequest, deeds: frozenset[str]) -> Pushed:
        """Put a branch of ours back to where the run began, as no step of it is left; what then asks for nothing ends.

        Commits of others are never taken away.
        """
        begun = self.found.base
        nothing = self.door.github.compare(begun, pull.base_ref) in ("identical", "ahead")
        moves = [self._record()]
        if pull.head_sha in deeds and not nothing:
            moves.append(Move(HEADS + pull.head_ref, begun, pull.head_sha))
        told = push_all(self.quarantine.git, self.door.remote, moves)
        pushed = next((each for each in told if each.kind != "ok"), told[-1])
        if pushed.kind == "ok" and nothing and pull.head_sha in deeds:
            self.door.github.edit_pull(pull.number, state="closed")
        return pushed

    def _record(self) -> Move:
        record = PREFIX + self.claim.run
        there = tips(self.quarantine.git, self.door.remote, [record])
        return Move(record, self.found.record, there.get(record, ""))

    def _push(self, destination: Destination) -> Pushed:
        # The branch last: without its record it could not be gone on with
        moves = [self._record(), Move(HEADS + destination.branch, self.found.tip, destination.expected)]
        told = push_all(self.quarantine.git, self.door.remote, moves)
        return next((each for each in told if each.kind != "ok"), told[-1])

    def open(self, destination: Destination, page: Page) -> Delivered:
        """Open the pull request, or update the one that is there; where that is not allowed, say where to do it."""
        known = destination.pull
        try:
            pull = self._create(destination, page) if known is None else self._update(known, page)
        except ForgeError as error:
            compare = self._compare(destination)
            return Delivered(destination, pushed=True, compare=compare, trouble=_explain(error))
        return Delivered(destination, pushed=True, pull=pull)

    def _create(self, destination: Destination, page: Page) -> PullRequest:
        github = self.door.github
        pull = github.create_pull(page.title, page.body, destination.branch, destination.base, draft=page.draft)
        # One that was there already says what an earlier run found
        return pull if pull.body == page.body else self._update(pull, page)

    def _update(self, pull: PullRequest, page: Page) -> PullRequest:
        github = self.door.github
        edited = github.edit_pull(pull.number, title=page.title, body=page.body)
        if edited.draft != page.draft and not (github.to_draft(edited) if page.draft else github.mark_ready(edited)):
            log(f"whether #{pull.number} is a draft could not be changed")
        return edited

    def _compare(self, destination: Destination) -> str:
        call = self.door.call
        there = f"{quote(destination.base, safe='')}...{quote(destination.branch, safe='')}"
        return f"{call.server_url}/{call.repository}/compare/{there}?expand=1"


def explain_push(pushed: Pushed) -> str:
    """Say why nothing was pushed."""
    said = f" ({pushed.detail})" if pushed.detail else ""
    return f"{WHY.get(pushed.kind, 'the push was refused')}{said}"


def _explain(error: ForgeError) -> str:
    if isinstance(error, ForgeDenied) and error.setting:
        return "the repository does not let workflows open pull requests (Settings, Actions, General)"
    if isinstance(error, ForgeRejected) and error.reason == "nothing":
        return "there is nothing between the two branches"
    return " ".join(filter(None, (error.message, error.hint and f"({error.hint})")))
