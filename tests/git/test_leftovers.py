import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from bot.git import owner
from bot.git.leftovers import remove_leftovers
from bot.git.repository import open_repository
from tests.conftest import Repo, make_repo
from tests.git.scene import opened

DIES = """
import os, signal, sys
from pathlib import Path
from bot.git.repository import open_repository
from bot.git.workspace import open_workspace
repository = open_repository(Path(sys.argv[1]))
with open_workspace(repository, base=repository.default_base(), run=sys.argv[2], branch="agent/x-" + sys.argv[2]) as w:
    with w.clean(w.tree()):
        (w.root / "calc.py").write_text("half done")
        if sys.argv[3] == "commit":
            w.commit(w.tree(), "one")
        os.kill(os.getpid(), signal.SIGKILL)
"""


def die(repo: Repo, run: str, how: str = "") -> None:
    done = subprocess.run([sys.executable, "-c", DIES, str(repo.path), run, how], check=False, capture_output=True)
    assert done.returncode == -9, done.stderr


def folders(run: str) -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob(f"git-agent-{run}-*"))


def test_what_a_killed_run_left_is_found_and_removed(repo: Repo) -> None:
    before, refs = repo.state(), repo.git("for-each-ref")
    die(repo, "dead1")
    assert len(folders("dead1")) == 1
    assert repo.git("worktree", "list", "--porcelain").count("worktree ") == 3
    repository = open_repository(repo.path)
    told = remove_leftovers(repository, dry_run=True)
    assert len(folders("dead1")) == 1
    assert set(told) == {
        str(repo.path / ".git/worktrees/agent-dead1"),
        str(repo.path / ".git/worktrees/agent-dead1-clean"),
        str(folders("dead1")[0]),
        "agent/x-dead1",
    }
    assert remove_leftovers(repository) == told
    assert folders("dead1") == []
    assert (repo.state(), repo.git("for-each-ref")) == (before, refs)
    assert not (repo.path / ".git/worktrees").exists()
    assert remove_leftovers(repository) == ()


def test_verified_commits_of_a_killed_run_stay(repo: Repo) -> None:
    die(repo, "dead2", "commit")
    remove_leftovers(open_repository(repo.path))
    assert repo.git("log", "-1", "--format=%s", "agent/x-dead2") == "one"
    assert folders("dead2") == []


def test_the_next_run_tidies_up_and_can_continue_on_the_branch(repo: Repo) -> None:
    die(repo, "dead3", "commit")
    with opened(repo):
        assert folders("dead3") == []


def test_the_living_and_the_persons_own_worktrees_are_left_alone(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "-b", "own", str(tmp_path / "agent-own"))
    repo.git("worktree", "add", "-q", "-b", "lost", str(tmp_path / "lost"))
    (tmp_path / "lost").rename(tmp_path / "unplugged")
    with opened(repo) as workspace:
        with workspace.clean(workspace.tree()) as folder:
            assert remove_leftovers(open_repository(repo.path)) == ()
            assert folder.is_dir()
        workspace.guard()
    assert {p.name for p in (repo.path / ".git/worktrees").iterdir()} == {"agent-own", "lost"}


def test_an_entry_whose_files_are_gone_is_forgotten(repo: Repo, tmp_path: Path) -> None:
    gone = tmp_path / "git-agent-r9-x" / "agent-r9"
    repo.git("worktree", "add", "-q", "--detach", str(gone))
    assert remove_leftovers(open_repository(repo.path)) == ()
    gone.rename(tmp_path / "moved")
    assert remove_leftovers(open_repository(repo.path)) == (str(repo.path / ".git/worktrees/agent-r9"),)
    assert repo.git("worktree", "list", "--porcelain").count("worktree ") == 1


def test_a_folder_of_another_repository_is_not_ours_to_remove(repo: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    subprocess.run(["git", "clone", "-q", str(repo.path), str(other.path)], check=True, capture_output=True)
    die(other, "dead4")
    assert remove_leftovers(open_repository(repo.path)) == ()
    assert len(folders("dead4")) == 1
    remove_leftovers(open_repository(other.path))
    assert folders("dead4") == []


def test_an_owner_is_known_by_more_than_its_pid() -> None:
    me = owner.current()
    assert me.alive
    assert not me.model_copy(update={"started": "1"}).alive
    assert not me.model_copy(update={"boot": "earlier"}).alive
    assert me.model_copy(update={"host": "elsewhere", "pid": 1, "started": "1"}).alive


def test_a_process_that_ended_is_dead(tmp_path: Path) -> None:
    child = subprocess.Popen(["sleep", "60"])
    started = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[19]
    owner.write(tmp_path, owner.current().model_copy(update={"pid": child.pid, "started": started}))
    assert lives(tmp_path)
    child.kill()
    child.wait()
    assert not lives(tmp_path)


def lives(folder: Path) -> bool:
    card = owner.read(folder)
    assert card is not None
    return card.alive


def test_a_torn_card_is_none(tmp_path: Path) -> None:
    (tmp_path / owner.NAME).write_text('{"pid": 1')
    assert owner.read(tmp_path) is None


HOLDS = """
import os, signal, sys
from bot.sandbox.scratch import private_folders
with private_folders() as scratch:
    print(scratch.root, flush=True)
    sys.stdin.readline()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_folders_of_a_command_go_with_whoever_died_and_stay_with_the_living(repo: Repo) -> None:
    child = subprocess.Popen([sys.executable, "-c", HOLDS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    folder = Path(child.stdout.readline().strip())
    repository = open_repository(repo.path)
    assert str(folder) not in remove_leftovers(repository)
    assert folder.is_dir()
    child.communicate("\n")
    assert folder.is_dir()
    assert str(folder) in remove_leftovers(repository)
    assert not folder.exists()


def test_a_dead_run_is_found_where_folders_are_no_longer_made(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    die(repo, "dead5")
    monkeypatch.delenv("TMPDIR")
    [left] = tmp_path.glob("git-agent-dead5-*")
    assert str(left) in remove_leftovers(open_repository(repo.path))
    assert not left.exists()


def test_a_repository_whose_path_is_no_text_is_told_from_others(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / os.fsdecode(b"caf\xe9"))
    repo.commit({"calc.py": "x\n"})
    die(repo, "dead6")
    assert len(folders("dead6")) == 1
    remove_leftovers(open_repository(repo.path))
    assert folders("dead6") == []


@pytest.mark.parametrize("mode", [0o700, 0o755])
@pytest.mark.parametrize("inside", ["thesis.txt", "held", "1/notes", "index.html"])
def test_a_folder_that_a_person_gave_such_a_name_is_theirs(repo: Repo, mode: int, inside: str) -> None:
    # The name is as good as any word of eight letters
    folder = Path(tempfile.mkdtemp(prefix="git-agent-"))
    try:
        (folder / inside).parent.mkdir(exist_ok=True)
        (folder / inside).touch()
        (folder / "read.me").touch()
        folder.chmod(mode)
        os.utime(folder, (1_700_000_000, 1_700_000_000))
        assert str(folder) not in remove_leftovers(open_repository(repo.path))
        assert (folder / inside).exists()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_a_worktree_of_a_person_on_a_disk_that_is_away_is_not_forgotten(repo: Repo, tmp_path: Path) -> None:
    own = tmp_path / "git-agent-work" / "agent-own"
    repo.git("worktree", "add", "-q", "--detach", str(own))
    own.parent.rename(tmp_path / "unplugged")
    assert remove_leftovers(open_repository(repo.path)) == ()
    assert (repo.path / ".git/worktrees/agent-own/index").exists()


@pytest.mark.parametrize("how", ["checkout", "rebase"])
def test_an_empty_branch_that_a_person_stands_on_is_kept(repo: Repo, how: str) -> None:
    die(repo, "dead7")
    repo.git("checkout", "-q", "--ignore-other-worktrees", "agent/x-dead7")
    if how == "rebase":
        repo.git("-c", "sequence.editor=echo break >", "rebase", "-q", "-i", "--root")
    remove_leftovers(open_repository(repo.path))
    assert repo.git("rev-parse", "agent/x-dead7")
    assert repo.git("worktree", "list", "--porcelain").count("worktree ") == 1
