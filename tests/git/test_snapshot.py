from bot.git.repository import open_repository
from bot.git.snapshot import open_snapshots
from tests.conftest import Repo


def test_one_folder_shows_one_commit_after_the_other_and_is_gone_afterwards(repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD")
    second = repo.commit({"calc.py": "new\n", "more.py": "m\n"})
    before = repo.state()
    with open_snapshots(open_repository(repo.path)) as snapshots:
        with snapshots.clean(second) as folder:
            assert sorted(path.name for path in folder.iterdir()) == [".git", "calc.py", "more.py", "test_calc.py"]
            (folder / "left.txt").write_text("by a check")
        with snapshots.clean(first) as again:
            assert again == folder
            assert sorted(path.name for path in folder.iterdir()) == [".git", "calc.py", "test_calc.py"]
            assert "a - b" in (folder / "calc.py").read_text()
    assert not folder.exists()
    assert repo.state() == before
    assert not (repo.path / ".git/worktrees").exists()
