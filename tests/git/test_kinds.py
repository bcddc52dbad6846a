"""Repositories of every kind are worked on with the same result, or refused in one clear line."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pygit2
import pytest
from pygit2.enums import ConfigLevel

from bot.core.check import Verdict
from bot.core.event import Baselined, Committed, RolledBack, Started, Verified
from bot.core.task import Task
from bot.errors import NotARepository, WorkspaceError
from bot.git.library import Library
from bot.git.names import choose_branch
from bot.git.record import RunRef
from bot.git.repository import open_repository
from bot.git.runs import read_events
from bot.git.store import open_store
from bot.git.workspace import open_workspace
from tests.conftest import Repo, make_repo
from tests.git.kinds import KINDS, THROUGH_THE_EXECUTABLE, can_make_reftable, filled, partial
from tests.git.scene import FIXED, opened, write

RUN = "0k1ndsr1n"


def whole_run(repo: Repo) -> tuple[str, str]:
    """Make a run with a step, a rollback and another look at the step; return the base and the step."""
    repository = open_repository(repo.path)
    base, branch = repository.default_base(), choose_branch(repository, "fix", RUN)
    with (
        open_workspace(repository, base=base, run=RUN, branch=branch) as workspace,
        RunRef(repository, RUN, lambda events: f"{len(events)} events") as record,
    ):
        record.record(Started(run=RUN, task=Task(goal="g", base=base), branch=branch))
        write(workspace, "calc.py", FIXED)
        tree = workspace.tree()
        assert workspace.diff().paths == ("calc.py",)
        with workspace.clean(tree) as folder:
            assert (folder / "calc.py").read_bytes() == FIXED
        assert workspace.compose(tree, base, ["calc.py"]) == workspace.store.tree(base)
        verdict = Verdict(tree=tree)
        record.record(Baselined(verdict=Verdict(tree=workspace.store.tree(base))))
        record.record(Verified(verdict=verdict, change=workspace.diff()))
        commit = workspace.commit(tree, "step")
        record.record(Committed(step=1, commit=commit, tree=tree, subject="step"))
        write(workspace, "calc.py", b"worse\n")
        write(workspace, "new/file.py", b"new\n")
        back = workspace.rollback()
        record.record(RolledBack(to=back.to, kept=back.kept, reason="worse"))
        assert workspace.tree() == tree
        assert ((workspace.root / "calc.py").read_bytes(), (workspace.root / "new").exists()) == (FIXED, False)
        assert "calc.py" in workspace.files()
        assert [match.path for match in workspace.search("return a + b")] == ["calc.py"]
        workspace.guard()
    assert [event.event for event in read_events(repository, RUN)] == [
        *("started", "baselined", "verified", "committed", "rolled_back")
    ]
    assert open_store(repository).read_ref(f"refs/heads/{branch}") == commit
    repo.git("cat-file", "-e", f"{back.kept}:new/file.py")
    return base, commit


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_changes_what_it_should_and_nothing_else(tmp_path: Path, kind: str) -> None:
    repo = KINDS[kind](tmp_path)
    repo.git("status")
    before = repo.state()
    assert isinstance(open_store(open_repository(repo.path)), Library) == (kind not in THROUGH_THE_EXECUTABLE)
    base, commit = whole_run(repo)
    assert base == repo.git("rev-parse", "HEAD^{commit}")
    assert repo.git("diff-tree", "-r", "--name-status", "--no-renames", base, commit) == "M\tcalc.py"
    assert repo.git("rev-list", "--parents", "-1", commit).split() == [commit, base]
    assert repo.state() == before
    assert not list((open_repository(repo.path).common_dir / "worktrees").glob("agent-*"))
    trouble = repo.git("fsck", "--connectivity-only", "--no-dangling", check=False)
    assert not trouble.replace("notice: No default references", "").strip()


def test_a_repository_with_reftables_is_worked_on_alike(tmp_path: Path) -> None:
    if not can_make_reftable(tmp_path / "tried"):
        pytest.skip("the git here is older than 2.45 and knows no reftables")
    repo = filled(tmp_path / "r", "--ref-format=reftable")
    before = repo.git("status", "--porcelain=v2", "--branch"), repo.git("rev-parse", "HEAD")
    assert not open_repository(repo.path).library
    base, commit = whole_run(repo)
    assert repo.git("rev-list", "--parents", "-1", commit).split() == [commit, base]
    repository = open_repository(repo.path)
    assert (choose_branch(repository, "fix", RUN), repository.current_branch()) == (f"agent/fix-{RUN}-2", "main")
    assert (repo.git("status", "--porcelain=v2", "--branch"), repo.git("rev-parse", "HEAD")) == before


def test_a_format_that_git_does_not_know_is_named(repo: Repo) -> None:
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.refStorageOfTomorrow", "x")
    with pytest.raises(NotARepository, match="refstorageoftomorrow") as caught:
        open_repository(repo.path)
    assert caught.value.hint == "install a newer git"


def test_a_shallow_clone_stays_as_shallow_and_a_whole_one_whole(tmp_path: Path) -> None:
    shallow = KINDS["shallow"](tmp_path)
    depth = (shallow.path / ".git/shallow").read_bytes()
    _, commit = whole_run(shallow)
    assert (shallow.path / ".git/shallow").read_bytes() == depth
    assert shallow.git("rev-list", "--count", commit) == "2"
    whole = Repo(tmp_path / "source")
    whole_run(whole)
    assert not (whole.path / ".git/shallow").exists()


@pytest.fixture
def away(tmp_path: Path) -> Repo:
    """A partial clone whose remote cannot be reached any more."""
    made = partial(tmp_path)
    (tmp_path / "source").rename(tmp_path / "gone")
    return made


def test_what_is_missing_and_cannot_be_fetched_is_one_clear_line(away: Repo) -> None:
    before = away.state()
    with pytest.raises(WorkspaceError, match="promisor") as caught, opened(away):
        pass
    assert "partial clone" in caught.value.hint
    assert "\n" not in caught.value.message
    assert away.state() == before
    assert away.git("for-each-ref", "refs/heads/agent", "refs/agent") == ""
    store = open_store(open_repository(away.path))
    with pytest.raises(WorkspaceError, match="promisor"):
        store.blob(away.git("rev-parse", "HEAD"), "other/c.py")


def test_a_setting_of_the_main_worktree_runs_nothing_in_ours(tmp_path: Path) -> None:
    repo = KINDS["settings of a worktree"](tmp_path)
    marker = tmp_path / "marker"
    main = Repo(tmp_path / "main")
    main.git("config", "--worktree", "filter.sly.smudge", f"touch {marker}; cat")
    repo.commit({".gitattributes": "calc.py filter=sly\n"})
    whole = open_repository(repo.path)
    assert whole.filters == ("sly",)
    with opened(repo), open_workspace(whole, base=whole.default_base(), run="r2", branch="agent/r2"):
        pass
    assert not marker.exists()


def test_a_head_without_a_commit_is_told_from_one_whose_commit_is_lost(repo: Repo) -> None:
    repo.git("symbolic-ref", "HEAD", "refs/heads/new")
    with pytest.raises(NotARepository, match="the branch new that you are on") as caught:
        open_repository(repo.path)
    assert caught.value.hint == "switch to one that has: git switch main"
    repo.git("symbolic-ref", "HEAD", "refs/heads/main")
    repo.write({".git/refs/heads/main": "1" * 40 + "\n"})
    with pytest.raises(NotARepository, match="lost") as caught:
        open_repository(repo.path)
    assert "fsck" in caught.value.hint


@pytest.mark.parametrize("damage", ["", "junk\n"])
def test_a_damaged_repository_is_not_called_none(repo: Repo, damage: str) -> None:
    repo.write({".git/HEAD": damage})
    with pytest.raises(NotARepository, match="not a git repository") as caught:
        open_repository(repo.path)
    assert "damaged" in caught.value.hint


def test_a_worktree_whose_repository_is_gone_is_told(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", str(tmp_path / "side"))
    repo.path.rename(tmp_path / "moved")
    with pytest.raises(NotARepository) as caught:
        open_repository(tmp_path / "side")
    assert "leads nowhere" in caught.value.hint


def test_what_the_caller_exports_is_not_followed_and_that_is_said(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(repo.path / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    with pytest.raises(NotARepository) as caught:
        open_repository(tmp_path)
    assert caught.value.hint == "GIT_DIR is not followed: name the project's folder with -C DIR"
    other = make_repo(tmp_path / "other")
    other.commit({"a": "1"})
    assert open_repository(other.path).common_dir == other.path / ".git"


@contextmanager
def powerless(home: str) -> Iterator[None]:
    """Be somebody for whom the permissions of files count."""
    if os.getuid():
        yield
        return
    # libgit2 looks for a person's settings where HOME was when it was loaded
    paths = pygit2.settings.search_path
    levels = (ConfigLevel.GLOBAL, ConfigLevel.XDG)
    before = [paths[level] for level in levels]
    for level in levels:
        paths[level] = home
    os.setresuid(12345, 12345, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        for level, path in zip(levels, before, strict=True):
            paths[level] = path


def test_a_repository_that_cannot_be_written_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as top:
        Path(top).chmod(0o755)
        monkeypatch.setenv("HOME", top)
        repo = filled(Path(top, "r"))
        repo.write({"../.gitconfig": "[safe]\ndirectory = *\n"})
        folders = [where for where, _, _ in os.walk(repo.path / ".git")]
        for folder in folders:
            os.chmod(folder, 0o555)  # noqa: PTH101
        with powerless(top), pytest.raises(WorkspaceError, match=r"ermission") as caught, opened(repo):
            pass
        for folder in folders:
            os.chmod(folder, 0o755)  # noqa: PTH101
        assert "\n" not in caught.value.message
        assert repo.git("status", "--porcelain") == ""
        assert repo.git("for-each-ref", "refs/heads/agent") == ""
