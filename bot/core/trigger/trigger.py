"""One event of a forge, as far as we go by it."""

from typing import Literal, TypeAlias

from bot.core.task import Record

EventName: TypeAlias = Literal[
    "issue_comment", "issues", "pull_request_review_comment", "workflow_run", "workflow_dispatch", "schedule", "desk"
]
"""`desk` is no event of a forge: a person asked at their own machine."""
PAGED: frozenset[EventName] = frozenset({"issue_comment", "issues", "desk", "workflow_dispatch"})
"""What is about the page of an issue or a pull request as a whole, where there is one."""
AccountKind: TypeAlias = Literal["User", "Bot", "Organization", "other"]


class Account(Record):
    """Who did something."""

    id: int = 0
    login: str = ""
    kind: AccountKind = "other"


class Head(Record):
    """The commit that an event is about, and where it stands."""

    sha: str = ""
    """Empty where the payload does not say, as for a comment on a pull request."""
    ref: str = ""
    """Branch, short."""
    repository: str = ""
    """OWNER/NAME; empty where that repository is gone or not named."""


class CiRun(Record):
    """A finished run of a workflow."""

    id: int
    attempt: int = 1
    name: str = ""
    path: str = ""
    """File of the workflow."""
    conclusion: str = ""
    cause: str = ""
    """Name of the event that started it."""
    url: str = ""
    pulls: tuple[int, ...] = ()
    """Pull requests of this repository that its commit is the head of."""


class Spot(Record):
    """The lines of a diff that a review comment is about."""

    path: str
    line: int | None = None
    hunk: str = ""


class Trigger(Record):
    """An event: all text and every commit are as the payload has them, whatever they are by now."""

    event: EventName
    action: str = ""
    repository: str
    """OWNER/NAME."""
    repository_id: int = 0
    default_branch: str = ""
    number: int = 0
    """Issue or pull request; 0 for none."""
    pull: bool = False
    """Whether the number is a pull request's."""
    open: bool = True
    title: str = ""
    body: str = ""
    """Of the issue or the pull request."""
    writer: Account | None = None
    """Who wrote the issue or the pull request; None for a deleted account."""
    comment: int = 0
    """Id of the comment that holds the order; 0 for none."""
    text: str = ""
    """The order: the comment, or the words given to a dispatch."""
    author: Account | None = None
    """Who wrote the order; None for a deleted account."""
    sender: Account | None = None
    """Who caused the event."""
    actors: tuple[Account, ...] = ()
    """Who else a finished CI run names as its cause: actor, triggering actor."""
    created: float | None = None
    """When the order was written, seconds since 1970; None where the payload does not say."""
    updated: float | None = None
    head: Head = Head()
    base: str = ""
    """Branch that a pull request asks to be merged into."""
    spot: Spot | None = None
    run: CiRun | None = None
    label: str = ""
    """The label that was just put on."""
    url: str = ""
    """Where a person sees what this is about."""

    @property
    def page(self) -> int:
        """Issue or pull request where it is talked about; 0 for none."""
        return self.number or (self.run.pulls[0] if self.run is not None and self.run.pulls else 0)

    @property
    def cause(self) -> str:
        """What ordered it where no person did, the same each time; empty for a person."""
        if self.run is not None:
            return f"ci {self.run.path or self.run.name}"[:200]
        return self.event if self.event == "schedule" else ""
