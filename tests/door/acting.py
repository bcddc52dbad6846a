"""The workflow that docs/github.md tells a person to copy, run by act against the stand-in, on this machine."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from tests.door.page import ROOT, copied, local
from tests.hub.standin import READ_TOKEN, WRITE_TOKEN, Standin
from tests.hub.world import Comment, Issue, Run

Json: TypeAlias = Any
BIN = Path(sys.executable).parent
UNKNOWN = re.compile(r"^\s*(?:queue|cache-mode): .*\n", re.MULTILINE)
"""What act 0.2.89 does not know, and only GitHub itself can do."""
ACTIONS = re.compile(r"actions/([\w-]+)@[0-9a-f]{40}")
SETUP = "if env | grep 'gh[s]_'; then exit 1; fi; git --no-pager log -1 --format='set up at %s'"
"""Fails where it is shown a token."""


@dataclass(frozen=True)
class Acted:
    """What came of a run of the workflow."""

    code: int
    log: str
    seconds: float = 0.0

    def jobs(self) -> Mapping[str, str]:
        """Return how each job ended."""
        return dict(re.findall(r"^\[\w+/\w+/(\w+)\] 🏁  Job (\w+)", self.log, re.MULTILINE))


@dataclass(frozen=True)
class Runners:
    """Where workflows of a repository are run."""

    hub: Standin
    folder: Path

    def act(self, event: str, payload: Json, *, workflow: str = "agent", actor: str = "ann") -> Acted:
        """Let an event happen; returns when the workflow that it started has ended."""
        told = self.folder / "event.json"
        told.write_text(json.dumps(payload))
        argv = [str(BIN / "act"), event, "-e", str(told), "-W", ".github/workflows/caller.yml", "--actor", actor]
        argv += ["-P", "ubuntu-24.04=-self-hosted", "--no-skip-checkout", *self._stubs(workflow)]
        argv += ["-s", f"GITHUB_TOKEN={READ_TOKEN}", "-s", f"AGENT_TOKEN={WRITE_TOKEN}"]
        argv += [word for name, value in self._variables(actor).items() for word in ("--env", f"{name}={value}")]
        # What git is told on this machine is no part of a runner
        environment = {"PATH": f"{self._tools()}{os.pathsep}{os.environ['PATH']}", "GIT_CONFIG_NOSYSTEM": "1"}
        environment["HOME"] = str(self.folder / "home")
        done = subprocess.run(
            argv,
            cwd=self._checkout(workflow),
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        return Acted(done.returncode, done.stdout + done.stderr)

    def _variables(self, actor: str) -> Mapping[str, str]:
        hub = self.hub
        return {
            "GITHUB_REPOSITORY": hub.full_name,
            "GITHUB_SERVER_URL": hub.server,
            "GITHUB_API_URL": hub.api,
            "GITHUB_GRAPHQL_URL": hub.graph,
            "GITHUB_TRIGGERING_ACTOR": actor,
            "GITHUB_WORKFLOW_REF": f"{hub.full_name}/.github/workflows/agent.yml@refs/heads/main",
            "DOOR_SOURCE": str(ROOT),
            "DOOR_ARTIFACTS": str(self.folder / "artifacts"),
        }

    def _checkout(self, name: str) -> Path:
        """Make the folder that act starts from: the workflow as it is copied, and ours beside it."""
        place = self.folder / "runner"
        workflows = place / ".github/workflows"
        if not place.exists():
            # act takes the commit of an event from where it is started
            self.hub.git.git("clone", "-q", "--branch", "main", str(self.hub.git_folder), str(place))
            workflows.mkdir(parents=True, exist_ok=True)
        (workflows / f"{name}.yml").write_text(UNKNOWN.sub("", _ours(name)))
        (workflows / "caller.yml").write_text(yaml.safe_dump(_caller(name), sort_keys=False))
        return place

    def _tools(self) -> Path:
        """Put git agent, as it is here, on the PATH of the runners."""
        tools = self.folder / "tools"
        tools.mkdir(exist_ok=True)
        (tools / "git-agent").unlink(missing_ok=True)
        (tools / "git-agent").symlink_to(BIN / "git-agent")
        return tools

    def _stubs(self, name: str) -> Iterator[str]:
        for used in ACTIONS.finditer(_ours(name)):
            yield from ("--local-repository", f"{used[0]}={ROOT}/tests/door/stubs/{used[1]}")


def _ours(name: str) -> str:
    return (ROOT / f".github/workflows/{name}.yml").read_text()


def _caller(name: str) -> Json:
    document = yaml.safe_load(re.sub(r"^on:", '"on":', UNKNOWN.sub("", local(copied(name))), flags=re.MULTILINE))
    (job,) = document["jobs"].values()
    job["with"] = {"install": False, "setup": SETUP}
    if name == "agent":
        # act knows one token for all jobs: the one that can only read; publishing gets its own
        job["secrets"] = {"token": "${{ secrets.AGENT_TOKEN }}"}
    return document


def tell_comment(hub: Standin, issue: Issue, comment: Comment) -> Json:
    """Write what GitHub sends when somebody comments."""
    shapes = hub.shapes
    told = {"issue": shapes.issue(issue), "comment": shapes.comment(comment), "repository": shapes.repository()}
    return {"action": "created", **told, "sender": shapes.account(comment.author)}


def tell_pull(hub: Standin, pull: Issue) -> Json:
    """Write what GitHub sends when somebody opens a pull request."""
    shapes = hub.shapes
    told = {"number": pull.number, "pull_request": shapes.pull(pull), "repository": shapes.repository()}
    return {"action": "opened", **told, "sender": shapes.account(pull.author)}


def tell_run(hub: Standin, run: Run) -> Json:
    """Write what GitHub sends when a run of CI has ended."""
    shapes = hub.shapes
    told = {
        "workflow_run": shapes.run(run),
        "repository": shapes.repository(),
        "sender": shapes.account(run.triggering),
    }
    return {"action": "completed", **told}


def has_isolation() -> bool:
    """Tell whether untrusted text can be worked on here."""
    bwrap = shutil.which("bwrap")
    argv = (bwrap or "", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true")
    return bool(bwrap) and subprocess.run(argv, capture_output=True, check=False).returncode == 0
