"""A person tidies their repository up in the middle of a run."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.errors import GitFailed
from bot.git.repository import open_repository
from bot.git.store import open_store
from bot.git.workspace import GitWorkspace
from tests.conftest import Repo
from tests.git.kinds import KINDS
from tests.git.scene import BRANCH, FIXED, opened, write


def tidy(repo: Repo) -> None:
    """Do what takes the most."""
    repo.git("pack-refs", "--all")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    repo.git("prune", "--expire=now")
    repo.git("worktree", "prune")


def as_a_tool(workspace: GitWorkspace, name: str, content: bytes) -> None:
    """Write a file and say so, as tools do."""
    workspace.touch(name)
    (workspace.root / name).write_bytes(content)


def as_a_command(workspace: GitWorkspace, name: str, content: bytes) -> None:
    """Write a file as commands do."""
    write(workspace, name, content)


@pytest.mark.parametrize("kind", ["sha256", "borrowed objects"])
@pytest.mark.parametrize("put", [as_a_tool, as_a_command])
def test_a_draft_that_no_ref_holds_yet_is_made_again_from_the_files(
    tmp_path: Path, kind: str, put: Callable[[GitWorkspace, str, bytes], None]
) -> None:
    repo = KINDS[kind](tmp_path)
    with opened(repo) as workspace:
        put(workspace, "deep/b.py", b"b = 2\n")
        workspace.tree()
        tidy(repo)
        put(workspace, "calc.py", FIXED)
        tree = workspace.tree()
        assert workspace.diff().paths == ("calc.py", "deep/b.py")
        commit = workspace.commit(tree, "step")
        tidy(repo)
        with workspace.clean(tree) as folder:
            assert (folder / "deep/b.py").read_bytes() == b"b = 2\n"
        put(workspace, "calc.py", b"worse\n")
        kept = workspace.rollback().kept
        repo.git("update-ref", "refs/agent/kept", kept)
        tidy(repo)
        assert (workspace.tree(), (workspace.root / "calc.py").read_bytes()) == (tree, FIXED)
        put(workspace, "deep/b.py", b"b = 3\n")
        last = workspace.commit(workspace.tree(), "another")
    assert repo.git("rev-list", "--first-parent", BRANCH).split()[:2] == [last, commit]
    assert repo.git("show", f"{kept}:calc.py") == "worse"
    assert not repo.git("fsck", "--connectivity-only", "--no-dangling", check=False).replace(
        "notice: No default references", ""
    )


def test_what_is_lost_for_good_is_told_and_never_committed(repo: Repo) -> None:
    with opened(repo) as workspace:
        as_a_tool(workspace, "calc.py", FIXED)
        tree = workspace.tree()
        tidy(repo)
        with pytest.raises(GitFailed):
            workspace.commit(tree, "nothing is behind it any more")
        with pytest.raises(GitFailed):
            workspace.restore(tree)
        assert workspace.head == repo.git("rev-parse", BRANCH)


def test_a_store_that_is_kept_open_sees_what_was_packed_and_moved(repo: Repo) -> None:
    store = open_store(open_repository(repo.path))
    blob = store.write_blob(b"to be packed\n")
    commit = repo.commit({"packed.txt": "to be packed\n"})
    store.create_ref("refs/agent/x", commit)
    tidy(repo)
    later = repo.commit({"later.txt": "later\n"})
    assert store.content(blob) == b"to be packed\n"
    store.move_ref("refs/agent/x", later, commit)
    tidy(repo)
    assert store.refs("refs/agent/") == (("refs/agent/x", later),)
    assert store.blob(later, "later.txt") == b"later\n"
