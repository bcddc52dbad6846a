"""Eight runs at once in one repository, while its owner works there, too."""

import os
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.core.report import Report
from bot.core.summary import summarize
from bot.git.repository import open_repository
from bot.git.runs import read_events
from tests.chaos.campaign import await_end
from tests.chaos.scenario import CHECK
from tests.conftest import make_repo
from tests.product import FINISH, calls, checkpoint, edit, run, script, start

RUNS = 8
ROUNDS = int(os.environ.get("CHAOS_ROUNDS", "2"))


class Yard:
    """A repository where many work, with a remote and a worktree of its owner's whose name looks like ours."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.commits = 0
        self.repo = make_repo(folder / "repo")
        files = {f"f{n}.txt": f"{n}\n" for n in range(RUNS)}
        self.repo.commit({**files, "state.txt": "sound\n", "own.txt": "0\n"}, "a project")
        self.repo.git("config", "gc.auto", "1")
        self.repo.git("config", "gc.autoDetach", "false")
        subprocess.run(["git", "clone", "-q", "--bare", str(self.repo.path), str(folder / "remote")], check=True)
        self.repo.git("remote", "add", "origin", str(folder / "remote"))
        self.repo.git("worktree", "add", "-q", "-b", "mine", str(folder / "agent-mine"))
        (folder / "agent-mine/own.txt").write_text("half finished\n")
        self.place = folder / "tmp"
        self.place.mkdir()

    def task(self, number: int) -> str:
        """Write a script of two steps on a file that no other run touches."""
        name = f"f{number}.txt"
        return script(
            self.folder / f"script{number}",
            calls(edit(f"{number}\n", f"{number} once\n", name), checkpoint("once")),
            calls(edit("once", "twice", name), checkpoint("twice")),
            calls(FINISH),
        )

    def work(self) -> Sequence[Report]:
        """Start all runs at once, wait for them, and return their reports."""
        started = []
        for number in range(RUNS):
            out = (self.folder / f"out{number}").open("wb")
            err = (self.folder / f"err{number}").open("wb")
            with out, err:
                command = ("fix", f"task {number}", "--json", "--model", self.task(number), "--check", CHECK)
                argv = ("-C", str(self.repo.path), *command, "--isolation", "process")
                env = {"TMPDIR": str(self.place)}
                started.append(start(*argv, cwd=self.folder, env=env, out=out.fileno(), err=err.fileno()))
        codes = [process.wait(120) for process in started]
        told = [(self.folder / f"{name}{number}").read_text() for number in range(RUNS) for name in ("err", "out")]
        assert codes == [0] * RUNS, "\n\n".join(text for n, text in enumerate(told) if codes[n // 2])
        return [Report.model_validate_json((self.folder / f"out{number}").read_bytes()) for number in range(RUNS)]

    def look(self, number: int, report: Report) -> None:
        """Check that a run did its task and no other's, and that its record says so."""
        assert (report.outcome, len(report.steps)) == ("verified", 2)
        assert self.repo.git("rev-parse", f"refs/heads/{report.branch}") == report.tip
        changed = self.repo.git("diff-tree", "-r", "--name-only", report.base, report.tip)
        assert (changed, self.repo.git("show", f"{report.tip}:{changed}")) == (f"f{number}.txt", f"{number} twice")
        assert summarize(read_events(open_repository(self.repo.path), report.run)) == report

    @contextmanager
    def disturbed(self) -> Iterator[None]:
        """Do all the time what a person does: look, tidy up, commit, fetch, collect garbage."""
        over, troubles = threading.Event(), list[str]()

        def disturb() -> None:
            for act in self._habits():
                if over.is_set():
                    return
                try:
                    act()
                except AssertionError as error:
                    troubles.append(str(error))

        owner = threading.Thread(target=disturb)
        owner.start()
        try:
            yield
        finally:
            over.set()
            owner.join()
        assert not troubles, troubles

    def _habits(self) -> Iterator[Callable[[], None]]:
        while True:
            yield lambda: self._ask("status")
            yield self._commit
            yield lambda: self._ask("clean")
            yield lambda: self._git("fetch", "-q", "origin")
            yield lambda: self._ask("log", "--json")
            yield lambda: self._git("gc", "--auto", "-q")

    def _ask(self, *args: str) -> None:
        ran = run("-C", str(self.repo.path), *args, env={"TMPDIR": str(self.place)})
        assert ran.code == 0, (args, ran.err, ran.out)

    def _git(self, *args: str) -> None:
        self.repo.git(*args)

    def _commit(self) -> None:
        self.commits += 1
        self.repo.write({"own.txt": f"{self.commits}\n"})
        self.repo.git("commit", "-q", "-a", "--no-gpg-sign", "-m", f"my own {self.commits}")


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return Yard(tmp_path)


def test_eight_runs_at_once_disturb_neither_each_other_nor_the_owner(yard: Yard) -> None:
    repo, reports = yard.repo, list[Report]()
    for _ in range(ROUNDS):
        with yard.disturbed():
            made = yard.work()
        for number, report in enumerate(made):
            yard.look(number, report)
        reports += made
    assert repo.git("rev-list", "--count", "main") == str(1 + yard.commits)
    assert yard.commits
    refs = repo.git("for-each-ref", "--format=%(refname)", "refs/agent", "refs/heads/agent").split()
    wanted = [name for told in reports for name in (f"refs/agent/runs/{told.run}", f"refs/heads/{told.branch}")]
    assert sorted(refs) == sorted(wanted)
    assert sorted(path.name for path in (repo.path / ".git/worktrees").iterdir()) == ["agent-mine"]
    assert (yard.folder / "agent-mine/own.txt").read_text() == "half finished\n"
    assert await_end(yard.folder) == {}
    assert (list(yard.place.iterdir()), list((repo.path / ".git").rglob("*.lock"))) == ([], [])
    repo.git("fsck", "--no-dangling")
