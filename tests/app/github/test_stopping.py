"""A run that works for a page hears who says stop there, and ends as it does when its job is cancelled."""

import os
import signal
import time
from pathlib import Path

import pytest

from bot.app.desk import settle
from bot.app.github.stopping import Ear, Stop, listening
from bot.app.perform import perform
from bot.core.event import Ended
from bot.core.task import Mode, Request, Task
from bot.core.trigger.gate import Rules
from bot.core.trigger.trigger import Trigger
from bot.errors import ForgeError
from bot.forge.github.client import GitHub
from bot.git.repository import open_repository
from bot.git.runs import list_runs, read_events
from tests.conftest import Repo
from tests.hub.fixtures import hub  # noqa: F401
from tests.hub.standin import READ_TOKEN, Standin
from tests.product import calls, checkpoint, edit, script, start

STEP = (edit("a - b", "a + b"), checkpoint())
SLOW = ("run_command", {"argv": ["python", "slow.py"]})
ADDS = "pytest=grep -q 'a + b' calc.py"


def test_only_who_may_write_stops_a_run_and_only_in_so_many_words(hub: Standin) -> None:  # noqa: F811
    hub.allow("bea", "write")
    hub.allow("rex", "read")
    hub.account("ci[bot]", "Bot")
    issue = hub.issue()
    order = hub.comment(issue.number, "/agent fix")
    github = GitHub(hub.api, READ_TOKEN, hub.full_name, server_url=hub.server)
    trigger = Trigger(event="issue_comment", repository=hub.full_name, number=issue.number, comment=order.id)
    ear = Ear(github, trigger, Rules(), order.created)
    earlier = Ear(github, trigger, Rules(), order.created + 60)
    for text, author in (
        ("please stop", "ann"),
        ("> /agent stop\n\nno", "ann"),
        ("/agent fix", "ann"),
        ("/agent stop", "rex"),
        ("/agent stop", "somebody"),
        ("/agent stop", "ci[bot]"),
        ("/agent stop", None),
        ("/agent stop\n<!-- git-agent -->", "ann"),
    ):
        hub.comment(issue.number, text, author)
    hub.edit(hub.comment(issue.number, "/agent stop", "ann"), "/agent stop now")
    assert ear.hear() is None
    asked = len(hub.asked("GET", "/permission"))
    assert (asked, ear.hear(), len(hub.asked("GET", "/permission"))) == (2, None, asked), "nobody is judged twice"
    said = hub.comment(issue.number, "/agent stop please", "bea")
    assert ear.hear() == Stop("bea", said.id)
    assert earlier.hear() is None, "what was said before the order stops nothing"


# It is interrupted wherever it is: also between the opening of a file and the block that closes it
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_run_that_is_told_to_stop_keeps_its_steps_and_says_so(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"slow.py": "import time\nopen('slow.txt', 'w').close()\ntime.sleep(60)\n"})
    spec = script(tmp_path / "s", calls(*STEP), calls(SLOW))
    repository = open_repository(repo.path)
    answers = [ForgeError("down"), None]

    def hear() -> Stop | None:
        if answers:
            told = answers.pop(0)
            if told is not None:
                raise told
        journals = list((repo.path / ".git/agent/runs").glob("*/trace.jsonl"))
        busy = any(b'"run_command"' in path.read_bytes() for path in journals)
        return Stop("ann", 3) if busy else None

    desk = settle(repository, {"isolation": "process", "checks": (ADDS,)}, repo.git("rev-parse", "main"))
    request = Request(task=Task(goal="add", base=desk.base), mode=Mode(forge="none", model=spec))
    before = signal.getsignal(signal.SIGINT)
    with listening(hear, 0.02) as stop:
        report = perform(desk, request)
    assert (stop.by, report.stop, report.outcome, len(report.steps)) == ("ann", "interrupted", "partial", 1)
    assert isinstance(read_events(repository, report.run)[-1], Ended)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_stop_that_comes_too_early_or_too_late_interrupts_nothing_else() -> None:
    with listening(lambda: Stop("ann", 3), 0.01) as stop:
        until = time.monotonic() + 5
        while not stop.by and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(0.05)
    assert stop.by == "ann"
    with pytest.raises(KeyboardInterrupt), listening(lambda: None, 0.01):
        os.kill(os.getpid(), signal.SIGINT)
    with listening(lambda: Stop("ann", 3), None) as deaf:
        pass
    assert deaf.by == ""


@pytest.mark.parametrize("busy", ["call", "check"])
def test_a_job_that_is_cancelled_leaves_its_record_in_good_time(repo: Repo, tmp_path: Path, busy: str) -> None:
    repo.commit({"slow.py": "import time\nopen('slow.txt', 'w').close()\ntime.sleep(60)\n"})
    spec = script(tmp_path / "s", calls(*STEP), calls(SLOW))
    check = ADDS if busy == "call" else "pytest=sleep 60"
    argv = ("-C", str(repo.path), "fix", "add", "--model", spec, "--isolation", "process", "--check", check)
    word = b'"event":"committed"' if busy == "call" else b'"check":"pytest"'
    with Path(os.devnull).open("wb") as nothing:
        child = start(*argv, cwd=repo.path, env={"GITHUB_ACTIONS": "true"}, out=nothing.fileno(), err=nothing.fileno())
    while child.poll() is None and not any(
        word in path.read_bytes() for path in repo.path.glob(".git/agent/runs/*/t*")
    ):
        time.sleep(0.01)
    began = time.monotonic()
    # The runner waits 7.5 s for the first to have an effect, and 2.5 s for the second
    child.send_signal(signal.SIGINT)
    time.sleep(0.1)
    child.send_signal(signal.SIGTERM)
    child.wait(30)
    assert time.monotonic() - began < 5
    repository = open_repository(repo.path)
    (run,) = list_runs(repository)
    last = read_events(repository, run)[-1]
    assert isinstance(last, Ended)
    assert last.stop == "interrupted"
    assert repo.git("rev-parse", f"refs/agent/runs/{run}")
    assert not list(repo.path.glob(".git/agent/runs/*"))
