"""GitHub's payloads, as far as we go by them: what has to be there, and what it is in our words."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from bot.core.hub import Comment, Commit, Issue, Permission, PullRequest, Repository
from bot.core.trigger.trigger import Account, AccountKind

KINDS: Mapping[str, AccountKind] = {"User": "User", "Bot": "Bot", "Organization": "Organization"}
ROLES: Mapping[str, tuple[Permission, str]] = {
    "admin": ("admin", "admin"),
    "maintain": ("maintain", "write"),
    "write": ("write", "write"),
    "triage": ("triage", "read"),
    "read": ("read", "read"),
}
"""By name of a role: what we call it, and the permission that it comes with."""
Status: TypeAlias = Literal["identical", "ahead", "behind", "diverged"]


class Shape(BaseModel):
    """A part of a payload; GitHub adds fields at any time."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class UserShape(Shape):
    """An account."""

    id: int
    login: str
    type: str = ""

    def account(self) -> Account:
        """Return it in our words."""
        return Account(id=self.id, login=self.login, kind=KINDS.get(self.type, "other"))


def account_of(user: UserShape | None) -> Account | None:
    """Return an account in our words; None for one that was deleted."""
    return None if user is None else user.account()


class RepositoryShape(Shape):
    """A repository."""

    id: int
    full_name: str
    default_branch: str
    private: bool = False
    html_url: str | None = None

    def repository(self) -> Repository:
        """Return it in our words."""
        return Repository(
            id=self.id,
            full_name=self.full_name,
            default_branch=self.default_branch,
            private=self.private,
            url=self.html_url or "",
        )


class RoleShape(Shape):
    """What someone may do."""

    permission: str
    role_name: str | None = None
    user: UserShape | None = None

    def role(self) -> Permission:
        """Return the role, or the permission where a role of that name would allow something else."""
        role, permission = ROLES.get(self.role_name or "", ("none", ""))
        return role if permission == self.permission else ROLES.get(self.permission, ("none", ""))[0]


class CommentShape(Shape):
    """A comment on an issue, or on the lines of a pull request."""

    id: int
    body: str | None = None
    user: UserShape | None = None
    created_at: datetime
    updated_at: datetime
    html_url: str | None = None

    def comment(self) -> Comment:
        """Return it in our words."""
        return Comment(
            id=self.id,
            body=self.body or "",
            author=account_of(self.user),
            created=self.created_at.timestamp(),
            updated=self.updated_at.timestamp(),
            url=self.html_url or "",
        )


class LabelShape(Shape):
    """A label."""

    name: str | None = None


class IssueShape(Shape):
    """An issue, or the issue side of a pull request."""

    number: int
    title: str
    body: str | None = None
    user: UserShape | None = None
    state: str
    pull_request: Any = None
    labels: tuple[LabelShape | str, ...] | None = None
    html_url: str | None = None

    def issue(self) -> Issue:
        """Return it in our words."""
        names = (label if isinstance(label, str) else label.name for label in self.labels or ())
        return Issue(
            number=self.number,
            title=self.title,
            body=self.body or "",
            author=account_of(self.user),
            open=self.state == "open",
            pull=self.pull_request is not None,
            labels=tuple(filter(None, names)),
            url=self.html_url or "",
        )


class PlaceShape(Shape):
    """A repository as an end of a pull request."""

    id: int
    full_name: str


class EndShape(Shape):
    """An end of a pull request."""

    sha: str
    ref: str
    repo: PlaceShape | None = None


class PullShape(Shape):
    """A pull request."""

    number: int
    title: str
    body: str | None = None
    user: UserShape | None = None
    state: str
    draft: bool | None = None
    merged: bool | None = None
    merged_at: datetime | None = None
    head: EndShape
    base: EndShape
    html_url: str | None = None
    node_id: str | None = None

    @property
    def own(self) -> bool:
        """Whether its head is a branch of the repository that it is for."""
        return self.head.repo is not None and self.base.repo is not None and self.head.repo.id == self.base.repo.id

    def pull(self) -> PullRequest:
        """Return it in our words."""
        return PullRequest(
            number=self.number,
            title=self.title,
            body=self.body or "",
            author=account_of(self.user),
            open=self.state == "open",
            merged=bool(self.merged or self.merged_at),
            draft=bool(self.draft),
            head_sha=self.head.sha,
            head_ref=self.head.ref,
            head_repository=self.head.repo.full_name if self.head.repo else "",
            base_ref=self.base.ref,
            base_sha=self.base.sha,
            url=self.html_url or "",
            node=self.node_id or "",
        )


class SignatureShape(Shape):
    """Who wrote a commit, or put it where it is."""

    name: str | None = None
    email: str | None = None

    def line(self) -> str:
        """Return it as git writes it."""
        return f"{self.name or ''} <{self.email or ''}>"


class WrittenShape(Shape):
    """What a commit says."""

    author: SignatureShape | None = None
    committer: SignatureShape | None = None
    message: str = ""


class CommitShape(Shape):
    """A commit of a pull request."""

    sha: str
    commit: WrittenShape

    def written(self) -> Commit:
        """Return it in our words."""
        told = self.commit
        author, committer = (who.line() if who is not None else "" for who in (told.author, told.committer))
        return Commit(sha=self.sha, author=author, committer=committer, message=told.message)


class TargetShape(Shape):
    """What a ref stands at."""

    sha: str
    type: str


class RefShape(Shape):
    """A ref."""

    ref: str
    object: TargetShape


class BranchShape(Shape):
    """A branch."""

    name: str
    protected: bool


class RuleShape(Shape):
    """A rule that a branch is under."""

    type: str


class ComparisonShape(Shape):
    """How a commit stands to another."""

    status: Status


class ActivityShape(Shape):
    """A push, or whatever else moved a ref."""

    ref: str
    timestamp: datetime


class GraphPullShape(Shape):
    """A pull request in the graph interface."""

    is_draft: bool = Field(alias="isDraft")


class ChangeShape(Shape):
    """What a change in the graph interface returns."""

    pull_request: GraphPullShape | None = Field(alias="pullRequest", default=None)


class GraphShape(Shape):
    """An answer of the graph interface."""

    data: Mapping[str, ChangeShape | None] | None = None

    def draft(self, change: str) -> bool | None:
        """Tell whether a pull request is a draft after a change; None where the change did not come about."""
        done = (self.data or {}).get(change)
        return done.pull_request.is_draft if done and done.pull_request else None
