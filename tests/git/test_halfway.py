"""What is left when a kill comes while something is made or taken away."""

import os
import shutil
import tempfile
import time
from pathlib import Path

import pytest

from bot.core.event import Ended, Started
from bot.core.held import HELD
from bot.core.task import Task
from bot.git import owner
from bot.git.leftovers import MOMENT, remove_leftovers
from bot.git.record import RunRef
from bot.git.repository import Repository, open_repository
from bot.git.runs import read_events
from tests.conftest import Repo
from tests.git.scene import opened


@pytest.fixture
def repository(repo: Repo) -> Repository:
    return open_repository(repo.path)


def kill(folder: Path) -> None:
    """Make the owner of a folder one that is dead."""
    card = owner.read(folder)
    assert card is not None
    owner.write(folder, card.model_copy(update={"started": "1"}))


@pytest.mark.parametrize("kept", [("owner.json",), ("owner.json", "HEAD", "index"), ()])
def test_an_entry_of_a_worktree_that_was_half_removed_is_taken_away(
    repo: Repo, repository: Repository, kept: tuple[str, ...]
) -> None:
    with opened(repo) as workspace:
        admin = workspace.checkout.admin
        copy = admin.with_name("copy")
        shutil.copytree(admin, copy)
    admin.parent.mkdir(exist_ok=True)
    shutil.move(copy, admin)
    kill(admin)
    for path in admin.iterdir():
        if path.name not in kept:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    os.utime(admin, (time.time() - 2 * MOMENT,) * 2)
    assert str(admin) in remove_leftovers(repository)
    assert not admin.parent.exists()


@pytest.mark.parametrize("card", [None, "", '{"pid": 1'])
def test_an_entry_that_was_being_made_goes_with_the_run_that_made_it(
    repo: Repo, repository: Repository, card: str | None
) -> None:
    admin = repo.path / ".git/worktrees/agent-r1"
    temp = Path(tempfile.mkdtemp(prefix="git-agent-r1-"))
    admin.mkdir(parents=True)
    if card is not None:
        (admin / owner.NAME).write_text(card)
    owner.write(temp, owner.current(common_dir=repository.common_dir))
    assert remove_leftovers(repository) == (), "somebody makes it right now"
    kill(temp)
    assert set(remove_leftovers(repository)) == {str(admin), str(temp)}
    admin.mkdir(parents=True)
    (admin / owner.NAME).write_text(card or "")
    assert remove_leftovers(repository) == ()
    os.utime(admin, (time.time() - 2 * MOMENT,) * 2)
    assert remove_leftovers(repository) == (str(admin),)


@pytest.mark.parametrize(("age", "left"), [(0.0, True), (2 * MOMENT, False)])
@pytest.mark.parametrize("name", ["git-agent-r1-", "git-agent-"])
@pytest.mark.parametrize("inside", ["", f"{HELD}.new", f".{owner.NAME}.1"])
def test_a_folder_without_a_card_yet_is_nobodys_after_a_moment(
    repository: Repository, name: str, inside: str, age: float, *, left: bool
) -> None:
    folder = Path(tempfile.mkdtemp(prefix=name))
    if inside:
        (folder / inside).touch()
    os.utime(folder, (time.time() - age,) * 2)
    remove_leftovers(repository)
    assert folder.exists() is left
    shutil.rmtree(folder, ignore_errors=True)


def test_a_lock_that_a_kill_left_at_a_runs_ref_does_not_keep_the_run_from_being_taken_up(
    repository: Repository,
) -> None:
    started = Started(run="r1", task=Task(base=repository.default_base()), branch="agent/x-r1")
    with RunRef(repository, "r1", lambda _: "") as record:
        record.record(started)
    lock = repository.common_dir / "refs/agent/runs/r1.lock"
    lock.touch()
    os.utime(lock, (time.time() - 60,) * 2)
    with RunRef(repository, "r1", lambda _: "", resume=True) as record:
        record.record(Ended(stop="done"))
    assert [event.event for event in read_events(repository, "r1")] == ["started", "ended"]
    assert not lock.exists()
