"""What a proof of commits says."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bot.core.check import Check, Verdict
from bot.core.proof import Audit, Proof
from bot.core.report import CheckSummary
from bot.core.task import Record

Claimed: TypeAlias = Literal["none", "agrees", "differs"]
Outcome: TypeAlias = Literal["holds", "needs_person", "fails"]


class Uncommitted(Record):
    """Files without which a check does not pass, and which the commit does not hold, or not as the checkout does."""

    check: str
    paths: tuple[str, ...]
    elsewhere: str = ""
    """A commit that does hold one of them; empty when none does."""
    edited: bool = False
    """Whether the commit holds some of them, otherwise than the checkout does."""

    @property
    def text(self) -> str:
        """Say so."""
        names = self.paths if len(self.paths) <= NAMED else (*self.paths[:NAMED], f"{len(self.paths) - NAMED} more")
        listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        if self.edited:
            return f"{self.check} passes only with what you have not committed of {listed}"
        are = "is" if len(self.paths) == 1 else "are"
        commit = f"not in this commit, but in {self.elsewhere[:10]}" if self.elsewhere else "in no commit"
        return f"{self.check} passes only with {listed}, which {are} in your checkout and {commit}"


NAMED = 4
"""Files that a sentence names."""


class ProvedCommit(Record):
    """What became of one commit when its checks were run again."""

    commit: str
    tree: str
    subject: str
    ok: bool
    """Whether every check gave evidence and nothing is worse than before the commit."""
    green: bool
    """Whether every check passes outright."""
    sound: bool = False
    """Whether all that runs passes, and checks that only read complain of nothing new."""
    claim: Claimed
    """What the commit's own trailers say of its tree and checks, held against what was found."""
    checks: tuple[CheckSummary, ...]
    detail: str = ""
    """What is wrong: of the tree, and of what the commit says of it."""
    contradiction: tuple[str, ...] = ()
    """Where the trailers and the proof part."""
    doubts: tuple[str, ...] = ()
    """Why a person has to judge whatever the checks say, such as tests that were changed."""
    proof: Proof = Proof()
    """What fails without the commit and passes with it."""
    audit: Audit = Audit()
    """What the commit did to the evidence, piece by piece."""
    uncommitted: tuple[Uncommitted, ...] = ()
    notes: tuple[str, ...] = ()
    """What is worth knowing and changes nothing, such as that it is a merge."""

    @property
    def outcome(self) -> Outcome:
        """The word on this commit."""
        if not self.ok or self.claim == "differs":
            return "fails"
        return "needs_person" if self.doubts else "holds"


class Proved(Record):
    """The proof of a range of commits, oldest first."""

    base: str
    """Empty when the first commit was held against nothing at all."""
    base_checks: tuple[CheckSummary, ...]
    commits: tuple[ProvedCommit, ...]
    target: str = ""
    """What was proved, in words."""
    tip: str = ""
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every commit holds, says the truth, and leaves what the evidence rests on alone."""
        return bool(self.commits) and all(commit.outcome == "holds" for commit in self.commits)

    @property
    def green(self) -> bool:
        """Whether every check passes at the tip, beside that."""
        return self.ok and self.commits[-1].green

    @property
    def sound(self) -> bool:
        """Whether all that runs passes at the tip, and checks that only read complain of nothing new, beside that."""
        return self.ok and (self.commits[-1].green or self.commits[-1].sound)


@dataclass(frozen=True, slots=True)
class Judged:
    """A proof beside the verdicts that it was drawn from, whose cases other programs want to read."""

    proved: Proved
    base: Verdict
    verdicts: tuple[Verdict, ...]
    """One for each commit."""
    files: tuple[tuple[str, ...], ...] = ()
    """The paths that each commit changed."""
    checks: tuple[Check, ...] = ()
    """All that were asked."""
