import os
import sys
from pathlib import Path

import pytest

from bot.app.hooks.quick import NOTHING, answer, find_known
from bot.app.hooks.sealing import describe_commit, shelf_of
from bot.app.hooks.seals import Seal, stamp, write
from bot.git.cachetree import read_root
from bot.git.candidate import Candidate
from bot.git.repository import open_repository
from tests.conftest import Repo

ASKED = ["hook", "run", "pre-commit"]
SEAL = Seal(1, "git agent: this commit fails\n")
HEAVY = ("pydantic", "click", "rich", "pygit2", "dataclasses", "inspect", "tempfile", "shutil", "bot.core.task")


@pytest.fixture
def staged(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with something to commit, of which git has noted the tree, as it does before it asks."""
    repo.write({"calc.py": "x = 1\n", "deep/new.py": "x = 2\n"})
    repo.git("add", "--all")
    repo.git("commit", "-q", "--dry-run", check=False)
    monkeypatch.chdir(repo.path)
    return repo


def keep(repo: Repo, seal: Seal = SEAL, others: tuple[str, ...] = ()) -> None:
    tree, base = repo.git("write-tree"), repo.git("rev-parse", "HEAD^{tree}")
    repository = open_repository(repo.path)
    described = describe_commit(repository, Candidate(tree, "", base, "index", others))
    assert described is not None
    shelf_of(repository).put(described, write(seal, [stamp(sys.executable)], 60))


def test_what_was_answered_before_is_answered_again_in_every_form(
    staged: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert answer(ASKED) is None
    keep(staged)
    assert answer(ASKED) == 1
    assert capsys.readouterr() == ("", SEAL.text)
    for name in (".git/index", "lock", str(staged.path / ".git/index")):
        Path("lock").write_bytes(Path(".git/index").read_bytes())
        monkeypatch.setenv("GIT_INDEX_FILE", name)
        assert answer(["hook", "run", "pre-merge-commit"]) == 1
    elsewhere = {"GIT_DIR": str(staged.path / ".git"), "GIT_WORK_TREE": str(staged.path)}
    assert find_known({**os.environ, **elsewhere}, tmp_path) == SEAL
    # Without a note of the tree, as where only some paths are committed
    monkeypatch.delenv("GIT_INDEX_FILE")
    staged.write({"later.py": ""})
    staged.git("add", "--intent-to-add", "later.py")
    assert read_root((staged.path / ".git/index").read_bytes(), 20) == ""
    before = staged.state()
    assert answer(ASKED) == 1
    assert staged.state() == before


def test_nothing_new_and_switched_off_go_through(staged: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(staged)
    monkeypatch.setenv("GIT_AGENT", "off")
    assert answer(ASKED) == answer(["hook", "run", "pre-push", "origin"]) == 0
    monkeypatch.delenv("GIT_AGENT")
    staged.git("reset", "-q", "--hard")
    assert find_known(os.environ, staged.path) == NOTHING


def test_whatever_is_odd_has_to_be_looked_at(
    staged: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(staged)
    odd: tuple[list[str], ...] = (
        ["hook", "run"],
        [*ASKED, "--help"],
        ["hook", "run", "pre-push"],
        ["hook", "install"],
        ["fix"],
        [],
    )
    assert {answer(argv) for argv in odd} == {None}
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "garbage").write_bytes(b"DIRC\0\0\0\2\0\0\0\1" + b"x" * 30)
    for place in ("pipe", "garbage", "missing", ""):
        for name in ("GIT_INDEX_FILE", "GIT_DIR"):
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv(name, str(tmp_path / place))
                assert answer(ASKED) is None
    monkeypatch.setenv("GIT_AGENT_PYTHON", "/other")
    assert answer(ASKED) is None
    monkeypatch.delenv("GIT_AGENT_PYTHON")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'agent.python'='/other'")
    assert answer(ASKED) is None
    monkeypatch.delenv("GIT_CONFIG_PARAMETERS")
    staged.git("config", "agent.model", "offline")
    assert answer(ASKED) is None
    staged.git("config", "--unset", "agent.model")
    monkeypatch.setenv("PATH", "/nowhere")
    assert answer(ASKED) is None
    assert capsys.readouterr() == ("", "")
    monkeypatch.chdir(tmp_path)
    assert answer(ASKED) is None


def test_git_itself_is_answered_with_next_to_nothing_loaded(staged: Repo, tmp_path: Path) -> None:
    hooks = staged.path / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    told = tmp_path / "told"
    (hooks / "pre-commit").write_text(
        f"#!/bin/sh\n{sys.executable} -I -X importtime -m bot hook run pre-commit 2> {told}\n"
    )
    (hooks / "pre-commit").chmod(0o755)
    keep(staged, Seal(0, "known\n"))
    staged.git("commit", "-qm", "known")
    lines = told.read_text().splitlines()
    assert lines[-1] == "known"
    loaded = {line.rpartition("|")[2].strip() for line in lines}
    assert "bot.app.hooks.quick" in loaded
    assert not loaded & set(HEAVY)


def test_the_noted_tree_is_read_only_where_an_index_is_whole() -> None:
    for index in (b"", b"DIRC", b"DIRC\0\0\0\5\0\0\0\0", b"DIRC\0\0\0\2\0\0\xff\xff", b"x" * 100):
        assert read_root(index, 20) == ""
    head, tree = b"DIRC\0\0\0\2\0\0\0\0", b"TREE\0\0\0\x19" + b"\0" + b"0 0\n" + b"t" * 20
    assert read_root(head + tree + b"s" * 20, 20) == (b"t" * 20).hex()
    assert read_root(head + b"link\0\0\0\1x" + tree + b"s" * 20, 20) == (b"t" * 20).hex()
    assert read_root(head + b"what\0\0\0\1x" + tree + b"s" * 20, 20) == ""
    assert read_root(head + tree.replace(b"0 0", b"-1 ") + b"s" * 20, 20) == ""


def test_an_answer_is_for_one_worktree_one_layout_of_files_and_the_same_merge(
    staged: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    keep(staged)
    assert answer(ASKED) == 1
    staged.git("config", "core.autocrlf", "true")
    assert answer(ASKED) is None
    staged.git("config", "--unset", "core.autocrlf")
    head = staged.git("rev-parse", "HEAD")
    (staged.path / ".git/MERGE_HEAD").write_text(f"{head}\n")
    assert answer(ASKED) is None
    keep(staged, Seal(0, ""), (head,))
    assert answer(ASKED) == 0
    (staged.path / ".git/MERGE_HEAD").unlink()
    assert answer(ASKED) == 1
    monkeypatch.setenv(f"GITHEAD_{head}", "side")
    assert answer(ASKED) == 0
    monkeypatch.delenv(f"GITHEAD_{head}")
    tree = staged.git("write-tree")
    staged.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    linked.git("read-tree", tree)
    monkeypatch.chdir(linked.path)
    assert linked.git("write-tree") == tree
    assert answer(ASKED) is None
