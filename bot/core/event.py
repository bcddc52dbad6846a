"""What happened in a run, in the order it happened. The run is its events; all else is derived."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from bot.core.approval import Decision
from bot.core.branches import Place
from bot.core.change import ChangeSet
from bot.core.check import Check, Verdict
from bot.core.message import ToolCall, ToolResult, Usage
from bot.core.past import NO_PAST, Past
from bot.core.proof import Audit, Proof
from bot.core.talk import Compressed, Happening, Planned, Replied, Retried, Surveyed, Told
from bot.core.task import Limits, Task, Trust
from bot.core.terms import Terms


class Started(Happening):
    """The worktree and the branch exist."""

    event: Literal["started"] = "started"
    run: str
    task: Task
    branch: str
    """Empty where only a plan is asked for."""
    version: str = ""
    model: str = ""
    isolation: str = ""
    python: str = ""
    """The interpreter that the project's checks run with, and where it was found."""
    checks: tuple[Check, ...] = ()
    project: str = ""
    """What a model should know of the project before it reads a file: layout, instructions of the base."""
    background: str = ""
    """What a model should know of earlier runs, in words that may be foreign."""
    trust: Trust = "untrusted"
    """Whether the author of the task is; records of old do not tell."""
    planning: bool = False
    """Whether only a plan is asked for, and nothing is to be changed."""
    built: tuple[str, ...] = ()
    """What was built in the person's checkout and is carried into each tree; submodules, with a slash behind each."""
    outdated: tuple[str, ...] = ()
    """Those of it whose sources in the checkout are not those of the base."""
    prepare: tuple[tuple[str, ...], ...] = ()
    """What is run in each tree before its checks."""
    notes: tuple[str, ...] = ()
    """What a person should know before reading on, such as uncommitted work that is not included."""
    priced: bool = True
    """Whether it is known what the model's tokens cost."""
    past: Past = NO_PAST
    """What changed before the base, from the commit that the task names."""

    @property
    def settled(self) -> Past:
        """What of it a run does not take back without a word: what is not committed yet is its author's."""
        return NO_PAST if self.task.source.kind == "hook" else self.past


class Baselined(Happening):
    """The ladder judged the base."""

    event: Literal["baselined"] = "baselined"
    verdict: Verdict


class Decided(Happening):
    """Something risky was allowed or refused, before it was done."""

    event: Literal["decided"] = "decided"
    call_id: str
    """The call that wanted it; a checkpoint wants a change committed."""
    decision: Decision


class Acted(Happening):
    """A tool ran, or was refused."""

    event: Literal["acted"] = "acted"
    call: ToolCall
    result: ToolResult
    tree: str = ""
    """The tree of the files after a call that may have changed them; empty when they are as they were before it."""


class Checking(Happening):
    """A check begins."""

    event: Literal["checking"] = "checking"
    check: str
    tree: str


class Verified(Happening):
    """The ladder judged a candidate tree."""

    event: Literal["verified"] = "verified"
    verdict: Verdict
    change: ChangeSet
    """From the last verified commit to the candidate."""


class Committed(Happening):
    """The judged tree became a commit on the branch."""

    event: Literal["committed"] = "committed"
    step: int
    """Counted from 1."""
    commit: str
    tree: str
    subject: str
    body: str = ""


class RolledBack(Happening):
    """The worktree went back to the last verified commit; the rejected tree is kept reachable."""

    event: Literal["rolled_back"] = "rolled_back"
    to: str
    kept: str
    """Commit that holds the rejected tree; empty when there was nothing to keep."""
    reason: str = ""


class Proved(Happening):
    """The whole change was held against the base: what it proves, and what it did to the evidence."""

    event: Literal["proved"] = "proved"
    commit: str
    """The tip that was looked at."""
    proof: Proof
    audit: Audit


class Paused(Happening):
    """A person is needed."""

    event: Literal["paused"] = "paused"
    question: str


class Resumed(Happening):
    """The run goes on after it had stopped, in another process."""

    event: Literal["resumed"] = "resumed"
    commit: str
    """Where the branch stands: the last step that counts, or the base."""
    tree: str = ""
    """The files as they are laid out again, where they are not those of `commit`."""
    version: str = ""
    model: str = ""
    isolation: str = ""
    limits: Limits | None = None
    """What the whole run may spend from here on, when a person said so."""
    terms: Terms | None = None
    """By what is judged from here on; records of old do not tell."""
    anew: str = ""
    """Why the base, and where the branch stands, have to be judged again before anything else; empty when not."""
    notes: tuple[str, ...] = ()
    priced: bool = True
    """Whether it is known what the model's tokens cost from here on."""


class Reviewed(Happening):
    """What counts was judged again, all of it as one change, by the terms of the process that took the run up."""

    event: Literal["reviewed"] = "reviewed"
    step: int
    """The last step that counts; 0 is the base."""
    commit: str
    verdict: Verdict
    change: ChangeSet
    """From the base to where the branch stands."""


class Moved(Happening):
    """Base of what a person does with steps that were made: the branch goes somewhere else by their wish."""

    step: int
    """The step that counts as the last one now; 0 is the base."""
    commit: str
    """Where the branch stands afterwards: at that step, or at one that takes later steps back or makes them again."""
    where: tuple[str, ...] = ()
    """The branches that were moved, the run's own or a person's; empty for the run's own."""
    how: Literal["moved", "reverted"] = "moved"
    """`reverted`: somebody may have the commits already, so that others were made on top of them."""
    places: tuple[Place, ...] = ()
    """Every branch that was moved, and from where."""


class Undone(Moved):
    """A person went back to an earlier step."""

    event: Literal["undone"] = "undone"


class Redone(Moved):
    """A person took the last undo back."""

    event: Literal["redone"] = "redone"


class Ended(Happening):
    """Nothing more will happen unless the run is resumed."""

    event: Literal["ended"] = "ended"
    stop: str
    """done, limit:<name>, denied, model, workspace, interrupted or needs_human."""
    detail: str = ""
    error: str = ""
    """The kind of error that the model ended it with (see errors.ModelError.kind)."""
    usage: Usage = Usage()
    """What the last request cost that was not answered."""


class Published(Happening):
    """The work was accepted onto a branch, pushed, or made a pull request."""

    event: Literal["published"] = "published"
    where: str
    commit: str = ""
    places: tuple[Place, ...] = ()
    """The branch that was moved, with the commits that stand for the steps there."""


Event: TypeAlias = Annotated[
    Started
    | Baselined
    | Surveyed
    | Planned
    | Replied
    | Retried
    | Compressed
    | Decided
    | Acted
    | Told
    | Checking
    | Verified
    | Committed
    | RolledBack
    | Proved
    | Paused
    | Resumed
    | Reviewed
    | Undone
    | Redone
    | Ended
    | Published,
    Field(discriminator="event"),
]

EVENT: TypeAdapter[Event] = TypeAdapter(Event)
"""Reads one event back from its JSON line."""
