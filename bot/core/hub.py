"""What a forge tells of a repository, in our own words."""

from typing import Literal, TypeAlias

from bot.core.task import Record
from bot.core.trigger.trigger import Account

Permission: TypeAlias = Literal["admin", "maintain", "write", "triage", "read", "none"]
Reaction: TypeAlias = Literal["eyes", "rocket", "+1", "-1", "confused"]
Conclusion: TypeAlias = Literal["success", "failure", "neutral", "action_required", "cancelled"]


class Comment(Record):
    """A comment on an issue or a pull request."""

    id: int
    body: str = ""
    author: Account | None = None
    created: float = 0.0
    updated: float = 0.0
    url: str = ""


class Issue(Record):
    """An issue, or the issue side of a pull request."""

    number: int
    title: str = ""
    body: str = ""
    author: Account | None = None
    open: bool = True
    pull: bool = False
    labels: tuple[str, ...] = ()
    url: str = ""


class PullRequest(Record):
    """A pull request."""

    number: int
    title: str = ""
    body: str = ""
    author: Account | None = None
    open: bool = True
    merged: bool = False
    draft: bool = False
    head_sha: str
    head_ref: str
    head_repository: str = ""
    """OWNER/NAME; empty when the fork is gone."""
    base_ref: str
    base_sha: str = ""
    url: str = ""
    node: str = ""
    """Its id for the graph interface."""


class Commit(Record):
    """A commit of a pull request."""

    sha: str
    author: str = ""
    """NAME <ADDRESS>, as the commit says; empty where it says none."""
    committer: str = ""
    message: str = ""


class JobStep(Record):
    """A step of a CI job."""

    number: int
    name: str = ""
    conclusion: str = ""


class Job(Record):
    """A job of a CI run."""

    id: int
    name: str = ""
    conclusion: str = ""
    steps: tuple[JobStep, ...] = ()
    url: str = ""
    check: int = 0
    """Id of its check run, which has its annotations."""


class Annotation(Record):
    """A remark on lines of a file."""

    path: str
    start: int = 1
    end: int = 1
    level: Literal["notice", "warning", "failure"] = "failure"
    title: str = ""
    message: str = ""


class Repository(Record):
    """The repository itself."""

    id: int
    full_name: str
    default_branch: str
    private: bool = False
    url: str = ""


class CheckRun(Record):
    """What a check run is to say."""

    name: str
    sha: str
    conclusion: Conclusion
    title: str
    summary: str
    text: str = ""
    annotations: tuple[Annotation, ...] = ()
    url: str = ""
