"""What the pages tell a person to type does what they say, in the order in which they say it."""

import os
import re
import shlex
import signal
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.app.test_resume import stopped
from tests.conftest import IDENTITY, Repo
from tests.product import FINISH, agent, calls, checkpoint, edit, script

ROOT = Path(__file__).parents[2]
LINES = (
    calls(edit("a - b", "a + b"), checkpoint("fix: add")),
    calls(("create_file", {"path": "two.txt", "content": "2\n"}), checkpoint("feat: two")),
    calls(("create_file", {"path": "three.txt", "content": "3\n"}), checkpoint("feat: three")),
    calls(("run_command", {"argv": ["python", "wait.py"]})),
    calls(FINISH),
)
WAIT = """
import os, time
while os.path.exists({hold!r}):
    time.sleep(0.02)
"""


def commands(page: str, section: str) -> Iterator[str]:
    """Find what a section tells a person to type."""
    found = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
    assert found, f"{page} has no section {section}"
    for block in re.findall(r"^```console\n(.*?)^```", found.group(1), re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            yield re.sub(r"\s+# .*", "", line.removeprefix("$ "))


@dataclass(frozen=True)
class Desk:
    """A repository with a run in it, and somebody who types."""

    repo: Repo
    model: str = ""
    run: str = "RUN"
    branch: str = "agent/BRANCH"

    def type(self, line: str, code: int = 0) -> str:
        """Carry out a line of a page and return what it printed."""
        words = line.replace("agent/BRANCH", self.branch).replace("RUN", self.run)
        if words.startswith("git agent "):
            ran = agent(self.repo, *shlex.split(words)[2:], env={"GIT_AGENT_MODEL": self.model} if self.model else {})
            assert ran.code == code, (line, ran)
            return ran.out
        environment = {**os.environ, **IDENTITY}
        shell = ("bash", "-o", "pipefail", "-c", words)
        done = subprocess.run(shell, cwd=self.repo.path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == code, (line, done)
        return done.stdout

    def follow(self, page: str, section: str, codes: Mapping[str, int] | None = None) -> Mapping[str, str]:
        """Carry out all of a section, where nothing else is told with success."""
        return {line: self.type(line, (codes or {}).get(line, 0)) for line in commands(page, section)}


@pytest.fixture
def desk(repo: Repo, tmp_path: Path) -> Desk:
    """A run that was killed after three steps, at something that waits to be let go on."""
    (hold := tmp_path / "hold").touch()
    repo.commit({"wait.py": WAIT.format(hold=str(hold))})
    run = stopped(repo, script(tmp_path / "s", *LINES), signal.SIGKILL, "committed", 3, ("--isolation", "process"))
    hold.unlink()
    return Desk(repo, "", run, repo.git("for-each-ref", "--format=%(refname:short)", "refs/heads/agent"))


def test_history_can_be_followed_to_the_letter(desk: Desk, tmp_path: Path) -> None:
    page, repo = "docs/history.md", desk.repo
    told = desk.follow(page, "When it is killed")
    assert f"git agent resume {desk.run}" in told["git agent status"]
    told = desk.follow(page, "The branch")
    shown = [line.split(maxsplit=1)[1] for line in told[max(told, key=len)].splitlines()]
    assert shown == ["3 feat: three", "2 feat: two", "1 fix: add"]
    assert "Agent-Step: 3" in told["git log -1 --format=%B agent/BRANCH | git interpret-trailers --parse"]
    told = desk.follow(page, "The record")
    entries = [line.split(maxsplit=1)[1] for line in told[next(iter(told))].splitlines()]
    assert [entry for entry in entries if entry.startswith("step")] == [
        *("step 3: feat: three", "step 2: feat: two", "step 1: fix: add")
    ]
    assert told["git show refs/agent/runs/RUN:report.md"].startswith("**Verified.**")
    told = desk.follow(page, "Back and forth")
    assert [text.splitlines()[0].split(" is ")[1].rpartition(" ")[0] for text in told.values()] == [
        *("back at step 2", "back at step 1", "at step 2 again")
    ]
    other = elsewhere(desk, tmp_path)
    for line in commands(page, "In another clone"):
        (desk if "push" in line else other).type(line)
    assert (other.repo.path / "two.txt").exists()
    desk.follow(page, "To forget a run")
    assert repo.git("for-each-ref", "refs/agent", "refs/heads/agent") == ""


def elsewhere(desk: Desk, tmp_path: Path) -> Desk:
    """Make another clone of where a repository pushes to."""
    desk.repo.git("init", "-q", "--bare", str(tmp_path / "bare"))
    desk.repo.git("remote", "add", "origin", str(tmp_path / "bare"))
    desk.repo.git("push", "-q", "origin", "main")
    desk.repo.git("clone", "-q", "-b", "main", str(tmp_path / "bare"), str(tmp_path / "other"))
    return replace(desk, repo=Repo(tmp_path / "other"))


def test_planning_can_be_followed_to_the_letter(repo: Repo, tmp_path: Path) -> None:
    plan = calls(("update_plan", {"steps": ["mend add"], "modules": ["calc.py"]}))
    lines = (calls(edit("a - b", "a + b"), checkpoint("fix: add")), calls(FINISH))
    begun = Desk(repo, script(tmp_path / "plan", plan, calls(FINISH)))
    page = list(commands("docs/planning.md", "A plan by itself"))
    begun.type(page[0])
    run = repo.git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/agent/runs")
    repo.write({"plan.md": "1. mend add\n2. say so\n"})
    desk = Desk(repo, script(tmp_path / "fix", *lines), run)
    told = {line: desk.type(line.replace("plan.md", str(repo.path / "plan.md"))) for line in page[1:]}
    assert "The plan; nothing was changed" in told["git agent show RUN"]
    assert "2. say so" in told["git agent plan --edit RUN --file plan.md"]
    assert told["git agent fix --plan RUN"].startswith("\n✓ verified")
