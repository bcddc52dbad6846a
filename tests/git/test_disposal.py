"""Folders that are done with are out of the way at once and gone when there was time."""

import os
import tempfile
from pathlib import Path

import pytest

from bot.git import owner
from bot.git.disposal import DONE, delete, discard, sweep
from bot.git.leftovers import LONG, remove_leftovers
from bot.git.repository import open_repository
from bot.git.temporary import PREFIX
from tests.conftest import Repo
from tests.git.scene import opened
from tests.git.test_leftovers import die, folders


def make(files: int = 0, *, pid: int = 0) -> Path:
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
    card = owner.current()
    owner.write(folder, card.model_copy(update={"pid": pid, "started": "1"}) if pid else card)
    (folder / "tree/deep").mkdir(parents=True)
    for number in range(files):
        (folder / "tree/deep" / str(number)).touch()
    return folder


def done(folder: Path) -> Path:
    return folder.with_name(DONE + folder.name.removeprefix(PREFIX))


def test_little_is_deleted_at_once() -> None:
    folder = make(3)
    discard(folder)
    assert not folder.exists()
    assert not done(folder).exists()


def test_much_is_moved_aside_with_its_card_and_swept_later() -> None:
    folder = make(2500)
    discard(folder)
    assert not folder.exists()
    assert owner.read(done(folder)) is not None
    assert not sweep(0)
    assert done(folder).exists()
    sweep(60)
    assert not done(folder).exists()


def test_what_another_living_process_discarded_is_its_own() -> None:
    alive = make(1, pid=os.getppid())
    card = owner.current()
    stat = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[19]
    owner.write(alive, card.model_copy(update={"pid": os.getppid(), "started": stat}))
    dead = make(1, pid=os.getpid())
    theirs, left = alive.rename(done(alive)), dead.rename(done(dead))
    try:
        sweep(60)
        assert theirs.exists()
        assert not left.exists()
    finally:
        delete(theirs)


def test_closed_folders_and_links_are_deleted_and_nothing_behind_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o500)
    (tmp_path / "kept").write_text("kept")
    folder = make(2)
    (folder / "tree/link").symlink_to(outside)
    (folder / "tree/file").symlink_to(tmp_path / "kept")
    os.mkfifo(folder / "tree/pipe")
    (folder / "tree/deep").chmod(0o000)
    (folder / "tree").chmod(0o500)
    assert delete(folder)
    assert oct(outside.stat().st_mode & 0o777) == "0o500"
    assert (tmp_path / "kept").read_text() == "kept"


def test_the_card_goes_last() -> None:
    folder = make(50)
    assert not delete(folder, 0)
    assert owner.read(folder) is not None
    assert delete(folder)


def test_a_dropped_worktree_is_forgotten_by_git_before_its_files_are_deleted(repo: Repo) -> None:
    repo.commit({f"d{number % 50}/f{number}.py": "x\n" for number in range(1500)})
    with opened(repo) as workspace:
        temp = workspace.temp
        with workspace.clean(workspace.tree()):
            pass
    assert not temp.exists()
    assert repo.git("worktree", "list", "--porcelain").count("worktree ") == 1
    assert not (repo.path / ".git/worktrees").exists()
    sweep(60)
    assert not done(temp).exists()


def test_a_run_that_died_in_the_middle_of_dropping_is_tidied_up(repo: Repo) -> None:
    die(repo, "dead7")
    admin = repo.path / ".git/worktrees/agent-dead7"
    (admin / "gitdir").unlink()
    [folder] = folders("dead7")
    left = folder.rename(done(folder))
    told = remove_leftovers(open_repository(repo.path))
    assert {str(admin), str(left)} <= set(told)
    assert not admin.exists()
    assert not left.exists()


def test_the_next_run_waits_for_no_deletion(repo: Repo) -> None:
    die(repo, "dead8")
    [folder] = folders("dead8")
    for number in range(2500):
        (folder / str(number)).touch()
    with opened(repo):
        assert folders("dead8") == []
        assert done(folder).exists()
        sweep(60)
        assert not done(folder).exists()


@pytest.mark.parametrize("name", ["abcd1234", "compose-abcd1234", "trial-abcd1234"])
def test_a_folder_without_a_card_is_nobodys_after_a_day(repo: Repo, tmp_path: Path, name: str) -> None:
    folder = Path(tempfile.gettempdir()).resolve() / f"{PREFIX}{name[:-4]}{os.getpid() % 10000:04}"
    folder.mkdir(mode=0o700)
    repository = open_repository(repo.path)
    try:
        assert str(folder) not in remove_leftovers(repository, dry_run=True)
        os.utime(folder, (0, folder.stat().st_mtime - LONG - 60))
        assert str(folder) in remove_leftovers(repository, dry_run=True)
    finally:
        folder.rmdir()
