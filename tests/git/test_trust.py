import subprocess
from pathlib import Path

import pytest

from bot.errors import RepositoryChanged, WorkspaceError
from bot.git.workspace import GitWorkspace
from tests.conftest import Repo
from tests.git.scene import BRANCH, FIXED, changed, opened, write


def test_hooks_of_every_kind_do_not_run(repo: Repo, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    kinds = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout", "reference-transaction")
    for kind in (*kinds, "post-index-change", "post-rewrite", "pre-auto-gc", "update"):
        for folder in (".git/hooks", ".githooks"):
            repo.write({f"{folder}/{kind}": f"#!/bin/sh\necho {kind} >> {marker}\nexit 1\n"})
            (repo.path / folder / kind).chmod(0o755)
    repo.git("config", "core.hooksPath", ".githooks")
    before = repo.state()
    repo.git("commit", "-q", "--allow-empty", "-m", "x", check=False)
    assert marker.exists(), "git itself would run them"
    marker.unlink()
    with opened(repo) as workspace:
        write(workspace, "calc.py", FIXED)
        with workspace.clean(workspace.tree()):
            pass
        workspace.commit(workspace.tree(), "kept")
        write(workspace, "calc.py", b"junk")
        workspace.rollback()
        assert not marker.exists()
    assert not marker.exists()
    assert repo.state() == before


EXECUTED = (
    *(
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.editor",
        "core.askPass",
        "credential.helper",
        "gpg.program",
    ),
    *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "merge.evil.driver", "diff.external"),
    *("diff.evil.textconv", "diff.evil.command"),
)


def test_programs_in_the_configuration_do_not_run(repo: Repo, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    script = tmp_path / "evil.sh"
    script.write_text(f'#!/bin/sh\necho "$0 $*" >> {marker}\ncat\n')
    script.chmod(0o755)
    repo.commit({".gitattributes": "*.py diff=evil merge=evil\n*.dat filter=evil\n", "x.dat": "data\n"})
    for key in EXECUTED:
        repo.git("config", key, str(script))
    repo.git("config", "filter.evil.required", "true")
    repo.git("config", "log.showSignature", "true")
    repo.git("config", "alias.worktree", f"!{script}")
    repo.git("status", check=False)
    assert marker.exists(), "git itself would run them"
    marker.unlink()
    with opened(repo) as workspace:
        use_everything(workspace)
        assert not marker.exists()
        write(workspace, "x.dat", b"changed\n")
        with pytest.raises(WorkspaceError, match=r"x\.dat is stored through the filter evil"):
            workspace.tree()
    assert not marker.exists()


def use_everything(workspace: GitWorkspace) -> None:
    write(workspace, "calc.py", FIXED)
    assert workspace.diff().paths == ("calc.py",)
    with workspace.clean(workspace.tree()) as folder:
        assert (folder / "x.dat").read_bytes() == b"data\n"
    workspace.commit(workspace.tree(), "kept")
    write(workspace, "calc.py", b"junk")
    workspace.rollback()
    workspace.search("add")
    workspace.history("", 5)
    workspace.files()
    workspace.repository.dirty()
    workspace.guard()


def test_nobody_needs_an_identity_and_nothing_is_signed(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/nonexistent")
    repo.git("config", "commit.gpgsign", "true")
    repo.git("config", "user.signingkey", "bad")
    repo.git("config", "user.useConfigOnly", "true")
    with opened(repo) as workspace:
        write(workspace, "calc.py", FIXED)
        commit = workspace.commit(workspace.tree(), "kept")
        write(workspace, "calc.py", b"junk")
        assert workspace.rollback().kept
    assert "gpgsig" not in repo.git("cat-file", "commit", commit)


def test_variables_that_a_hook_exports_lead_nowhere(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = repo.state()
    with monkeypatch.context() as caller:
        caller.setenv("GIT_DIR", str(repo.path / ".git"))
        caller.setenv("GIT_INDEX_FILE", ".git/index")
        caller.setenv("GIT_WORK_TREE", str(tmp_path))
        caller.setenv("GIT_AUTHOR_NAME", "Somebody Else")
        caller.setenv("GIT_PREFIX", "sub/")
        with opened(repo) as workspace:
            write(workspace, "calc.py", FIXED)
            commit = workspace.commit(workspace.tree(), "kept")
    assert repo.git("log", "-1", "--format=%an", commit) == "git agent"
    assert changed(repo, "HEAD", commit) == ["M\tcalc.py"]
    assert repo.state() == before


def test_it_works_from_a_detached_head_and_with_names_that_collide(repo: Repo) -> None:
    repo.git("tag", BRANCH)
    repo.git("tag", "main")
    repo.write({BRANCH: "a file"})
    repo.git("checkout", "-q", "--detach")
    before = repo.state()
    with opened(repo) as workspace:
        write(workspace, "calc.py", FIXED)
        commit = workspace.commit(workspace.tree(), "kept")
    assert repo.git("rev-parse", f"refs/heads/{BRANCH}") == commit
    assert repo.state() == before


def test_a_lock_on_the_persons_index_is_no_matter(repo: Repo) -> None:
    repo.write({".git/index.lock": ""})
    with opened(repo) as workspace:
        write(workspace, "calc.py", FIXED)
        workspace.commit(workspace.tree(), "kept")
    assert (repo.path / ".git/index.lock").exists()


def test_a_rewritten_git_file_leads_nobody_astray_and_is_noticed(repo: Repo, tmp_path: Path) -> None:
    evil = tmp_path / "evil"
    subprocess.run(["git", "init", "-q", str(evil)], check=True)
    (evil / "e.sh").write_text(f"#!/bin/sh\ntouch {tmp_path}/marker\n")
    (evil / "e.sh").chmod(0o755)
    subprocess.run(["git", "config", "core.fsmonitor", str(evil / "e.sh")], cwd=evil, check=True)
    with opened(repo) as workspace:
        workspace.guard()
        (workspace.root / ".git").write_text(f"gitdir: {evil}/.git\n")
        write(workspace, "calc.py", FIXED)
        commit = workspace.commit(workspace.tree(), "kept")
        assert workspace.files() == ("calc.py", "test_calc.py")
        with pytest.raises(RepositoryChanged, match="rewritten"):
            workspace.guard()
        workspace.rollback()
        workspace.guard()
    assert changed(repo, "HEAD", commit) == ["M\tcalc.py"]
    assert not (tmp_path / "marker").exists()


@pytest.mark.parametrize("name", ["config", "hooks/pre-commit", "info/attributes", "info/exclude", "config.worktree"])
def test_what_git_obeys_is_watched(repo: Repo, name: str) -> None:
    with opened(repo) as workspace:
        with workspace.clean(workspace.tree()):
            workspace.guard()
        path = repo.path / ".git" / name
        before = path.read_bytes() if path.exists() else b""
        repo.write({f".git/{name}": before + b"\n# planted\n"})
        with pytest.raises(RepositoryChanged):
            workspace.guard()


def test_a_filter_planted_during_the_run_does_not_run(repo: Repo, tmp_path: Path) -> None:
    with opened(repo) as workspace:
        tree = workspace.tree()
        repo.git("config", "filter.planted.clean", f"touch {tmp_path}/marker; cat")
        repo.git("config", "filter.planted.smudge", f"touch {tmp_path}/marker; cat")
        write(workspace, ".gitattributes", b"* filter=planted\n")
        write(workspace, "calc.py", FIXED)
        for act in (workspace.tree, workspace.diff, workspace.rollback, workspace.clean(tree).__enter__):
            with pytest.raises(RepositoryChanged):
                act()
    assert not (tmp_path / "marker").exists()


def test_a_change_before_the_first_verification_is_not_overlooked(repo: Repo) -> None:
    with opened(repo) as workspace:
        repo.git("config", "core.fsmonitor", "evil")
        with pytest.raises(RepositoryChanged), workspace.clean(workspace.tree()):
            pass
