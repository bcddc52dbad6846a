import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.errors import GitFailed, RepositoryChanged, UsageError
from bot.protocols import Workspace
from tests.conftest import Repo
from tests.git.scene import BRANCH, FIXED, changed, opened, write


def test_it_is_a_workspace(repo: Repo) -> None:
    with opened(repo) as workspace:
        protocol: Workspace = workspace
        assert protocol.root.is_dir()
        assert protocol.head == repo.git("rev-parse", "HEAD")
        assert oct(workspace.temp.stat().st_mode & 0o777) == "0o700"
        assert "r1" in workspace.temp.name


def test_a_step_is_committed_on_the_branch_and_the_person_keeps_everything(repo: Repo) -> None:
    repo.commit({"f": "".join(f"{n}\n" for n in range(20)), ".gitignore": ".env\n"})
    text = (repo.path / "f").read_text()
    repo.write({"f": "staged" + text})
    repo.git("add", "f")
    repo.write({"f": "staged" + text + "unstaged", "untracked": "mine", ".env": "SECRET"})
    repo.git("stash", "store", repo.git("stash", "create"))
    before = repo.state()
    with opened(repo) as workspace:
        base = workspace.head
        write(workspace, "calc.py", FIXED)
        tree = workspace.tree()
        commit = workspace.commit(tree, "Fix add\n\nAgent-Run: r1\n")
        assert workspace.head == commit
        assert not workspace.diff()
        temp = workspace.temp
    assert repo.state() == before
    assert repo.git("rev-parse", f"refs/heads/{BRANCH}^{{tree}}") == tree
    assert changed(repo, base, commit) == ["M\tcalc.py"]
    told = "git agent <git-agent@localhost>|Fix add\n\nAgent-Run: r1"
    assert repo.git("log", "-1", "--format=%an <%ae>|%B", commit) == told
    assert not temp.exists()
    assert repo.git("worktree", "list", "--porcelain").count("worktree ") == 1
    assert not (repo.path / ".git/worktrees").exists()


def test_a_failure_inside_leaves_the_person_as_they_were_and_no_empty_branch(repo: Repo) -> None:
    before, refs = repo.state(), repo.git("for-each-ref")
    with pytest.raises(ZeroDivisionError), opened(repo) as workspace:
        raise ZeroDivisionError(write(workspace, "calc.py", FIXED), workspace.tree())
    assert (repo.state(), repo.git("for-each-ref")) == (before, refs)


def test_a_failed_creation_leaves_nothing(repo: Repo) -> None:
    run = f"failing{os.getpid()}"
    blob = repo.git("rev-parse", "HEAD:calc.py")
    (repo.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    before, refs = repo.git("status", "--porcelain", "--ignored"), repo.git("for-each-ref")
    with pytest.raises(GitFailed), opened(repo, run=run):
        pass
    assert (repo.git("status", "--porcelain", "--ignored"), repo.git("for-each-ref")) == (before, refs)
    assert not list(Path(tempfile.gettempdir()).glob(f"git-agent-{run}-*"))
    assert not (repo.path / ".git/worktrees").exists()


def test_a_branch_that_exists_is_not_taken_over(repo: Repo) -> None:
    repo.git("branch", BRANCH)
    with pytest.raises(UsageError, match="exists"), opened(repo):
        pass
    assert repo.git("rev-parse", BRANCH) == repo.git("rev-parse", "HEAD")


def test_a_run_is_continued_on_its_own_branch(repo: Repo) -> None:
    with opened(repo) as workspace:
        write(workspace, "calc.py", FIXED)
        first = workspace.commit(workspace.tree(), "one")
    with opened(repo, at=first) as workspace:
        assert (workspace.root / "calc.py").read_bytes() == FIXED
        write(workspace, "more.py", b"x = 1\n")
        second = workspace.commit(workspace.tree(), "two")
    assert repo.git("rev-list", "--first-parent", BRANCH).splitlines()[:2] == [second, first]
    repo.git("checkout", "-q", BRANCH)
    with pytest.raises(UsageError, match="checked out"), opened(repo, at=second):
        pass


def test_a_branch_that_somebody_moved_is_not_committed_onto(repo: Repo) -> None:
    with opened(repo) as workspace:
        write(workspace, "calc.py", FIXED)
        tree = workspace.tree()
        foreign = repo.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "foreign")
        repo.git("update-ref", f"refs/heads/{BRANCH}", foreign)
        with pytest.raises(GitFailed):
            workspace.commit(tree, "late")
    assert repo.git("rev-parse", BRANCH) == foreign


def test_a_merge_that_is_open_in_the_checkout_stays_open(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "other")
    repo.commit({"calc.py": "other\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"calc.py": "mine\n"})
    repo.git("merge", "other", check=False)
    before = repo.state()
    assert (repo.path / ".git/MERGE_HEAD").exists()
    with opened(repo) as workspace:
        assert (workspace.root / "calc.py").read_text() == "mine\n"
        write(workspace, "calc.py", FIXED)
        workspace.commit(workspace.tree(), "kept")
    assert repo.state() == before
    assert (repo.path / ".git/MERGE_HEAD").exists()


def test_rollback_keeps_the_rejected_tree_and_leaves_exactly_the_last_good_one(repo: Repo) -> None:
    repo.commit({".gitignore": "*.log\nbuild/\n", "pkg/a.py": "a\n"})
    with opened(repo) as workspace:
        write(workspace, "calc.py", FIXED)
        good = workspace.commit(workspace.tree(), "good")
        write(workspace, "calc.py", b"worse\n")
        write(workspace, "new/deep.py", b"new\n")
        write(workspace, "x.log", b"ignored")
        write(workspace, "build/y/z.o", b"ignored")
        (workspace.root / "pkg/a.py").unlink()
        (workspace.root / "pkg").rmdir()
        (workspace.root / "pkg").symlink_to("new")
        subprocess.run(["git", "init", "-q", "nested"], cwd=workspace.root, check=True)
        write(workspace, "nested/n.py", b"n")
        rejected = workspace.tree()
        done = workspace.rollback()
        assert done.to == good
        assert repo.git("rev-parse", f"{done.kept}^{{tree}}") == rejected
        assert repo.git("rev-parse", f"{done.kept}^") == good
        found = sorted(str(p.relative_to(workspace.root)) for p in workspace.root.rglob("*"))
        assert found == [".git", ".gitignore", "calc.py", "pkg", "pkg/a.py", "test_calc.py"]
        assert (workspace.root / "calc.py").read_bytes() == FIXED
        assert workspace.tree() == repo.git("rev-parse", f"{good}^{{tree}}")
        assert workspace.rollback().kept == ""


def test_the_verification_folder_holds_exactly_the_tree(repo: Repo) -> None:
    repo.commit({".gitignore": "*.pyc\n", "run.sh": "#!/bin/sh\n"})
    with opened(repo) as workspace:
        base = workspace.tree()
        write(workspace, "calc.py", FIXED)
        (workspace.root / "run.sh").chmod(0o755)
        (workspace.root / "link").symlink_to("calc.py")
        write(workspace, "left.pyc", b"ignored")
        better = workspace.tree()
        with workspace.clean(better) as folder:
            found = sorted(p.name for p in folder.iterdir())
            assert found == [".git", ".gitignore", "calc.py", "link", "run.sh", "test_calc.py"]
            assert (folder / "calc.py").read_bytes() == FIXED
            assert (folder / "link").readlink() == Path("calc.py")
            assert os.access(folder / "run.sh", os.X_OK)
            (folder / "calc.py").write_text("changed by a check")
            (folder / "test_calc.py").unlink()
            (folder / "stale.pyc").write_text("")
            (folder / "d").mkdir()
            (folder / ".git").unlink()
            (folder / ".git").mkdir()
        with workspace.clean(better) as again:
            assert again == folder
            assert sorted(p.name for p in folder.iterdir()) == found
            assert (folder / "calc.py").read_bytes() == FIXED
            told = subprocess.run(
                ["git", "describe", "--always"], cwd=folder, capture_output=True, text=True, check=True
            )
            assert repo.git("rev-parse", "HEAD").startswith(told.stdout.strip())
        with workspace.clean(base):
            assert sorted(p.name for p in folder.iterdir()) == [
                ".git",
                ".gitignore",
                "calc.py",
                "run.sh",
                "test_calc.py",
            ]
            assert b"a - b" in (folder / "calc.py").read_bytes()
            assert not os.access(folder / "run.sh", os.X_OK)


def test_a_verification_folder_that_is_expected_is_laid_out_beside_other_work_and_holds_exactly_the_tree(
    repo: Repo,
) -> None:
    with opened(repo) as workspace:
        base = workspace.tree()
        workspace.expect(base)
        with workspace.clean(base) as folder:
            found = sorted(path.name for path in folder.iterdir())
            assert found == [".git", "calc.py", "test_calc.py"]
            (folder / "calc.py").write_text("changed by a check")
            (folder / "stale.pyc").write_text("")
        with workspace.clean(base):
            assert sorted(path.name for path in folder.iterdir()) == found
            assert b"a - b" in (folder / "calc.py").read_bytes()
        workspace.expect(base)
        write(workspace, "calc.py", FIXED)
        with workspace.clean(workspace.tree()):
            assert (folder / "calc.py").read_bytes() == FIXED
        workspace.expect(base)
    assert not (repo.path / ".git/worktrees").exists()


def test_what_hinders_an_expected_folder_is_told_to_whoever_needs_it(repo: Repo) -> None:
    base = repo.git("rev-parse", "HEAD")
    lost = repo.commit({"lost.txt": "only here\n"})
    blob = repo.git("rev-parse", "HEAD:lost.txt")
    repo.git("reset", "-q", "--hard", base)
    (repo.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with opened(repo) as workspace:
        workspace.expect(lost)
        with pytest.raises(GitFailed), workspace.clean(lost):
            pass
        with workspace.clean(base) as folder:
            assert (folder / "calc.py").is_file()


def test_the_verification_folder_is_watched_from_its_beginning(repo: Repo) -> None:
    with opened(repo) as workspace:
        workspace.expect(workspace.head)
        workspace.guard()
        (repo.path / ".git/worktrees/agent-r1-clean/config.worktree").write_text("[core]\n\tfsmonitor = ./planted\n")
        with pytest.raises(RepositoryChanged, match=r"agent-r1-clean/config\.worktree"):
            workspace.guard()


def test_attributes_that_change_are_applied_to_files_that_do_not(repo: Repo) -> None:
    with opened(repo) as workspace:
        base = workspace.tree()
        write(workspace, ".gitattributes", b"*.py text eol=crlf\n")
        with workspace.clean(base) as folder:
            assert b"\r\n" not in (folder / "calc.py").read_bytes()
        with workspace.clean(workspace.tree()) as folder:
            assert b"\r\n" in (folder / "calc.py").read_bytes()


def test_readers_side_by_side_do_not_get_into_each_others_way(repo: Repo) -> None:
    with opened(repo) as workspace, ThreadPoolExecutor(4) as pool:
        for number in range(5):
            write(workspace, f"n{number}.py", b"x\n")
            trees = [pool.submit(workspace.tree) for _ in range(4)]
            assert len({tree.result() for tree in trees}) == 1


def test_a_sparse_checkout_is_worked_on_whole(repo: Repo) -> None:
    repo.commit({"in/a.py": "a\n", "out/b.py": "b\n"})
    repo.git("sparse-checkout", "set", "--cone", "in")
    before = repo.state()
    with opened(repo) as workspace:
        assert (workspace.root / "out/b.py").exists()
        write(workspace, "in/a.py", b"A\n")
        commit = workspace.commit(workspace.tree(), "kept")
    assert changed(repo, "HEAD", commit) == ["M\tin/a.py"]
    assert repo.state() == before


def test_it_works_from_a_linked_worktree(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Repo(tmp_path / "side")
    with opened(side) as workspace:
        write(workspace, "calc.py", FIXED)
        commit = workspace.commit(workspace.tree(), "kept")
    assert side.git("rev-parse", BRANCH) == commit
    assert side.git("status", "--porcelain") == ""
    assert (repo.path / ".git/worktrees/side").is_dir()


def test_it_works_where_libgit2_cannot_go(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main", "--object-format=sha256", str(tmp_path / "long")], check=True)
    repo = Repo(tmp_path / "long")
    repo.commit({"calc.py": "x\n"})
    with opened(repo) as workspace:
        write(workspace, "calc.py", FIXED)
        assert workspace.diff().added == 2
        with workspace.clean(workspace.tree()) as folder:
            assert (folder / "calc.py").read_bytes() == FIXED
        commit = workspace.commit(workspace.tree(), "kept")
        write(workspace, "calc.py", b"junk")
        assert len(workspace.rollback().kept) == 64
    assert repo.git("rev-parse", BRANCH) == commit
