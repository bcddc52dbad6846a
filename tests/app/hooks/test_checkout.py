"""What a person is told who lands on a branch."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.app.hooks.checkout import tell_checkout
from tests.conftest import Repo, make_repo
from tests.git.past import BRANCH, live_through, record_all

COMMIT = "a" * 40
CAME = (COMMIT, COMMIT, "1")


@contextmanager
def watched(monkeypatch: pytest.MonkeyPatch, said: list[str]) -> Iterator[None]:
    """Have a person look on; what they see is kept."""
    ours, theirs = os.openpty()
    with os.fdopen(theirs, "w", encoding="utf-8") as terminal, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", terminal)
        yield
        terminal.flush()
        os.set_blocking(ours, False)
        try:
            said.append(os.read(ours, 10_000).decode())
        except BlockingIOError:
            said.append("")
    os.close(ours)


def tell(monkeypatch: pytest.MonkeyPatch, folder: Path, *args: str) -> str:
    """Say what a person is told of a checkout."""
    said: list[str] = []
    with watched(monkeypatch, said):
        assert tell_checkout(folder, args) == 0
    return said[0]


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = make_repo(tmp_path / "repo")
    repo.commit({"a.txt": "1\n"})
    return repo


def test_who_lands_on_the_branch_of_a_run_is_told_whose_it_is(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    record_all(repo, live_through(repo)).close()
    repo.git("switch", "-q", "-c", BRANCH)
    line = (
        "git agent: this is the branch of run r1 (fix it): git agent show r1 tells of it, "
        "git agent accept r1 on a branch of yours takes it\r\n"
    )
    before = repo.state()
    assert tell(monkeypatch, repo.path, *CAME) == line
    # A checkout of files, a clone, nothing at all, a rebase
    for args in ((COMMIT, COMMIT, "0"), ("0" * 40, COMMIT, "1"), (), ("",), ("x", "y", "z", "1")):
        assert tell(monkeypatch, repo.path, *args) == ""
    assert repo.state() == before
    (repo.path / ".git/rebase-merge").mkdir()
    assert tell(monkeypatch, repo.path, *CAME) == ""
    (repo.path / ".git/rebase-merge").rmdir()
    # In a linked worktree, as git starts a hook there and without its words
    linked = repo.path.parent / "linked"
    repo.git("switch", "-q", "main")
    repo.git("worktree", "add", "-q", str(linked), BRANCH)
    assert tell(monkeypatch, linked, *CAME) == line
    monkeypatch.setenv("GIT_DIR", str(repo.path / ".git/worktrees/linked"))
    assert tell(monkeypatch, linked, *CAME) == line
    monkeypatch.delenv("GIT_DIR")
    assert tell(monkeypatch, repo.path, *CAME) == ""


def test_of_any_other_branch_nothing_is_said(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tell(monkeypatch, tmp_path, *CAME) == ""
    # Ours by its name, and nobody knows of which run
    repo.git("switch", "-q", "-c", "agent/none-r7")
    assert tell(monkeypatch, repo.path, *CAME) == ""
    head = repo.path / ".git/HEAD"
    for odd in (b"", b"\xff\0", b"ref: refs/heads/agent/\x1b[2J\n", b"ref: refs/heads/agent/" + b"x" * 10_000):
        head.write_bytes(odd)
        assert tell(monkeypatch, repo.path, *CAME) == ""
    head.unlink()
    assert tell(monkeypatch, repo.path, *CAME) == ""
    # Without a terminal
    head.write_bytes(b"ref: refs/heads/agent/fix-r1\n")
    assert tell_checkout(repo.path, CAME) == 0
    assert capsys.readouterr() == ("", "")
