"""Both jobs of the workflow, as a runner starts them: an event in, a pull request out."""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.conftest import Repo
from tests.hub import somebody
from tests.hub.events import comment_event
from tests.hub.standin import READ_TOKEN, WRITE_TOKEN, Standin
from tests.hub.world import Issue, Pull
from tests.product import FINISH, Ran, calls, checkpoint, edit, run, script

CHECK = {"pyproject.toml": '[tool.git-agent.checks]\nok = "grep -q yes say.txt"\n'}
SMALL = {"say.txt": "no\n", "old.txt": "x\n", "other.txt": "no\n", **CHECK}
"""A project with one check that is red, and takes no time."""
FIX = (calls(edit("no", "yes", "say.txt"), checkpoint("fix: say yes")), calls(FINISH))
MORE = (calls(edit("no", "so", "other.txt"), checkpoint("feat: say so")), calls(FINISH))
US = "github-actions[bot]"


@dataclass
class Runner:
    """A runner with a fresh checkout for each job."""

    hub: Standin
    folder: Path
    number: int = 700
    env: dict[str, str] = field(default_factory=dict)
    """What the workflow sets beside what a runner always does."""
    meanwhile: list[Callable[[], object]] = field(default_factory=list)
    """What happens once while the next order is worked on, after the code was checked out."""
    between: list[Callable[[], object]] = field(default_factory=list)
    """What happens once before that is published."""

    def order(self, issue: Issue, words: str, login: str = "ann") -> tuple[Ran, Ran | None]:
        """Comment, and run both jobs."""
        # Nobody orders in the second in which a branch was pushed to
        self.hub.pass_time(2)
        comment = self.hub.comment(issue.number, words, login)
        return self.both("issue_comment", comment_event(self.hub, comment), login)

    def both(self, event: str, payload: Mapping[str, Any], login: str = "ann") -> tuple[Ran, Ran | None]:
        """Run both jobs of one run of the workflow; the second only where the first let the order in."""
        self.number += 1
        # The code is checked out before anything else happens
        self.checkout(self.folder / f"{self.number}" / "work")
        self._happen(self.meanwhile)
        work = self.job("work", event, payload, login)
        if self.outputs("work").get("admitted") == "false":
            return work, None
        self._happen(self.between)
        return work, self.job("publish", event, payload, login)

    def first_order(self) -> Mapping[str, Any]:
        """Have an issue, and `/agent fix` said on it: the same in each stand-in."""
        issue = self.hub.issue("say yes", "it says no")
        self.number += 1
        event: Mapping[str, Any] = comment_event(self.hub, self.hub.comment(issue.number, "/agent fix"))
        return event

    def take(self, room: Path) -> Mapping[str, Any]:
        """Lay in what came of the first order where it was worked on, ready to be published."""
        event = self.first_order()
        shutil.copytree(room, self.folder / f"{self.number}")
        return event

    def _happen(self, deeds: list[Callable[[], object]]) -> None:
        while deeds:
            deeds.pop(0)()

    def job(self, mode: str, event: str, payload: Mapping[str, Any], login: str = "ann") -> Ran:
        """Run one job on a checkout of its own."""
        checkout, env = self.prepare(mode, event, payload, login)
        return run("-C", str(checkout.path), "action", mode, env=env)

    def prepare(
        self, mode: str, event: str, payload: Mapping[str, Any], login: str = "ann"
    ) -> tuple[Repo, Mapping[str, str]]:
        """Lay out what a job finds: its checkout, and the variables that a runner sets."""
        room = self.folder / f"{self.number}"
        room.mkdir(parents=True, exist_ok=True)
        (room / "event.json").write_text(json.dumps(payload))
        work = self.checkout(room / "work")
        checkout = work if mode == "work" else Repo(room)
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
            "GITHUB_SHA": work.git("rev-parse", "HEAD"),
            "GITHUB_OUTPUT": str(room / f"{mode}.output"),
            "GITHUB_STEP_SUMMARY": str(room / f"{mode}.md"),
            "GITHUB_TOKEN": READ_TOKEN if mode == "work" else WRITE_TOKEN,
            "GIT_AGENT_HANDOVER": str(room / "handover"),
            "GIT_AGENT_PAUSE": "0",
            **self.env,
        }
        return checkout, env

    def checkout(self, path: Path) -> Repo:
        """Check the default branch out, as actions/checkout does without credentials."""
        made = Repo(path)
        if not path.exists():
            path.mkdir(parents=True)
            made.git("clone", "-q", "--no-hardlinks", str(self.hub.git_folder), ".")
            made.git("remote", "set-url", "origin", f"{self.hub.server}/{self.hub.full_name}.git")
        return made

    def push(self, branch: str, files: Mapping[str, str]) -> str:
        """Have somebody commit to a branch of the remote; return the commit."""
        return somebody.commit(self.hub, self.folder, branch, files)

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

    @staticmethod
    def codes(jobs: tuple[Ran, Ran | None]) -> tuple[int, int | None]:
        """Return how both jobs ended; None for one that was not started."""
        return jobs[0].code, jobs[1].code if jobs[1] is not None else None

    def play(self, *lines: Mapping[str, Any]) -> None:
        """Have a script for a model."""
        self.folder.mkdir(exist_ok=True)
        self.env["GIT_AGENT_MODEL"] = script(self.folder / f"script-{self.number}", *lines)

    def said(self, number: int) -> list[str]:
        """Return what we said on a page."""
        told = self.hub.comments(number)
        return [each.body for each in told if each.author is not None and each.author.login == US]

    def pull(self, at: int = -1) -> tuple[Pull, str]:
        """Return a pull request, the newest where none is named, and what it says."""
        found = self.hub.pulls()[at]
        assert found.pull is not None
        return found.pull, found.body or ""

    def refs(self) -> list[str]:
        """List what of ours is in the repository."""
        told = self.hub.git.git("for-each-ref", "--format=%(refname)").split()
        return [name for name in told if "agent/" in name]

    def show(self, rev: str, path: str) -> str:
        """Read a file of the remote."""
        return self.hub.git.git("show", f"{rev}:{path}")


def work_once(hub: Standin, folder: Path) -> Path:
    """Have `/agent fix` worked on in the small project, and return the room of that job."""
    runner = Runner(hub, folder)
    runner.play(*FIX)
    event = runner.first_order()
    done = runner.job("work", "issue_comment", event)
    assert done.code == 0, done.err
    shutil.rmtree(folder / f"{runner.number}" / "work")
    return folder / f"{runner.number}"
