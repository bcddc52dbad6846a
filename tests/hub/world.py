"""What the stand-in knows: one repository, who may do what in it, and all that was written there."""

import itertools
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from tests.hub.store import Store

Json: TypeAlias = Any
Kind: TypeAlias = Literal["User", "Bot", "Organization"]
ACTIONS_BOT = "github-actions[bot]"
KNOWN_IDS = {ACTIONS_BOT: 41898282, "dependabot[bot]": 49699333, "ghost": 10137}
ROLES = {"admin": "admin", "maintain": "write", "write": "write", "triage": "read", "read": "read", "none": "none"}
"""Role to the permission that GitHub says for it."""


@dataclass(eq=False)
class Account:
    """A person, a bot or an organization."""

    login: str
    id: int
    kind: Kind = "User"


@dataclass(eq=False)
class Token:
    """A credential; `permissions` is None for a classic one of a person, which may what the person may."""

    value: str
    account: Account
    permissions: dict[str, str] | None
    installation: bool = True


@dataclass(eq=False)
class Reaction:
    """A small picture under a text."""

    id: int
    content: str
    account: Account
    created: float


@dataclass(eq=False)
class Event:
    """Something that happened to an issue."""

    id: int
    event: str
    actor: Account | None
    created: float
    label: str = ""


@dataclass(eq=False)
class Spot:
    """Where a review comment stands."""

    path: str
    line: int | None
    hunk: str
    commit: str
    reply_to: int | None = None


@dataclass(eq=False)
class Comment:
    """A comment on an issue, a pull request, or lines of one."""

    id: int
    number: int
    body: str
    author: Account | None
    created: float
    updated: float
    reactions: list[Reaction] = field(default_factory=list)
    spot: Spot | None = None
    minimized: str = ""


@dataclass(eq=False)
class Pull:
    """What a pull request has beside an issue."""

    head_repository: str | None
    head_ref: str
    head_sha: str
    base_ref: str
    base_sha: str
    draft: bool = False
    merged: bool = False
    merge_sha: str | None = None
    reviewers: list[str] = field(default_factory=list)
    modifiable: bool = False


@dataclass(eq=False)
class Issue:
    """An issue or a pull request."""

    number: int
    title: str
    body: str | None
    author: Account | None
    created: float
    updated: float
    open: bool = True
    closed: float | None = None
    reason: str | None = None
    locked: bool = False
    labels: list[str] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    pull: Pull | None = None
    looked_up: int = 0
    """How often it was asked for since it was made."""


@dataclass(eq=False)
class Label:
    """A label of the repository."""

    id: int
    name: str
    color: str = "ededed"
    description: str | None = ""


@dataclass(eq=False)
class Check:
    """A check run."""

    id: int
    name: str
    sha: str
    told: dict[str, Json]
    """What was sent, later over earlier."""
    annotations: list[Json] = field(default_factory=list)
    started: float = 0.0
    completed: float | None = None


@dataclass(eq=False)
class Job:
    """A job of a CI run; a log of None has expired."""

    id: int
    run: int
    attempt: int
    name: str
    conclusion: str | None
    steps: tuple[tuple[str, str], ...]
    log: bytes | None
    check: int


@dataclass(eq=False)
class Run:
    """A run of a workflow."""

    id: int
    name: str
    path: str
    sha: str
    branch: str
    event: str
    conclusion: str | None
    attempt: int
    actor: Account
    triggering: Account
    repository: str | None
    created: float
    pulls: tuple[int, ...] = ()
    jobs: list[Job] = field(default_factory=list)


@dataclass(eq=False)
class Activity:
    """A movement of a branch."""

    id: int
    ref: str
    before: str
    after: str
    kind: str
    actor: Account
    at: float


@dataclass(eq=False)
class Settings:
    """What an owner of the repository can switch."""

    private: bool = True
    actions_may_create_pulls: bool = True
    drafts: bool = True
    issues: bool = True
    archived: bool = False
    protected: set[str] = field(default_factory=lambda: {"main"})
    rules: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Branch to the types of the rules of its rulesets."""
    largest_file: int = 100 << 20
    """Bytes."""
    lag: int = 0
    """How many calls about a fresh pull request still find nothing."""


@dataclass(eq=False)
class World:
    """Everything; handlers change it under the server's lock."""

    owner: str
    name: str
    store: Store
    default_branch: str = "main"
    id: int = 1296269
    former: set[str] = field(default_factory=set)
    """Names that the repository had."""
    accounts: dict[str, Account] = field(default_factory=dict)
    roles: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Login, small, to its role and the name of the role."""
    tokens: dict[str, Token] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    comments: dict[int, Comment] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    checks: dict[int, Check] = field(default_factory=dict)
    statuses: list[Json] = field(default_factory=list)
    runs: dict[int, Run] = field(default_factory=dict)
    activity: list[Activity] = field(default_factory=list)
    dispatches: list[Json] = field(default_factory=list)
    forks: dict[str, Store] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    ahead: float = 0.0
    """Seconds that its clock is ahead of ours."""
    seen: dict[str, str] = field(default_factory=dict)
    """Branches as they were at the last look."""
    _ids: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1_000_001))

    @property
    def full_name(self) -> str:
        """OWNER/NAME."""
        return f"{self.owner}/{self.name}"

    def now(self) -> float:
        """Whole seconds, as GitHub tells them."""
        return float(int(time.time() + self.ahead))

    def fresh(self) -> int:
        """Return an id that nothing has yet."""
        return next(self._ids)

    def account(self, login: str, kind: Kind | None = None) -> Account:
        """Return an account, made at its first mention."""
        key = login.lower()
        if key not in self.accounts:
            guess: Kind = "Bot" if login.endswith("[bot]") else "User"
            self.accounts[key] = Account(login, KNOWN_IDS.get(login) or self.fresh(), kind or guess)
        return self.accounts[key]

    def role(self, login: str) -> tuple[str, str]:
        """Return role and name of the role of a login."""
        return self.roles.get(login.lower(), ("none", "") if self.settings.private else ("read", "read"))

    def next_number(self) -> int:
        """Return the number that the next issue or pull request gets."""
        return max(self.issues, default=0) + 1

    def event(self, issue: Issue, what: str, actor: Account | None, label: str = "") -> None:
        """Note that something happened to an issue."""
        issue.events.append(Event(self.fresh(), what, actor, self.now(), label))

    def comments_of(self, number: int, *, review: bool = False) -> list[Comment]:
        """Return the comments on an issue, or those on lines, oldest first."""
        return [
            entry for entry in self.comments.values() if entry.number == number and (entry.spot is not None) == review
        ]

    def label(self, name: str) -> Label:
        """Return a label, made where there is none; names are the same in any case."""
        key = name.lower()
        if key not in self.labels:
            self.labels[key] = Label(self.fresh(), name)
        return self.labels[key]

    def head_store(self, pull: Pull) -> Store | None:
        """Return where the head of a pull request is, if that still exists."""
        if pull.head_repository == self.full_name:
            return self.store
        return self.forks.get(pull.head_repository or "")

    def settle(self, actor: Account | None = None) -> None:
        """Bring pull requests and the activity up to what the branches are now."""
        branches = self.store.branches()
        if branches != self.seen:
            self._note_moves(branches, actor or self.account(self.owner))
            self.seen = branches
        for issue in self.issues.values():
            if issue.pull and issue.open:
                self._settle_pull(issue, issue.pull, branches)

    def _note_moves(self, branches: dict[str, str], actor: Account) -> None:
        for name in sorted({*branches, *self.seen}):
            before, after = self.seen.get(name, "0" * 40), branches.get(name, "0" * 40)
            if before != after:
                kind = self._kind_of_move(before, after)
                self.activity.append(
                    Activity(self.fresh(), f"refs/heads/{name}", before, after, kind, actor, self.now())
                )

    def _kind_of_move(self, before: str, after: str) -> str:
        if not before.strip("0"):
            return "branch_creation"
        if not after.strip("0"):
            return "branch_deletion"
        return "push" if self.store.is_ancestor(before, after) else "force_push"

    def _settle_pull(self, issue: Issue, pull: Pull, branches: dict[str, str]) -> None:
        store = self.head_store(pull)
        tip = store.branches().get(pull.head_ref) if store else None
        if tip is None:
            issue.open, issue.closed = False, self.now()
            self.event(issue, "closed", None)
            return
        if tip != pull.head_sha or not self.store.has_ref(f"refs/pull/{issue.number}/head"):
            self.store.take(store or self.store, tip, f"refs/pull/{issue.number}/head")
            issue.updated = self.now() if tip != pull.head_sha else issue.updated
            pull.head_sha = tip
        base = branches.get(pull.base_ref)
        if base and base != pull.base_sha:
            if self.store.is_ancestor(tip, base):
                issue.open, issue.closed, pull.merged, pull.merge_sha = False, self.now(), True, base
            else:
                pull.base_sha = base


def stamp(at: float | None) -> str | None:
    """Return a time as GitHub writes it."""
    return None if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
