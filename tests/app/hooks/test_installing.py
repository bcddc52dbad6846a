"""Hooks written where git looks for them, refused where they do not belong, and taken away without a trace."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.app.doctor import _hooks
from bot.app.hooks.installing import install, status, uninstall
from bot.app.hooks.seals import SECTION
from bot.errors import AgentError, UsageError
from bot.git.hookscript import BEFORE, HOOKS, USUAL
from bot.git.repository import open_repository
from bot.git.results import GitShelf
from tests.conftest import Repo, make_repo
from tests.untouched import difference, print_of


def print_all(root: Path) -> dict[str, str]:
    """Describe all of a repository, what is ours in the git folder included."""
    below = sorted(path.relative_to(root) for path in (root / ".git").rglob("*"))
    return {**print_of(root), **{f"listed {path}": "" for path in below}}


def states(folder: Path) -> list[str]:
    return [hook.state for hook in status(folder, ()).hooks]


def refused(folder: Path, names: Sequence[str] = (), *, force: bool = False) -> str:
    with pytest.raises(UsageError) as caught:
        install(folder, names, force=force)  # type: ignore[arg-type]
    assert len(f"{caught.value.message}{caught.value.hint}".splitlines()) == 1
    return f"{caught.value.message} ({caught.value.hint})"


def test_it_is_told_what_was_written_and_how_to_be_rid_of_it_and_that_leaves_no_trace(repo: Repo) -> None:
    (repo.path / ".git/hooks").mkdir()
    foreign = repo.path / ".git/hooks/pre-commit"
    foreign.write_text("#!/bin/sh\nexit 0\n")
    foreign.chmod(0o755)
    before = print_all(repo.path)
    told = install(repo.path, (), force=False).splitlines()
    folder = repo.path / ".git/hooks"
    assert told[:3] == [
        f"{folder}/pre-commit: written; the hook from before goes first, as pre-commit{BEFORE}",
        f"{folder}/pre-merge-commit: written",
        f"{folder}/pre-push: written",
    ]
    assert told[3:] == [
        "skip it once:  git commit --no-verify, or GIT_AGENT=off before any command",
        "be rid of it:  git agent hook uninstall",
    ]
    assert install(repo.path, ("pre-push",), force=False).startswith(f"{folder}/pre-push: already there\n")
    assert states(repo.path) == ["installed", "installed", "missing", "missing", "installed"]
    repository = open_repository(repo.path)
    for section in (SECTION, "results"):
        GitShelf(repository, section=section).put("x", b"y")
    assert uninstall(repo.path, ()).splitlines() == [
        f"{folder}/pre-commit: there is the hook from before again",
        f"{folder}/pre-merge-commit: removed",
        f"{folder}/pre-push: removed",
    ]
    assert difference(before, print_all(repo.path)) == ()
    assert uninstall(repo.path, ()) == f"there is no hook of ours in {folder}"


def test_before_a_first_commit_and_without_a_folder_of_hooks_it_works_as_well(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "new")
    before = print_all(repo.path)
    assert not (repo.path / ".git/hooks").exists()
    install(repo.path, HOOKS, force=False)
    assert states(repo.path) == ["installed"] * len(HOOKS)
    uninstall(repo.path, ())
    assert difference(before, print_all(repo.path)) == ()


def test_it_goes_where_git_itself_looks(tmp_path: Path) -> None:
    home = Path(os.environ["HOME"])
    main = make_repo(tmp_path / "main")
    main.commit({"a": "a"})
    main.git("worktree", "add", "-q", str(tmp_path / "linked"))
    main.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    Repo(tmp_path / "bare.git").git("worktree", "add", "-q", "-b", "x", str(tmp_path / "of bare"))
    (tmp_path / "module").mkdir()
    module = make_repo(tmp_path / "module/origin")
    module.commit({"b": "b"})
    main.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(module.path), "sub")
    shared = main.path / ".git/hooks"
    for place, folder in (
        (main.path, shared),
        (tmp_path / "linked", shared),
        (tmp_path / "of bare", tmp_path / "bare.git/hooks"),
        (main.path / "sub", main.path / ".git/modules/sub/hooks"),
    ):
        install(place, ("pre-push",), force=False)
        assert (folder / "pre-push").exists()
        assert status(place, ()).folder == str(folder)
        uninstall(place, ())
        assert not (folder / "pre-push").exists()
    main.git("config", "extensions.worktreeConfig", "true")
    Repo(tmp_path / "linked").git("config", "--worktree", "core.hooksPath", "~/own hooks")
    install(tmp_path / "linked", ("pre-push",), force=False)
    assert (home / "own hooks/pre-push").exists()
    assert (status(tmp_path / "linked", ()).scope, status(main.path, ()).scope) == ("worktree", "")
    uninstall(tmp_path / "linked", ())
    assert not (home / "own hooks").exists()


def test_a_folder_of_the_working_tree_is_refused_with_the_line_to_add_unless_it_is_ignored(repo: Repo) -> None:
    repo.git("config", "core.hooksPath", "tools/my hooks")
    told = refused(repo.path, ("pre-commit", "pre-push"))
    folder = repo.path / "tools/my hooks"
    assert f"add by hand to '{folder}/pre-commit': git-agent hook run pre-commit \"$@\" || exit, to " in told
    assert not folder.exists()
    repo.git("worktree", "add", "-q", "--detach", str(repo.path.parent / "linked"))
    repo.git("config", "core.hooksPath", str(folder))
    assert "is part of a working tree" in refused(repo.path.parent / "linked")
    install(repo.path, (), force=True)
    assert sorted(path.name for path in folder.iterdir()) == sorted(USUAL)
    uninstall(repo.path, ())
    (repo.path / ".git/info").mkdir(exist_ok=True)
    (repo.path / ".git/info/exclude").write_text("pre-commit\n")
    assert "is part of a working tree" in refused(repo.path)
    (repo.path / ".git/info/exclude").write_text("/tools/\n")
    install(repo.path, (), force=False)
    assert repo.git("status", "--porcelain") == ""
    uninstall(repo.path, ())
    assert not (repo.path / "tools").exists()


def test_husky_is_left_alone(repo: Repo) -> None:
    repo.write({".husky/_/h": "#!/bin/sh\n", ".husky/_/.gitignore": "*\n", ".husky/_/pre-commit": "#!/bin/sh\n"})
    repo.git("config", "core.hooksPath", ".husky/_")
    for force in (False, True):
        told = refused(repo.path, ("pre-commit",), force=force)
        assert "belongs to husky" in told
        assert f'add by hand to {repo.path}/.husky/pre-commit: git-agent hook run pre-commit "$@" || exit' in told


def test_folders_that_all_repositories_share_or_that_are_none_are_said(repo: Repo, tmp_path: Path) -> None:
    repo.git("config", "--global", "core.hooksPath", str(tmp_path / "everywhere"))
    assert "core.hooksPath of your global configuration makes" in refused(repo.path)
    install(repo.path, (), force=True)
    assert "which core.hooksPath names in the global configuration" in status(repo.path, ()).text
    uninstall(repo.path, ())
    assert not (tmp_path / "everywhere").exists()
    for value, words in (
        ("/dev/null", "hooks are switched off here: /dev/null is no folder (git config --local --unset"),
        (str(repo.path / "calc.py"), "is no folder"),
        ("", "core.hooksPath cannot be used: it is empty"),
        ("~nobody-of-that-name/x", "failed to expand user dir"),
    ):
        repo.git("config", "core.hooksPath", value)
        assert words in refused(repo.path)
    repo.git("config", "--unset", "core.hooksPath")
    repo.git("config", "--global", "--unset", "core.hooksPath")
    (repo.path / ".git/hooks").write_text("")
    assert refused(repo.path).endswith("hooks is no folder (move it away)")
    (repo.path / ".git/hooks").unlink()
    install(repo.path, ("pre-push",), force=False)
    repo.git("config", "core.hooksPath", "/dev/null")
    assert states(repo.path) == ["missing"] * len(HOOKS)
    assert uninstall(repo.path, ()) == f"{repo.path}/.git/hooks/pre-push: removed"
    assert uninstall(repo.path, ()) == "there is no hook of ours in /dev/null"


def test_what_the_system_refuses_is_one_line(repo: Repo, tmp_path: Path) -> None:
    (repo.path / ".git/hooks").mkdir()
    (repo.path / ".git/hooks/pre-push.git-agent-new").mkdir()
    with pytest.raises(AgentError, match="could not write hooks into"):
        install(repo.path, ("pre-push",), force=False)
    (repo.path / ".git/hooks/pre-push").mkdir()
    assert "is a folder" in refused(repo.path, ("pre-push",))


def test_status_tells_what_became_of_ours(repo: Repo) -> None:
    folder = repo.path / ".git/hooks"
    install(repo.path, HOOKS, force=False)
    script = (folder / "pre-commit").read_bytes()
    (folder / "pre-merge-commit").chmod(0o644)
    (folder / "commit-msg").write_bytes((folder / "commit-msg").read_bytes() + b"echo mine\n")
    (folder / "post-checkout").rename(folder / "post-checkout.old")
    (folder / "post-checkout").write_text("#!/bin/sh\n")
    (folder / "pre-push").rename(folder / "pre-push.legacy")
    (folder / "pre-push").write_text("#!/bin/sh\n# File generated by prek: https://github.com/j178/prek\n")
    assert states(repo.path) == ["installed", "broken", "edited", "replaced", "framed"]
    assert "edited since" in refused(repo.path, ("commit-msg",))
    told = json.loads(status(repo.path, ("pre-push", "pre-commit")).model_dump_json())
    assert [hook["hook"] for hook in told["hooks"]] == ["pre-commit", "pre-push"]
    assert told["hooks"][0]["python"] == sys.executable
    assert "installed, started by a hook framework as pre-push.legacy" in status(repo.path, ()).text
    uninstall(repo.path, ())
    assert states(repo.path) == ["missing", "missing", "edited", "foreign", "foreign"]
    assert sorted(path.name for path in folder.iterdir()) == ["commit-msg", "post-checkout", "pre-push"]
    (folder / "pre-commit").write_bytes(script)
    assert states(repo.path)[0] == "broken"


def test_an_interpreter_that_is_gone_is_said_and_mended_from_another(repo: Repo, tmp_path: Path) -> None:
    other = tmp_path / "other"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--symlinks", str(other)], check=True)
    folder = Path(__file__).parents[3]
    code = f"import sys; sys.path[:0] = {[str(folder), *sys.path]!r}\nfrom bot.app.hooks.installing import *\n"
    call = f"{code}install(Path({str(repo.path)!r}), (), force=False)"
    subprocess.run([other / "bin/python", "-I", "-c", call], check=True)
    assert status(repo.path, ()).hooks[0].python == str(other / "bin/python")
    (other / "bin/python").unlink()
    state = status(repo.path, ()).hooks[0]
    assert (state.state, str(other) in state.text) == ("broken", True)
    assert ": written anew" in install(repo.path, (), force=False)
    assert states(repo.path)[0] == "installed"


def test_a_hook_that_goes_by_its_name_is_refused_and_two_foreign_ones_are_a_persons_to_sort(repo: Repo) -> None:
    folder = repo.path / ".git/hooks"
    folder.mkdir()
    (folder / "pre-push").write_text('#!/bin/sh\nexec run-parts "$(basename "$0").d"\n')
    assert 'add to it by hand: git-agent hook run pre-push "$@" || exit; or --force' in refused(repo.path)
    assert [path.name for path in folder.iterdir()] == ["pre-push"]
    install(repo.path, ("pre-push",), force=True)
    (folder / "pre-push").write_text("#!/bin/sh\n")
    assert "there is room for one" in refused(repo.path, ("pre-push",), force=True)
    told = uninstall(repo.path, ())
    assert told.endswith(f"somebody else's; the one from before ours is still there, as pre-push{BEFORE}")


def test_the_doctor_says_which_stand_and_that_one_cannot_run(repo: Repo) -> None:
    def told() -> tuple[str, str, bool]:
        found = _hooks(repo.path)
        return found.text, found.hint, found.ok

    assert told() == ("none", "git agent hook install", True)
    install(repo.path, ("pre-commit", "pre-push"), force=False)
    assert told() == ("pre-commit, pre-push", "", True)
    (repo.path / ".git/hooks/pre-push").chmod(0o644)
    assert told() == ("pre-commit, pre-push", "git agent hook status tells what is wrong", True)
