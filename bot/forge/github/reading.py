"""What GitHub is asked."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TypeVar
from urllib.parse import quote, urlsplit

from pydantic import TypeAdapter

from bot.core.escape import line
from bot.core.hub import Annotation, Comment, Commit, Issue, Job, Permission, PullRequest, Repository
from bot.core.trigger.trigger import Account
from bot.errors import ForgeDenied, ForgeNotFound, ForgeRejected, MalformedAnswer
from bot.forge.github.checks import AnnotationShape, JobsShape
from bot.forge.github.download import download
from bot.forge.github.patience import Patience
from bot.forge.github.shapes import (
    ActivityShape,
    BranchShape,
    CommentShape,
    CommitShape,
    ComparisonShape,
    IssueShape,
    PullShape,
    RefShape,
    RepositoryShape,
    RoleShape,
    RuleShape,
    Status,
    UserShape,
)
from bot.forge.github.wire import REDIRECTED, Parameters, Wire

T = TypeVar("T")

REPOSITORY = TypeAdapter(RepositoryShape)
ROLE = TypeAdapter(RoleShape)
USER = TypeAdapter(UserShape)
ISSUE = TypeAdapter(IssueShape)
COMMENT = TypeAdapter(CommentShape)
COMMENTS = TypeAdapter(tuple[CommentShape, ...])
PULL = TypeAdapter(PullShape)
COMMITS = TypeAdapter(tuple[CommitShape, ...])
PULLS = TypeAdapter(tuple[PullShape, ...])
REF = TypeAdapter(RefShape)
BRANCH = TypeAdapter(BranchShape)
RULES = TypeAdapter(tuple[RuleShape, ...])
COMPARISON = TypeAdapter(ComparisonShape)
ACTIVITY = TypeAdapter(tuple[ActivityShape, ...])
JOBS = TypeAdapter(JobsShape)
ANNOTATIONS = TypeAdapter(tuple[AnnotationShape, ...])

CLOSED_TO_PUSHES = frozenset(
    {"update", "pull_request", "merge_queue", "required_status_checks", "required_deployments"}
)
"""Rules under which nobody pushes to a branch as he likes."""
HEADS = "refs/heads/"

_LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}(?:\[bot\])?", re.ASCII)


def silent(text: str) -> None:
    """Tell nobody."""


class Reader:
    """One repository as a token sees it."""

    def __init__(  # noqa: PLR0913 - what the runner of a workflow says of GitHub, and how we bear with it
        self,
        api_url: str,
        token: str,
        repository: str,
        *,
        server_url: str = "",
        graphql_url: str = "",
        patience: Patience | None = None,
        log: Callable[[str], None] = silent,
        secrets: Sequence[str] = (),
    ) -> None:
        self._wire = Wire(api_url, token, repository, patience or Patience(), log, secrets)
        self._server_url = server_url
        self._graphql_url = graphql_url

    @property
    def name(self) -> str:
        """OWNER/NAME."""
        return self._wire.repository

    @property
    def site(self) -> str:
        """Where people see GitHub."""
        if self._server_url:
            return self._server_url.rstrip("/")
        parts = urlsplit(self._wire.api_url)
        return f"{parts.scheme}://{parts.netloc.removeprefix('api.')}"

    @property
    def graph(self) -> str:
        """Where the graph interface is."""
        return self._graphql_url or f"{self._wire.api_url.rstrip('/').removesuffix('/v3')}/graphql"

    def close(self) -> None:
        """Close the connections."""
        self._wire.close()

    def repository(self) -> Repository:
        """Tell of the repository. Raises ForgeError."""
        return self._wire.read(REPOSITORY, "").repository()

    def permission(self, login: str) -> Permission:
        """Tell what someone may do; nothing, where GitHub does not know or does not say. Raises ForgeError."""
        if not _LOGIN.fullmatch(login):
            return "none"
        try:
            told = self._wire.read(ROLE, f"/collaborators/{quote(login, safe='')}/permission")
        except ForgeNotFound:
            return "none"
        if told.user is None:
            return "none"
        if told.user.login.casefold() != login.casefold():
            raise MalformedAnswer(f"asked what {login} may do, GitHub speaks of {line(told.user.login)}")
        return told.role()

    def whoami(self) -> Account | None:
        """Tell whose the token is; None for a token of an App, which is nobody's. Raises ForgeError."""
        try:
            return self._wire.read(USER, "/user").account()
        except (ForgeDenied, ForgeNotFound) as fault:
            if isinstance(fault, ForgeDenied) and fault.cause == "token":
                raise
            return None

    def issue(self, number: int) -> Issue:
        """Tell of an issue, or of a pull request as one. Raises ForgeError."""
        told = self._wire.read(ISSUE, f"/issues/{number:d}").issue()
        if told.number != number:
            raise ForgeNotFound(f"issue {number} was moved: {line(told.url)}")
        return told

    def comments(self, number: int, since: float = 0.0) -> tuple[Comment, ...]:
        """List comments of an issue or a pull request, oldest first, touched since a moment. Raises ForgeError."""
        found = self._list(COMMENTS, f"/issues/{number:d}/comments", _since(since))
        return tuple(told.comment() for told in found)

    def review_comments(self, number: int, since: float = 0.0) -> tuple[Comment, ...]:
        """List remarks on the lines of a pull request, touched since a moment. Raises ForgeError."""
        found = self._list(COMMENTS, f"/pulls/{number:d}/comments", _since(since))
        return tuple(told.comment() for told in found)

    def pull(self, number: int) -> PullRequest:
        """Tell of a pull request. Raises ForgeError."""
        return self._wire.read(PULL, f"/pulls/{number:d}").pull()

    def pulls(self, head: str = "", base: str = "", state: str = "open") -> tuple[PullRequest, ...]:
        """List pull requests, newest first; `head` and `base` are branches of this repository. Raises ForgeError."""
        owner = self._wire.repository.partition("/")[0]
        asked = {"state": state, **({"head": f"{owner}:{head}"} if head else {}), **({"base": base} if base else {})}
        # What GitHub does not understand in a filter it passes over
        return tuple(
            told.pull()
            for told in self._list(PULLS, "/pulls", asked)
            if (not head or (told.own and told.head.ref == head)) and base in ("", told.base.ref)
        )

    def pull_commits(self, number: int) -> tuple[Commit, ...]:
        """List the commits of a pull request, oldest first; GitHub tells of the first 250 alone. Raises ForgeError."""
        return tuple(told.written() for told in self._list(COMMITS, f"/pulls/{number:d}/commits"))

    def branch_tip(self, ref: str) -> str:
        """Tell at which commit a branch stands; empty where there is none. Raises ForgeError."""
        try:
            told = self._wire.read(REF, f"/git/ref/heads/{spell(ref)}")
        except ForgeNotFound:
            return ""
        except ForgeRejected as fault:
            # What a repository without commits is
            if fault.reason == "conflict":
                return ""
            raise
        return told.object.sha if told.ref == HEADS + ref else ""

    def is_protected(self, ref: str) -> bool:
        """Tell whether a branch is protected, or under rules that keep pushes away. Raises ForgeError."""
        try:
            told = self._wire.read(BRANCH, f"/branches/{spell(ref)}")
            if told.name == ref and told.protected:
                return True
            rules = self._list(RULES, f"/rules/branches/{spell(ref)}")
        except ForgeNotFound:
            return False
        return any(rule.type in CLOSED_TO_PUSHES for rule in rules)

    def compare(self, base: str, head: str) -> Status:
        """Tell how a commit or branch stands to another. Raises ForgeError."""
        return self._wire.read(COMPARISON, f"/compare/{spell(base)}...{spell(head)}", {"per_page": 1}).status

    def pushed_at(self, ref: str) -> float | None:
        """Tell when a branch moved last, in seconds since 1970; None where GitHub does not say. Raises ForgeError."""
        try:
            told = self._wire.read(ACTIVITY, "/activity", {"ref": HEADS + ref, "per_page": 1})
        except (ForgeDenied, ForgeNotFound, ForgeRejected):
            return None
        return told[0].timestamp.timestamp() if told and told[0].ref == HEADS + ref else None

    def jobs(self, run: int, attempt: int) -> tuple[Job, ...]:
        """List the jobs of an attempt of a CI run. Raises ForgeError."""
        path = f"/actions/runs/{run:d}/attempts/{attempt:d}/jobs"
        pages = list(self._wire.pages(JOBS, path, lambda told: len(told.jobs)))
        found = tuple(job.job() for page in pages for job in page.jobs)
        if len(found) < pages[-1].total_count:
            raise MalformedAnswer(f"GitHub speaks of {pages[-1].total_count} jobs of run {run} and lists {len(found)}")
        return found

    def log(self, job: int) -> str | None:
        """Fetch the end of the log of a job; None where it is not there, or no longer. Raises ForgeError."""
        try:
            answer = self._wire.get(f"/actions/jobs/{job:d}/logs")
        except ForgeNotFound:
            return None
        return download(answer, self._wire) if answer.status == REDIRECTED else answer.body

    def annotations(self, check: int) -> tuple[Annotation, ...]:
        """List the remarks of a check run. Raises ForgeError."""
        found = self._list(ANNOTATIONS, f"/check-runs/{check:d}/annotations")
        return tuple(told.annotation() for told in found)

    def _list(self, shape: TypeAdapter[tuple[T, ...]], path: str, parameters: Parameters | None = None) -> Sequence[T]:
        return [entry for page in self._wire.pages(shape, path, len, parameters) for entry in page]


def spell(ref: str) -> str:
    """Write the name of a branch, or a commit, into a path. Raises ForgeNotFound."""
    if any(part in ("", ".", "..") for part in ref.split("/")):
        raise ForgeNotFound(f"{line(ref)!r} is no branch")
    return quote(ref, safe="/")


def _since(moment: float) -> Parameters:
    return {"since": f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%dT%H:%M:%SZ}"} if moment > 0 else {}
