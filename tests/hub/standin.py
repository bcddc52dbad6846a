"""A stand-in for GitHub: one repository, its interface held against GitHub's own description, and a real git remote."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeAlias

from tests.hub.answers import ci, code, issues, people, pulls
from tests.hub.contract.openapi import load
from tests.hub.faults import Fault, Manner
from tests.hub.server import API, GRAPH, Asked, Desk, Handler, LogHandler, Server
from tests.hub.shapes import Shapes
from tests.hub.store import Store
from tests.hub.world import (
    ACTIONS_BOT,
    Account,
    Activity,
    Check,
    Comment,
    Issue,
    Job,
    Kind,
    Pull,
    Run,
    Spot,
    Token,
    World,
)

Json: TypeAlias = Any
ANSWERS = (ci, code, issues, people, pulls)
"""Registered by being imported."""
READ_TOKEN = "ghs_readreadreadreadreadreadreadreadread"
WRITE_TOKEN = "ghs_writewritewritewritewritewritewritew"
READS = {"contents": "read", "issues": "read", "pull_requests": "read", "actions": "read", "checks": "read"}
WRITES = {"contents": "write", "issues": "write", "pull_requests": "write", "actions": "read", "checks": "write"}


class JobSeed(NamedTuple):
    """A job to be put into a run; `log` of None has expired."""

    name: str
    conclusion: str | None = "failure"
    steps: tuple[tuple[str, str], ...] = (("Set up job", "success"), ("Run tests", "failure"))
    """Name and conclusion of each."""
    log: str | bytes | None = "2024-01-01T00:00:00.0000000Z ##[error]Process completed with exit code 1.\n"
    annotations: tuple[Json, ...] = ()
    """As GitHub has them: path, start_line, end_line, annotation_level, message."""


class Standin:
    """GitHub, as far as we speak to it; starts at once and ends with `close` or with its `with`."""

    def __init__(self, folder: Path, owner: str = "ann", name: str = "widgets", *, port: int = 0) -> None:
        self.folder = folder
        self.world = World(owner, name, Store.make(folder / owner / f"{name}.git"))
        self.world.roles[owner.lower()] = ("admin", "admin")
        self.world.account(owner)
        self.desk = Desk(self.world, load())
        self.token(READ_TOKEN, permissions=READS)
        self.token(WRITE_TOKEN, permissions=WRITES)
        self._servers = (Server(self.desk, Handler, port), Server(self.desk, LogHandler))
        main, logs = (server.server_address[1] for server in self._servers)
        self.desk.server, self.desk.api = f"http://127.0.0.1:{main}", f"http://127.0.0.1:{main}{API}"
        self.desk.logs = f"http://localhost:{logs}"

    def __enter__(self) -> Self:
        """Be used in a `with`."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End."""
        self.close()

    def close(self) -> None:
        """Stop answering."""
        for server in self._servers:
            server.close()

    # Where it is

    @property
    def full_name(self) -> str:
        """OWNER/NAME."""
        return self.world.full_name

    @property
    def api(self) -> str:
        """GITHUB_API_URL."""
        return self.desk.api

    @property
    def server(self) -> str:
        """GITHUB_SERVER_URL."""
        return self.desk.server

    @property
    def graph(self) -> str:
        """GITHUB_GRAPHQL_URL."""
        return f"{self.desk.server}{GRAPH}"

    @property
    def clone_url(self) -> str:
        """Where git finds the repository; a credential is asked for unless it is public."""
        return f"{self.desk.server}/{self.full_name}.git"

    @property
    def git_folder(self) -> Path:
        """The bare repository on disk, for a test that prepares branches without the server's rules."""
        return self.world.store.path

    @property
    def git(self) -> Store:
        """The bare repository."""
        return self.world.store

    @property
    def shapes(self) -> Shapes:
        """Values in the words of GitHub."""
        return Shapes(self.world, self.desk.api, self.desk.server)

    # What is there

    def token(
        self,
        value: str,
        login: str = ACTIONS_BOT,
        *,
        permissions: Mapping[str, str] | None = None,
        installation: bool = True,
    ) -> Token:
        """Add a token: of an installation, or of a person, whose classic one has no permissions of its own."""
        made = Token(value, self.account(login), None if permissions is None else dict(permissions), installation)
        self.world.tokens[value] = made
        return made

    def account(self, login: str, kind: Kind | None = None) -> Account:
        """Return an account, made at its first mention."""
        return self.world.account(login, kind)

    def allow(self, login: str, role: str, role_name: str = "") -> Account:
        """Give somebody a role: admin, maintain, write, triage, read or none; a custom one has another name."""
        self.world.roles[login.lower()] = (role, role_name or role)
        return self.account(login)

    def issue(
        self,
        title: str = "It is broken",
        body: str | None = "",
        author: str | None = "ann",
        *,
        labels: Sequence[str] = (),
    ) -> Issue:
        """Open an issue; an author of None is a deleted account."""
        with self.desk.lock:
            now = self.world.now()
            made = Issue(self.world.next_number(), title, body, self._author(author), now, now)
            made.labels = [self.world.label(name).name for name in labels]
            self.world.issues[made.number] = made
        return made

    def comment(self, number: int, body: str, author: str | None = "ann") -> Comment:
        """Comment on an issue or a pull request."""
        with self.desk.lock:
            now = self.world.now()
            made = Comment(self.world.fresh(), number, body, self._author(author), now, now)
            self.world.comments[made.id] = made
        return made

    def review_comment(
        self, number: int, body: str, author: str | None = "ann", *, path: str = "calc.py", line: int | None = 2,
        hunk: str = "@@ -1,2 +1,2 @@",
    ) -> Comment:  # fmt: skip
        """Comment on a line of a pull request."""
        pull = self.world.issues[number].pull
        assert pull
        made = self.comment(number, body, author)
        made.spot = Spot(path, line, hunk, pull.head_sha)
        return made

    def edit(self, comment: Comment, body: str) -> None:
        """Change a comment, a minute after it was written."""
        comment.body, comment.updated = body, comment.updated + 60

    def label(self, number: int, name: str, actor: str = "ann") -> None:
        """Put a label on."""
        issue = self.world.issues[number]
        issue.labels = list(dict.fromkeys([*issue.labels, self.world.label(name).name]))
        self.world.event(issue, "labeled", self.account(actor), name)

    def pull(  # noqa: PLR0913
        self, head: str, base: str = "main", title: str = "A change", body: str | None = "", author: str | None = "ann",
        *, fork: str | None = None, draft: bool = False,
    ) -> Issue:  # fmt: skip
        """Open a pull request from a branch that is there, or from one of a fork (OWNER/NAME)."""
        with self.desk.lock:
            world = self.world
            store = world.forks[fork] if fork else world.store
            tip, stem = store.branches()[head], world.store.branches()[base]
            made = self.issue(title, body, author)
            world.store.take(store, tip, f"refs/pull/{made.number}/head")
            made.pull = Pull(fork or world.full_name, head, tip, base, stem, draft)
        return made

    def fork(self, full_name: str) -> Store:
        """Make a fork (OWNER/NAME), which can be cloned, pushed to on disk, and be the head of pull requests."""
        made = Store.make(self.folder / f"{full_name}.git")
        made.git("fetch", "-q", str(self.world.store.path), "+refs/heads/*:refs/heads/*")
        self.world.forks[full_name] = made
        self.account(full_name.partition("/")[0])
        return made

    def delete_fork(self, full_name: str) -> None:
        """Take a fork away; heads that were in it have no repository from then on."""
        del self.world.forks[full_name]
        for issue in self.world.issues.values():
            if issue.pull and issue.pull.head_repository == full_name:
                issue.pull.head_repository = None

    def run(  # noqa: PLR0913
        self, branch: str = "main", *jobs: JobSeed, sha: str = "", conclusion: str | None = "failure",
        event: str = "push", name: str = "CI", path: str = ".github/workflows/ci.yml", attempt: int = 1,
        actor: str = "ann", triggering: str = "", repository: str | None = "", pulls: tuple[int, ...] = (),
    ) -> Run:  # fmt: skip
        """Put in a run of a workflow; a repository of None is a fork that is gone."""
        with self.desk.lock:
            world, sha = self.world, sha or self.world.store.branches()[branch]
            where = world.full_name if repository == "" else repository
            acted, by = self.account(actor), self.account(triggering or actor)
            made = Run(
                world.fresh(), name, path, sha, branch, event, conclusion, attempt, acted, by, where, world.now(), pulls
            )
            made.jobs = [self._job(made, seed) for seed in jobs]
            world.runs[made.id] = made
        return made

    def _job(self, run: Run, seed: JobSeed) -> Job:
        world, number = self.world, self.world.fresh()
        told = {"status": "completed", "conclusion": seed.conclusion}
        check = Check(number, seed.name, run.sha, told, list(seed.annotations), world.now(), world.now())
        world.checks[check.id] = check
        log = seed.log.encode() if isinstance(seed.log, str) else seed.log
        return Job(number, run.id, run.attempt, seed.name, seed.conclusion, seed.steps, log, check.id)

    def rename(self, full_name: str) -> None:
        """Give the repository another name; the old one leads to it."""
        world = self.world
        target = self.folder / f"{full_name}.git"
        target.parent.mkdir(exist_ok=True)
        world.former.add(world.full_name.lower())
        for issue in world.issues.values():
            if issue.pull and issue.pull.head_repository == world.full_name:
                issue.pull.head_repository = full_name
        world.store = Store(world.store.path.rename(target))
        world.owner, _, world.name = full_name.partition("/")
        world.account(world.owner)

    def pass_time(self, seconds: float) -> None:
        """Let its clock go ahead of ours."""
        self.world.ahead += seconds

    def _author(self, login: str | None) -> Account | None:
        return None if login is None else self.account(login)

    # What goes wrong

    def fail(  # noqa: PLR0913
        self, method: str, pattern: str, what: int | Manner = 500, *, times: int = 1, after: bool = False,
        headers: Mapping[str, str] | None = None, message: str = "", seconds: float = 0.0,
    ) -> Fault:  # fmt: skip
        """Let the next requests go wrong: a status, or in a manner; `*` is every method, the pattern is searched."""
        manner: Manner = "status" if isinstance(what, int) else what
        status = what if isinstance(what, int) else 500 if manner == "cut" else 200
        made = Fault(method, re.compile(pattern), manner, status, times, after, message, headers or {}, seconds)
        self.desk.faults.append(made)
        return made

    def fail_by_secondary_limit(
        self, method: str = "*", pattern: str = "", *, wait: int | None = 1, times: int = 1
    ) -> Fault:
        """Refuse as when too much was asked at once; a wait of None does not say how long."""
        said = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
        headers = {} if wait is None else {"Retry-After": str(wait)}
        return self.fail(method, pattern, 403, times=times, headers=headers, message=said)

    def fail_by_limit(self, method: str = "*", pattern: str = "", *, wait: int = 1, times: int = 1) -> Fault:
        """Refuse as when nothing is left of the hour."""
        headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(self.world.now()) + wait)}
        said = "API rate limit exceeded for installation ID 1."
        return self.fail(method, pattern, 403, times=times, headers=headers, message=said)

    # What was done

    @property
    def requests(self) -> list[Asked]:
        """All requests, oldest first; those for logs have paths that begin with `logs:`."""
        return self.desk.requests

    @property
    def violations(self) -> list[str]:
        """Requests that GitHub's description does not allow."""
        return self.desk.violations

    @property
    def lies(self) -> list[str]:
        """Answers of the stand-in that GitHub's description does not allow."""
        return self.desk.lies

    def asked(self, method: str = "*", pattern: str = "") -> list[Asked]:
        """Return requests by method and path."""
        return [
            entry for entry in self.desk.requests if method in ("*", entry.method) and re.search(pattern, entry.path)
        ]

    def comments(self, number: int) -> list[Comment]:
        """Return the comments on an issue or pull request, oldest first."""
        return self.world.comments_of(number)

    def replies(self, number: int) -> list[Comment]:
        """Return the comments on lines of a pull request, oldest first."""
        return self.world.comments_of(number, review=True)

    def pulls(self) -> list[Issue]:
        """Return all pull requests, oldest first, as they are now."""
        with self.desk.lock:
            self.world.settle()
            return [entry for entry in self.world.issues.values() if entry.pull]

    def reactions(self, what: Issue | Comment) -> list[tuple[str, str]]:
        """Return who put which picture under something."""
        return [(entry.account.login, entry.content) for entry in what.reactions]

    def labels(self, number: int) -> list[str]:
        """Return the labels of an issue."""
        return list(self.world.issues[number].labels)

    def checks(self, sha: str = "") -> list[Check]:
        """Return check runs that were written, of one commit or of all."""
        jobs = {job.check for run in self.world.runs.values() for job in run.jobs}
        return [entry for entry in self.world.checks.values() if entry.id not in jobs and sha in ("", entry.sha)]

    def activity(self) -> list[Activity]:
        """Return movements of branches, oldest first."""
        with self.desk.lock:
            self.world.settle()
            return list(self.world.activity)


__all__ = ["READ_TOKEN", "WRITE_TOKEN", "JobSeed", "Standin"]
