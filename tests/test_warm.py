"""What comes out of the warm interpreter behaves as a process that was started afresh."""

import os
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.product import agent, await_event, run, start
from tests.warm import Warm, warm


@pytest.fixture
def ready() -> Iterator[Warm]:
    found = warm()
    if found is None:
        pytest.skip("no warm interpreter here")
    umask = os.umask(0o022)
    yield found
    os.umask(umask)


@pytest.mark.parametrize(
    "args", [("-h",), ("frobnicate",), ("status",), ("log", "--json"), ("show", "x"), ("fix", "--check", "unit")]
)
def test_it_says_what_a_fresh_one_says(repo: Repo, ready: Warm, args: tuple[str, ...]) -> None:
    assert run(*args, cwd=repo.path) == run(*args, cwd=repo.path, fresh=True)


def test_it_has_the_variables_and_the_home_that_it_is_given_and_no_others(repo: Repo, ready: Warm) -> None:
    assert "there is no model 'nobody'" in agent(repo, "fix", env={"GIT_AGENT_MODEL": "nobody"}).err
    Path(os.environ["HOME"], ".gitconfig").write_text("[agent]\n\tmodel = somebody\n")
    assert "there is no model 'somebody'" in agent(repo, "fix").err


def test_a_locale_of_its_own_needs_a_fresh_one(ready: Warm) -> None:
    assert ready.suits(os.environ)
    assert not ready.suits({**os.environ, "LC_ALL": "tr_TR.UTF-8"})


def test_what_it_makes_has_the_permissions_that_its_starter_wants(repo: Repo, ready: Warm) -> None:
    os.umask(0o077)
    agent(repo, "fix", "x", "--max-turns", "0", "--check", "pytest=true")
    [made] = (repo.path / ".git/refs/agent/runs").iterdir()
    assert stat.S_IMODE(made.stat().st_mode) & 0o077 == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_signals_reach_it_and_its_end_is_told(
    repo: Repo, tmp_path: Path, ready: Warm, number: signal.Signals, code: int
) -> None:
    command = ("-C", str(repo.path), "fix", "x", "--check", "pytest=sleep 60", "--isolation", "process")
    with (tmp_path / "out").open("wb") as out:
        started = start(*command, cwd=tmp_path, env={}, out=out.fileno(), err=out.fileno())
        await_event(repo, started, "started")
        started.send_signal(number)
        assert started.wait(30) == code
