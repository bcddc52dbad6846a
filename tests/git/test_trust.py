import os
import re
import subprocess
from collections.abc import Callable
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
        repo.write({f".git/{name}": before + b"\n[core]\n\tpager = planted\n"})
        with pytest.raises(RepositoryChanged, match=re.escape(name)):
            workspace.guard()


@pytest.mark.parametrize("condition", ["onbranch:agent/**", "gitdir:**/worktrees/agent-*"])
def test_programs_that_hang_on_a_condition_do_not_run_where_it_holds(
    repo: Repo, tmp_path: Path, condition: str
) -> None:
    (tmp_path / "more").write_text(f'[filter "evil"]\n\tclean = "touch {tmp_path}/marker; cat"\n')
    repo.commit({".gitattributes": "*.dat filter=evil\n", "x.dat": "data\n"})
    repo.git("config", f"includeIf.{condition}.path", str(tmp_path / "more"))
    with opened(repo) as workspace:
        write(workspace, "x.dat", b"changed\n")
        with pytest.raises(WorkspaceError, match="through the filter evil"):
            workspace.tree()
    assert not (tmp_path / "marker").exists()


def include(repo: Repo, outside: Path) -> Path:
    repo.git("config", "include.path", str(outside / "included"))
    return outside / "included"


def include_on_a_condition(repo: Repo, outside: Path) -> Path:
    (outside / "first").write_text("[include]\n\tpath = second\n")
    repo.git("config", "includeIf.onbranch:agent/**.path", str(outside / "first"))
    return outside / "second"


def name_attributes(repo: Repo, outside: Path) -> Path:
    repo.git("config", "core.attributesFile", "~/my attributes")
    return Path(os.environ["HOME"], "my attributes")


def name_excludes(repo: Repo, outside: Path) -> Path:
    repo.git("config", "core.excludesFile", str(outside / "excludes"))
    return outside / "excludes"


def own_configuration(repo: Repo, outside: Path) -> Path:
    return Path(os.environ["HOME"], ".gitconfig")


def own_attributes(repo: Repo, outside: Path) -> Path:
    return Path(os.environ["HOME"], ".config/git/attributes")


@pytest.mark.parametrize(
    "place",
    [include, include_on_a_condition, name_attributes, name_excludes, own_configuration, own_attributes],
    ids=lambda place: place.__name__,
)
def test_what_git_obeys_elsewhere_is_watched_even_before_it_exists(
    repo: Repo, tmp_path: Path, place: Callable[[Repo, Path], Path]
) -> None:
    planted = place(repo, tmp_path)
    with opened(repo) as workspace:
        workspace.guard()
        planted.parent.mkdir(parents=True, exist_ok=True)
        planted.write_text("* filter=evil\n")
        with pytest.raises(RepositoryChanged, match=planted.name):
            workspace.guard()


def test_a_person_may_make_branches_meanwhile(repo: Repo) -> None:
    repo.git("remote", "add", "origin", str(repo.path))
    repo.git("fetch", "-q", "origin")
    with opened(repo) as workspace:
        repo.git("checkout", "-q", "-b", "topic", "--track", "origin/main")
        assert "topic" in (repo.path / ".git/config").read_text()
        workspace.guard()
        repo.git("config", "branch.topic.remote", "evil::remote")
        with pytest.raises(RepositoryChanged, match="config"):
            workspace.guard()


@pytest.mark.parametrize(
    "key", ["alias.st", "core.sshCommand", "filter.x.clean", "remote.origin.url", "branch.x.pushRemote"]
)
def test_a_setting_that_leads_elsewhere_stops_the_run(repo: Repo, key: str) -> None:
    with opened(repo) as workspace:
        repo.git("config", key, "evil")
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
