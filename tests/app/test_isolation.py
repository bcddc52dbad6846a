"""Whatever a person has half done and however a run ends: what is theirs is as it was, and nothing of theirs runs."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bot.git.repository import open_repository
from bot.git.runs import list_runs
from tests.conftest import Repo
from tests.git.test_operation import begin
from tests.product import FINISH, agent, calls, checkpoint, edit, leftovers, script
from tests.unfinished import half_finish
from tests.untouched import difference, print_of

RIGHT = edit("a - b", "a + b")
QUICK = ("--check", "pytest=grep -q 'a + b' calc.py")
"""In the place of the project's tests, where a test of ours asks for nothing of theirs."""
SUCCESS = (calls(RIGHT, checkpoint()), calls(FINISH))
HOOKS = (
    *("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout", "reference-transaction"),
    *("post-index-change", "post-rewrite", "pre-auto-gc", "update", "post-merge", "pre-push", "fsmonitor-watchman"),
)
PROGRAMS = (
    *("core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "core.askPass", "core.gitProxy"),
    *("credential.helper", "gpg.program", "gpg.ssh.defaultKeyCommand", "sequence.editor", "diff.external"),
    *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "merge.evil.driver", "diff.evil.textconv"),
    *("hook.evil.command", "interactive.diffFilter", "uploadpack.packObjectsHook", "trailer.x.command"),
)


def arm(repo: Repo, marker: Path) -> None:
    """Let the repository, its configuration and the person's own run something wherever git runs anything at all."""
    program = marker.with_name("armed.sh")
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {marker}\nexit 1\n')
    program.chmod(0o755)
    for hook in HOOKS:
        for folder in (".git/hooks", ".githooks"):
            repo.write({f"{folder}/{hook}": program.read_bytes()})
            (repo.path / folder / hook).chmod(0o755)
    for key in PROGRAMS:
        repo.git("config", key, str(program))
    repo.git("config", "core.hooksPath", ".githooks")
    repo.git("config", "hook.evil.event", "reference-transaction")
    repo.git("config", "alias.status", f"!{program}")
    repo.git("config", "filter.evil.required", "true")
    repo.git("config", "commit.gpgsign", "true")
    repo.git("config", "user.signingkey", "bad")
    (Path(os.environ["HOME"]) / ".gitconfig").write_text(
        f"[core]\n\tfsmonitor = {program}\n[trace2]\n\teventTarget = {marker}\n\tnormalTarget = {marker}\n"
    )


def print_all(repo: Repo, outside: Path) -> dict[str, str]:
    """Print the repository and the other worktree."""
    return {**print_of(repo.path), **{f"side {k}": v for k, v in print_of(outside / "side").items()}}


@pytest.mark.parametrize(
    ("lines", "code"),
    [(SUCCESS, 0), ((calls(edit("a - b", "a * b"), checkpoint()),) * 4, 1)],
    ids=["success", "failure"],
)
def test_half_finished_work_survives_and_nothing_that_is_configured_runs(
    repo: Repo, tmp_path: Path, lines: tuple[dict[str, Any], ...], code: int
) -> None:
    marker = tmp_path / "marker"
    repo.commit({".gitattributes": "*.py diff=evil merge=evil\n*.dat filter=evil\n", "x.dat": "data\n"})
    half_finish(repo, tmp_path)
    arm(repo, marker)
    subprocess.run(["git", "status"], cwd=repo.path, capture_output=True, check=False)
    assert marker.exists(), "git itself would run it"
    marker.unlink()
    before = print_all(repo, tmp_path)
    traced = {"GIT_TRACE": str(marker), "GIT_TRACE2_EVENT": str(marker), "GIT_SSH_COMMAND": f"touch {marker}"}
    ran = agent(repo, "fix", "x", *QUICK, "--json", "--model", script(tmp_path / "s", *lines), env=traced)
    assert ran.code == code, ran.err
    assert not marker.exists(), marker.read_text()
    assert difference(before, print_all(repo, tmp_path)) == ()
    if code == 0:
        made = repo.git("cat-file", "commit", ran.report.tip)
        assert "gpgsig" not in made
        assert "\nauthor git agent <" in made
        assert "\ncommitter git agent <" in made
    assert len(leftovers(repo)) == 1


@pytest.mark.parametrize("place", [".git/config", "~/.gitconfig"])
def test_a_setting_that_a_command_plants_stops_the_run(repo: Repo, tmp_path: Path, place: str) -> None:
    config = repo.path / place if place.startswith(".") else Path(os.environ["HOME"], ".gitconfig")
    planting = f"open({str(config)!r}, 'a').write('[core]\\n\\tfsmonitor = evil\\n')"
    plant = (
        ("create_file", {"path": "plant.py", "content": planting + "\n"}),
        ("run_command", {"argv": ["python", "plant.py"]}),
    )
    model = script(tmp_path / "s", calls(*plant), *SUCCESS)
    ran = agent(repo, "fix", "x", *QUICK, "--json", "--yes", "--isolation", "process", "--model", model)
    assert ran.code == 1
    assert ran.report.stop == "workspace"
    assert "configuration" in ran.report.detail
    assert config.name in ran.report.detail
    assert leftovers(repo) == []


def test_a_merge_with_conflicts_stays_and_locks_of_others_are_no_matter(repo: Repo, tmp_path: Path) -> None:
    begin(repo, "merge")
    locks = {f".git/{name}.lock": "held" for name in ("index", "config", "HEAD", "packed-refs", "refs/heads/main")}
    repo.git("pack-refs", "--all")
    repo.write(locks)
    before = print_of(repo.path)
    lines = (calls(("edit_file", {"path": "calc.py", "old": "mine", "new": "x = 1"}), checkpoint()), calls(FINISH))
    ran = agent(repo, "fix", "x", "--model", script(tmp_path / "s", *lines))
    assert "a merge is in progress in your checkout: it stays as it is" in ran.err
    assert "uncommitted work is not included" in ran.err
    assert difference(before, print_of(repo.path)) == ()
    refused = agent(repo, "fix", "x", "--include-uncommitted")
    assert (refused.code, refused.out) == (2, "")
    assert "calc.py" in refused.err
    assert difference(before, print_of(repo.path)) == ()


def test_a_run_starts_from_uncommitted_work_where_that_is_asked_for(repo: Repo, tmp_path: Path) -> None:
    repo.write({"calc.py": "def add(a, b):\n    return a - b  # mine\n", "new.py": "x = 1\n"})
    repo.git("add", "calc.py")
    before, head = print_of(repo.path), repo.git("rev-parse", "HEAD")
    lines = (calls(edit("a - b", "a + b"), checkpoint()), calls(FINISH))
    ran = agent(repo, "fix", "x", "--json", "--include-uncommitted", "--model", script(tmp_path / "s", *lines))
    assert ran.code == 0, ran.err
    report = ran.report
    assert repo.git("rev-parse", f"{report.base}^") == head
    assert repo.git("show", f"{report.tip}:calc.py") == "def add(a, b):\n    return a + b  # mine"
    assert repo.git("show", f"{report.tip}:new.py") == "x = 1"
    assert any(
        f"the base {report.base[:10]} is a snapshot of your uncommitted work (2 files)" in n for n in report.notes
    )
    assert report.base in repo.git("rev-list", f"refs/agent/runs/{report.run}")
    assert difference(before, print_of(repo.path)) == ()


def test_wishes_about_uncommitted_work_that_contradict_each_other_are_refused(repo: Repo) -> None:
    both = agent(repo, "fix", "--include-uncommitted", "--base", "HEAD")
    assert both.code == 2
    assert "--base and --include-uncommitted contradict each other" in both.err
    repo.write({"calc.py": "x = 1\n"})
    clean = agent(repo, "plan", "--require-clean")
    assert clean.code == 2
    assert "a clean checkout is required" in clean.err
    repo.git("config", "agent.includeUncommitted", "true")
    assert agent(repo, "plan", "--require-clean").code == 2
    assert list_runs(open_repository(repo.path)) == ()


def test_the_project_has_no_say_in_where_a_run_starts_or_who_signs(repo: Repo) -> None:
    repo.commit({"pyproject.toml": "[tool.git-agent]\ninclude_uncommitted = true\nsign = true\n"})
    repo.write({"calc.py": "def add(a, b):\n    return a + b\n"})
    ran = agent(repo, "plan", "--json")
    assert ran.report.base == repo.git("rev-parse", "HEAD")
    assert sum("only a person may set it" in note for note in ran.report.notes) == 2


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen here")
def test_steps_are_signed_by_the_person_who_asks_for_it(repo: Repo, tmp_path: Path) -> None:
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    (tmp_path / "signers").write_text(f"me@example.invalid {key.with_suffix('.pub').read_text()}")
    for name, value in (("format", "ssh"), ("ssh.allowedSignersFile", str(tmp_path / "signers"))):
        repo.git("config", f"gpg.{name}", value)
    refused = agent(repo, "fix", "--sign")
    assert refused.code == 2
    assert "to sign, git has to know who you are" in refused.err
    repo.git("config", "user.name", "Me")
    repo.git("config", "user.email", "me@example.invalid")
    repo.git("config", "user.signingkey", str(key))
    ran = agent(repo, "fix", "x", "--sign", "--json", "--model", script(tmp_path / "s", *SUCCESS))
    assert ran.code == 0, ran.err
    assert repo.git("log", "-1", "--format=%G? %cn %an", ran.report.tip) == "G Me git agent"
    assert repo.git("rev-parse", ran.report.branch) == ran.report.tip
