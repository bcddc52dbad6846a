"""Both jobs of the workflow, as a runner starts them: an event in, a pull request out."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.conftest import Repo
from tests.hub.standin import READ_TOKEN, WRITE_TOKEN, Standin
from tests.hub.world import Comment, Issue, stamp
from tests.product import Ran, run


def account(login: str, number: int, kind: str = "User") -> dict[str, Any]:
    return {"login": login, "id": number, "type": kind}


@dataclass
class Runner:
    """A runner with a fresh checkout for each job."""

    hub: Standin
    folder: Path
    number: int = 700
    env: dict[str, str] = field(default_factory=dict)
    """What the workflow sets beside what a runner always does."""

    def said(self, issue: Issue, comment: Comment) -> dict[str, Any]:
        """Write the payload of a comment."""
        author = comment.author
        assert author is not None
        user = account(author.login, author.id, author.kind)
        about: dict[str, Any] = {
            "number": issue.number,
            "title": issue.title,
            "body": issue.body,
            "state": "open",
            "user": account("eve", 99),
            "html_url": f"{self.hub.server}/{self.hub.full_name}/issues/{issue.number}",
        }
        if issue.pull is not None:
            about["pull_request"] = {"url": "x"}
        written = stamp(comment.created)
        return {
            "action": "created",
            "issue": about,
            "comment": {
                "id": comment.id,
                "body": comment.body,
                "user": user,
                "created_at": written,
                "updated_at": written,
                "html_url": "https://github.com/x",
            },
            "repository": self.repository(),
            "sender": user,
        }

    def repository(self) -> dict[str, Any]:
        return {
            "id": 1296269,
            "full_name": self.hub.full_name,
            "default_branch": "main",
            "html_url": f"{self.hub.server}/{self.hub.full_name}",
        }

    def order(self, issue: Issue, words: str, login: str = "ann") -> tuple[Ran, Ran | None]:
        """Comment, and run both jobs."""
        comment = self.hub.comment(issue.number, words, login)
        return self.both("issue_comment", self.said(issue, comment), login)

    def both(self, event: str, payload: Mapping[str, Any], login: str = "ann") -> tuple[Ran, Ran | None]:
        """Run both jobs of one run of the workflow; the second only where the first let the order in."""
        self.number += 1
        work = self.job("work", event, payload, login)
        if self.outputs("work").get("admitted") == "false":
            return work, None
        return work, self.job("publish", event, payload, login)

    def job(self, mode: str, event: str, payload: Mapping[str, Any], login: str = "ann") -> Ran:
        """Run one job on a checkout of its own."""
        room = self.folder / f"{self.number}"
        room.mkdir(parents=True, exist_ok=True)
        (room / "event.json").write_text(json.dumps(payload))
        checkout = self.checkout(room / mode)
        env = {
            "GITHUB_ACTIONS": "true",
            "CI": "true",
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(room / "event.json"),
            "GITHUB_REPOSITORY": self.hub.full_name,
            "GITHUB_API_URL": self.hub.api,
            "GITHUB_SERVER_URL": self.hub.server,
            "GITHUB_GRAPHQL_URL": self.hub.graph,
            "GITHUB_RUN_ID": str(self.number),
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_ACTOR": login,
            "GITHUB_TRIGGERING_ACTOR": login,
            "GITHUB_SHA": checkout.git("rev-parse", "HEAD"),
            "GITHUB_OUTPUT": str(room / f"{mode}.output"),
            "GITHUB_STEP_SUMMARY": str(room / f"{mode}.md"),
            "GITHUB_TOKEN": READ_TOKEN if mode == "work" else WRITE_TOKEN,
            "GIT_AGENT_HANDOVER": str(room / "handover"),
            "GIT_AGENT_PAUSE": "0",
            **self.env,
        }
        return run("-C", str(checkout.path), "action", mode, env=env)

    def checkout(self, path: Path) -> Repo:
        """Check the default branch out, as actions/checkout does without credentials."""
        made = Repo(path)
        if not path.exists():
            path.mkdir(parents=True)
            made.git("clone", "-q", "--no-hardlinks", str(self.hub.git_folder), ".")
            made.git("remote", "set-url", "origin", f"{self.hub.server}/{self.hub.full_name}.git")
        return made

    def outputs(self, mode: str) -> dict[str, str]:
        """Read the outputs of a job of the last run."""
        path = self.folder / f"{self.number}" / f"{mode}.output"
        lines = path.read_text().splitlines() if path.exists() else []
        found, name, end, value = dict[str, str](), "", "", list[str]()
        for line in lines:
            if not end:
                name, _, end = line.partition("<<")
                value = []
            elif line == end:
                found[name], end = "\n".join(value), ""
            else:
                value.append(line)
        return found

    def summary(self, mode: str) -> str:
        """Read the summary of a job of the last run."""
        path = self.folder / f"{self.number}" / f"{mode}.md"
        return path.read_text() if path.exists() else ""


def now() -> float:
    return time.time()
